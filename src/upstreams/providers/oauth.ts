import { assertConfig } from '../../../lib/internal.js';
import type { Awaitable } from '../../../lib/index.js';
import { commonMembers, isProviderUrl, verifyProviderOptions } from './oidc.js';
import type {
  ClientSecretMethod,
  OAuthEndpoints,
  ProfileRequest,
  ProviderOptions,
  UpstreamProvider,
  UpstreamUser,
} from './provider.js';

/** The options of `oauth()`. */
export interface OAuthOptions extends ProviderOptions {
  /**
   * The URL that identifies the provider in stored identities. Never change it: users would lose their accounts. If
   * authorization responses of the provider contain `iss`, it must be that value. RFC 9207 §2
   */
  issuer: string;
  /** The URLs of the authorization endpoint and the token endpoint. */
  endpoints: OAuthEndpoints;
  /** The origins of the APIs that `profile()` calls, such as `['https://api.example.com']`. */
  apis: readonly string[];
  /**
   * Returns the user from the API of the provider. `sub` must never be assigned to another user. Use a numeric ID, not
   * a user name.
   */
  profile(request: ProfileRequest): Awaitable<UpstreamUser>;
  /** Whether all authorization responses contain `iss`. Default: `false`. RFC 9207 §2.4 */
  sendsIssuer?: boolean;
  /** How the client authenticates at the token endpoint. Default: `client_secret_post`. */
  clientAuthentication?: ClientSecretMethod;
}

/**
 * Returns a provider with OAuth 2.0 only, which issues no ID tokens.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export const oauth = (options: OAuthOptions): UpstreamProvider => oauthProvider('oauth', options);

/** Returns a provider without ID tokens, for `oauth()` and for presets. */
export function oauthProvider(name: string, options: OAuthOptions, brand?: string): UpstreamProvider {
  verifyProviderOptions(name, options);
  const { issuer, endpoints, scope = '', sendsIssuer = false } = options;
  const urls = [issuer, endpoints?.authorization, endpoints?.token, endpoints?.revocation ?? issuer];
  assertConfig(
    urls.every((url) => isProviderUrl(url)),
    `\`issuer\` and \`endpoints\` of \`${name}()\` must be https URLs, or http URLs of this machine`,
  );
  assertConfig(
    typeof options.profile === 'function',
    `\`profile\` of \`${name}()\` must be a function that returns the user`,
  );
  return {
    ...commonMembers(options),
    issuer,
    label: options.label ?? new URL(issuer).host,
    brand,
    method: options.clientAuthentication ?? 'client_secret_post',
    clientMetadata: {},
    scope,
    endpoints,
    offline: undefined,
    responseMode: undefined,
    sendsIssuer,
    profile: (request) => options.profile(request),
  };
}
