import type { Request } from './request.js';

/** The properties of a native request that may contain its URL. */
interface Located {
  originalUrl?: unknown;
  url?: unknown;
}

/** Returns the path that a request was sent to, or an empty text if the native request has no URL. */
export function requestPath(request: Request): string {
  const { originalUrl, url, native } = request as Request & Located & { native?: Located };
  const sent = native?.originalUrl ?? native?.url ?? originalUrl ?? url;
  return typeof sent === 'string' ? sent.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0]! : '';
}

/**
 * Normalizes a path, so that all paths that a router may treat as the same route become equal. Express accepts `/Notes`
 * for `/notes`, and `\\` for `/`. Fastify accepts `/n%6ftes` and, if configured so, `//notes` and `/notes;1`.
 * RFC 3986 §6.2.2
 */
export function comparablePath(path: string): string {
  return decodedPath(path)
    .split(';', 1)[0]!
    .replaceAll(/[/\\]+/g, '/')
    .toLowerCase();
}

/**
 * Returns a path without percent-encoding, as routers compare it. A path that cannot be decoded is returned unchanged.
 */
export function decodedPath(path: string): string {
  try {
    return path.includes('%') ? decodeURIComponent(path) : path;
  } catch {
    return path;
  }
}
