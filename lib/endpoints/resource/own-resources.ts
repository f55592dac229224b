import { isPublicUrl } from '../../http/public-url.js';
import { comparablePath } from '../../http/request-path.js';

/** A protected resource that an application is: by its URL, or by its path at the origin of the issuer. RFC 8707 §2 */
interface ResourceLocation {
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
  private readonly locations: readonly ResourceLocation[];
  /** What a proxy may have taken off: the path of the issuer. */
  private readonly issuerPath: string;

  /** @param resources absolute URIs, or paths at the origin of the issuer */
  constructor(resources: Iterable<string>, issuer: string | undefined) {
    const uris = [...resources].map((one) => resourceUrl(one, issuer)).filter((one) => one !== undefined);
    this.uris = [...new Set(uris)];
    this.issuerPath = this.uris.length === 0 || issuer === undefined ? '' : comparablePathOf(issuer);
    this.locations = this.uris
      .map((uri) => ({ uri, path: comparablePathOf(uri) }))
      .toSorted((a, b) => b.path.length - a.path.length);
  }

  /** The longest that a path is under; one of the issuer's, without that, where no other fits. */
  find(path: string): string | undefined {
    if (this.locations.length === 0) return undefined;
    const sent = comparablePath(path);
    return this.findAbove(sent) ?? (this.issuerPath === '' ? undefined : this.findAbove(this.issuerPath + sent));
  }

  private findAbove(path: string): string | undefined {
    return this.locations.find((one) => path === one.path || path.startsWith(`${one.path}/`))?.uri;
  }
}

const comparablePathOf = (uri: string) => comparablePath(new URL(uri).pathname).replace(/\/+$/, '');
