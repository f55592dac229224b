import type { StoredClient } from '../ports.js';
import type { ClientStorage } from '../storage.js';
import type { Database } from './database.js';
import { type Name, type Sql, sql } from './sql.js';

/** Metadata is all that is said of a client, as JSON: what later versions say needs no new column. */
interface ClientRecord {
  id: string;
  secret_hashes: string;
  metadata: string | null;
}

/** Clients in a table of the store. */
export class ClientTable implements ClientStorage {
  constructor(
    protected readonly database: Database,
    protected readonly clients: Name,
  ) {}

  async findClient(id: string): Promise<StoredClient | undefined> {
    if (!isStorable(id)) return undefined;
    const [row] = await this.database.find<ClientRecord>(
      sql`SELECT id, secret_hashes, metadata FROM ${this.clients} WHERE id = ${id}`,
    );
    // A table that somebody else created may hold `Alice` to be `alice`.
    if (row?.id !== id || row.metadata === null) return undefined;
    return { ...readClient(id, row.metadata), secretHashes: JSON.parse(row.secret_hashes) as string[] };
  }

  async saveClient({ id, secretHashes, ...rest }: StoredClient): Promise<void> {
    const metadata = JSON.stringify({ ...rest, secret: undefined });
    const hashes = JSON.stringify(secretHashes ?? []);
    const secrets = secretHashes ? sql`, secret_hashes = ${hashes}` : sql``;
    // What was issued to one that is gone, by a request on its way, is not for the one that comes back. MySQL sets in order.
    const update = sql`UPDATE ${this.clients} SET generation = CASE WHEN metadata IS NULL THEN generation + 1 ELSE generation END,
      metadata = ${metadata}${secrets} WHERE id = ${id}`;
    await this.change(update, sql`${storable(id)}, ${hashes}, ${metadata}, 0, ${Date.now()}`);
  }

  async replaceSecretHashes(id: string, old: readonly string[], hashes: readonly string[]): Promise<boolean> {
    const count = await this.database.change(sql`UPDATE ${this.clients} SET secret_hashes = ${JSON.stringify(hashes)}
      WHERE id = ${id} AND secret_hashes = ${JSON.stringify(old)}`);
    return count > 0;
  }

  async removeClient(id: string): Promise<boolean> {
    // The row stays, with its generation: a client that comes back by this id must not wake the grants of this one.
    const count = await this.database.change(sql`UPDATE ${this.clients} SET metadata = NULL, secret_hashes = '[]',
      generation = generation + 1 WHERE id = ${id} AND metadata IS NOT NULL`);
    return count > 0;
  }

  /** Ends all grants of a client at once, however many: none of them is of its generation any more. */
  protected async endGeneration(id: string): Promise<void> {
    const update = sql`UPDATE ${this.clients} SET generation = generation + 1 WHERE id = ${id}`;
    await this.change(update, sql`${id}, '[]', NULL, 1, ${Date.now()}`);
  }

  /** How often the grants of a client were ended. */
  protected generationOf(id: unknown): Sql {
    return sql`COALESCE((SELECT c.generation FROM ${this.clients} c WHERE c.id = ${id}), 0)`;
  }

  /** Changes the row of a client, or else adds it. */
  private async change(update: Sql, values: Sql): Promise<void> {
    if (await this.database.change(update)) return;
    const insert = sql`INSERT INTO ${this.clients} (id, secret_hashes, metadata, generation, created_at) VALUES (${values})`;
    if (!(await this.database.add(insert))) await this.database.change(update);
  }
}

export function readClient(id: string, metadata: string): StoredClient {
  return { ...(JSON.parse(metadata) as Omit<StoredClient, 'id'>), id };
}

/** Can a database keep this as it is? What it would bend could become the id of another. */
export function isStorable(id: string): boolean {
  return id.isWellFormed() && !id.includes('\0') && (id.length <= 255 || Array.from(id).length <= 255);
}

/** @throws RangeError for an id that no database keeps as it is */
export function storable(id: string): string {
  if (!isStorable(id)) throw new RangeError('An id has 255 characters at most, and no NUL or broken ones');
  return id;
}
