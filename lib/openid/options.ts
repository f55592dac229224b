import type { SafeFetchOptions } from '../http/safe-fetch/index.js';
import type { SigningAlgorithm } from '../jose/algorithms.js';
import type { FrontChannelType } from './front-channel-types.js';
import type { PairwiseOptions } from './subjects.js';
import type { ScopeClaims } from './scopes.js';

/** What `openid()` takes. */
export interface OpenIdOptions {
  /**
   * What ID tokens are signed by for clients that have registered nothing else, which is RS256 to all that know no more than the
   * specification. Default: 'RS256'. OpenID Connect Core §15.1
   */
  alg?: SigningAlgorithm;
  /** Seconds in which an ID token is good. Default: 3600 */
  idTokenLifetime?: number;
  /**
   * The claims that scopes stand for, beside and in place of those of §5.4: `{ groups: ['groups'], address: false }`. Default: the
   * scopes `profile`, `email`, `address` and `phone`
   */
  scopes?: ScopeClaims;
  /**
   * Whether ID tokens contain the claims of scopes, as the userinfo endpoint does. The field `claimsInIdToken` of a client
   * overrides it. Default: false. §5.4
   */
  claimsInIdToken?: boolean;
  /** May clients ask for claims by name, with the parameter `claims`? Default: true. §5.5 */
  claimsParameter?: boolean;
  /**
   * Languages in which `getClaims()` may know claims, as tags, for clients to read in the metadata. Default: nothing is said. §5.2,
   * Discovery §3
   */
  claimsLocales?: readonly string[];
  /**
   * Response types that give out tokens by the browser, for clients that have the grant `implicit` too: `code id_token`,
   * `code id_token token`, `code token`, `id_token`, `id_token token`. Default: none. OAuth 2.0 Multiple Response Types §3, §5
   */
  responseTypes?: readonly FrontChannelType[];
  /**
   * Are refresh tokens given to those clients alone that ask for the scope `offline_access`, with `prompt=consent`? Default: false,
   * to all that have the grant. §11
   */
  offlineAccess?: boolean;
  /** Clients may know users by names that no client of another sector knows. Default: by their `id` all of them. §8.1 */
  pairwise?: PairwiseOptions;
  /**
   * How strong a login may be, the weakest first, by the `acr` that the interaction says: who has signed in by a stronger one need
   * not do so again for a weaker. Default: none, and nobody is sent to prove more. RFC 9470 §4
   */
  acrValues?: readonly string[];
  /**
   * May an `id_token_hint` be encrypted to this server, by clients whose ID tokens are encrypted to them? Needs `encryption()`. Default:
   * false, and clients bring it as it was signed. §3.1.2.1
   */
  encryptedHints?: boolean;
  /** Can users make an account where they sign in? Then clients may ask for it, by `prompt=create`. Default: false */
  signUp?: boolean;
  /** Seconds in which clients need not ask for the discovery document again. Default: 3600 */
  maxAge?: number;
  /** How the `sector_identifier_uri` of a client is fetched. Default: public addresses alone */
  fetch?: SafeFetchOptions;
}

/** They, with their defaults. */
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
