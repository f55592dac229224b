export type { Around } from './server/around.js';
export { OAuth2Server, OAuth2Server as default } from './server/server.js';
export type { Falsey } from './server/classic-types.js';
export { Request, type RequestOptions } from './http/request.js';
export { Response, type ResponseOptions } from './http/response.js';
export { networkOf } from './http/network.js';
export type { RequestRate } from './limits/memory-counts.js';
export { RateLimit } from './limits/rate-limit.js';
export { type AccountModel } from './model/accounts.js';
export * from './errors/catalog.js';
export { InvalidArgumentError, OAuthError, type OAuthErrorProperties, type RefusalDetail } from './errors/index.js';
export { clientItself, isClientItself } from './tokens/client-subject.js';
export type * from './events/catalog.js';
export { EVENT_NAMES } from './events/catalog.js';
export type { EventSink } from './events/events.js';
export type {
  ClientAuthentication,
  ClientAuthenticationPolicy,
  PresentedCredentials,
  ConsumeCredentials,
  ClientAuthenticationContext,
} from './contracts/client-authentication.js';
export { BackChannelEndpoint } from './endpoints/back-channel-endpoint.js';
export { type ClientField, clientField, type FieldsOf } from './contracts/client-field.js';
export { type ClientRequest, type GrantSource, type StateKey, stateKey } from './contracts/client-request.js';
export {
  type Capabilities,
  type Capability,
  capability,
  type CollectedCapability,
  collectedCapability,
} from './contracts/capability.js';
export { type Injection, injects } from './contracts/injection.js';
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
} from './contracts/feature.js';
export type { AuthorizationHooks, ClientHooks, PushedRequestHooks, TokenHooks } from './contracts/hooks.js';
export type { ParameterDescriptions, EndpointDescription } from './contracts/endpoint-description.js';
export type { OwnUrls } from './contracts/own-urls.js';
export type { Redemption, SaveToken } from './contracts/redemption.js';
export type { MintedToken } from './contracts/token-format.js';
export { type GrantHandler, ISSUED_TOKEN_TYPE, type TokenRequest } from './contracts/token-request.js';
export { classGrant } from './endpoints/token/class-grant.js';
export type { Instrumentation, RunningOperation } from './contracts/instrumentation.js';
export type { Handler } from './contracts/handler.js';
export type { HealthModel, PruneModel, SchemaModel } from './model/health.js';
export type { IdentityKey, IdentityModel, StoredIdentity } from './model/identities.js';
export type { ResolvedRequest } from './contracts/resolved-request.js';
export type { Secret } from './contracts/secret.js';
export type { FeatureList } from './server/feature-list.js';
export type { ForbiddenParts } from './contracts/forbidden-parts.js';
export { AuthorizationCodeGrantType } from './features/authorization-code/code-grant.js';
export { ClientCredentialsGrantType } from './features/client-credentials.js';
export { PasswordGrantType } from './features/password.js';
export { RefreshTokenGrantType } from './features/refresh-token.js';
export { AbstractGrantType, GrantType, type GrantTypeOptions } from './endpoints/token/grant-type.js';
export type { GrantTypeClass } from './model/grant-type-class.js';
export type { Parameters } from './http/parameters.js';
export type { Authorization, ScopeStatus } from './contracts/authorization.js';
export { type RevokedTokens, notifyTokensRevoked } from './tokens/revoked-tokens.js';
export type {
  AuthorizedApplication,
  ConsentModel,
  ConsentRequest,
  ConsentSelection,
  PartialConsent,
} from './model/consents.js';
export { type CreatedClient, OAuth2Clients } from './stores/administration/oauth2-clients.js';
export { type GrantsScope, OAuth2Grants, type RevokeBeforeOptions } from './stores/administration/oauth2-grants.js';
export type { Count, CountModel } from './model/counts.js';
export type {
  AccountKey,
  CredentialKind,
  CredentialModel,
  NewCredential,
  StoredCredential,
} from './model/credentials.js';
export type { GrantList, GrantSelection, GrantsModel, ListedGrant, Paging } from './model/grants.js';
export type { NotBefore, NotBeforeModel } from './model/not-before.js';
export type { ListedSession, SessionList, SessionListModel } from './model/session-list.js';
export type {
  ClientChange,
  ClientChanges,
  ClientList,
  ClientsModel,
  CreateClientOptions,
  ListClientsOptions,
  ManagedClient,
  ManagedSecret,
  NewClient,
  RotatedSecret,
  RotateOptions,
  SecretOptions,
} from './model/clients.js';
export type { RememberedModel, RememberedSession, Session, SessionModel } from './model/sessions.js';
export type { SignIn } from './model/sign-in.js';
export type {
  RequiredInteraction,
  AuthenticationState,
  LoginPrompt,
  RequestedLogin,
} from './contracts/required-interaction.js';
export type { OutgoingResponse } from './contracts/response-mode.js';
export type {
  AuthorizationRequest,
  AuthorizationResponse,
  Decision,
  ResponseContext,
  ResponseType,
} from './contracts/response-type.js';
export type { AuthorizationDetail } from './contracts/authorization-details.js';
export type {
  AuthenticateHandler,
  AuthenticateOptions,
  AuthorizeOptions,
  Callback,
  CommonOptions,
  OAuth2ServerOptions,
  TokenOptions,
} from './options/options.js';
export type { CorsOptions } from './options/cors.js';
export type { RefreshTokenReuseInterval } from './options/reuse-interval.js';
export type { Options as SettledOptions } from './options/resolve-options.js';
export type { StepUp, TokenRequirements } from './options/token-requirements.js';
export type { AuthorizationCode, Model, RefreshToken, Token } from './model/application-types.js';
export type {
  AccessTokenModel,
  AuthorizationCodeModel,
  Awaitable,
  Client,
  ClientCredentialsModel,
  ClientModel,
  CoreClient,
  Falsy,
  GrantModel,
  ModelMethod,
  OnceModel,
  PasswordModel,
  RedeemModel,
  RefreshTokenModel,
  ProtectedResourceModel,
  Scope,
  TokenModel,
  Unsaved,
  User,
} from './model/model.js';
