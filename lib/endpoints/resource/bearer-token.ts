import { InvalidRequestError, UnauthorizedRequestError } from '../../errors/index.js';
import { isForm } from '../../http/media-type.js';
import { optional } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isVSCHAR } from '../../http/syntax.js';

/** The header of a request that presents a token by one of these schemes. RFC 6750 §2.1 */
export const tokenHeaderPattern = (...schemes: string[]) =>
  new RegExp(`^(?:${schemes.join('|')}) +[\\w.~+/-]+=*$`, 'i');

const BEARER = tokenHeaderPattern('Bearer');

/**
 * Finds the token of a request in the one place that has it. RFC 6750 §2
 * @param pattern of the header, where there are other schemes
 */
export function readBearerToken(request: Request, allowQuery: boolean, pattern = BEARER): string {
  const header: unknown = request.get('authorization');
  const inQuery = isPresent(request.query);
  // Beside a header, a body that is no form may use the name for what it likes. RFC 6750 §2.2
  const inBody = isPresent(request.body) && (!header || isForm(request.get('content-type')));
  if (Number(Boolean(header)) + Number(inQuery) + Number(inBody) > 1) {
    throw new InvalidRequestError('Invalid request: only one authentication method is allowed');
  }
  if (header) return fromHeader(header, pattern);
  if (inQuery) return fromQuery(request, allowQuery);
  if (inBody) return fromBody(request);
  throw new UnauthorizedRequestError('Unauthorized request: no authentication given');
}

/** Whether a request presents an access token, valid or not. RFC 6750 §2 */
export const presentsToken = (request: Request): boolean =>
  Boolean(request.get('authorization')) || isPresent(request.query) || isPresent(request.body);

/** By which of these schemes a request presents its token; undefined: by `Bearer`. RFC 9110 §11.4 */
export function schemeOf(request: Request, schemes: Iterable<string>): string | undefined {
  const header: unknown = request.get('authorization');
  const used = typeof header === 'string' ? header.split(' ', 1)[0]!.toLowerCase() : undefined;
  for (const scheme of schemes) if (scheme.toLowerCase() === used) return scheme;
  return undefined;
}

function isPresent(parameters: unknown): boolean {
  return (
    typeof parameters === 'object' &&
    parameters !== null &&
    Boolean((parameters as Record<string, unknown>)['access_token'])
  );
}

function fromHeader(header: unknown, pattern: RegExp): string {
  if (typeof header !== 'string' || !pattern.test(header)) {
    const reason = 'the header is `Authorization: Bearer <token>`, with one space';
    throw new InvalidRequestError('Invalid request: malformed authorization header').because({
      reason,
      remedy: 'send the access token as `Authorization: Bearer <token>`',
    });
  }
  return header.slice(header.lastIndexOf(' ') + 1);
}

function fromQuery(request: Request, allowQuery: boolean): string {
  if (!allowQuery) {
    const reason =
      'tokens are sent in the `Authorization` header; `allowBearerTokensInQueryString` would allow the query';
    throw new InvalidRequestError('Invalid request: do not send bearer tokens in query URLs').because({
      reason,
      remedy: 'send the access token as `Authorization: Bearer <token>`',
    });
  }
  return requireTokenParameter(request, 'query');
}

function fromBody(request: Request): string {
  if (request.method.toUpperCase() === 'GET') {
    throw new InvalidRequestError('Invalid request: token may not be passed in the body when using the GET verb');
  }
  if (!isForm(request.get('content-type'))) {
    throw new InvalidRequestError('Invalid request: content must be application/x-www-form-urlencoded');
  }
  return requireTokenParameter(request, 'body');
}

function requireTokenParameter(request: Request, location: 'body' | 'query'): string {
  const token = optional(request, 'access_token', isVSCHAR, [location]);
  if (!token) throw new InvalidRequestError('Invalid parameter: `access_token`');
  return token;
}
