import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

import type { Awaitable } from '../model/model.js';
import { validHashes } from './stored-secrets.js';
import type { Clients, StoredClient } from './ports.js';
import type { ClientStorage, ClientRecord } from './storage.js';

const ATTEMPTS = 50;

/** What becomes of a client. */
export interface ClientUpdate {
  client: StoredClient;
  /** All its grants end with it. */
  endsGrants?: boolean;
}

/** The clients that a store keeps, as requests ask for them, and a way to change one of them that loses nothing. */
export class StoredClients implements Clients {
  constructor(private readonly storage: ClientStorage) {}

  findById(id: string): Awaitable<StoredClient | undefined> {
    const found = this.storage.findClient(id);
    return found instanceof Promise
      ? found.then(withValidSecrets)
      : withValidSecrets(found as ClientRecord | undefined);
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
   * Makes a change of what is found; again, of what somebody else made of it meanwhile.
   * @returns whether there is such a client
   */
  change(id: string, change: (found: ClientRecord) => Awaitable<ClientUpdate | undefined>): Promise<boolean> {
    return this.createOrChange(id, (found) => found && change(found));
  }

  /** The same, of a client that may be new; undefined: nothing is done. @returns whether anything was to be done */
  async createOrChange(
    id: string,
    change: (found?: ClientRecord) => Awaitable<ClientUpdate | undefined>,
  ): Promise<boolean> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const found = await this.storage.findClient(id);
      const changed = await change(found);
      if (!changed) return false;
      if (await this.storage.saveClient(changed.client, found, changed.endsGrants ?? false)) return true;
      await setTimeout(randomInt(4 * attempt));
    }
    throw new Error(`Gave up updating the client after ${ATTEMPTS} conflicting writes`);
  }
}

/** A client with the secrets that are good now, by the clock of the database. */
function withValidSecrets(found: ClientRecord | undefined): StoredClient | undefined {
  if (!found) return undefined;
  const { client, readAt: now } = found;
  if (!client.secretHashes?.some((kept) => typeof kept !== 'string')) return client;
  return { ...client, secretHashes: validHashes(client.secretHashes, now) };
}
