import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { KeyRing } from './key-ring.js';

/** The feature that has the keys of a server. */
export interface KeysFeature extends Feature {
  ringOf(server: ServerContext): KeyRing;
}

/** Is there a key of the server that signs so? What is not signed at all, `none`, no client can register. */
export const isSignedBy = (alg: unknown, server: ServerContext): boolean =>
  findKeys(server)!
    .algorithms()
    .some((one) => one === alg);

/** The keys of a server; undefined: it lists none. */
export function findKeys(server: ServerContext): KeyRing | undefined {
  const feature = server.features.find((one): one is KeysFeature => 'ringOf' in one);
  return feature?.ringOf(server);
}
