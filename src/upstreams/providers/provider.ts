import type { OptionLogo } from '../../pages/render/login-option.js';
import type { Awaitable } from '../../../lib/index.js';
import type { Capabilities } from '../../../lib/internal.js';

/** The value of a setting, or a function that returns it at the first use from the option `config` of the module. */
// oxlint-disable-next-line no-explicit-any
export type Setting<T> = T | ((config: any) => T);

/** A function that sends HTTP requests, with the signature of the global `fetch()`. */
export type FetchFunction = (url: string, init?: RequestInit) => Promise<Response>;

/** The user as a provider describes it. Only `iss` and `sub` identify the user. */
export interface UpstreamUser {
  /** The identifier of the user at the provider. It never changes. */
  readonly sub: string;
  readonly name?: string | undefined;
  readonly picture?: string | undefined;
  readonly email?: string | undefined;
  /** Whether the provider says that the user owns `email`. */
  readonly emailVerified?: boolean;
  /** All claims of the ID token and the UserInfo response, or the response of the provider's user API. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** How a provider may be used. */
export type UpstreamUse = 'both' | 'signIn' | 'link';

/** The domains of e-mail addresses for which a provider proves the ownership. `true`: all domains. */
export type TrustedDomains = boolean | readonly string[];

/** The options of every provider. */
export interface ProviderOptions {
  /** The client identifier that the provider issued. A function is called at the first use. */
  clientId: Setting<string>;
  /** The client secret that the provider issued. A function is called at the first use. */
  clientSecret: Setting<string>;
  /** The name of the provider on pages, such as `Acme`. */
  label?: string;
  /**
   * The logo on the button of the login page, as `data:` URIs. Default: that of the preset, for `google()`,
   * `microsoft()` and `github()`.
   */
  logo?: OptionLogo;
  /** The requested scope, separated by spaces. */
  scope?: string;
  /**
   * `'signIn'`: users sign in, but cannot add the provider to an existing account. `'link'`: signed-in users add the
   * provider to their account, but it never signs in. Default: `'both'`.
   */
  use?: UpstreamUse;
  /**
   * The domains for which `email_verified` of the provider is a proof that the user owns the address, such as
   * `['example.com']`. `true`: all domains. Choose the provider that hosts the mailboxes. Default: none, except for
   * `google()`.
   */
  trustEmail?: TrustedDomains;
  /**
   * Whether `acr`, and `mfa` in `amr`, of the provider count on this server. If `false`, users with a second factor on
   * this server also enter it after a sign-in with the provider. Default: `false`.
   */
  trustAuthentication?: boolean;
  /**
   * The origins to which access tokens may be sent, such as `['https://www.googleapis.com']`, in addition to those of a
   * preset. Requests of `OAuth2Upstreams` to other origins are refused.
   */
  apis?: readonly string[];
  /** Further parameters of the authorization request, such as `{ prompt: 'select_account' }`. */
  parameters?: Readonly<Record<string, string>>;
}

/** How a provider returns authorization responses. */
export type UpstreamResponseMode = 'query' | 'form_post';

/** How the client authenticates at the token endpoint. */
export type ClientSecretMethod = 'client_secret_basic' | 'client_secret_post';

/** The endpoints of a provider without OpenID discovery. */
export interface OAuthEndpoints {
  readonly authorization: string;
  readonly token: string;
  /** The endpoint that revokes tokens. RFC 7009 §2 */
  readonly revocation?: string;
}

/** The additional parameters of an authorization request for a refresh token. */
export interface OfflineRequest {
  readonly scope?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Further parameters if the user connects the provider, and so expects to be asked for consent. */
  readonly connecting?: Readonly<Record<string, string>>;
}

/** The access token of a sign-in, and the function that calls the API of the provider with it. */
export interface ProfileRequest {
  /** Sends a request with the access token. Only URLs of the provider's `apis` are allowed. */
  readonly fetch: FetchFunction;
  readonly accessToken: string;
}

/** An access token to revoke, with the credentials of the client. */
export interface RevocationRequest {
  readonly fetch: FetchFunction;
  readonly accessToken: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * A provider with which users sign in, as the functions `oidc()`, `oauth()` and the presets return it. Its members are
 * not part of the public interface.
 */
export interface UpstreamProvider {
  readonly label: string;
  /** The issuer whose metadata is read, or that identifies a provider without metadata. */
  readonly issuer: string;
  /** The name of the preset. */
  readonly brand: string | undefined;
  /** The logo on the button. */
  readonly logo: OptionLogo | undefined;
  readonly clientId: Setting<string>;
  /** Returns the client secret for one token request. */
  secret(clientId: string, server: Pick<Capabilities, 'find'>): string;
  readonly method: ClientSecretMethod | undefined;
  /** The metadata with which the client is registered at an OpenID provider. */
  readonly clientMetadata: { readonly id_token_signed_response_alg?: string };
  readonly scope: string;
  readonly use: UpstreamUse;
  readonly trustAuthentication: boolean;
  readonly parameters: Readonly<Record<string, string>>;
  /** The parameters that require the provider to ask for the credentials again. */
  readonly reauthentication: Readonly<Record<string, string>>;
  /** `undefined` for an OpenID provider. */
  readonly endpoints: OAuthEndpoints | undefined;
  /** The origins to which the access token may be sent. */
  readonly apis: readonly string[];
  /** The additional parameters of the authorization request, so that the provider issues a refresh token. */
  readonly offline: OfflineRequest | undefined;
  /** The requested `response_mode`. `undefined`: the default of the provider, which is `query`. */
  readonly responseMode: UpstreamResponseMode | undefined;
  /** Whether authorization responses must contain `iss`. RFC 9207 §2.4 */
  readonly sendsIssuer: boolean;
  /** Returns the user of a provider without ID tokens. */
  profile?: ((request: ProfileRequest) => Awaitable<UpstreamUser>) | undefined;
  /** Returns why a user of an OpenID provider is refused, or `undefined`. */
  findRefusal?: ((claims: Readonly<Record<string, unknown>>) => string | undefined) | undefined;
  /** Whether the provider proves the ownership of an address of this domain. */
  provesEmail(domain: string, claims: Readonly<Record<string, unknown>>): boolean;
  /** Ends the access of this client at a provider without a revocation endpoint of RFC 7009. */
  revoke?: ((request: RevocationRequest) => Promise<void>) | undefined;
}
