import type { Request } from './request.js';

/**
 * Returns which page sent a request, to detect CSRF: `'own'` for a page of this server or a request without a page,
 * `'other'` for a page of another origin, `'hidden'` if the page hides its origin. If the header `Sec-Fetch-Site` is
 * missing, `Origin` is compared with `Host`, the host that a trusted proxy reports, and the host of the issuer.
 * RFC 6454 §7, Fetch Metadata §2.3
 */
export function senderOf(request: Request, issuer?: string): 'own' | 'other' | 'hidden' {
  const site: unknown = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none' ? 'own' : 'other';
  const origin = originOf(request);
  if (origin === undefined) return 'own';
  if (origin === 'null') return 'hidden';
  const host = hostOf(origin);
  return host !== undefined && namesOf(request, issuer).includes(host) ? 'own' : 'other';
}

/**
 * Returns the header `Origin`. It is `null` as text if the page hides its origin. `undefined` if the header is missing.
 */
export function originOf(request: Request): string | undefined {
  const origin: unknown = request.get('origin');
  return typeof origin === 'string' && origin !== '' ? origin : undefined;
}

/**
 * Returns the host name that a request was sent to, in lower case and without the port: the host that a trusted proxy
 * reports, otherwise the header `Host`. `undefined` if the request has neither. RFC 9110 §7.2
 */
export function requestedHost(request: Request): string | undefined {
  const { host = request.get('host') ?? request.get(':authority') } = (request['native'] ?? {}) as { host?: unknown };
  if (typeof host !== 'string' || host === '') return undefined;
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host.toLowerCase();
}

/**
 * Returns the hosts that count as this server: the header `Host`, the host that a trusted proxy reports, and the host
 * of the issuer. Schemes are not compared, because a proxy may hide whether the browser uses https.
 */
function namesOf(request: Request, issuer: string | undefined): unknown[] {
  const { host } = (request['native'] ?? {}) as { host?: unknown };
  return [request.get('host'), host, issuer && hostOf(issuer)];
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host || undefined : undefined);
