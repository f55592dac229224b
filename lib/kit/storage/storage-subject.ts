import type { Awaitable } from '../../model/model.js';
import type { ClientStorage } from '../../stores/contract/client-storage.js';
import type { Storage } from '../../stores/contract/storage.js';

/**
 * A storage that the contract kit checks. If the application stores its clients itself, the storage needs only
 * `readClock()` of `ClientStorage`.
 */
export type StorageUnderTest = Storage & Pick<ClientStorage, 'readClock'> & Partial<ClientStorage>;

/** A storage with the resources of its contract checks. */
export interface StorageSubject {
  storage: StorageUnderTest;
  /**
   * More storages on the same data with connections of their own, as other processes have them. The checks distribute
   * concurrent calls over all storages, and read with another storage than the one that wrote. If omitted, all calls use
   * `storage`.
   */
  others?: readonly StorageUnderTest[];
  /**
   * A storage whose database cannot be reached, for example because its connection was closed. If omitted, the check
   * that every method rejects is skipped.
   */
  unreachable?: StorageUnderTest;
  /** Closes the resources of the storage. Called after each check. */
  cleanUp?(): Awaitable<unknown>;
}

/** A function that returns a storage to check. It is called once for each check. The storage may contain other data. */
export type MakeStorage = () => Awaitable<StorageUnderTest | StorageSubject>;

/** The options of `checkStorage()`. */
export interface StorageContractOptions {
  /** Number of calls that a check of concurrent calls starts at the same time. Default: `50`. */
  parallel?: number;
  /**
   * Milliseconds by which the clock of the process is shifted in the checks of clock skew, ahead and behind. If
   * omitted, these checks are skipped. Do not set it for a storage whose clock is that of the process.
   */
  skew?: number;
}
