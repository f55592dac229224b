import type { StoredClient } from '../contract/ports.js';
import type { ClientPage, ClientRecord, ClientStorage } from '../contract/client-storage.js';
import { readClient, writeClient } from '../contract/client-texts.js';
import type { Database } from './database.js';
import { type Identifier, join, paddedKeys, type Sql, sql } from './sql.js';

/**
 * A row of the table of clients. `metadata` has all other properties of the client as JSON, so that new properties need
 * no columns.
 */
interface ClientTableRecord {
  id: string;
  secret_hashes: string;
  metadata: string | null;
  created_at: string | number;
  clock: string | number;
}

/** Stores clients in a table. */
export class ClientTable implements ClientStorage {
  private readonly records: Sql;
  private readonly lookUpClient: (id: string) => Promise<ClientTableRecord | undefined>;

  constructor(
    protected readonly database: Database,
    readonly clients: Identifier,
  ) {
    this.records = sql`SELECT id, secret_hashes, metadata, created_at, ${database.now} AS clock FROM ${clients}`;
    // If another tool created the table, its collation may be case-insensitive, so that the query finds `Alice` for
    // `alice`.
    this.lookUpClient = database.batched<string, ClientTableRecord | undefined>({
      runOne: async (id) => {
        const [record] = await database.find<ClientTableRecord>(sql`${this.records} WHERE id = ${id}`);
        return record?.id === id ? record : undefined;
      },
      runMany: async (ids) => {
        const records = await database.find<ClientTableRecord>(
          sql`${this.records} WHERE id IN (${join(paddedKeys(ids))})`,
        );
        const byId = new Map(records.map((record) => [record.id, record]));
        return ids.map((id) => byId.get(id));
      },
    });
  }

  async findClient(id: string): Promise<ClientRecord | undefined> {
    if (!isStorable(id)) return undefined;
    const record = await this.lookUpClient(id);
    return record && read(record);
  }

  async saveClient(client: StoredClient, previous: ClientRecord | undefined, revokesGrants: boolean): Promise<boolean> {
    const { id } = client;
    const { metadata, secretHashes: hashes } = writeClient(client);
    if (!previous) return this.addClient(requireStorable(id), metadata, hashes, revokesGrants);
    const previousRow = previous.version as ClientTableRecord;
    if (!revokesGrants && previousRow.metadata === metadata && previousRow.secret_hashes === hashes) return true;
    const ends = revokesGrants ? sql`, generation = generation + 1` : sql``;
    const count = await this.database.change(sql`UPDATE ${this.clients} SET metadata = ${metadata},
      secret_hashes = ${hashes}${ends}
      WHERE id = ${id} AND metadata = ${previousRow.metadata} AND secret_hashes = ${previousRow.secret_hashes}`);
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
    const { metadata, secretHashes: hashes } = writeClient(client);
    if (await this.insert(id, metadata, hashes, 0)) return true;
    // A row without metadata that is not marked as removed only counts how often grants were revoked.
    const count = await this.database.change(sql`UPDATE ${this.clients} SET metadata = ${metadata},
      secret_hashes = ${hashes}, created_at = ${this.database.now}
      WHERE id = ${id} AND metadata IS NULL AND secret_hashes <> ${REMOVED}`);
    return count > 0;
  }

  async removeClient(id: string): Promise<boolean> {
    if (!isStorable(id)) return false;
    // The row stays with its generation while grants of this client are stored, so that they never become active again.
    // `created_at` becomes the time of the removal.
    const update = sql`UPDATE ${this.clients} SET metadata = NULL, secret_hashes = ${REMOVED},
      generation = generation + 1, created_at = ${this.database.now} WHERE id = ${id}`;
    if ((await this.database.change(sql`${update} AND metadata IS NOT NULL`)) > 0) return true;
    if (await this.insert(id, null, REMOVED, 1)) return false;
    // The row has no metadata, or another process added the client between these statements.
    await this.database.change(update);
    return false;
  }

  /**
   * Revokes all grants of a client at once, however many there are, by increasing its generation: grants with a lower
   * generation are not active.
   */
  protected async endGeneration(id: string): Promise<void> {
    const update = sql`UPDATE ${this.clients} SET generation = generation + 1 WHERE id = ${id}`;
    if (await this.database.change(update)) return;
    if (!(await this.insert(id, null, '[]', 1))) await this.database.change(update);
  }

  /** Returns SQL for the generation of a client: the number of times that all its grants were revoked. */
  protected generationOf(id: unknown): Sql {
    return sql`COALESCE((SELECT c.generation FROM ${this.clients} c WHERE c.id = ${id}), 0)`;
  }

  /**
   * Adds a client. Returns `false` if a client with this ID exists. If one was removed, the new client gets a new
   * generation, so that it does not get grants of requests in progress.
   */
  private async addClient(id: string, metadata: string, hashes: string, revokesGrants: boolean): Promise<boolean> {
    if (await this.insert(id, metadata, hashes, revokesGrants ? 1 : 0)) return true;
    // MariaDB assigns in this order, so that `secret_hashes` is compared before it changes.
    const generation = revokesGrants
      ? sql`generation + 1`
      : sql`generation + CASE WHEN secret_hashes = ${REMOVED} THEN 1 ELSE 0 END`;
    const count = await this.database.change(sql`UPDATE ${this.clients} SET generation = ${generation},
      metadata = ${metadata}, secret_hashes = ${hashes}, created_at = ${this.database.now}
      WHERE id = ${id} AND metadata IS NULL`);
    return count > 0;
  }

  private insert(id: string, metadata: string | null, hashes: string, generation: number): Promise<boolean> {
    return this.database.add(sql`INSERT INTO ${this.clients} (id, secret_hashes, metadata, generation, created_at)
      VALUES (${id}, ${hashes}, ${metadata}, ${generation}, ${this.database.now})`);
  }
}

/** The value of `secret_hashes` that marks a client as removed. */
const REMOVED = '';

function read(record: ClientTableRecord): ClientRecord | undefined {
  const { id, metadata, secret_hashes: hashes, created_at: createdAt, clock } = record;
  if (metadata === null) return undefined;
  return {
    client: readClient(id, metadata, hashes),
    createdAt: Number(createdAt),
    readAt: Number(clock),
    version: record,
  };
}

/**
 * Whether every supported database stores this ID unchanged. An ID that is truncated or altered could collide with
 * another one.
 */
export function isStorable(id: string): boolean {
  return id.isWellFormed() && !id.includes('\0') && (id.length <= 255 || Array.from(id).length <= 255);
}

/**
 * Returns the passed ID.
 * @throws {RangeError} If a database might not store the ID unchanged.
 */
export function requireStorable(id: string): string {
  if (!isStorable(id))
    throw new RangeError('An ID must have at most 255 characters, without NUL and unpaired surrogates');
  return id;
}
