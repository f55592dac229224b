import { randomUUID } from 'node:crypto';

import type { StoredClient } from '../ports.js';
import type { ClientPage, ClientStorage, ClientRecord } from '../storage.js';
import type { RunScript } from './connection.js';
import type { Keys } from './keys.js';
import {
  ADD_CLIENT_ID,
  ADD_NEW_CLIENT,
  CLOCK,
  FIND_CLIENT,
  SAVE_CLIENT,
  LIST_CLIENT_IDS,
  REMOVE_CLIENT,
} from './scripts.js';

/** A key for each client, which does not expire, and a list of their ids. */
export class RedisClients implements ClientStorage {
  constructor(
    protected readonly run: RunScript,
    protected readonly keys: Keys,
  ) {}

  async findClient(id: string): Promise<ClientRecord | undefined> {
    const found = (await this.run(FIND_CLIENT, this.keys.client(id))) as (string | number | null)[];
    const [client, secretHashes, createdAt, now] = found;
    if (!client || !secretHashes) return undefined;
    const read = JSON.parse(String(client)) as StoredClient;
    read.secretHashes = JSON.parse(String(secretHashes)) as StoredClient['secretHashes'];
    return { client: read, createdAt: Number(createdAt), readAt: Number(now), version: [client, secretHashes] };
  }

  async saveClient(client: StoredClient, found: ClientRecord | undefined, endsGrants: boolean): Promise<boolean> {
    const { id } = client;
    const before = (found?.version ?? ['', '']) as [string, string];
    // The list lies elsewhere on a cluster. An id on it that is no client is none; a client that is not on it would be lost.
    if (!found) await this.run(ADD_CLIENT_ID, this.keys.clients, id);
    const after = [...textsOf(client), endsGrants ? '1' : '0', randomUUID()];
    return (await this.run(SAVE_CLIENT, this.keys.client(id), ...before, ...after)) === 1;
  }

  async addNewClient(client: StoredClient): Promise<boolean> {
    await this.run(ADD_CLIENT_ID, this.keys.clients, client.id);
    return (await this.run(ADD_NEW_CLIENT, this.keys.client(client.id), ...textsOf(client), randomUUID())) === 1;
  }

  async removeClient(id: string): Promise<boolean> {
    return (await this.run(REMOVE_CLIENT, this.keys.client(id))) === 1;
  }

  async listClients(after: string, limit: number): Promise<ClientPage> {
    const from = after === '' ? '-' : `(${after}`;
    const ids = (await this.run(LIST_CLIENT_IDS, this.keys.clients, from, String(limit))) as string[];
    const clients = (await Promise.all(ids.map((id) => this.findClient(id)))).filter((client) => client !== undefined);
    return ids.length < limit ? { clients } : { clients, next: ids.at(-1)! };
  }

  async readClock(): Promise<number> {
    return Number(await this.run(CLOCK, this.keys.clients));
  }
}

/** Returns a client without its secrets, and the hashes of the secrets, each as JSON. */
function textsOf({ secret: _, secretHashes = [], ...client }: StoredClient): [string, string] {
  return [JSON.stringify(client), JSON.stringify(secretHashes)];
}
