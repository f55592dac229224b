import type { ClientStorage, Storage } from './storage.js';

/** What the parts of one store share. */
export interface StoreContext {
  readonly storage: Storage & ClientStorage;
  readonly overridable: OverridableMethods;
}

/**
 * Methods of the store that its parts call. Each calls the method of the store itself, since an application may
 * override it in a subclass. A part calls no other method of the store.
 */
export interface OverridableMethods {
  once(value: string, seconds: number): Promise<boolean>;
}
