export type { Around } from './server/around.js';
export { OAuth2Server, OAuth2Server as default } from './server/server.js';
export type { Falsey } from './server/classic-types.js';
export { Request, type RequestOptions } from './http/request.js';
export { Response, type ResponseOptions } from './http/response.js';
export { networkOf } from './http/network.js';
export { type AccountModel } from './model/accounts.js';
export * from './errors/catalog.js';
export { InvalidArgumentError, OAuthError, type OAuthErrorProperties, type RefusalDetail } from './errors/index.js';
export { clientItself, isClientItself } from './tokens/client-subject.js';
export type * from './events/catalog.js';
export { EVENT_NAMES } from './events/catalog.js';
export type { EventSink } from './events/events.js';
export type { ServerContext } from './contracts/feature.js';
export type { HealthModel, PruneModel, SchemaModel } from './model/health.js';
export type { IdentityKey, IdentityModel, StoredIdentity } from './model/identities.js';
export type { FeatureList } from './server/feature-list.js';
export { AbstractGrantType } from './endpoints/token/grant-type.js';
export type { GrantTypeClass } from './model/grant-type-class.js';
export type {
  AuthorizedApplication,
  AuthorizedGrant,
  ConsentModel,
  ConsentRequest,
  ConsentSelection,
  OrganizationConsent,
  PartialConsent,
  RememberedConsent,
} from './model/consents.js';
export type { CreatedPersonalToken, PersonalTokenRequest } from './features/personal-tokens/personal-tokens.js';
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
export type {
  FoundPersonalToken,
  NewPersonalToken,
  PersonalToken,
  PersonalTokenModel,
  PersonalTokenUse,
} from './model/personal-tokens.js';
export type {
  StoredUpstreamTokens,
  UpstreamTokenModel,
  UpstreamTokensKey,
  UpstreamTokensValue,
} from './model/upstream-tokens.js';
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
export type { UpstreamSession } from './model/upstream-session.js';
export type { SignIn } from './model/sign-in.js';
export type {
  RequiredInteraction,
  AuthenticationState,
  LoginPrompt,
  RequestedLogin,
} from './contracts/required-interaction.js';
export type { OutgoingResponse } from './contracts/response-mode.js';
export type { AuthorizationRequest, AuthorizationResponse, Decision } from './contracts/response-type.js';
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
