import type { Storage } from './storage.js';

/** What the parts of one store share. */
export interface StoreContext {
  readonly storage: Storage;
}
