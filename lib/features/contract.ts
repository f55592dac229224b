// The names that the author of a feature uses, in addition to the ready-made features.

export { type Capabilities, type Capability, capability } from '../contracts/capability.js';
export { type CollectedCapability, collectedCapability } from '../contracts/capability.js';
export { type ClientField, clientField, type FieldsOf } from '../contracts/client-field.js';
export { type ClientRequest, type GrantSource, type StateKey, stateKey } from '../contracts/client-request.js';
export { type Injection, injects } from '../contracts/injection.js';
export type {
  ClientAuthentication,
  ClientAuthenticationContext,
  ClientAuthenticationPolicy,
  ConsumeCredentials,
  PresentedCredentials,
} from '../contracts/client-authentication.js';
export type {
  Endpoint,
  Feature,
  Installed,
  InstalledFeature,
  PresentedToken,
  RejectedRequest,
  ResourceHooks,
  ResponseMode,
  ServerBuilder,
  ServerContext,
  ServerHooks,
} from '../contracts/feature.js';
export type { AuthorizationHooks, ClientHooks, PushedRequestHooks, TokenHooks } from '../contracts/hooks.js';
export type { Authorization, ScopeStatus } from '../contracts/authorization.js';
export type { AuthorizationDetail, AuthorizationDetailsType } from '../contracts/authorization-details.js';
export type { EndpointDescription, ParameterDescriptions } from '../contracts/endpoint-description.js';
export type { ForbiddenParts } from '../contracts/forbidden-parts.js';
export type { Handler } from '../contracts/handler.js';
export type { Instrumentation, RunningOperation } from '../contracts/instrumentation.js';
export type { OwnUrls } from '../contracts/own-urls.js';
export type { Redemption, SaveToken } from '../contracts/redemption.js';
export type {
  AuthenticationState,
  LoginPrompt,
  RequestedLogin,
  RequiredInteraction,
} from '../contracts/required-interaction.js';
export type { ResolvedRequest } from '../contracts/resolved-request.js';
export type { OutgoingResponse } from '../contracts/response-mode.js';
export type {
  AuthorizationRequest,
  AuthorizationResponse,
  Decision,
  ResponseContext,
  ResponseType,
} from '../contracts/response-type.js';
export type { Secret } from '../contracts/secret.js';
export type { MintedToken } from '../contracts/token-format.js';
export { type GrantHandler, ISSUED_TOKEN_TYPE, type TokenRequest } from '../contracts/token-request.js';
export { BackChannelEndpoint } from '../endpoints/back-channel-endpoint.js';
export { FeatureEndpoint } from '../endpoints/feature-endpoint.js';
export { ProtectedEndpoint, type ProtectedRequest } from '../endpoints/resource/protected-endpoint.js';
export { classGrant } from '../endpoints/token/class-grant.js';
export { GrantType, type GrantTypeOptions } from '../endpoints/token/grant-type.js';
export type { Parameters } from '../http/parameters.js';
export type { RequestRate } from '../limits/memory-counts.js';
export { RateLimit } from '../limits/rate-limit.js';
export type { Options as SettledOptions } from '../options/resolve-options.js';
export { notifyTokensRevoked, type RevokedTokens } from '../tokens/revoked-tokens.js';
