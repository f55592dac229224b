import type { ServerContext } from '../../contracts/feature.js';
import { ALGORITHM_NAMES, ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import { findKeys } from './find-keys.js';

/** What keeps a feature from signing in the name of its server, as sentences. `place`: what a host calls it */
export function* findSigningErrors(
  feature: string,
  server: ServerContext,
  alg: SigningAlgorithm | undefined,
): Iterable<string> {
  if (!findKeys(server)) yield `${feature} needs keys to sign by: list \`keys()\` among the \`features\``;
  if (server.options.issuer === undefined) yield `${feature} needs the option \`issuer\`, which it names`;
  yield* findAlgErrors(feature, server, alg);
}

/** What is wrong with its option `alg`; undefined: it is left out. */
export function* findAlgErrors(
  feature: string,
  server: ServerContext,
  alg: SigningAlgorithm | undefined,
): Iterable<string> {
  if (alg === undefined) return;
  if (!ALGORITHMS.includes(alg)) yield `\`alg\` of ${feature} must be one of ${ALGORITHM_NAMES}`;
  else if (findKeys(server)?.algorithms().includes(alg) === false) {
    yield `\`alg\` of ${feature} is ${alg}, and no key of \`keys()\` signs so`;
  }
}
