import type { SafeFetchOptions } from '../http/safe-fetch/index.js';
import type { SigningAlgorithm } from '../jose/algorithms.js';
import { accepts, ANY, FETCH, FLAG, isListOf, POSITIVE_SECONDS, SECONDS_FROM_0 } from '../options/value-checks.js';
import { type OptionRows, optionTable, type SettingsOf } from '../options/option-table.js';
import { isScopeValue } from '../http/syntax.js';
import { isLanguageTag } from './claims-locales.js';
import { FRONT_CHANNEL_TYPES, type FrontChannelType } from './front-channel-types.js';
import { findScopeClaimsError } from './scope-claims-error.js';
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

/** The options of `openid()`: validation and defaults. */
export const OPENID_OPTIONS = optionTable('`openid()`', {
  alg: { check: ANY, default: 'RS256' },
  idTokenLifetime: { check: POSITIVE_SECONDS, default: 3600 },
  scopes: { check: findScopeClaimsError, default: {} },
  claimsInIdToken: { check: FLAG, default: false },
  claimsParameter: { check: FLAG, default: true },
  claimsLocales: {
    check: accepts("a list of languages, such as `['en', 'fr-CA']`", (value) => isListOf(value, isLanguageTag)),
    default: [],
  },
  responseTypes: {
    check: accepts(`a list of ${FRONT_CHANNEL_TYPES.map((one) => `'${one}'`).join(', ')}`, (value) =>
      isListOf(value, (one) => FRONT_CHANNEL_TYPES.includes(one as FrontChannelType)),
    ),
    default: [],
  },
  offlineAccess: { check: FLAG, default: false },
  pairwise: {
    check: (value, name, owner) =>
      isPairwise(value)
        ? undefined
        : `\`${name}\` of ${owner} must have a \`salt\` of at least 32 characters, and may have a boolean \`byDefault\``,
  },
  acrValues: {
    check: accepts("a list of names without spaces, such as `['urn:example:pwd']`", (value) =>
      isListOf(value, (one) => typeof one === 'string' && isScopeValue(one)),
    ),
    default: [],
  },
  encryptedHints: { check: FLAG, default: false },
  signUp: { check: FLAG, default: false },
  maxAge: { check: SECONDS_FROM_0, default: 3600 },
  fetch: { check: FETCH },
} satisfies OptionRows<OpenIdOptions>);

/** The options of `openid()`, with defaults for those that have one. */
export type OpenIdSettings = SettingsOf<OpenIdOptions, typeof OPENID_OPTIONS>;

function isPairwise(pairwise: unknown): boolean {
  const { salt, byDefault = false } = (pairwise ?? {}) as Partial<PairwiseOptions>;
  const isSalt = typeof salt === 'function' || (typeof salt === 'string' && salt.length >= 32);
  return isSalt && typeof byDefault === 'boolean';
}
