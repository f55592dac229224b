import type { StoredClient } from '../ports.js';
import type { ClientStorage } from '../storage.js';
import type { RunScript } from './connection.js';
import type { Keys } from './keys.js';
import { FIND_CLIENT, REMOVE_CLIENT, REPLACE_SECRETS, SAVE_CLIENT } from './scripts.js';

/** A key for each client, which does not expire. */
export class RedisClients implements ClientStorage {
  constructor(
    protected readonly run: RunScript,
    protected readonly keys: Keys,
  ) {}

  async findClient(id: string): Promise<StoredClient | undefined> {
    const [client, secretHashes] = (await this.run(FIND_CLIENT, this.keys.client(id))) as (string | null)[];
    if (!client || !secretHashes) return undefined;
    return Object.assign(JSON.parse(client) as StoredClient, { secretHashes: JSON.parse(secretHashes) as string[] });
  }

  async saveClient(client: StoredClient): Promise<void> {
    const { id, secretHashes } = client;
    const json = JSON.stringify({ ...client, secret: undefined, secretHashes: undefined });
    await this.run(SAVE_CLIENT, this.keys.client(id), json, secretHashes ? JSON.stringify(secretHashes) : '');
  }

  async replaceSecretHashes(id: string, old: readonly string[], hashes: readonly string[]): Promise<boolean> {
    return (await this.run(REPLACE_SECRETS, this.keys.client(id), JSON.stringify(old), JSON.stringify(hashes))) === 1;
  }

  async removeClient(id: string): Promise<boolean> {
    return (await this.run(REMOVE_CLIENT, this.keys.client(id))) === 1;
  }
}
