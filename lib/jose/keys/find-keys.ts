import { type Capabilities, capability } from '../../contracts/capability.js';
import type { KeyRing } from './key-ring.js';

/** The capability key under which `keys()` provides the keys of a server. */
export const KEYS = capability<KeyRing>('keys', 'keys');

/**
 * Whether the server has a key for a signature algorithm. It never has one for `none`, so no client can register
 * `none`.
 */
export const canSignWith = (alg: unknown, server: Pick<Capabilities, 'find'>): boolean =>
  findKeys(server)!
    .algorithms()
    .some((one) => one === alg);

/** Returns the keys of a server, or `undefined` if `keys()` is not one of its features. */
export const findKeys = (server: Pick<Capabilities, 'find'>): KeyRing | undefined => server.find(KEYS);
