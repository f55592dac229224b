import type { Feature, ServerFacts } from '../../contracts/feature.js';
import type { KeyRing } from './key-ring.js';

/** The feature that has the keys of a server. */
export interface KeysFeature extends Feature {
  ringOf(server: ServerFacts): KeyRing;
}

/** Is there a key of the server that signs so? What is not signed at all, `none`, no client can register. */
export const isSignedBy = (alg: unknown, server: ServerFacts): boolean =>
  findKeys(server)!
    .algorithms()
    .some((one) => one === alg);

/** The keys of a server; undefined: it lists none. */
export function findKeys(server: ServerFacts): KeyRing | undefined {
  const feature = server.features.find((one): one is KeysFeature => 'ringOf' in one);
  return feature?.ringOf(server);
}
