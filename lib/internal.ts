// The names that the NestJS module uses in addition to those of the engine. The package does not publish this file.

export * from './adapter/index.js';
export * from './features/contract.js';

// Requests at endpoints
export { tryParseJson } from './http/parse-json.js';
export { mediaType } from './http/media-type.js';
export { addressOf } from './http/network.js';
export { originOf, senderOf } from './http/origin.js';
export { comparablePath, decodedPath } from './http/request-path.js';
export { FetchError, SafeFetch, type SafeFetchOptions } from './http/safe-fetch/index.js';
export { TextEncryption } from './crypto/encrypt-text.js';
export { ExpiringTexts } from './crypto/expiring-texts.js';
export { constantTimeEqual } from './crypto/constant-time-equal.js';

// Limits
export { type Candidate, findCandidate } from './limits/candidate.js';
export { foldedName, isAmbiguousName } from './limits/folded-name.js';
export { countAttempt, type CountedAttempt } from './limits/rate-limit.js';
export { countSignIn } from './limits/sign-in-limits.js';
export { withQueue } from './limits/turns.js';
export { isUserName, MAX_USER_NAME_LENGTH } from './limits/user-name.js';

// Accounts of users
export { type NewNotification, Notifications } from './openid/notifications/notifications.js';
export { hasArgon2id } from './stores/clients/argon2id.js';
export {
  hashPassword,
  isOutdatedPasswordHash,
  type PasswordAlgorithm,
  verifyPassword,
} from './stores/clients/passwords.js';

// Errors
export { hasCounts } from './model/counts.js';
export { hasOnce } from './model/has-once.js';
export { assertConfig, configurationError } from './errors/configuration-error.js';
export { OAUTH_ERRORS } from './errors/index.js';
export { respondWithError } from './endpoints/operation.js';

// Events
export {
  type EventDetails,
  hasListener,
  emitEvent,
  reportEvent,
  reportEndpointRefusal,
  callListener,
} from './events/events.js';

// Options, features and the model
export { injectionName, INSTANCES, type Instances, isProvider, verifyInstance } from './contracts/injection.js';
export { MODULE_STATE, type ModuleState } from './contracts/module-state.js';
export {
  findSecretError,
  isPlaceholder,
  LATE,
  MODEL_SECRETS,
  secretsOf,
  SERVER_SECRETS,
  settingOf,
} from './contracts/secret.js';
export { effectiveOptions, allFeatures, findFeatureListError, grantTypesOf } from './adapter/features.js';
export { serverMetadataDocument, supportedGrantTypes } from './features/server-metadata/derived-metadata.js';
export { BOOLEAN, isClass, type OptionCheck, optionCheck, SECONDS } from './options/option-checks.js';
export type { EngineOptions } from './options/options.js';
export { findInstrumentationError } from './server/instrumentation.js';
export { ENGINE_OPTIONS } from './options/engine-options.js';
export { findUnknownOption } from './options/unknown-option.js';
export {
  type AnyValueCheck,
  type OptionRows,
  optionTable,
  type SettingsOf,
  type ValueCheck,
} from './options/option-table.js';
export {
  accepts,
  acceptsOptions,
  ANY,
  FETCH,
  FLAG,
  FUNCTION,
  OBJECT,
  oneOfTexts,
  optionsOr,
  SCOPES,
  secondsFrom,
  TEXT,
  TEXTS,
  wholeNumberFrom,
  wholeSecondsFrom,
} from './options/value-checks.js';
export { distance, nearestName } from './options/nearest-name.js';
export { removedOption } from './server/classic-names.js';
export { serverName } from './server/server-token.js';
export { MODEL_METHODS } from './model/adapt-model.js';
export { consumeOnce } from './adapter/consume-once.js';
export { findMissingMethods, type MethodRequirement, requireMethods } from './model/require-methods.js';

// Authorization requests that the user decides
export { reportAuthorizationRefusal } from './endpoints/authorization/authorization-events.js';
export { type DeferredError, deferredErrorOf } from './endpoints/authorization/deferred-error.js';

// Protected resources
export { personalAccessTokens } from './features/personal-tokens/personal-access-tokens.js';
export { isTokenName, PERSONAL_TOKENS, type PersonalTokens } from './features/personal-tokens/personal-tokens.js';
export { admitRequest } from './endpoints/resource/admission.js';
export { presentsToken } from './endpoints/resource/bearer-token.js';
export { allowOrigin, respondToPreflight } from './endpoints/cross-origin.js';
export { isRoutePath, OwnResources } from './endpoints/resource/own-resources.js';
export { isOutage } from './stores/contract/outage.js';
export { verifyFoundUser } from './stores/contract/found-user.js';
export { authenticateBy, isPrincipal, noAuthentication, type PrincipalSource } from './endpoints/resource/principal.js';
export { userRequiredError } from './endpoints/resource/requirements.js';
export { shareLookUps } from './endpoints/resource/shared-look-ups.js';
export { onTokensRevoked } from './tokens/revoked-tokens.js';
export { isScopeValue } from './http/syntax.js';
export { scopeValues } from './tokens/scope.js';

// Sessions at other providers
export type { SessionClientModel } from './model/session-clients.js';
export { upstreamClientId } from './model/upstream-session.js';
export {
  loadLogoutTokenVerifier,
  type LogoutTokenClaims,
  type LogoutTokenIssuer,
  type LogoutTokenVerifier,
} from './openid/logout/load-logout-token-verifier.js';

// Pages
export { isPublicClient } from './clients/none.js';
export { isSelfRegistered } from './clients/registration/self-registered.js';
export { LOGO_URI } from './clients/registration/client-fields.js';
export { commonHost, hostOf } from './clients/registration/sector-host.js';
export { RefreshingCache, type RefreshingCacheSettings } from './remote/refreshing-cache.js';
export { detailsOf, detailsText } from './contracts/authorization-details.js';
export { DEVICE_RESPONSE_TYPE } from './contracts/response-type.js';
export { escapeHtml } from './http/escape-html.js';
export { audienceOf } from './tokens/audience.js';
export { signInClaims } from './tokens/sign-in-claims.js';
export { loginInitiation } from './openid/login-initiation.js';
export { POLICY_URI, TOS_URI } from './clients/registration/client-fields.js';
export { LOGOUT, notifySessionEnded, type SignOutInitiator } from './openid/logout/logout-capability.js';
export { identifiesUser, type LogoutRequest, readLogoutRequest } from './openid/logout/logout-request.js';
export { namedClaims } from './openid/named-claims.js';
export { shownDetails } from './features/authorization-details/shown-details.js';
export { redirectTarget } from './features/client-id-documents/client-id-url.js';
export { decideDeviceRequest, findDeviceRequest } from './features/device-authorization/device-requests.js';
export { formatUserCode } from './features/device-authorization/user-code.js';
export { OPENID } from './openid/openid-capability.js';
export { hasRequestedAcr } from './openid/prompt/login-checks.js';

// Reports about the configuration
export { isLoopbackName } from './http/public-url.js';
export { ALGORITHM_NAMES, ALGORITHMS, type SigningAlgorithm } from './jose/algorithms.js';
export { findKeys } from './jose/keys/find-keys.js';
export { CLOCK_TOLERANCES } from './jose/clock-tolerances.js';
export { CLIENT_ASSERTIONS } from './jose/private-key-jwt/client-assertions.js';

// Servers of one application
export { signingKeys } from './jose/keys/signing-keys.js';
export { Deadline } from './stores/contract/deadline.js';
export { takeTurnsBy } from './stores/contract/fair-share.js';
export { hasSameStorage } from './stores/contract/storage-location.js';
export { keepRecent } from './crypto/lru.js';

// The contract kit
export { CheckContext, type IssuedCode, type TokenResponseBody } from './kit/check-context.js';
export { bearerRequest } from './kit/requests.js';
