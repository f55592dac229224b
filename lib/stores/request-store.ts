import type { KeyModel } from '../jose/keys/key-model.js';
import type { HealthModel } from '../model/health.js';
import type { OnceModel } from '../model/model.js';
import { digest } from './client-secret.js';
import type { Storage } from './storage.js';

const SIGNING_KEYS = 'signing-keys';

/** The part of a store that has no users: single-use values, and the keys that tokens are signed with. */
export abstract class RequestStore<S extends Storage> implements OnceModel, HealthModel, KeyModel {
  constructor(protected readonly storage: S) {}

  /** True for the first caller that brings this, for so many seconds: whatever is good once. */
  async once(value: string, seconds: number): Promise<boolean> {
    return this.storage.once(digest(value), seconds);
  }

  async getSigningKeys(): Promise<string | undefined> {
    return this.storage.readText(SIGNING_KEYS);
  }

  async replaceSigningKeys(old: string | undefined, text: string): Promise<boolean> {
    return this.storage.replaceText(SIGNING_KEYS, old, text);
  }

  /** One look for what nobody has, within the deadline: it needs the connection and the tables, and finds nothing. */
  async ping(): Promise<void> {
    await this.storage.find('access', digest(''));
  }

  /** Forgets what has expired, so many rows at a time. @returns how many rows */
  async prune({ batchSize = 1000 }: { batchSize?: number } = {}): Promise<number> {
    return this.storage.prune(batchSize);
  }
}
