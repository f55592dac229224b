import type { OAuth2Paths } from './interfaces/oauth2-module-options.interface.js';

/** A place that answers requests. */
export interface Endpoint {
  readonly name: keyof OAuth2Paths;
  readonly methods: readonly string[];
  /** May a page of another origin call it? */
  readonly cors: boolean;
}

/** The endpoints, by the names of their paths. */
export const ENDPOINTS: Readonly<Record<keyof OAuth2Paths, Endpoint>> = {
  // Only the user's own window goes there: its pages carry tickets. RFC 9700 §2.6
  authorize: { name: 'authorize', methods: ['GET', 'POST'], cors: false },
  token: { name: 'token', methods: ['POST'], cors: true },
};

/** Finds the endpoint that a URL leads to; undefined where it is none of ours. */
export type FindEndpoint = (url: string) => Endpoint | undefined;

/** Finds it by the end of the path: what a global prefix or a RouterModule puts before it is not known here. */
export function endpointFinder(paths: OAuth2Paths): FindEndpoint {
  const routes = Object.entries(paths).map(([name, path]) => [routePattern(path), ENDPOINTS[name as 'token']] as const);
  return (url) => {
    const path = decoded(url.split(/[?#;]/, 1)[0]!);
    return routes.find(([pattern]) => pattern.test(path))?.[1];
  };
}

/** Fastify finds `/%74oken` and `/token#` too: whatever a router may take for a path counts as that path. */
function decoded(path: string): string {
  try {
    return path.includes('%') ? decodeURIComponent(path) : path;
  } catch {
    return path;
  }
}

const routePattern = (path: string) =>
  new RegExp(`/${path.split('/').filter(Boolean).map(segmentPattern).join('/')}/?$`, 'i');

const segmentPattern = (segment: string) =>
  segment.startsWith(':') ? '[^/]+' : segment.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
