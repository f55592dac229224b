import type { Request } from './request.js';

/** What of a native request tells its path. */
interface Located {
  originalUrl?: unknown;
  url?: unknown;
}

/** The path that a request was sent to, as far as its host tells; empty where it does not. */
export function requestPath(request: Request): string {
  const { originalUrl, url, native } = request as Request & Located & { native?: Located };
  const sent = native?.originalUrl ?? native?.url ?? originalUrl ?? url;
  return typeof sent === 'string' ? sent.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0]! : '';
}

/**
 * A path under which all are found that a router may take for the same: Express finds `/Notes` where `/notes` is, and
 * `/notes\1#`, Fastify `/n%6ftes`, and, where the host says so, `//notes` and `/notes;1`. RFC 3986 §6.2.2
 */
export function comparablePath(path: string): string {
  return decodedPath(path)
    .split(';', 1)[0]!
    .replaceAll(/[/\\]+/g, '/')
    .toLowerCase();
}

/** Routers find `/%74oken` too; none takes what it cannot decode for another path. */
export function decodedPath(path: string): string {
  try {
    return path.includes('%') ? decodeURIComponent(path) : path;
  } catch {
    return path;
  }
}
