import type { ServerContext } from '../contracts/feature.js';
import { featureName } from '../contracts/feature-name.js';
import { findFlagErrors } from '../options/flag-errors.js';
import { findUnknownOption } from '../options/unknown-option.js';
import { findForbiddingFeature, isForbidden } from '../contracts/forbidden-parts.js';
import { isPublicUrl } from '../http/public-url.js';
import { findFetchOptionsError } from '../http/safe-fetch/index.js';
import { isScopeValue } from '../http/syntax.js';
import { ALGORITHMS } from '../jose/algorithms.js';
import { findEncryption } from '../jose/encryption/find-encryption.js';
import { findKeys } from '../jose/keys/find-keys.js';
import { findAlgErrors } from '../jose/keys/signing-errors.js';
import { isObject } from '../http/is-object.js';
import { isLanguageTag } from './claims-locales.js';
import { FRONT_CHANNEL_TYPES } from './front-channel-types.js';
import { type OpenIdOptions, settle } from './options.js';
import { OPENID_SCOPE, RESERVED, type ScopeClaims } from './scopes.js';
import type { PairwiseOptions } from './subjects.js';

const FEATURE = '`openid()`';

/** What is wrong with how a host has set it up, as sentences. */
export function* findConfigurationErrors(server: ServerContext, options: OpenIdOptions): Iterable<string> {
  const misspelt = findUnknownOption(options, NAMES, FEATURE);
  if (misspelt !== undefined) yield misspelt;
  const unfetchable = findFetchOptionsError(options.fetch);
  if (unfetchable !== undefined) yield unfetchable;
  const { issuer } = server.options;
  if (!isPublicUrl(issuer)) {
    yield `${FEATURE} needs the option \`issuer\`: an https URL without query and fragment, or an http one of localhost`;
  }
  yield* findValueErrors(options);
  const ring = findKeys(server);
  if (!ring) yield `${FEATURE} needs keys to sign ID tokens by: list \`keys()\` among the \`features\``;
  const { alg } = settle(options);
  const profile = findForbiddingFeature(server.features, 'algorithms', alg);
  if (profile) {
    const signing = ring?.algorithms() ?? [];
    const good = [...signing, ...ALGORITHMS].find((one) => !isForbidden(server.features, 'algorithms', one))!;
    const key = signing.includes(good) ? '' : ', and `keys()` a key for it';
    yield `${FEATURE} signs ID tokens by ${alg}, which ${featureName(profile)} forbids: give ${FEATURE} the \`alg\` '${good}'${key}`;
  }
  if (options.alg === undefined && ring?.algorithms().includes('RS256') === false) {
    yield `${FEATURE} signs ID tokens by RS256, which every client understands, and no key of \`keys()\` does: give \`keys()\` the \`algorithms\` ['ES256', 'RS256'] or an RSA key, or ${FEATURE} another \`alg\``;
  }
  yield* findAlgErrors(FEATURE, server, options.alg);
  if (options.encryptedHints && !findEncryption(server)) {
    yield `\`encryptedHints\` of ${FEATURE} is for clients whose ID tokens are encrypted: list \`encryption()\` too`;
  }
}

function* findValueErrors(options: OpenIdOptions): Iterable<string> {
  const { acrValues, claimsLocales, idTokenLifetime, maxAge, pairwise, responseTypes, scopes } = settle(options);
  if (!(idTokenLifetime > 0 && idTokenLifetime < Infinity))
    yield `\`idTokenLifetime\` of ${FEATURE} must be a number of seconds`;
  if (!(maxAge >= 0)) yield `\`maxAge\` of ${FEATURE} must be a number of seconds, 0 or more`;
  if (!Array.isArray(acrValues) || !acrValues.every((one) => typeof one === 'string' && isScopeValue(one))) {
    yield `\`acrValues\` of ${FEATURE} must be a list of names without spaces, such as \`['urn:example:pwd']\``;
  }
  if (!Array.isArray(claimsLocales) || !claimsLocales.every(isLanguageTag)) {
    yield `\`claimsLocales\` of ${FEATURE} must be a list of languages, such as \`['en', 'fr-CA']\``;
  }
  yield* findFlagErrors(
    options,
    ['claimsInIdToken', 'claimsParameter', 'encryptedHints', 'offlineAccess', 'signUp'],
    FEATURE,
  );
  if (!Array.isArray(responseTypes) || !responseTypes.every((one) => FRONT_CHANNEL_TYPES.includes(one))) {
    yield `\`responseTypes\` of ${FEATURE} must be a list of ${FRONT_CHANNEL_TYPES.map((one) => `'${one}'`).join(', ')}`;
  }
  const { salt, byDefault = false } = (pairwise ?? {}) as Partial<PairwiseOptions>;
  const isPairwise = typeof salt === 'string' && salt.length >= 32 && typeof byDefault === 'boolean';
  if (pairwise !== undefined && !isPairwise) {
    yield `\`pairwise\` of ${FEATURE} is \`{ salt, byDefault }\`: the salt has 32 characters at least`;
  }
  yield* findScopeErrors(scopes);
}

function* findScopeErrors(scopes: ScopeClaims): Iterable<string> {
  if (!isObject(scopes))
    yield `\`scopes\` of ${FEATURE} must be an object of lists, such as \`{ groups: ['groups'] }\``;
  for (const [scope, claims] of Object.entries(scopes ?? {})) {
    if (!isScopeValue(scope) || scope === OPENID_SCOPE) {
      yield `\`scopes\` of ${FEATURE} has \`${scope}\`, which is no scope of claims`;
    }
    if (claims === false) continue;
    if (!Array.isArray(claims) || !claims.every((one) => typeof one === 'string' && one !== '')) {
      yield `\`scopes\` of ${FEATURE} must list the claims of \`${scope}\`, or say false`;
      continue;
    }
    const own = claims.find((one) => RESERVED.has(one));
    if (own !== undefined)
      yield `\`scopes\` of ${FEATURE} lists \`${own}\`, which the server says itself: leave it out`;
  }
}

const NAMES = {
  alg: true,
  idTokenLifetime: true,
  scopes: true,
  claimsInIdToken: true,
  claimsParameter: true,
  claimsLocales: true,
  responseTypes: true,
  offlineAccess: true,
  pairwise: true,
  fetch: true,
  acrValues: true,
  signUp: true,
  encryptedHints: true,
  maxAge: true,
} as const;
