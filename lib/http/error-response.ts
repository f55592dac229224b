import {
  HIDDEN_ERROR_MESSAGE,
  InvalidArgumentError,
  OAUTH_ERRORS,
  type OAuthError,
  TemporarilyUnavailableError,
} from '../errors/index.js';
import type { Response } from './response.js';

const LATER = 'Temporarily unavailable: try again later';

/** What is said of an error on the wire, in the characters allowed there. RFC 6749 §5.2 */
export function errorResponse(error: OAuthError): { error: string; error_description: string } {
  // A fault made from another error has that one's text, which may be the host's.
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

/** The code of an error as answers name it; an error that has none of OAuth's is a fault of this server. */
export function wireCode(error: OAuthError): string {
  const { name } = error;
  if (error instanceof InvalidArgumentError || name === 'Error') return 'server_error';
  return CODES.has(name) || /^[\w.:/-]+$/.test(name) ? name : 'server_error';
}

/** To find a code here costs less than to check its spelling, which was a tenth of the time of a refusal. */
const CODES = new Set(OAUTH_ERRORS.map(({ prototype }) => prototype.name));

/** Sets `Retry-After`, in seconds, for an error with status 429 or 5xx that has `retryAfter`. RFC 9110 §10.2.3, RFC 6585 §4 */
export function setRetryAfter({ headers }: Response, error: OAuthError): void {
  const isLater = error.code >= 500 || error.code === 429;
  if (!isLater || !(error instanceof TemporarilyUnavailableError)) return;
  const { retryAfter } = error;
  if (retryAfter! >= 0 && retryAfter! < Infinity) headers['retry-after'] = String(Math.ceil(retryAfter!));
}
