import { InvalidRequestError } from '../errors/index.js';
import { originOf, senderOf } from '../http/origin.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { CoreClient } from '../model/model.js';
import type { CorsOptions } from '../options/cors.js';
import { isSameRedirectUri } from './authorization/redirect-uri.js';
import type { ClientRequest } from '../contracts/client-request.js';

/** No browser keeps the answer to a preflight for longer. */
const MAX_AGE = 7200;

/** The last one is sent by Swagger UI, and by other libraries that were written before Fetch. */
const ALLOWED_HEADERS = 'Authorization, Content-Type, DPoP, X-Requested-With';

/** Allows pages of the configured origins to read a response, also an error. Cookies are not allowed. Fetch §3.2 */
export function allowOrigin(request: Request, response: Response, { origins }: CorsOptions): void {
  response.headers['vary'] = 'Origin';
  const origin = originOf(request);
  if (origin === undefined || !isListed(origin, origins)) return;
  response.headers['access-control-allow-origin'] = origin;
  response.headers['access-control-expose-headers'] = 'Retry-After, WWW-Authenticate, DPoP-Nonce';
}

/** Lets any page read the answer: of a public document, which is the same for everybody. Fetch §3.2 */
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
 * Checks that the page which sent a request is one of the client's, before anything is spent for it.
 * @throws InvalidRequestError for a page of another origin
 */
export function verifyOrigin({ request, client, issuer, options: { cors } }: ClientRequest): void {
  const origin = originOf(request);
  if (!cors || origin === undefined || senderOf(request, issuer) === 'own') return;
  if (isListed(origin, cors.origins) && isOriginOf(client, origin)) return;
  const wanted = client.allowedOrigins ?? client.redirectUris;
  throw new InvalidRequestError('Invalid request: this client may not be used from this origin').because({
    reason: isListed(origin, cors.origins) ? 'the origin is one of the client' : 'the option `cors` lists the origin',
    expected: isListed(origin, cors.origins) ? wanted : cors.origins,
    given: origin,
  });
}

const isListed = (origin: string, origins: CorsOptions['origins']) =>
  origin !== 'null' && (origins === '*' || (Array.isArray(origins) && origins.includes(origin)));

/** One that the client is registered with; where none are, those of its redirect URIs, to which its codes go anyway. */
function isOriginOf(client: CoreClient, origin: string): boolean {
  const { allowedOrigins, redirectUris } = client;
  if (allowedOrigins) return Array.isArray(allowedOrigins) && allowedOrigins.includes(origin);
  if (!Array.isArray(redirectUris)) return false;
  return redirectUris.some((uri: unknown) => {
    const own = typeof uri === 'string' && /^https?:/i.test(uri) && URL.canParse(uri) ? new URL(uri).origin : undefined;
    return own !== undefined && isSameRedirectUri(origin, own, client);
  });
}
