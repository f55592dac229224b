import {
  AccessDeniedError,
  ConsentRequiredError,
  InvalidRequestError,
  LoginRequiredError,
  type OAuthError,
} from '../../errors/index.js';

/**
 * Returns the error for a single-use authorization request that was already used. The response was sent on its first
 * use.
 */
export function alreadyDecided(): OAuthError {
  const reason = 'the pushed authorization request or request object was already used';
  return new InvalidRequestError('Invalid request: this authorization request was already used').because({ reason });
}

/**
 * Returns the error for a user who is not signed in as the request requires and cannot sign in now, for example because
 * of `prompt=none`. OpenID Connect Core 1.0 §3.1.2.6
 */
export function loginRequired(): OAuthError {
  const reason = 'user is not signed in as the request requires';
  return new LoginRequiredError('Login required: the user has to sign in').because({ reason });
}

/** Returns the error for a request with `prompt=none` that requires consent. OpenID Connect Core 1.0 §3.1.2.6 */
export const consentRequired = () =>
  new ConsentRequiredError('Consent required: the user has not agreed to this before');

/** Returns the error for a request that the user denied. RFC 6749 §4.1.2.1 */
export const userDenied = () => new AccessDeniedError('Access denied: user denied access to application');
