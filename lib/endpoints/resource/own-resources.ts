import type { ServerContext } from '../../contracts/feature.js';
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

/** The beginning of a route path: a segment without a dot or a port, so that a URL without its scheme is rejected. */
const ROUTE_PATH = /^:?[\w~-]+(?:\/|$)/;

/**
 * Whether the text is the path of a route without a leading slash, such as `mcp`. The application decides where it
 * serves the route, for example below a global prefix.
 */
export const isRoutePath = (text: unknown): boolean =>
  typeof text === 'string' && ROUTE_PATH.test(text) && isResourcePath(`/${text}`);

/** The complete paths at which the application serves resources, by route path: `{ mcp: '/api/mcp' }`. */
export type ResourcePaths = Readonly<Record<string, string>>;

/**
 * Returns the absolute URI of a protected resource. In a path such as `/:tenant/mcp`, parameters are replaced by the
 * segments of the issuer's path in the same positions. `undefined` if the resource is a path and no issuer is set.
 * @param paths The complete paths of route paths. A route path that is not listed is at the origin of the issuer.
 */
export function resourceUrl(
  declared: string,
  issuer: string | undefined,
  paths: ResourcePaths = {},
): string | undefined {
  const resource = isRoutePath(declared) ? (paths[declared] ?? `/${declared}`) : declared;
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
   * @param resources Absolute URIs, paths relative to the origin of the issuer, or route paths. Paths are ignored if
   * `issuer` is `undefined`.
   */
  constructor(resources: Iterable<string>, issuer: string | undefined, paths?: ResourcePaths) {
    const uris = [...resources].map((one) => resourceUrl(one, issuer, paths)).filter((one) => one !== undefined);
    this.uris = [...new Set(uris)];
    this.issuerPath = this.uris.length === 0 || issuer === undefined ? '' : comparablePathOf(issuer);
    this.locations = this.uris
      .map((uri) => ({ uri, path: comparablePathOf(uri) }))
      .map(({ uri, path }) => ({ uri, path, pattern: path.includes('/:') ? patternOf(path) : undefined }))
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

/**
 * Returns a function that computes a value from the resources of a server. It computes the value again only if the
 * application has mounted the resources at other paths.
 */
export function ofResources<T>(server: () => ServerContext, compute: (resources: readonly string[]) => T): () => T {
  let last: { resources: readonly string[]; value: T } | undefined;
  return () => {
    const { resources } = server();
    if (last?.resources !== resources) last = { resources, value: compute(resources) };
    return last.value;
  };
}

const comparablePathOf = (uri: string) => comparablePath(new URL(uri).pathname).replace(/\/+$/, '');

/** Returns the pattern of a path with parameters such as `/:tenant/mcp`, and of all paths below it. */
function patternOf(path: string): RegExp {
  const escaped = path.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/\/:[^/]*/g, '/[^/]+')}(?:/|$)`);
}
