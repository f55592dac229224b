// Module, guard and services
export { OAuth2Module } from './oauth2.module.js';
export { OAuthGuard } from './guards/oauth.guard.js';
export { OAuth2Clients, OAuth2Grants, OAuth2Server } from '../lib/index.js';
export { OAuth2Context } from './module/oauth2-context.js';
export { type OAuth2Health, OAuth2HealthIndicator } from './operations/oauth2-health.indicator.js';
export { OAuth2Maintenance } from './operations/oauth2-maintenance.js';
export { type CompleteOptions, OAuth2Elicitations, type RunOptions } from './module/oauth2-elicitations.js';
export { OAuth2PersonalTokens } from './module/oauth2-personal-tokens.js';
export { OAuth2Upstreams } from './module/oauth2-upstreams.js';
export type { StoredUpstream, UpstreamToken, UpstreamTokenRequest } from './interfaces/upstream-vault.interface.js';
export type { Elicitation, ElicitedCall, RequiredPage } from './pages/elicitation/elicitations.js';
export type { InputRequiredResult, ToolErrorResult, UrlElicitationError } from './pages/elicitation/results.js';
export { OAuth2Sessions } from './interaction/oauth2-sessions.js';
export type { UserSession } from './interaction/session-operations.js';
export { OAuth2TenantServers } from './tenants/tenant-servers.js';

// Decorators
export { AcceptSession } from './decorators/accept-session.decorator.js';
export { AccessToken } from './decorators/access-token.decorator.js';
export { AnyScope } from './decorators/any-scope.decorator.js';
export { AuthorizationDetails } from './decorators/authorization-details.decorator.js';
export { CurrentUser, type OptionalParameterDecorator } from './decorators/current-user.decorator.js';
export { type DefinedScopes, defineScopes, type DescribedScope } from './decorators/define-scopes.js';
export { InjectOAuth2Clients } from './decorators/inject-oauth2-clients.decorator.js';
export { InjectOAuth2Elicitations } from './decorators/inject-oauth2-elicitations.decorator.js';
export { InjectOAuth2Grants } from './decorators/inject-oauth2-grants.decorator.js';
export { InjectOAuth2Model } from './decorators/inject-oauth2-model.decorator.js';
export { InjectOAuth2PersonalTokens } from './decorators/inject-oauth2-personal-tokens.decorator.js';
export { InjectOAuth2Upstreams } from './decorators/inject-oauth2-upstreams.decorator.js';
export { InjectOAuth2Sessions } from './decorators/inject-oauth2-sessions.decorator.js';
export { InjectOAuth2Server } from './decorators/inject-oauth2-server.decorator.js';
export { OAUTH2_METADATA } from './decorators/metadata-keys.js';
export { NoPersonalTokens } from './decorators/no-personal-tokens.decorator.js';
export { OAuthClient } from './decorators/oauth-client.decorator.js';
export { OnOAuth2Event } from './decorators/on-oauth2-event.decorator.js';
export { OptionalAuth } from './decorators/optional-auth.decorator.js';
export { Public } from './decorators/public.decorator.js';
export { RequireAuth } from './decorators/require-auth.decorator.js';
export { Roles } from './decorators/roles.decorator.js';
export { Scopes } from './decorators/scopes.decorator.js';
export { UseOAuth } from './decorators/use-oauth.decorator.js';
export { UserRequired } from './decorators/user-required.decorator.js';

// Options of the module
export type {
  OAuth2ModuleAsyncOptions,
  OAuth2ModuleOptions,
  OAuth2Options,
  OAuth2OptionsFactory,
  OAuth2Paths,
  ProviderOption,
} from './interfaces/oauth2-module-options.interface.js';
export type { OAuth2Tenants, TenantOptions, TenantRequest } from './interfaces/oauth2-tenants.interface.js';
export type {
  ConsentContext,
  InteractionContext,
  InteractionResponse,
  OAuth2Interaction,
} from './interfaces/oauth2-interaction.interface.js';

// Injection tokens
export {
  getOAuth2ClientsToken,
  getOAuth2ElicitationsToken,
  getOAuth2GrantsToken,
  getOAuth2ModelToken,
  getOAuth2PersonalTokensToken,
  getOAuth2UpstreamsToken,
  getOAuth2ServerToken,
  getOAuth2SessionsToken,
  getOAuth2TenantServersToken,
  OAUTH2_INTERACTION,
  OAUTH2_MODEL,
  OAUTH2_OPTIONS,
} from './oauth2.tokens.js';

// Requests and responses of Express and Fastify
export { claimedClient } from './http/claimed-client.js';
export { type NativeRequest, sendOAuthResponse, toOAuthRequest } from './http/http-adapter.js';
export type { NativeReply } from './http/native-reply.js';
export type { OAuthRefusal } from './guards/transports/refusal-payload.js';
export type { RefusalContext } from './guards/transports/transport.js';
export { networkOf } from '../lib/index.js';

// The model of the application, and what services return
export type {
  AuthorizationCode,
  AuthorizationDetail,
  Client,
  ClientList,
  CreatedClient,
  CreatedPersonalToken,
  GrantList,
  ListedGrant,
  ListedSession,
  ManagedClient,
  ManagedSecret,
  Model,
  NewClient,
  PersonalToken,
  PersonalTokenRequest,
  RefreshToken,
  RotatedSecret,
  Scope,
  SessionList,
  SignIn,
  Token,
  User,
} from '../lib/index.js';
export { clientItself, isClientItself } from '../lib/index.js';

// Events
export type { OAuth2Event, OAuth2EventName, OAuth2Events } from '../lib/index.js';

// Errors
export * from '../lib/errors/catalog.js';
export { InvalidArgumentError, OAuthError } from '../lib/index.js';
