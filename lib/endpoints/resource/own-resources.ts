import { isPublicUrl } from '../../http/public-url.js';
import { comparablePath } from '../../http/request-path.js';

/** A protected resource that this application serves: its absolute URI, and its normalized path. RFC 8707 §2 */
interface ResourceLocation {
  uri: string;
  path: string;
}

/** Whether the text is the path of a protected resource, relative to the origin of the issuer. */
export function isResourcePath(text: unknown): text is `/${string}` {
  if (typeof text !== 'string' || !/^\/(?!\/)/.test(text) || !isPublicUrl(`https://host${text}`)) return false;
  return new URL(`https://host${text}`).pathname === text;
}

/** Returns the absolute URI of a protected resource. `undefined` if the resource is a path and no issuer is set. */
export function resourceUrl(resource: string, issuer: string | undefined): string | undefined {
  if (!resource.startsWith('/')) return resource;
  return issuer === undefined ? undefined : new URL(issuer).origin + resource;
}

/** The protected resources of one application, found by the path of a request. */
export class OwnResources {
  readonly uris: readonly string[];
  private readonly locations: readonly ResourceLocation[];
  /** The path of the issuer, which a proxy may have removed from request paths. */
  private readonly issuerPath: string;

  /**
   * @param resources Absolute URIs, or paths relative to the origin of the issuer. Paths are ignored if `issuer` is
   * `undefined`.
   */
  constructor(resources: Iterable<string>, issuer: string | undefined) {
    const uris = [...resources].map((one) => resourceUrl(one, issuer)).filter((one) => one !== undefined);
    this.uris = [...new Set(uris)];
    this.issuerPath = this.uris.length === 0 || issuer === undefined ? '' : comparablePathOf(issuer);
    this.locations = this.uris
      .map((uri) => ({ uri, path: comparablePathOf(uri) }))
      .toSorted((a, b) => b.path.length - a.path.length);
  }

  /**
   * Returns the resource with the longest path that equals `path` or contains it. If no resource does, the path of the
   * issuer is added before `path` and the search is repeated, because a proxy may have removed it. `undefined` if no
   * resource matches.
   */
  find(path: string): string | undefined {
    if (this.locations.length === 0) return undefined;
    const requestPath = comparablePath(path);
    return (
      this.findAbove(requestPath) ??
      (this.issuerPath === '' ? undefined : this.findAbove(this.issuerPath + requestPath))
    );
  }

  private findAbove(path: string): string | undefined {
    return this.locations.find((one) => path === one.path || path.startsWith(`${one.path}/`))?.uri;
  }
}

const comparablePathOf = (uri: string) => comparablePath(new URL(uri).pathname).replace(/\/+$/, '');
