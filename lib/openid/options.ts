import type { SafeFetchOptions } from '../http/safe-fetch/index.js';
import type { SigningAlgorithm } from '../jose/algorithms.js';
import type { FrontChannelType } from './front-channel-types.js';
import type { PairwiseOptions } from './subjects.js';
import type { ScopeClaims } from './scopes.js';

/** The options of `openid()`. */
export interface OpenIdOptions {
  /**
   * The signature algorithm of ID tokens for clients that have registered none. Clients that follow only the
   * specification expect RS256. Default: `'RS256'`. OpenID Connect Core §15.1
   */
  alg?: SigningAlgorithm;
  /** Seconds for which an ID token is valid. Default: `3600`. */
  idTokenLifetime?: number;
  /**
   * The claims of scopes. They extend or replace those of the standard scopes, and `false` removes a scope:
   * `{ groups: ['groups'], address: false }`. Default: the scopes `profile`, `email`, `address` and `phone` of OpenID
   * Connect Core §5.4.
   */
  scopes?: ScopeClaims;
  /**
   * Whether ID tokens contain the claims of scopes, as the userinfo response does. The field `claimsInIdToken` of a
   * client overrides it. Default: `false`. OpenID Connect Core §5.4
   */
  claimsInIdToken?: boolean;
  /**
   * Whether clients may request claims by name, with the parameter `claims`. Default: `true`. OpenID Connect Core §5.5
   */
  claimsParameter?: boolean;
  /**
   * The languages of claims that `getClaims()` supports, as language tags. The metadata announces them. If omitted, it
   * announces none. OpenID Connect Core §5.2, Discovery §3
   */
  claimsLocales?: readonly string[];
  /**
   * Additional response types that return tokens through the browser, for clients that also have the grant `implicit`:
   * `code id_token`, `code id_token token`, `code token`, `id_token`, `id_token token`. Default: none. OAuth 2.0
   * Multiple Response Types §3, §5
   */
  responseTypes?: readonly FrontChannelType[];
  /**
   * Whether only clients that request the scope `offline_access` with `prompt=consent` get refresh tokens. If `false`,
   * all clients with the grant `refresh_token` do. Default: `false`. OpenID Connect Core §11
   */
  offlineAccess?: boolean;
  /**
   * The options of pairwise subject identifiers, with which clients of different sectors know a user by different
   * identifiers. If omitted, all clients know a user by its `id`. OpenID Connect Core §8.1
   */
  pairwise?: PairwiseOptions;
  /**
   * The authentication context classes (`acr`) of logins, the weakest first. A login with a stronger class also
   * satisfies a request for a weaker one. Default: none, so users are never asked for a stronger login. RFC 9470 §4
   */
  acrValues?: readonly string[];
  /**
   * Whether clients whose ID tokens are encrypted may encrypt an `id_token_hint` to this server. Requires
   * `encryption()`. If `false`, they send the signed ID token. Default: `false`. OpenID Connect Core §3.1.2.1
   */
  encryptedHints?: boolean;
  /**
   * Whether users can create an account on the login page. If `true`, clients may request this with `prompt=create`.
   * Default: `false`.
   */
  signUp?: boolean;
  /** Seconds for which clients may cache the discovery document. Default: `3600`. */
  maxAge?: number;
  /** How the `sector_identifier_uri` of a client is fetched. Default: from public addresses only. */
  fetch?: SafeFetchOptions;
}

/** The options of `openid()`, with defaults for those that have one. */
export type OpenIdSettings = Required<Omit<OpenIdOptions, OptionalSetting>> & Pick<OpenIdOptions, OptionalSetting>;

type OptionalSetting = 'pairwise' | 'fetch';

export const settle = ({
  alg = 'RS256',
  idTokenLifetime = 3600,
  scopes = {},
  claimsInIdToken = false,
  claimsParameter = true,
  claimsLocales = [],
  responseTypes = [],
  offlineAccess = false,
  acrValues = [],
  signUp = false,
  encryptedHints = false,
  maxAge = 3600,
  ...open
}: OpenIdOptions): OpenIdSettings => ({
  alg,
  idTokenLifetime,
  scopes,
  claimsInIdToken,
  claimsParameter,
  claimsLocales,
  responseTypes,
  offlineAccess,
  acrValues,
  signUp,
  encryptedHints,
  maxAge,
  ...open,
});
