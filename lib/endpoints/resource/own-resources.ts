import { isPublicUrl } from '../../http/public-url.js';
import { comparablePath } from '../../http/request-path.js';

/** A protected resource that this application serves: its absolute URI, and its normalized path. RFC 8707 §2 */
interface ResourceLocation {
  uri: string;
  path: string;
  /** Matches the path and all paths below it, if the path has parameters because the issuer is not known. */
  pattern: RegExp | undefined;
}

/** Whether the text is the path of a protected resource, relative to the origin of the issuer. */
export function isResourcePath(text: unknown): text is `/${string}` {
  if (typeof text !== 'string' || !/^\/(?!\/)/.test(text) || !isPublicUrl(`https://host${text}`)) return false;
  return new URL(`https://host${text}`).pathname === text;
}

/**
 * Returns the absolute URI of a protected resource. In a path such as `/:tenant/mcp`, parameters are replaced by the
 * segments of the issuer's path in the same positions. `undefined` if the resource is a path and no issuer is set.
 */
export function resourceUrl(resource: string, issuer: string | undefined): string | undefined {
  if (!resource.startsWith('/')) return resource;
  if (issuer === undefined) return undefined;
  const { origin, pathname } = new URL(issuer);
  if (!resource.startsWith('/:')) return origin + resource;
  const base = pathname.split('/');
  const segments = resource.split('/').map((one, at) => (one.startsWith(':') ? base[at] || one : one));
  return origin + segments.join('/');
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
      .map(({ uri, path }) => ({ uri, path, pattern: path.startsWith('/:') ? patternOf(path) : undefined }))
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
    const isBelow = (one: ResourceLocation) => path === one.path || path.startsWith(`${one.path}/`);
    return this.locations.find((one) => (one.pattern ? one.pattern.test(path) : isBelow(one)))?.uri;
  }
}

const comparablePathOf = (uri: string) => comparablePath(new URL(uri).pathname).replace(/\/+$/, '');

/** Returns the pattern of a path with parameters such as `/:tenant/mcp`, and of all paths below it. */
function patternOf(path: string): RegExp {
  const escaped = path.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/\/:[^/]*/g, '/[^/]+')}(?:/|$)`);
}
