import { randomUUID } from 'node:crypto';

import type { StoredClient } from '../contract/ports.js';
import type { ClientPage, ClientRecord, ClientStorage } from '../contract/client-storage.js';
import type { RunScript } from './connection.js';
import type { Keys } from './keys.js';
import {
  ADD_CLIENT_ID,
  ADD_NEW_CLIENT,
  CLOCK,
  FIND_CLIENT,
  SAVE_CLIENT,
  LEAVE_LIST,
  LIST_CLIENT_IDS,
  REMOVE_CLIENT,
} from './scripts.js';

/** Stores each client under a Redis key that does not expire, and the IDs of all clients in a list. */
export class RedisClients implements ClientStorage {
  constructor(
    protected readonly run: RunScript,
    protected readonly keys: Keys,
  ) {}

  async findClient(id: string): Promise<ClientRecord | undefined> {
    const fields = (await this.run(FIND_CLIENT, this.keys.client(id))) as (string | number | null)[];
    const [client, secretHashes, createdAt, now] = fields;
    if (!client || !secretHashes) return undefined;
    const read = JSON.parse(String(client)) as StoredClient;
    read.secretHashes = JSON.parse(String(secretHashes)) as StoredClient['secretHashes'];
    return { client: read, createdAt: Number(createdAt), readAt: Number(now), version: [client, secretHashes] };
  }

  async saveClient(client: StoredClient, previous: ClientRecord | undefined, revokesGrants: boolean): Promise<boolean> {
    const { id } = client;
    const before = (previous?.version ?? ['', '']) as [string, string];
    // On a cluster, the list is on another node. An ID without a client is harmless, but a client missing in the list
    // is lost.
    if (!previous) await this.run(ADD_CLIENT_ID, this.keys.clients, id);
    const after = [...textsOf(client), revokesGrants ? '1' : '0', randomUUID()];
    const isSaved = (await this.run(SAVE_CLIENT, this.keys.client(id), ...before, ...after)) === 1;
    // A removal may have taken the ID from the list before the client was saved.
    if (isSaved && !previous) await this.run(ADD_CLIENT_ID, this.keys.clients, id);
    return isSaved;
  }

  async addNewClient(client: StoredClient): Promise<boolean> {
    await this.run(ADD_CLIENT_ID, this.keys.clients, client.id);
    const texts = textsOf(client);
    if ((await this.run(ADD_NEW_CLIENT, this.keys.client(client.id), ...texts, randomUUID())) === 1) return true;
    if (!(await this.findClient(client.id))) await this.run(LEAVE_LIST, this.keys.clients, client.id);
    return false;
  }

  async removeClient(id: string): Promise<boolean> {
    const isRemoved = (await this.run(REMOVE_CLIENT, this.keys.client(id))) === 1;
    await this.run(LEAVE_LIST, this.keys.clients, id);
    // Another process may have saved a client with this ID before the list was changed.
    if (await this.findClient(id)) await this.run(ADD_CLIENT_ID, this.keys.clients, id);
    return isRemoved;
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

/** Returns two JSON texts: a client without its secrets, and the hashes of its secrets. */
function textsOf({ secret: _, secretHashes = [], ...client }: StoredClient): [string, string] {
  return [JSON.stringify(client), JSON.stringify(secretHashes)];
}
