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
