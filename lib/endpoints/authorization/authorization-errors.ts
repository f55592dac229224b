import {
  AccessDeniedError,
  ConsentRequiredError,
  InvalidRequestError,
  LoginRequiredError,
  type OAuthError,
} from '../../errors/index.js';

/** Returns the error for a single-use request that was decided before. The client has got that response. */
export function alreadyDecided(): OAuthError {
  const reason = 'a request that came from elsewhere is decided once';
  return new InvalidRequestError('Invalid request: it was answered before').because({ reason });
}

/** Returns the error for a user who is not signed in as the request requires, and cannot sign in here. OpenID Connect Core 1.0 §3.1.2.6 */
export function loginRequired(): OAuthError {
  const reason = 'the user signed in as the request wants it';
  return new LoginRequiredError('Login required: the user has to sign in').because({ reason });
}

/** Returns the error for a request with `prompt=none` that requires consent. OpenID Connect Core 1.0 §3.1.2.6 */
export const consentRequired = () =>
  new ConsentRequiredError('Consent required: the user has not agreed to this before');

/** Returns the error for a request that the user denied. RFC 6749 §4.1.2.1 */
export const userDenied = () => new AccessDeniedError('Access denied: user denied access to application');
