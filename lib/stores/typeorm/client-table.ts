import type { StoredClient } from '../ports.js';
import type { ClientPage, ClientStorage, ClientRecord } from '../storage.js';
import type { Database } from './database.js';
import { type Identifier, type Sql, sql } from './sql.js';

/** Metadata is all that is said of a client, as JSON: what later versions say needs no new column. */
interface ClientTableRecord {
  id: string;
  secret_hashes: string;
  metadata: string | null;
  created_at: string | number;
  clock: string | number;
}

/** Clients in a table of the store. */
export class ClientTable implements ClientStorage {
  private readonly records: Sql;

  constructor(
    protected readonly database: Database,
    protected readonly clients: Identifier,
  ) {
    this.records = sql`SELECT id, secret_hashes, metadata, created_at, ${database.now} AS clock FROM ${clients}`;
  }

  async findClient(id: string): Promise<ClientRecord | undefined> {
    if (!isStorable(id)) return undefined;
    const [record] = await this.database.find<ClientTableRecord>(sql`${this.records} WHERE id = ${id}`);
    // A table that somebody else created may hold `Alice` to be `alice`.
    return record?.id === id ? read(record) : undefined;
  }

  async saveClient(client: StoredClient, found: ClientRecord | undefined, endsGrants: boolean): Promise<boolean> {
    const { id } = client;
    const { metadata, hashes } = textsOf(client);
    if (!found) return this.addClient(requireStorable(id), metadata, hashes);
    const kept = found.version as ClientTableRecord;
    if (!endsGrants && kept.metadata === metadata && kept.secret_hashes === hashes) return true;
    const ends = endsGrants ? sql`, generation = generation + 1` : sql``;
    const count = await this.database.change(sql`UPDATE ${this.clients} SET metadata = ${metadata},
      secret_hashes = ${hashes}${ends}
      WHERE id = ${id} AND metadata = ${kept.metadata} AND secret_hashes = ${kept.secret_hashes}`);
    return count > 0;
  }

  async listClients(after: string, limit: number): Promise<ClientPage> {
    const records = await this.database.find<ClientTableRecord>(
      sql`${this.records} WHERE id > ${after} AND metadata IS NOT NULL ORDER BY id LIMIT ${limit}`,
    );
    const clients = records.map(read).filter((client) => client !== undefined);
    return records.length < limit ? { clients } : { clients, next: records.at(-1)!.id };
  }

  async readClock(): Promise<number> {
    const [record] = await this.database.find<Pick<ClientTableRecord, 'clock'>>(
      sql`SELECT ${this.database.now} AS clock`,
    );
    return Number(record!.clock);
  }

  async addNewClient(client: StoredClient): Promise<boolean> {
    const id = requireStorable(client.id);
    const { metadata, hashes } = textsOf(client);
    if (await this.insert(id, metadata, hashes, 0)) return true;
    // A record without metadata and without the mark of a removal only counts how often grants were ended.
    const count = await this.database.change(sql`UPDATE ${this.clients} SET metadata = ${metadata},
      secret_hashes = ${hashes}, created_at = ${this.database.now}
      WHERE id = ${id} AND metadata IS NULL AND secret_hashes <> ${REMOVED}`);
    return count > 0;
  }

  async removeClient(id: string): Promise<boolean> {
    if (!isStorable(id)) return false;
    // The record stays, with its generation: a later client with this id must not revive the grants of this client.
    const update = sql`UPDATE ${this.clients} SET metadata = NULL, secret_hashes = ${REMOVED},
      generation = generation + 1 WHERE id = ${id}`;
    if ((await this.database.change(sql`${update} AND metadata IS NOT NULL`)) > 0) return true;
    if (await this.insert(id, null, REMOVED, 1)) return false;
    // The record has no metadata, or another process added the client between these statements.
    await this.database.change(update);
    return false;
  }

  /** Ends all grants of a client at once, however many: none of them is of its generation any more. */
  protected async endGeneration(id: string): Promise<void> {
    const update = sql`UPDATE ${this.clients} SET generation = generation + 1 WHERE id = ${id}`;
    if (await this.database.change(update)) return;
    if (!(await this.insert(id, null, '[]', 1))) await this.database.change(update);
  }

  /** How often the grants of a client were ended. */
  protected generationOf(id: unknown): Sql {
    return sql`COALESCE((SELECT c.generation FROM ${this.clients} c WHERE c.id = ${id}), 0)`;
  }

  /** One that is new, or was removed: what was issued to it by a request on its way is not for the one that comes back. */
  private async addClient(id: string, metadata: string, hashes: string): Promise<boolean> {
    if (await this.insert(id, metadata, hashes, 0)) return true;
    const count = await this.database.change(sql`UPDATE ${this.clients} SET metadata = ${metadata},
      secret_hashes = ${hashes}, generation = generation + 1, created_at = ${this.database.now}
      WHERE id = ${id} AND metadata IS NULL`);
    return count > 0;
  }

  private insert(id: string, metadata: string | null, hashes: string, generation: number): Promise<boolean> {
    return this.database.add(sql`INSERT INTO ${this.clients} (id, secret_hashes, metadata, generation, created_at)
      VALUES (${id}, ${hashes}, ${metadata}, ${generation}, ${this.database.now})`);
  }
}

/** The secret hashes of a removed client. */
const REMOVED = '';

/** Returns what is said of a client, and the hashes of its secrets, each as JSON. */
function textsOf({ id: _, secret: __, secretHashes = [], ...rest }: StoredClient) {
  return { metadata: JSON.stringify(rest), hashes: JSON.stringify(secretHashes) };
}

function read(record: ClientTableRecord): ClientRecord | undefined {
  const { id, metadata, secret_hashes: hashes, created_at: createdAt, clock } = record;
  if (metadata === null) return undefined;
  const client = readClient(id, metadata);
  client.secretHashes = JSON.parse(hashes) as StoredClient['secretHashes'];
  return { client, createdAt: Number(createdAt), readAt: Number(clock), version: record };
}

export function readClient(id: string, metadata: string): StoredClient {
  return { ...(JSON.parse(metadata) as Omit<StoredClient, 'id'>), id };
}

/** Can a database keep this as it is? What it would bend could become the id of another. */
export function isStorable(id: string): boolean {
  return id.isWellFormed() && !id.includes('\0') && (id.length <= 255 || Array.from(id).length <= 255);
}

/** @throws RangeError for an id that no database keeps as it is */
export function requireStorable(id: string): string {
  if (!isStorable(id)) throw new RangeError('An id has 255 characters at most, and no NUL or broken ones');
  return id;
}
