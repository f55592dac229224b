import type { ServerContext } from '../../contracts/feature.js';
import { ALGORITHM_NAMES, ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import { findKeys } from './find-keys.js';

/**
 * Yields an error message for each reason why a feature cannot sign for its server.
 * @param feature The feature as the developer writes it.
 */
export function* findSigningErrors(
  feature: string,
  server: ServerContext,
  alg: SigningAlgorithm | undefined,
): Iterable<string> {
  if (!findKeys(server)) yield `${feature} requires signing keys. Add \`keys()\` to the \`features\``;
  if (server.options.issuer === undefined) yield `${feature} requires the option \`issuer\``;
  yield* findAlgErrors(feature, server, alg);
}

/**
 * Yields an error message if the option `alg` of a feature is not supported by this Node.js or by `keys()`. If `alg` is
 * `undefined`, the option is omitted and valid.
 */
export function* findAlgErrors(
  feature: string,
  server: ServerContext,
  alg: SigningAlgorithm | undefined,
): Iterable<string> {
  if (alg === undefined) return;
  if (!ALGORITHMS.includes(alg)) yield `\`alg\` of ${feature} must be one of ${ALGORITHM_NAMES}`;
  else if (findKeys(server)?.algorithms().includes(alg) === false) {
    yield `no key in \`keys()\` supports \`alg: '${alg}'\` of ${feature}`;
  }
}
