import { oauthError } from './oauth-error.js';

// Every error that has a code on the wire, and nothing else: what has to know them all goes through this module.

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

// OpenID Connect Core §3.1.2.6: what a client hears that forbids to ask the user, or registers on the way
export class LoginRequiredError extends oauthError('login_required', 400) {}
export class ConsentRequiredError extends oauthError('consent_required', 400) {}
export class InteractionRequiredError extends oauthError('interaction_required', 400) {}
export class AccountSelectionRequiredError extends oauthError('account_selection_required', 400) {}
/** The user did not prove who they are as the client asked for. Unmet Authentication Requirements 1.0 §2 */
export class UnmetAuthenticationRequirementsError extends oauthError('unmet_authentication_requirements', 400) {}
export class RegistrationNotSupportedError extends oauthError('registration_not_supported', 400) {}

// RFC 6750 §3.1: the protected resource
export class InvalidTokenError extends oauthError('invalid_token', 401) {}
export class InsufficientScopeError extends oauthError('insufficient_scope', 403) {}
/** The user proved too little, or too long ago, who they are. RFC 9470 §3 */
export class InsufficientUserAuthenticationError extends oauthError('insufficient_user_authentication', 401) {
  /** What would do: strengths, separated by spaces. */
  declare acrValues?: string;
  /** In seconds. */
  declare maxAge?: number;
}
/** The request carries no token at all. RFC 6750 §3 */
export class UnauthorizedRequestError extends oauthError('unauthorized_request', 401) {}

// RFC 9101 §7: what is wrong with a request object, or with having one
export class InvalidRequestObjectError extends oauthError('invalid_request_object', 400) {}
export class InvalidRequestUriError extends oauthError('invalid_request_uri', 400) {}
export class RequestNotSupportedError extends oauthError('request_not_supported', 400) {}
export class RequestUriNotSupportedError extends oauthError('request_uri_not_supported', 400) {}

// RFC 8707 §2 and RFC 7009 §2.2.1: what features refuse
export class InvalidTargetError extends oauthError('invalid_target', 400) {}
export class UnsupportedTokenTypeError extends oauthError('unsupported_token_type', 400) {}

// RFC 9396 §5: what a client wants to do
export class InvalidAuthorizationDetailsError extends oauthError('invalid_authorization_details', 400) {}

// RFC 9449 §12.2: what a proof of possession lacks; at a protected resource they are 401
export class InvalidDpopProofError extends oauthError('invalid_dpop_proof', 400) {}
export class UseDpopNonceError extends oauthError('use_dpop_nonce', 400) {}

// RFC 7591 §3.2.2: the registration of clients
export class InvalidRedirectUriError extends oauthError('invalid_redirect_uri', 400) {}
export class InvalidClientMetadataError extends oauthError('invalid_client_metadata', 400) {}
export class InvalidSoftwareStatementError extends oauthError('invalid_software_statement', 400) {}
export class UnapprovedSoftwareStatementError extends oauthError('unapproved_software_statement', 400) {}

// RFC 8628 §3.5: what a device hears that polls
export class AuthorizationPendingError extends oauthError('authorization_pending', 400) {}
export class SlowDownError extends oauthError('slow_down', 400) {}
export class ExpiredTokenError extends oauthError('expired_token', 400) {}

// OpenID CIBA §13: what a client hears that wants a user asked elsewhere
export class UnknownUserIdError extends oauthError('unknown_user_id', 400) {}
export class ExpiredLoginHintTokenError extends oauthError('expired_login_hint_token', 400) {}
export class MissingUserCodeError extends oauthError('missing_user_code', 400) {}
export class InvalidUserCodeError extends oauthError('invalid_user_code', 400) {}
export class InvalidBindingMessageError extends oauthError('invalid_binding_message', 400) {}
