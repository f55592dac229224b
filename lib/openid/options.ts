import type { ServerFacts } from '../feature.js';
import { unknownOption } from '../features/unknown-option.js';
import { isPublicUrl } from '../http/public-url.js';
import { fetchFault, type SafeFetchOptions } from '../http/safe-fetch/index.js';
import { isScopeValue } from '../http/syntax.js';
import type { SigningAlgorithm } from '../jose/algorithms.js';
import { findKeys } from '../jose/keys/find-keys.js';
import { algFaults } from '../jose/keys/signing-faults.js';
import { isObject } from '../options/kinds.js';
import { FRONT_CHANNEL_TYPES, type FrontChannelType } from './front-channel-types.js';
import type { PairwiseOptions } from './subjects.js';
import { OPENID, RESERVED, type ScopeClaims } from './scopes.js';

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
  /** Are the claims of scopes said in ID tokens too, and not at the userinfo endpoint alone? Default: false. §5.4 */
  claimsInIdToken?: boolean;
  /** May clients ask for claims by name, with the parameter `claims`? Default: true. §5.5 */
  claimsParameter?: boolean;
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
  /** Can users make an account where they sign in? Then clients may ask for it, by `prompt=create`. Default: false */
  signUp?: boolean;
  /** Seconds in which clients need not ask for the discovery document again. Default: 3600 */
  maxAge?: number;
  /** How the `sector_identifier_uri` of a client is fetched. Default: public addresses alone */
  fetch?: SafeFetchOptions;
}

/** They, with their defaults. */
export type OpenIdSettings = Required<Omit<OpenIdOptions, Open>> & Pick<OpenIdOptions, Open>;

type Open = 'pairwise' | 'fetch';

export const settle = ({
  alg = 'RS256',
  idTokenLifetime = 3600,
  scopes = {},
  claimsInIdToken = false,
  claimsParameter = true,
  responseTypes = [],
  offlineAccess = false,
  acrValues = [],
  signUp = false,
  maxAge = 3600,
  ...open
}: OpenIdOptions): OpenIdSettings => ({
  alg,
  idTokenLifetime,
  scopes,
  claimsInIdToken,
  claimsParameter,
  responseTypes,
  offlineAccess,
  acrValues,
  signUp,
  maxAge,
  ...open,
});

const PLACE = '`openid()`';

/** What is wrong with how a host has set it up, as sentences. */
export function* faultsOf(server: ServerFacts, options: OpenIdOptions): Iterable<string> {
  const misspelt = unknownOption(options, NAMES, PLACE);
  if (misspelt !== undefined) yield misspelt;
  const unfetchable = fetchFault(options.fetch);
  if (unfetchable !== undefined) yield unfetchable;
  const { issuer } = server.options;
  if (!isPublicUrl(issuer)) {
    yield `${PLACE} needs the option \`issuer\`: an https URL without query and fragment, or an http one of localhost`;
  }
  yield* valueFaults(options);
  const ring = findKeys(server);
  if (!ring) yield `${PLACE} needs keys to sign ID tokens by: list \`keys()\` among the \`features\``;
  if (options.alg === undefined && ring?.algorithms().includes('RS256') === false) {
    yield `${PLACE} signs ID tokens by RS256, which every client understands, and no key of \`keys()\` does: give \`keys()\` the \`algorithms\` ['ES256', 'RS256'] or an RSA key, or ${PLACE} another \`alg\``;
  }
  yield* algFaults(PLACE, server, options.alg);
}

function* valueFaults(options: OpenIdOptions): Iterable<string> {
  const { acrValues, idTokenLifetime, maxAge, pairwise, responseTypes, scopes } = settle(options);
  if (!(idTokenLifetime > 0)) yield `\`idTokenLifetime\` of ${PLACE} must be a number of seconds`;
  if (!(maxAge >= 0)) yield `\`maxAge\` of ${PLACE} must be a number of seconds, 0 or more`;
  if (!Array.isArray(acrValues) || !acrValues.every((one) => typeof one === 'string' && isScopeValue(one))) {
    yield `\`acrValues\` of ${PLACE} must be a list of names without spaces, such as \`['urn:example:pwd']\``;
  }
  for (const name of ['claimsInIdToken', 'claimsParameter', 'offlineAccess', 'signUp'] as const) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== 'boolean') yield `\`${name}\` of ${PLACE} must be true or false`;
  }
  if (!Array.isArray(responseTypes) || !responseTypes.every((one) => FRONT_CHANNEL_TYPES.includes(one))) {
    yield `\`responseTypes\` of ${PLACE} must be a list of ${FRONT_CHANNEL_TYPES.map((one) => `'${one}'`).join(', ')}`;
  }
  const { salt, byDefault = false } = (pairwise ?? {}) as Partial<PairwiseOptions>;
  const isPairwise = typeof salt === 'string' && salt.length >= 32 && typeof byDefault === 'boolean';
  if (pairwise !== undefined && !isPairwise) {
    yield `\`pairwise\` of ${PLACE} is \`{ salt, byDefault }\`: the salt has 32 characters at least`;
  }
  if (!isObject(scopes)) yield `\`scopes\` of ${PLACE} must be an object of lists, such as \`{ groups: ['groups'] }\``;
  for (const [scope, claims] of Object.entries(scopes ?? {})) {
    if (!isScopeValue(scope) || scope === OPENID)
      yield `\`scopes\` of ${PLACE} has \`${scope}\`, which is no scope of claims`;
    if (claims === false) continue;
    if (!Array.isArray(claims) || !claims.every((one) => typeof one === 'string' && one !== '')) {
      yield `\`scopes\` of ${PLACE} must list the claims of \`${scope}\`, or say false`;
      continue;
    }
    const own = claims.find((one) => RESERVED.has(one));
    if (own !== undefined) yield `\`scopes\` of ${PLACE} lists \`${own}\`, which the server says itself: leave it out`;
  }
}

const NAMES = {
  alg: true,
  idTokenLifetime: true,
  scopes: true,
  claimsInIdToken: true,
  claimsParameter: true,
  responseTypes: true,
  offlineAccess: true,
  pairwise: true,
  fetch: true,
  acrValues: true,
  signUp: true,
  maxAge: true,
} as const;
