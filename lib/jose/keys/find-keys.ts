import { type Capabilities, capability } from '../../contracts/capability.js';
import type { KeyRing } from './key-ring.js';

/** The key for the keys of a server, which `keys()` provides. */
export const KEYS = capability<KeyRing>('keys', 'keys');

/** Whether a key of the server signs with the algorithm. `none` is never among them, so no client can register it. */
export const canSignWith = (alg: unknown, server: Pick<Capabilities, 'find'>): boolean =>
  findKeys(server)!
    .algorithms()
    .some((one) => one === alg);

/** Returns the keys of a server. `undefined` if `keys()` is not among its features. */
export const findKeys = (server: Pick<Capabilities, 'find'>): KeyRing | undefined => server.find(KEYS);
