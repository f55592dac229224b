import type { ServerContext } from '../contracts/feature.js';
import { featureName } from '../contracts/feature-name.js';
import { findForbiddingFeature, isForbidden } from '../contracts/forbidden-parts.js';
import { isPublicUrl } from '../http/public-url.js';
import { ALGORITHMS } from '../jose/algorithms.js';
import { findEncryption } from '../jose/encryption/find-encryption.js';
import { findKeys } from '../jose/keys/find-keys.js';
import { findAlgErrors } from '../jose/keys/signing-errors.js';
import { OPENID_OPTIONS, type OpenIdOptions } from './options.js';

const FEATURE = '`openid()`';

/** Yields an error message for each invalid option, and for each reason why `openid()` cannot work on its server. */
export function* findConfigurationErrors(server: ServerContext, options: OpenIdOptions): Iterable<string> {
  yield* OPENID_OPTIONS.findErrors(options);
  const { issuer } = server.options;
  if (!isPublicUrl(issuer)) {
    yield `${FEATURE} requires the option \`issuer\`: an https URL without query and fragment, or an http URL of localhost`;
  }
  const ring = findKeys(server);
  if (!ring) yield `${FEATURE} requires keys to sign ID tokens. Add \`keys()\` to the \`features\``;
  const { alg } = OPENID_OPTIONS.settle(options);
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
