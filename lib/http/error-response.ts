import {
  HIDDEN_ERROR_MESSAGE,
  InvalidArgumentError,
  OAUTH_ERRORS,
  type OAuthError,
  TemporarilyUnavailableError,
} from '../errors/index.js';
import type { Response } from './response.js';

const LATER = 'Temporarily unavailable: try again later';

/**
 * Returns the members of an error response. The message of a server error that may contain secrets is replaced by a
 * general one. Characters that RFC 6749 does not allow in `error_description` are replaced. RFC 6749 §5.2
 */
export function errorResponse(error: OAuthError): { error: string; error_description: string } {
  // The message of an error of the application may contain secrets.
  const isSecret = error instanceof InvalidArgumentError || (error.code >= 500 && error.inner !== undefined);
  const message = isSecret
    ? error instanceof TemporarilyUnavailableError
      ? LATER
      : HIDDEN_ERROR_MESSAGE
    : String(error.message);
  return {
    error: wireCode(error),
    error_description: message.replaceAll('"', "'").replaceAll(DISALLOWED_CHARACTERS, '?'),
  };
}

const DISALLOWED_CHARACTERS = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

/** Returns the OAuth error code of an error for responses. An error without a valid code becomes `server_error`. */
export function wireCode(error: OAuthError): string {
  const { name } = error;
  if (error instanceof InvalidArgumentError || name === 'Error') return 'server_error';
  return CODES.has(name) || /^[\w.:/-]+$/.test(name) ? name : 'server_error';
}

/**
 * The OAuth error codes of this library. Looking up the code first avoids a regular expression that took a tenth of the
 * time of a refusal.
 */
const CODES = new Set(OAUTH_ERRORS.map(({ prototype }) => prototype.name));

/**
 * Sets the header `Retry-After` for a `TemporarilyUnavailableError` with `retryAfter`, if its status is 429 or 5xx.
 * RFC 9110 §10.2.3, RFC 6585 §4
 */
export function setRetryAfter({ headers }: Response, error: OAuthError): void {
  const isLater = error.code >= 500 || error.code === 429;
  if (!isLater || !(error instanceof TemporarilyUnavailableError)) return;
  const { retryAfter } = error;
  if (retryAfter! >= 0 && retryAfter! < Infinity) headers['retry-after'] = String(Math.ceil(retryAfter!));
}
