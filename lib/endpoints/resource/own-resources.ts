import { isPublicUrl } from '../../http/public-url.js';
import { comparablePath } from '../../http/request-path.js';

/** A protected resource that an application is: by its URL, or by its path at the origin of the issuer. RFC 8707 §2 */
interface Place {
  uri: string;
  path: string;
}

/** Is it the path of a resource, at the origin of the issuer? */
export function isResourcePath(text: unknown): text is `/${string}` {
  if (typeof text !== 'string' || !/^\/(?!\/)/.test(text) || !isPublicUrl(`https://host${text}`)) return false;
  return new URL(`https://host${text}`).pathname === text;
}

/** The URL of a resource; a path has none where nobody has named the issuer. */
export function resourceUrl(resource: string, issuer: string | undefined): string | undefined {
  if (!resource.startsWith('/')) return resource;
  return issuer === undefined ? undefined : new URL(issuer).origin + resource;
}

/** The protected resources of one application, found by the path of a request. */
export class OwnResources {
  readonly uris: readonly string[];
  private readonly places: readonly Place[];
  /** What a proxy may have taken off: the path of the issuer. */
  private readonly base: string;

  /** @param resources absolute URIs, or paths at the origin of the issuer */
  constructor(resources: Iterable<string>, issuer: string | undefined) {
    const uris = [...resources].map((one) => resourceUrl(one, issuer)).filter((one) => one !== undefined);
    this.uris = [...new Set(uris)];
    this.base = this.uris.length === 0 || issuer === undefined ? '' : comparable(issuer);
    this.places = this.uris
      .map((uri) => ({ uri, path: comparable(uri) }))
      .toSorted((a, b) => b.path.length - a.path.length);
  }

  /** The longest that a path is under; one of the issuer's, without that, where no other fits. */
  find(path: string): string | undefined {
    if (this.places.length === 0) return undefined;
    const sent = comparablePath(path);
    return this.under(sent) ?? (this.base === '' ? undefined : this.under(this.base + sent));
  }

  private under(path: string): string | undefined {
    return this.places.find((one) => path === one.path || path.startsWith(`${one.path}/`))?.uri;
  }
}

const comparable = (uri: string) => comparablePath(new URL(uri).pathname).replace(/\/+$/, '');
