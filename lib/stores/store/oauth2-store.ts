import type { ClientStorage } from '../contract/client-storage.js';
import type { Storage } from '../contract/storage.js';
import { registerStorageLocation } from '../contract/storage-location.js';
import { Store, type StoreOptions } from './store.js';

/** The options of `new OAuth2Store()`. */
export interface OAuth2StoreOptions<S extends Storage & ClientStorage = Storage & ClientStorage> extends StoreOptions {
  /** The operations of the database. */
  storage: S;
}

/** A model that stores everything in a storage of the application. */
export class OAuth2Store<S extends Storage & ClientStorage = Storage & ClientStorage> extends Store<S> {
  /** @throws {InvalidArgumentError} If `users` has no method `findById()`, or an option is invalid. */
  constructor({ storage, ...options }: OAuth2StoreOptions<S>) {
    super(storage, options);
    registerStorageLocation(this, storage);
  }
}
