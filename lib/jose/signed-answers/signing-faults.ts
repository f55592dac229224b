import type { ServerFacts } from '../../feature.js';
import { ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import { findKeys } from '../keys/find-keys.js';

/** What keeps a feature from signing, as sentences. */
export function* signingFaults(
  name: string,
  server: ServerFacts,
  { alg }: { alg?: SigningAlgorithm | undefined },
): Iterable<string> {
  const algorithms = findKeys(server)?.algorithms();
  if (!algorithms) yield `\`${name}()\` needs keys to sign by: list \`keys()\` among the \`features\``;
  if (server.options.issuer === undefined) yield `\`${name}()\` needs the option \`issuer\`, which it names`;
  if (alg === undefined) return;
  if (!ALGORITHMS.includes(alg)) yield `\`alg\` of \`${name}()\` must be one of ${ALGORITHMS.join(', ')}`;
  else if (algorithms && !algorithms.includes(alg)) {
    yield `\`alg\` of \`${name}()\` is ${alg}, and no key of \`keys()\` signs so`;
  }
}
