import { InvalidRequestError, InvalidTokenError } from '../../errors/index.js';
import { isForm } from '../../http/media-type.js';
import { optional } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isVSCHAR } from '../../http/syntax.js';

/** The patterns by their schemes. Each server has one. */
const patterns = new Map<string, RegExp>();

/** Returns a pattern that matches an `Authorization` header with a token in one of these schemes. RFC 6750 §2.1 */
export function tokenHeaderPattern(...schemes: string[]): RegExp {
  const names = schemes.join('|');
  let pattern = patterns.get(names);
  // A new pattern is compiled when it is first used, which takes microseconds.
  if (!pattern) patterns.set(names, (pattern = new RegExp(`^(?:${names}) +[\\w.~+/-]+=*$`, 'i')));
  return pattern;
}

const BEARER = tokenHeaderPattern('Bearer');

/**
 * Returns the access token of a request, which must be in exactly one location: header, form or query. `undefined` if
 * the request has no token. RFC 6750 §2
 * @param pattern The pattern of the header, if schemes other than `Bearer` are accepted.
 * @throws {InvalidRequestError} If the token is malformed, in several locations, or in one that is not allowed.
 */
export function readBearerToken(request: Request, allowQuery: boolean, pattern = BEARER): string | undefined {
  const header: unknown = request.get('authorization');
  const inQuery = isPresent(request.query);
  // A JSON body may have a member `access_token` of its own. It is ignored if the request has the header. RFC 6750 §2.2
  const inBody = isPresent(request.body) && (!header || isForm(request.get('content-type')));
  if (Number(Boolean(header)) + Number(inQuery) + Number(inBody) > 1) {
    const reason = 'request has more than one of `Authorization` header, `access_token` in the query, and in the body';
    throw new InvalidRequestError('Invalid request: only one authentication method is allowed').because({ reason });
  }
  if (header) return fromHeader(header, pattern);
  if (inQuery) return fromQuery(request, allowQuery);
  if (inBody) return fromBody(request);
  return undefined;
}

/** Whether a request has an `Authorization` header or a parameter `access_token`, valid or not. RFC 6750 §2 */
export const presentsToken = (request: Request): boolean =>
  Boolean(request.get('authorization')) || isPresent(request.query) || isPresent(request.body);

/**
 * Returns the scheme of the `Authorization` header, if it is one of `schemes`. `undefined` for any other scheme, such
 * as `Bearer`, and without a header. RFC 9110 §11.4
 */
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

/**
 * Maximum number of characters of the value of `Authorization`. Node.js limits HTTP headers, but not the payload of a
 * WebSocket or the record of a message, and guards read the value for each field of a GraphQL query.
 */
const MAX_LENGTH = 65_536;

function fromHeader(header: unknown, pattern: RegExp): string {
  if (typeof header !== 'string' || header.length > MAX_LENGTH || !pattern.test(header)) {
    const reason = 'header is not of the form `Authorization: Bearer <token>`';
    throw new InvalidRequestError('Invalid request: malformed authorization header').because({
      reason,
      remedy: 'send the access token as `Authorization: Bearer <token>`',
    });
  }
  const token = header.slice(header.lastIndexOf(' ') + 1);
  if (token === 'undefined' || token === 'null') throw unsetToken(token);
  return token;
}

/** Returns the error for the text of an unset variable of the client, such as a token that it has not awaited. */
function unsetToken(given: string): InvalidTokenError {
  const message = `Invalid token: the client sent the text ${given} instead of an access token`;
  return new InvalidTokenError(message).because({
    reason: 'client sent the text of an unset variable instead of an access token',
    given,
    remedy: 'wait for the response of the token endpoint, and send its `access_token`',
  });
}

function fromQuery(request: Request, allowQuery: boolean): string {
  if (!allowQuery) {
    const reason = 'access token is in the URL, which the option `allowBearerTokensInQueryString` does not allow';
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
