export * from '../lib/index.js';
export { claimedClient } from './http/claimed-client.js';
export { AcceptSession, ACCEPT_SESSION_METADATA } from './decorators/accept-session.decorator.js';
export { AccessToken } from './decorators/access-token.decorator.js';
export { AnyScope, ANY_SCOPE_METADATA } from './decorators/any-scope.decorator.js';
export { AuthorizationDetails } from './decorators/authorization-details.decorator.js';
export {
  CurrentUser,
  type CurrentUserDecorator,
  type CurrentUserOptions,
  type OptionalParameterDecorator,
} from './decorators/current-user.decorator.js';
export {
  type DefinedScopes,
  defineScopes,
  type DescribedScope,
  type ScopeDefinition,
} from './decorators/define-scopes.js';
export { InjectOAuth2Clients } from './decorators/inject-oauth2-clients.decorator.js';
export { InjectOAuth2Grants } from './decorators/inject-oauth2-grants.decorator.js';
export { InjectOAuth2Model } from './decorators/inject-oauth2-model.decorator.js';
export { InjectOAuth2Sessions } from './decorators/inject-oauth2-sessions.decorator.js';
export { InjectOAuth2Server } from './decorators/inject-oauth2-server.decorator.js';
export { OAuthClient } from './decorators/oauth-client.decorator.js';
export { OnOAuth2Event, type OnOAuth2EventOptions } from './decorators/on-oauth2-event.decorator.js';
export { OptionalAuth, OPTIONAL_AUTH_METADATA } from './decorators/optional-auth.decorator.js';
export { Public, PUBLIC_METADATA } from './decorators/public.decorator.js';
export { RequireAuth, REQUIRE_AUTH_METADATA, type RequireAuthOptions } from './decorators/require-auth.decorator.js';
export { Scopes, SCOPES_METADATA, SCOPES_OF_METADATA, type ScopesOf } from './decorators/scopes.decorator.js';
export type { OAuthRefusal } from './guards/transports/refusal-payload.js';
export type { GuardedRequest, RefusalContext } from './guards/transports/transport.js';
export { UseOAuth, USE_OAUTH_METADATA } from './decorators/use-oauth.decorator.js';
export { Roles, ROLES_METADATA } from './decorators/roles.decorator.js';
export { UserRequired, USER_REQUIRED_METADATA } from './decorators/user-required.decorator.js';
export { OAuthGuard } from './guards/oauth.guard.js';
export { type NativeRequest, sendOAuthResponse, toOAuthRequest } from './http/http-adapter.js';
export type {
  ConsentContext,
  InteractionResponse,
  InteractionContext,
  OAuth2Interaction,
} from './interfaces/oauth2-interaction.interface.js';
export type {
  ProviderOption,
  ProviderDefinition,
  OAuth2ModuleAsyncOptions,
  OAuth2ModuleOptions,
  OAuth2Options,
  OAuth2OptionsFactory,
  OAuth2Paths,
  OAuth2Registration,
} from './interfaces/oauth2-module-options.interface.js';
export { OAuth2HealthIndicator, type OAuth2Health } from './operations/oauth2-health.indicator.js';
export { OAuth2Maintenance, type OAuth2MaintenanceOptions } from './operations/oauth2-maintenance.js';
export type {
  OAuth2Tenants,
  TenantCacheOptions,
  TenantOptions,
  TenantRequest,
} from './interfaces/oauth2-tenants.interface.js';
export type { NativeReply } from './http/native-reply.js';
export { OAuth2Context } from './module/oauth2-context.js';
export { OAuth2Sessions } from './interaction/oauth2-sessions.js';
export type { FindUserOptions, SignInOptions, UserSession } from './interaction/session-operations.js';
export { OAuth2Module } from './oauth2.module.js';
export {
  getOAuth2ModelToken,
  getOAuth2ClientsToken,
  getOAuth2GrantsToken,
  getOAuth2ServerToken,
  getOAuth2SessionsToken,
  getOAuth2TenantServersToken,
  OAUTH2_INTERACTION,
  OAUTH2_MODEL,
  OAUTH2_OPTIONS,
} from './oauth2.tokens.js';
export { OAuth2TenantServers } from './tenants/tenant-servers.js';
