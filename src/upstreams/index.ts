export type { UpstreamAccounts } from './linking/accounts.js';
export { UPSTREAM_MESSAGES } from './messages.js';
export { apple, type AppleOptions } from './providers/apple.js';
export { oauth, type OAuthOptions } from './providers/oauth.js';
export { oidc, type OidcOptions } from './providers/oidc.js';
export {
  facebook,
  type FacebookOptions,
  github,
  gitlab,
  type GitLabOptions,
  google,
  type GoogleOptions,
  microsoft,
  type MicrosoftOptions,
} from './providers/presets.js';
export type {
  ClientSecretMethod,
  FetchFunction,
  OAuthEndpoints,
  ProfileRequest,
  ProviderOptions,
  Setting,
  TrustedDomains,
  UpstreamProvider,
  UpstreamResponseMode,
  UpstreamUse,
  UpstreamUser,
} from './providers/provider.js';
export type { UpstreamProfile } from './providers/upstream-user.js';
export { type ConsentReason, UpstreamConsentRequired, UpstreamUnavailable } from './vault/vault-errors.js';
export { upstreams } from './upstreams.js';
export type { ProviderSetting, UpstreamsOptions } from './upstreams-options.js';
