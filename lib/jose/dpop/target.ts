import type { OwnUrls } from '../../contracts/own-urls.js';
import { endpointPath, endpointUrl } from '../../http/public-url.js';
import type { Request } from '../../http/request.js';
import { requestPath } from '../../http/request-path.js';

/** What of a native request says by which URL it came, where proxies are trusted as the host has it. */
interface NativeRequest {
  protocol?: unknown;
  host?: unknown;
  socket?: { encrypted?: unknown };
}

/**
 * A URL as `htu` is compared: without query and fragment; the case of scheme and host, a default port and needless escapes make
 * no difference; undefined: it is none of HTTP. RFC 9449 §4.3, RFC 3986 §6.2.2, §6.2.3
 */
export function comparableUrl(text: unknown): string | undefined {
  // What `new URL()` forgives, such as a slash too many, might be read in another way elsewhere.
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

/** By which URLs clients may have called a protected resource; none where the request came without one. */
export function acceptedUrls(request: Request, server: OwnUrls, publicUrls: readonly string[]): readonly string[] {
  const path = requestPath(request);
  if (!path.startsWith('/')) return [];
  if (publicUrls.length > 0) {
    return publicUrls.flatMap((url) =>
      url === 'request' ? (urlFromRequest(request, path) ?? []) : endpointUrl(url, path),
    );
  }
  const issuer = server.issuerOf(request);
  const known = server.resourceOf(request) ?? issuer;
  if (known === undefined) return [];
  const { origin } = new URL(known);
  // A proxy may have taken the path of the issuer off.
  return issuer === undefined ? [origin + path] : [origin + path, origin + endpointPath(issuer, path)];
}

/** As the request says it: whoever can send a request can say what they like. */
function urlFromRequest(request: Request, path: string): string | undefined {
  const { protocol, host, socket } = (request['native'] ?? request) as NativeRequest;
  const scheme = protocol ?? (socket?.encrypted ? 'https' : 'http');
  const name = host ?? request.get('host');
  return typeof scheme === 'string' && typeof name === 'string' ? `${scheme}://${name}${path}` : undefined;
}
