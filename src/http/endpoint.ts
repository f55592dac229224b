import { decodedPath, isDocument } from '../../lib/adapter/index.js';
import type { Endpoint as Served } from '../../lib/index.js';

/** A place that answers requests, as the module has put it there. */
export interface Endpoint extends Pick<Served, 'path' | 'methods'> {
  /** Its id among the features. */
  readonly name: string;
  readonly cors: Served['cors'];
  readonly metadata: Served['metadata'];
  readonly perIssuer: Served['perIssuer'];
  readonly content: Served['content'];
}

/** Finds the endpoint that a URL leads to; undefined where it is none of ours. */
export type FindEndpoint = (url: string) => Endpoint | undefined;

/** A route by which a server of an application is found. */
interface Route {
  readonly pattern: RegExp;
  readonly endpoint: Endpoint;
  readonly segments: number;
}

const routesOf = new WeakMap<object, Route[]>();

/**
 * Finds it by the end of the path: what a global prefix or a RouterModule puts before it is not known here. Where the path of
 * one server ends as that of another one does, the longer one counts.
 */
export function endpointFinder(
  endpoints: readonly Endpoint[],
  documentsAt: (endpoint: Endpoint) => readonly string[],
  application: object,
): FindEndpoint {
  const own = new Set(endpoints);
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
    // Fastify finds `/token#` and `/token;1` too: whatever a router may take for a path counts as that path.
    const path = decodedPath(url.split(/[?#;]/, 1)[0]!);
    const found = routes.find(({ pattern }) => pattern.test(path))?.endpoint;
    return found && own.has(found) ? found : undefined;
  };
}

function routeTo(endpoint: Endpoint, path: string, start = ''): Route {
  const segments = path.split('/').filter(Boolean);
  const pattern = new RegExp(`${start}/${segments.map(segmentPattern).join('/')}/?$`, 'i');
  return { pattern, endpoint, segments: segments.length };
}

const segmentPattern = (segment: string) =>
  segment.startsWith(':') ? '[^/]+' : segment.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
