import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

import type { Awaitable } from '../model/model.js';
import { validHashes } from './stored-secrets.js';
import type { Clients, StoredClient } from './ports.js';
import type { ClientRecord, ClientStorage } from './client-storage.js';

const ATTEMPTS = 50;

/** A change of a stored client: its new state, and whether to revoke its grants. */
export interface ClientUpdate {
  client: StoredClient;
  /** Whether all grants of the client are revoked in the same step. */
  revokesGrants?: boolean;
}

/** The clients of a storage. Changes are compare-and-set, so concurrent changes are never lost. */
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
   * Changes a client. If a concurrent request changes it too, `change` is called again with the new client.
   * @returns whether the client exists
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
