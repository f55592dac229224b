import { decodedPath, isDocument, type Endpoint as FeatureEndpoint } from '../../lib/internal.js';

/** An endpoint with the path at which the module mounts it. */
export interface Endpoint extends Pick<FeatureEndpoint, 'path' | 'methods'> {
  /** The identifier of the endpoint in its feature, such as `token` or `revocation`. */
  readonly name: string;
  readonly cors: FeatureEndpoint['cors'];
  readonly metadata: FeatureEndpoint['metadata'];
  readonly perIssuer: FeatureEndpoint['perIssuer'];
  readonly resource: FeatureEndpoint['resource'];
  readonly content: FeatureEndpoint['content'];
}

/** Finds the endpoint that a URL leads to. Returns `undefined` if it is not an endpoint of this server. */
export type FindEndpoint = (url: string) => Endpoint | undefined;

/** A route of a server in this application. */
interface Route {
  readonly pattern: RegExp;
  readonly endpoint: Endpoint;
  readonly segments: number;
}

const routesOf = new WeakMap<object, Route[]>();

/**
 * Returns a function that finds an endpoint by the end of a path, because a global prefix or a `RouterModule` may add
 * to its beginning. If the routes of two servers match, the longer one applies.
 */
export function endpointFinder(
  endpoints: readonly Endpoint[],
  documentsAt: (endpoint: Endpoint) => readonly string[],
  application: object,
): FindEndpoint {
  const ownEndpoints = new Set(endpoints);
  const added = endpoints.flatMap((endpoint) =>
    isDocument(endpoint)
      ? documentsAt(endpoint).map((path) => routeTo(endpoint, decodedPath(path), '^'))
      : [routeTo(endpoint, endpoint.path)],
  );
  const routes = routesOf.get(application) ?? [];
  routesOf.set(application, routes);
  routes.push(...added);
  routes.sort((one, other) => other.segments - one.segments);
  return (url) => {
    // Fastify also matches `/token#` and `/token;1`, so everything that a router may treat as part of the path is
    // removed.
    const path = decodedPath(url.split(/[?#;]/, 1)[0]!);
    const endpoint = routes.find(({ pattern }) => pattern.test(path))?.endpoint;
    return endpoint && ownEndpoints.has(endpoint) ? endpoint : undefined;
  };
}

function routeTo(endpoint: Endpoint, path: string, start = ''): Route {
  const segments = path.split('/').filter(Boolean);
  const pattern = new RegExp(`${start}/${segments.map(segmentPattern).join('/')}/?$`, 'i');
  return { pattern, endpoint, segments: segments.length };
}

const segmentPattern = (segment: string) =>
  segment.startsWith(':') ? '[^/]+' : segment.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
