import { InvalidRequestError } from '../errors/index.js';
import { originOf, senderOf } from '../http/origin.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { CoreClient } from '../model/model.js';
import type { CorsOptions } from '../options/cors.js';
import { isSameRedirectUri } from './authorization/redirect-uri.js';
import type { ClientRequest } from '../contracts/client-request.js';

/** Default lifetime of a CORS preflight response, in seconds. Browsers cache such a response no longer than this. */
const MAX_AGE = 7200;

/**
 * Request headers that pages of other origins may send. Swagger UI and libraries older than Fetch send
 * `X-Requested-With`.
 */
const ALLOWED_HEADERS = 'Authorization, Content-Type, DPoP, X-Requested-With';

/**
 * Allows pages of the configured origins to read a response, including an error. Cookies are not allowed. Fetch §3.2
 */
export function allowOrigin(request: Request, response: Response, { origins }: CorsOptions): void {
  response.headers['vary'] = 'Origin';
  const origin = originOf(request);
  if (origin === undefined || !isListed(origin, origins)) return;
  response.headers['access-control-allow-origin'] = origin;
  response.headers['access-control-expose-headers'] = 'Retry-After, WWW-Authenticate, DPoP-Nonce';
}

/**
 * Allows pages of any origin to read a response. Used for public documents, which are the same for every reader.
 * Fetch §3.2
 */
export function allowAnyOrigin(response: Response): void {
  response.headers['access-control-allow-origin'] = '*';
}

/** Writes the response to a CORS preflight request. Fetch §3.2.2 */
export function respondToPreflight(
  request: Request,
  response: Response,
  methods: readonly string[],
  cors: CorsOptions | 'any',
): void {
  if (cors === 'any') allowAnyOrigin(response);
  else allowOrigin(request, response, cors);
  response.status = 204;
  if (response.headers['access-control-allow-origin'] === undefined) return;
  delete response.headers['access-control-expose-headers'];
  response.headers['access-control-allow-methods'] = methods.join(', ');
  response.headers['access-control-allow-headers'] = cors === 'any' ? '*' : ALLOWED_HEADERS;
  response.headers['access-control-max-age'] = String((cors !== 'any' && cors.maxAge) || MAX_AGE);
}

/**
 * Verifies that the page that sent the request is at an origin of this server, or at one that the option `cors` and the
 * client allow.
 * @throws {InvalidRequestError} If the page is at another origin.
 */
export function verifyOrigin({ request, client, issuer, options: { cors } }: ClientRequest): void {
  const origin = originOf(request);
  if (!cors || origin === undefined || senderOf(request, issuer) === 'own') return;
  if (isListed(origin, cors.origins) && isOriginOfClient(client, origin)) return;
  const allowed = client.allowedOrigins ?? client.redirectUris;
  throw new InvalidRequestError('Invalid request: this client may not be used from this origin').because({
    reason: isListed(origin, cors.origins)
      ? 'origin is not allowed for this client'
      : 'origin is not listed in the option `cors.origins`',
    expected: isListed(origin, cors.origins) ? allowed : cors.origins,
    given: origin,
    remedy: `add the origin to ${isListed(origin, cors.origins) ? '`allowedOrigins` of the client' : '`cors.origins`'}`,
  });
}

const isListed = (origin: string, origins: CorsOptions['origins']) =>
  origin !== 'null' && (origins === '*' || (Array.isArray(origins) && origins.includes(origin)));

/**
 * Whether the origin is one of the client's `allowedOrigins`. A client without them may use the origins of its redirect
 * URIs, which receive its authorization codes anyway.
 */
function isOriginOfClient(client: CoreClient, origin: string): boolean {
  const { allowedOrigins, redirectUris } = client;
  if (allowedOrigins) return Array.isArray(allowedOrigins) && allowedOrigins.includes(origin);
  if (!Array.isArray(redirectUris)) return false;
  return redirectUris.some((uri: unknown) => {
    const redirectOrigin =
      typeof uri === 'string' && /^https?:/i.test(uri) && URL.canParse(uri) ? new URL(uri).origin : undefined;
    return redirectOrigin !== undefined && isSameRedirectUri(origin, redirectOrigin, client);
  });
}
