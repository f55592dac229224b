import { OAuthError, oauthError } from './oauth-error.js';

export { OAuthError, type OAuthErrorProperties, type RefusalDetail } from './oauth-error.js';

// RFC 6749 §5.2: the token endpoint
export class InvalidRequestError extends oauthError('invalid_request', 400) {}
export class InvalidClientError extends oauthError('invalid_client', 400) {}
export class InvalidGrantError extends oauthError('invalid_grant', 400) {}
export class UnauthorizedClientError extends oauthError('unauthorized_client', 400) {}
export class UnsupportedGrantTypeError extends oauthError('unsupported_grant_type', 400) {}
export class InvalidScopeError extends oauthError('invalid_scope', 400) {}

// RFC 6749 §4.1.2.1: the authorization endpoint
export class AccessDeniedError extends oauthError('access_denied', 400) {}
export class UnsupportedResponseTypeError extends oauthError('unsupported_response_type', 400) {}
export class ServerError extends oauthError('server_error', 503) {}
/** Nothing is wrong but the moment: the same request may be made again. RFC 6749 §4.1.2.1 */
export class TemporarilyUnavailableError extends oauthError('temporarily_unavailable', 503) {
  /** After how many seconds, where that is known: `Retry-After`. RFC 9110 §10.2.3 */
  declare retryAfter?: number;
}

// RFC 6750 §3.1: the protected resource
export class InvalidTokenError extends oauthError('invalid_token', 401) {}
export class InsufficientScopeError extends oauthError('insufficient_scope', 403) {}
/** The request carries no token at all. RFC 6750 §3 */
export class UnauthorizedRequestError extends oauthError('unauthorized_request', 401) {}

// RFC 8707 §2 and RFC 7009 §2.2.1: what features refuse
export class InvalidTargetError extends oauthError('invalid_target', 400) {}
export class UnsupportedTokenTypeError extends oauthError('unsupported_token_type', 400) {}

/** The host uses the library wrongly: a fault to mend, never a protocol error on the wire. */
export class InvalidArgumentError extends oauthError('invalid_argument', 500) {}

/** All that have a code on the wire. */
export const NAMED = [
  InvalidRequestError,
  InvalidClientError,
  InvalidGrantError,
  UnauthorizedClientError,
  UnsupportedGrantTypeError,
  InvalidScopeError,
  AccessDeniedError,
  UnsupportedResponseTypeError,
  ServerError,
  TemporarilyUnavailableError,
  InvalidTokenError,
  InsufficientScopeError,
  UnauthorizedRequestError,
  InvalidTargetError,
  UnsupportedTokenTypeError,
] as const;

/** Any failure as one of ours. What the host's own code threw stays in `inner`: its text may hold secrets. */
export function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof Error) return sameError(error) ?? hidden(error);
  return hidden(new Error('The model failed with a value that is no error', { cause: error }));
}

/** What is said of a fault whose text may be the host's. */
export const HIDDEN = 'Server error: the request could not be handled';
const hidden = (error: Error) => new ServerError(error, { message: HIDDEN });

/** An OAuth error of another copy of this library, or of the classic one, that a model was written against. */
function sameError(error: ForeignError): OAuthError | undefined {
  if (typeof error.code !== 'number' || error.code !== error.statusCode) return undefined;
  const Named = NAMED.find(({ prototype }) => prototype.name === error.name);
  const { code, retryAfter } = error;
  return Named && new Named(error, retryAfter === undefined ? { code } : { code, retryAfter });
}

type ForeignError = Error & { code?: unknown; statusCode?: unknown; retryAfter?: unknown };
