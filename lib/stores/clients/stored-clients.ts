import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

import type { Awaitable } from '../../model/model.js';
import { validHashes } from './stored-secrets.js';
import type { Clients, StoredClient } from '../contract/ports.js';
import type { ClientRecord, ClientStorage } from '../contract/client-storage.js';

const ATTEMPTS = 50;

/** The result of a function that changes a stored client: the new client, and whether to revoke its grants. */
export interface ClientUpdate {
  client: StoredClient;
  /** Whether to revoke all grants of the client in the same write that saves the client. Default: `false`. */
  revokesGrants?: boolean;
}

/** The clients that a store saves in its storage. Changes are compare-and-set, so concurrent changes are never lost. */
export class StoredClients implements Clients {
  constructor(private readonly storage: ClientStorage) {}

  findById(id: string): Awaitable<StoredClient | undefined> {
    const record = this.storage.findClient(id);
    return record instanceof Promise
      ? record.then(withValidSecrets)
      : withValidSecrets(record as ClientRecord | undefined);
  }

  async replaceSecretHash(id: string, old: string, replacement: string): Promise<void> {
    const replaced = <Kept>(kept: Kept) => {
      if (typeof kept === 'string') return kept === old ? replacement : kept;
      const { hash } = kept as { hash: string };
      return hash === old ? { ...kept, hash: replacement } : kept;
    };
    await this.change(id, ({ client }) => ({
      client: { ...client, secretHashes: client.secretHashes?.map(replaced) },
    }));
  }

  /**
   * Changes a client. If a concurrent request changes it too, `change` is called again with the client as it is then.
   * @returns whether a client with this ID exists
   * @throws {Error} If other requests have changed the client at each of the 50 attempts.
   */
  change(id: string, change: (record: ClientRecord) => Awaitable<ClientUpdate | undefined>): Promise<boolean> {
    return this.createOrChange(id, (record) => record && change(record));
  }

  /**
   * Changes a client, or creates it if it does not exist. If `change` returns `undefined`, nothing is written.
   * @returns whether anything was written
   */
  async createOrChange(
    id: string,
    change: (record?: ClientRecord) => Awaitable<ClientUpdate | undefined>,
  ): Promise<boolean> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const record = await this.storage.findClient(id);
      const changed = await change(record);
      if (!changed) return false;
      if (await this.storage.saveClient(changed.client, record, changed.revokesGrants ?? false)) return true;
      await setTimeout(randomInt(4 * attempt));
    }
    throw new Error(`Gave up updating the client after ${ATTEMPTS} conflicting writes`);
  }
}

/** Returns a client with the secrets that have not expired, by the clock of the database. */
function withValidSecrets(record: ClientRecord | undefined): StoredClient | undefined {
  if (!record) return undefined;
  const { client, readAt: now } = record;
  if (!client.secretHashes?.some((storedSecret) => typeof storedSecret !== 'string')) return client;
  return { ...client, secretHashes: validHashes(client.secretHashes, now) };
}
