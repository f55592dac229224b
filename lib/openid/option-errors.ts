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

/** Yields an error message for each invalid option, and for each reason why `openid()` cannot work on its server. */
export function* findConfigurationErrors(server: ServerContext, options: OpenIdOptions): Iterable<string> {
  const unknownOption = findUnknownOption(options, NAMES, FEATURE);
  if (unknownOption !== undefined) yield unknownOption;
  const fetchError = findFetchOptionsError(options.fetch);
  if (fetchError !== undefined) yield fetchError;
  const { issuer } = server.options;
  if (!isPublicUrl(issuer)) {
    yield `${FEATURE} requires the option \`issuer\`: an https URL without query and fragment, or an http URL of localhost`;
  }
  yield* findValueErrors(options);
  const ring = findKeys(server);
  if (!ring) yield `${FEATURE} requires keys to sign ID tokens. Add \`keys()\` to the \`features\``;
  const { alg } = settle(options);
  const profile = findForbiddingFeature(server.features, 'algorithms', alg);
  if (profile) {
    const signing = ring?.algorithms() ?? [];
    const allowed = [...signing, ...ALGORITHMS].find((one) => !isForbidden(server.features, 'algorithms', one))!;
    const key = signing.includes(allowed) ? '' : ' and add a key for it to `keys()`';
    yield `${FEATURE} signs ID tokens with ${alg}, which ${featureName(profile)} forbids. Set \`alg: '${allowed}'\` in ${FEATURE}${key}`;
  }
  if (options.alg === undefined && ring?.algorithms().includes('RS256') === false) {
    yield `${FEATURE} signs ID tokens with RS256 by default, which every client supports, but \`keys()\` has no RS256 key. Set \`algorithms: ['ES256', 'RS256']\` in \`keys()\` or add an RSA key, or set another \`alg\` in ${FEATURE}`;
  }
  yield* findAlgErrors(FEATURE, server, options.alg);
  if (options.encryptedHints && !findEncryption(server)) {
    yield `\`encryptedHints\` of ${FEATURE} requires \`encryption()\`, which encrypts ID tokens. Add it to the \`features\``;
  }
}

function* findValueErrors(options: OpenIdOptions): Iterable<string> {
  const { acrValues, claimsLocales, idTokenLifetime, maxAge, pairwise, responseTypes, scopes } = settle(options);
  if (!(idTokenLifetime > 0 && idTokenLifetime < Infinity))
    yield `\`idTokenLifetime\` of ${FEATURE} must be a number of seconds`;
  if (!(maxAge >= 0)) yield `\`maxAge\` of ${FEATURE} must be a number of seconds, at least 0`;
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
  const isSalt = typeof salt === 'function' || (typeof salt === 'string' && salt.length >= 32);
  const isPairwise = isSalt && typeof byDefault === 'boolean';
  if (pairwise !== undefined && !isPairwise) {
    yield `\`pairwise\` of ${FEATURE} must have a \`salt\` of at least 32 characters, and may have a boolean \`byDefault\``;
  }
  yield* findScopeErrors(scopes);
}

function* findScopeErrors(scopes: ScopeClaims): Iterable<string> {
  if (!isObject(scopes))
    yield `\`scopes\` of ${FEATURE} must be an object of lists, such as \`{ groups: ['groups'] }\``;
  for (const [scope, claims] of Object.entries(scopes ?? {})) {
    if (!isScopeValue(scope) || scope === OPENID_SCOPE) {
      yield `\`scopes\` of ${FEATURE} contains \`${scope}\`, which cannot be a scope for claims`;
    }
    if (claims === false) continue;
    if (!Array.isArray(claims) || !claims.every((one) => typeof one === 'string' && one !== '')) {
      yield `\`scopes\` of ${FEATURE} must contain a list of claims for \`${scope}\`, or \`false\``;
      continue;
    }
    const reserved = claims.find((one) => RESERVED.has(one));
    if (reserved !== undefined)
      yield `\`scopes\` of ${FEATURE} contains the claim \`${reserved}\`, which the server sets itself. Remove it`;
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
