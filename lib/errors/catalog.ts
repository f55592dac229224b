import { oauthError } from './oauth-error.js';

// Contains all errors that have an OAuth error code, and nothing else: other modules enumerate the exports of this one.

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
/** The server cannot handle the request at the moment, but may succeed later. RFC 6749 §4.1.2.1 */
export class TemporarilyUnavailableError extends oauthError('temporarily_unavailable', 503) {
  /**
   * Seconds after which the client may retry, sent as `Retry-After`. If omitted, the header is not sent.
   * RFC 9110 §10.2.3
   */
  declare retryAfter?: number;
}

// OpenID Connect Core §3.1.2.6, Initiating User Registration §4.1: errors of the prompt parameter
export class LoginRequiredError extends oauthError('login_required', 400) {}
export class ConsentRequiredError extends oauthError('consent_required', 400) {}
export class InteractionRequiredError extends oauthError('interaction_required', 400) {}
export class AccountSelectionRequiredError extends oauthError('account_selection_required', 400) {}
/**
 * The user's authentication did not meet the essential `acr` that the client requested. Unmet Authentication
 * Requirements 1.0 §2
 */
export class UnmetAuthenticationRequirementsError extends oauthError('unmet_authentication_requirements', 400) {}
export class RegistrationNotSupportedError extends oauthError('registration_not_supported', 400) {}

// RFC 6750 §3.1: the protected resource
export class InvalidTokenError extends oauthError('invalid_token', 401) {}
export class InsufficientScopeError extends oauthError('insufficient_scope', 403) {}
/** The user's authentication is too weak or too old for the protected resource (step-up). RFC 9470 §3 */
export class InsufficientUserAuthenticationError extends oauthError('insufficient_user_authentication', 401) {
  /**
   * The authentication context classes that the resource accepts (`acr_values`), separated by spaces. If omitted, every
   * class.
   */
  declare acrValues?: string;
  /** The maximum age of the authentication that the resource accepts, in seconds (`max_age`). If omitted, every age. */
  declare maxAge?: number;
}
/** The request contains no access token. RFC 6750 §3 */
export class UnauthorizedRequestError extends oauthError('unauthorized_request', 401) {}

// RFC 9101 §7: request objects
export class InvalidRequestObjectError extends oauthError('invalid_request_object', 400) {}
export class InvalidRequestUriError extends oauthError('invalid_request_uri', 400) {}
export class RequestNotSupportedError extends oauthError('request_not_supported', 400) {}
export class RequestUriNotSupportedError extends oauthError('request_uri_not_supported', 400) {}

// RFC 8707 §2: resource indicators. RFC 7009 §2.2.1: token revocation
export class InvalidTargetError extends oauthError('invalid_target', 400) {}
export class UnsupportedTokenTypeError extends oauthError('unsupported_token_type', 400) {}

// RFC 9396 §5: authorization details
export class InvalidAuthorizationDetailsError extends oauthError('invalid_authorization_details', 400) {}

// RFC 9449 §12.2: DPoP. At a protected resource, the status is 401.
export class InvalidDpopProofError extends oauthError('invalid_dpop_proof', 400) {}
export class UseDpopNonceError extends oauthError('use_dpop_nonce', 400) {}

// RFC 7591 §3.2.2: dynamic client registration
export class InvalidRedirectUriError extends oauthError('invalid_redirect_uri', 400) {}
export class InvalidClientMetadataError extends oauthError('invalid_client_metadata', 400) {}
export class InvalidSoftwareStatementError extends oauthError('invalid_software_statement', 400) {}
export class UnapprovedSoftwareStatementError extends oauthError('unapproved_software_statement', 400) {}

// RFC 8628 §3.5: polling of the device authorization grant
export class AuthorizationPendingError extends oauthError('authorization_pending', 400) {}
export class SlowDownError extends oauthError('slow_down', 400) {}
export class ExpiredTokenError extends oauthError('expired_token', 400) {}

// OpenID CIBA §13: authentication requests of CIBA
export class UnknownUserIdError extends oauthError('unknown_user_id', 400) {}
export class ExpiredLoginHintTokenError extends oauthError('expired_login_hint_token', 400) {}
export class MissingUserCodeError extends oauthError('missing_user_code', 400) {}
export class InvalidUserCodeError extends oauthError('invalid_user_code', 400) {}
export class InvalidBindingMessageError extends oauthError('invalid_binding_message', 400) {}
