import type { Store } from 'nest-oauth2/stores';
import type { StorageUnderTest } from 'nest-oauth2/testing';

/** Returns the storage of a store, which the public interface does not show. */
export const storageOf = (store: Store): StorageUnderTest =>
  (store as unknown as { storage: StorageUnderTest }).storage;
