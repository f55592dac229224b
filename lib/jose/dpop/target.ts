import type { OwnUrls } from '../../contracts/own-urls.js';
import { endpointPath, endpointUrl } from '../../http/public-url.js';
import type { Request } from '../../http/request.js';
import { requestPath } from '../../http/request-path.js';

/**
 * The properties of a framework's request that contain its URL. The framework trusts the proxies that the application
 * has configured.
 */
interface NativeRequest {
  protocol?: unknown;
  host?: unknown;
  socket?: { encrypted?: unknown };
}

/**
 * Normalizes a URL for the comparison with `htu`, and removes its query and fragment. The case of the scheme and host,
 * a default port and unnecessary escapes make no difference. Returns `undefined` if the text is not an HTTP URL.
 * RFC 9449 §4.3, RFC 3986 §6.2.2, §6.2.3
 */
export function comparableUrl(text: unknown): string | undefined {
  // `new URL()` repairs malformed URLs, for example with an extra slash, which other parsers may read differently.
  if (typeof text !== 'string' || !/^https?:\/\/[^/?#\\@][\x21-\x5b\x5d-\x7e]*$/i.test(text)) return undefined;
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, username, password } = new URL(text);
  if (username + password !== '') return undefined;
  return origin + pathname.replaceAll(/%[\da-f]{2}/gi, normalizeEscape);
}

function normalizeEscape(escape: string): string {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
}

/**
 * Returns the URLs under which a client may have called a protected resource. The list is empty if the request has no
 * URL.
 */
export function acceptedUrls(request: Request, server: OwnUrls, publicUrls: readonly string[]): readonly string[] {
  const path = requestPath(request);
  if (!path.startsWith('/')) return [];
  if (publicUrls.length > 0) {
    return publicUrls.flatMap((url) =>
      url === 'request' ? (urlFromRequest(request, path) ?? []) : endpointUrl(url, path),
    );
  }
  const issuer = server.issuerOf(request);
  const publicUrl = server.resourceOf(request) ?? issuer;
  if (publicUrl === undefined) return [];
  const { origin } = new URL(publicUrl);
  // A proxy may have removed the path of the issuer from the URL.
  return issuer === undefined ? [origin + path] : [origin + path, origin + endpointPath(issuer, path)];
}

/**
 * Returns the URL of a request from its scheme and its `Host` header, or `undefined` if it has none. The client can
 * choose the `Host` header freely.
 */
function urlFromRequest(request: Request, path: string): string | undefined {
  const { protocol, host, socket } = (request['native'] ?? request) as NativeRequest;
  const scheme = protocol ?? (socket?.encrypted ? 'https' : 'http');
  const hostName = host ?? request.get('host');
  return typeof scheme === 'string' && typeof hostName === 'string' ? `${scheme}://${hostName}${path}` : undefined;
}
