import * as named from './catalog.js';
import { OAuthError, oauthError } from './oauth-error.js';

export * from './catalog.js';
export { OAuthError, type OAuthErrorProperties, type RefusalDetail } from './oauth-error.js';

/**
 * A configuration or programming error of the application. Its message is never sent to a client. Its HTTP status is
 * not enumerable, so that a printed start-up error ends with the message and not with status codes.
 */
export class InvalidArgumentError extends oauthError('invalid_argument', 500) {
  constructor(...args: ConstructorParameters<typeof OAuthError>) {
    super(...args);
    for (const name of ['code', 'status', 'statusCode']) Object.defineProperty(this, name, { enumerable: false });
  }
}

/** All error classes that have an OAuth error code. */
export const OAUTH_ERRORS: readonly (typeof OAuthError)[] = Object.values(named);

/**
 * Converts any error to an `OAuthError`. An `OAuthError` is returned unchanged, and one of another copy of this library
 * or of `oauth2-server` is converted. Any other error becomes a `ServerError` with a generic message and is kept in
 * `inner`, because its own message may contain secrets.
 */
export function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof Error) return toOwnError(error) ?? hiddenError(error);
  return hiddenError(new Error('Application code threw a value that is not an Error', { cause: error }));
}

/** The `error_description` of server errors whose own message may contain secrets. */
export const HIDDEN_ERROR_MESSAGE = 'Server error: the request could not be handled; the server log has the reason';
const hiddenError = (error: Error) => new named.ServerError(error, { message: HIDDEN_ERROR_MESSAGE });

/**
 * Converts an OAuth error of another copy of this library, or of the `oauth2-server` package, to an error of this copy.
 * `undefined` for any other error.
 */
function toOwnError(error: ForeignError): OAuthError | undefined {
  if (typeof error.code !== 'number' || error.code !== error.statusCode) return undefined;
  const Named = OAUTH_ERRORS.find(({ prototype }) => prototype.name === error.name);
  const { code, retryAfter } = error;
  return Named && new Named(error, retryAfter === undefined ? { code } : { code, retryAfter });
}

type ForeignError = Error & { code?: unknown; statusCode?: unknown; retryAfter?: unknown };
