import { randomUUID } from 'node:crypto';

import type { ClientPage, ClientRecord, ClientStorage } from '../contract/client-storage.js';
import { readClient, writeClient } from '../contract/client-texts.js';
import type { StoredClient } from '../contract/ports.js';
import type { Database } from './collections.js';
import { type ClientDocument, isStorable, requireStorable } from './documents.js';

type ReadClient = ClientDocument & { now: Date };

/** Adds the time of the server to each document. */
const WITH_CLOCK = { $addFields: { now: '$$NOW' } };

/** Stores each client as a document. Each method is one write of this document. */
export class MongooseClients implements ClientStorage {
  constructor(protected readonly database: Database) {}

  async findClient(id: string): Promise<ClientRecord | undefined> {
    if (!isStorable(id)) return undefined;
    const [found] = await this.readClients([{ $match: { _id: id, metadata: { $ne: null } } }]);
    return found && recordOf(found);
  }

  async saveClient(client: StoredClient, previous: ClientRecord | undefined, revokesGrants: boolean): Promise<boolean> {
    const { id } = client;
    const fields = fieldsOf(client);
    if (!previous) return this.addClient(requireStorable(id), fields, revokesGrants ? 1 : 0);
    const filter = { _id: id, version: previous.version as string };
    const update = { $set: fields, ...(revokesGrants && { $inc: { generation: 1 } }) };
    const { matchedCount } = await this.database.run('clients', (clients) => clients.updateOne(filter, update));
    return matchedCount === 1;
  }

  async addNewClient(client: StoredClient): Promise<boolean> {
    const fields = fieldsOf(client);
    if (await this.insert(requireStorable(client.id), fields, 0)) return true;
    // A document without metadata that is not marked as removed only counts how often grants were revoked.
    return this.replaceMissing({ _id: client.id, metadata: null, isRemoved: { $ne: true } }, fields, 0);
  }

  async removeClient(id: string): Promise<boolean> {
    if (!isStorable(id)) return false;
    // The document stays with its generation until the grants of this client are deleted, so that a later client with
    // this ID does not get them.
    const set = { metadata: null, secretHashes: '[]', version: null, isRemoved: true };
    const removed = await this.database.upsert('clients', (clients) =>
      clients.findOneAndUpdate(
        { _id: id },
        { $set: set, $inc: { generation: 1 }, $unset: { unusedSince: '' } },
        { upsert: true, returnDocument: 'before', projection: { metadata: 1 } },
      ),
    );
    return typeof removed?.metadata === 'string';
  }

  async listClients(after: string, limit: number): Promise<ClientPage> {
    const match = { $match: { _id: { $gt: after }, metadata: { $ne: null } } };
    const found = await this.readClients([match, { $sort: { _id: 1 } }, { $limit: limit }]);
    const clients = found.map(recordOf);
    return found.length < limit ? { clients } : { clients, next: clients.at(-1)!.client.id };
  }

  readClock(): Promise<number> {
    return this.database.readClock();
  }

  /** Revokes all grants of a client at once, however many there are. Returns the generation that these grants have. */
  protected async endGeneration(id: string): Promise<number> {
    const before = await this.database.upsert('clients', (clients) =>
      clients.findOneAndUpdate(
        { _id: id },
        { $inc: { generation: 1 }, $unset: { unusedSince: '' }, $setOnInsert: { metadata: null, version: null } },
        { upsert: true, returnDocument: 'before', projection: { generation: 1 } },
      ),
    );
    return before?.generation ?? 0;
  }

  private readClients(stages: object[]): Promise<ReadClient[]> {
    return this.database.run('clients', (clients) => clients.aggregate<ReadClient>([...stages, WITH_CLOCK]).toArray());
  }

  /**
   * Adds a client. Returns `false` if a client with this ID exists. If one was removed, the new client gets a new
   * generation, so that it does not get grants of requests in progress.
   */
  private async addClient(id: string, fields: ClientFields, generation: 0 | 1): Promise<boolean> {
    if (await this.insert(id, fields, generation)) return true;
    const missing = { _id: id, metadata: null };
    if (await this.replaceMissing({ ...missing, isRemoved: { $ne: true } }, fields, generation)) return true;
    return this.replaceMissing(missing, fields, 1);
  }

  /** Inserts a client. Returns `false` if a document with this ID exists. */
  private async insert(id: string, fields: ClientFields, generation: 0 | 1): Promise<boolean> {
    // The filter matches no existing document, since the version is new. So an existing one is reported as a duplicate.
    const result = await this.database.runUnlessDuplicate('clients', (clients) =>
      clients.updateOne(
        { _id: id, version: fields.version },
        { $set: fields, $setOnInsert: { generation }, $currentDate: { createdAt: true } },
        { upsert: true },
      ),
    );
    return result !== undefined;
  }

  private async replaceMissing(filter: object, fields: ClientFields, generation: number): Promise<boolean> {
    const update = {
      $set: fields,
      $inc: { generation },
      $unset: { unusedSince: '' },
      $currentDate: { createdAt: true },
    } as const;
    const { matchedCount } = await this.database.run('clients', (clients) => clients.updateOne(filter, update));
    return matchedCount === 1;
  }
}

type ClientFields = ReturnType<typeof fieldsOf>;

const fieldsOf = (client: StoredClient) => ({ ...writeClient(client), version: randomUUID() });

function recordOf({ _id: id, metadata, secretHashes, version, createdAt, now }: ReadClient): ClientRecord {
  const client = readClient(id, metadata!, secretHashes);
  return { client, createdAt: createdAt!.getTime(), readAt: now.getTime(), version };
}
