// Functions for adapters of web frameworks and for pages, in addition to the operations of `OAuth2Server`.

// Requests at endpoints
export {
  addCorsHeaders,
  createErrorResponse,
  type EndpointContext,
  type HandledRequest,
  handleEndpoint,
  type HttpMessage,
  isPreflight,
  serializeBody,
} from './handle-endpoint.js';
export { CONTENT_LIMIT, CONTENT_TYPES, parseForm, readContent } from './content.js';
export { documentPaths, isDocument } from './endpoint-paths.js';
export { claimedClientId } from './claimed-client.js';
export { tryParseJson } from '../http/parse-json.js';
export { mediaType } from '../http/media-type.js';
export { addressOf, networkOf } from '../http/network.js';
export { originOf, senderOf } from '../http/origin.js';
export { endpointPath, endpointUrl } from '../http/public-url.js';
export { comparablePath, decodedPath, requestPath } from '../http/request-path.js';
export { FetchError, SafeFetch, type SafeFetchOptions } from '../http/safe-fetch/index.js';
export { TextEncryption } from '../crypto/encrypt-text.js';
export { constantTimeEqual } from '../crypto/constant-time-equal.js';

// Limits
export { type Candidate, findCandidate } from '../limits/candidate.js';
export { foldedName, isAmbiguousName } from '../limits/folded-name.js';
export { countAttempt, type CountedAttempt, RateLimit } from '../limits/rate-limit.js';
export { countSignIn } from '../limits/sign-in-limits.js';
export { withQueue } from '../limits/turns.js';
export { isUserName, MAX_USER_NAME_LENGTH } from '../limits/user-name.js';

// Accounts of users
export { type NewNotification, Notifications } from '../openid/notifications/notifications.js';
export { hashPassword, verifyPassword } from '../stores/clients/passwords.js';

// Errors
export { hasCounts } from '../model/counts.js';
export { hasOnce } from '../model/has-once.js';
export { assertConfig, configurationError } from '../errors/configuration-error.js';
export { OAUTH_ERRORS, toOAuthError } from '../errors/index.js';
export { type ErrorMembers, errorMembers } from './error-members.js';
export { respondWithError as writeError } from '../endpoints/operation.js';
export { logLevelOf } from './log-level.js';

// Events
export {
  type EventDetails,
  hasListener,
  emitEvent,
  reportEvent,
  reportEndpointRefusal,
  callListener,
} from '../events/events.js';

// Options, features and the model
export { injectionName, INSTANCES, type Instances, isProvider, verifyInstance } from '../contracts/injection.js';
export {
  CONFIG,
  findSecretError,
  LATE,
  MODEL_SECRETS,
  secretsOf,
  SERVER_SECRETS,
  settingOf,
} from '../contracts/secret.js';
export { effectiveOptions, allFeatures, findFeatureListError, grantTypesOf } from './features.js';
export { serverMetadataDocument, supportedGrantTypes } from '../features/server-metadata/derived-metadata.js';
export { BOOLEAN, isClass, type OptionCheck, optionCheck, SECONDS } from '../options/option-checks.js';
export type { EngineOptions } from '../options/options.js';
export { findInstrumentationError } from '../server/instrumentation.js';
export { ENGINE_OPTIONS } from '../options/engine-options.js';
export { assertKnownOptions } from '../options/unknown-option.js';
export { removedOption } from '../server/classic-names.js';
export { serverName } from '../server/server-token.js';
export { MODEL_METHODS } from '../model/adapt-model.js';
export { consumeOnce } from './consume-once.js';
export { findMissingMethods, type MethodRequirement, requireMethods } from '../model/require-methods.js';

// Authorization requests that the user decides
export { consentRequired, loginRequired, userDenied } from '../endpoints/authorization/authorization-errors.js';
export { reportAuthorizationRefusal } from '../endpoints/authorization/authorization-events.js';
export {
  type DeferredError as DeferredRequest,
  deferredErrorOf as deferredRequestOf,
} from '../endpoints/authorization/deferred-error.js';

// Protected resources
export { admitRequest } from '../endpoints/resource/admission.js';
export { presentsToken as hasToken } from '../endpoints/resource/bearer-token.js';
export { allowOrigin, respondToPreflight } from '../endpoints/cross-origin.js';
export { OwnResources } from '../endpoints/resource/own-resources.js';
export { authenticateBy, isPrincipal, type PrincipalSource } from '../endpoints/resource/principal.js';
export { userRequiredError } from '../endpoints/resource/requirements.js';
export { shareLookUps as shareTokenLookUps } from '../endpoints/resource/shared-look-ups.js';
export { onTokensRevoked } from '../tokens/revoked-tokens.js';
export { isScopeValue } from '../http/syntax.js';
export { scopeValues } from '../tokens/scope.js';

// Pages
export { isPublicClient } from '../clients/none.js';
export { isSelfRegistered } from '../clients/registration/self-registered.js';
export { ClientLogos } from './client-logos.js';
export {
  detailsOf as authorizationDetailsOf,
  detailsText as authorizationDetailsText,
} from '../contracts/authorization-details.js';
export { escapeHtml } from '../http/escape-html.js';
export { audienceOf } from '../tokens/audience.js';
export { signInClaims } from '../tokens/sign-in-claims.js';
export { loginInitiation as loginInitiationUrl } from '../openid/login-initiation.js';
export { POLICY_URI, TOS_URI } from '../clients/registration/client-fields.js';
export { LOGOUT, type SignOutInitiator } from '../openid/logout/logout-capability.js';
export {
  identifiesUser as isLogoutOf,
  type LogoutRequest,
  readLogoutRequest,
} from '../openid/logout/logout-request.js';
export { namedClaims as requestedClaims } from '../openid/named-claims.js';
export { shownDetails } from '../features/authorization-details/shown-details.js';
export { redirectTarget } from '../features/client-id-documents/client-id-url.js';
export { decideDeviceRequest, findDeviceRequest } from '../features/device-authorization/device-requests.js';
export { formatUserCode } from '../features/device-authorization/user-code.js';
export { OPENID } from '../openid/openid-capability.js';
export { isStrong as hasRequestedAcr } from '../openid/prompt/login-checks.js';

// Reports about the configuration
export { isLoopbackName } from '../http/public-url.js';
export { findKeys } from '../jose/keys/find-keys.js';
export { CLOCK_TOLERANCES } from '../jose/clock-tolerances.js';
export { CLIENT_ASSERTIONS } from '../jose/private-key-jwt/client-assertions.js';

// Servers of one application
export { signingKeys } from '../jose/keys/signing-keys.js';
export { Deadline } from '../stores/contract/deadline.js';
export { takeTurnsBy } from '../stores/contract/fair-share.js';
export { hasSameStorage } from '../stores/contract/storage-location.js';
export { SHARED_MODEL } from '../clients/client-issuer.js';
export { keepRecent } from '../crypto/lru.js';
