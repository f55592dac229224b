import type { Request } from './request.js';

/** What of a native request tells its path. */
interface Located {
  originalUrl?: unknown;
  url?: unknown;
}

/** Returns the path that a request was sent to; an empty text if the native request has no URL. */
export function requestPath(request: Request): string {
  const { originalUrl, url, native } = request as Request & Located & { native?: Located };
  const sent = native?.originalUrl ?? native?.url ?? originalUrl ?? url;
  return typeof sent === 'string' ? sent.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0]! : '';
}

/**
 * Returns a normalized path: equal for all paths that a router may take for the same route. Express accepts `/Notes` for `/notes`, and
 * `/notes\1#`. Fastify accepts `/n%6ftes` and, if configured so, `//notes` and `/notes;1`. RFC 3986 §6.2.2
 */
export function comparablePath(path: string): string {
  return decodedPath(path)
    .split(';', 1)[0]!
    .replaceAll(/[/\\]+/g, '/')
    .toLowerCase();
}

/** Returns a path without percent-encoding, as routers compare it; unchanged if it cannot be decoded. */
export function decodedPath(path: string): string {
  try {
    return path.includes('%') ? decodeURIComponent(path) : path;
  } catch {
    return path;
  }
}
