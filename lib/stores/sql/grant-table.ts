import type { GrantFilter, GrantKinds, GrantPage, GrantRow } from '../contract/storage.js';
import { isWholeClient } from '../contract/grant-kinds.js';
import { NOT_BEFORE, RevocationTimesCache, REVISION_LENGTH, withoutRevokedBefore } from '../contract/not-before.js';
import { DAY } from '../contract/schema.js';
import { ClientTable, isStorable } from './client-table.js';
import type { Database } from './database.js';
import { grantExtension } from './grant-extension.js';
import { type DatabaseRecord, GRANT, newGrant, readGrant } from './records.js';
import { type Identifier, join, rawSql, type Sql, sql } from './sql.js';
import { readText } from './standalone-rows.js';
import type { TableNames } from './table-names.js';

/** The number to which the revoked grants of a client are counted. */
const MAX_COUNT = 100_000;

/**
 * Maximum number of keys to read, and of grants to change, with one statement. The keys of a client are sorted for each
 * read, so that more are read than changed.
 */
const [KEYS, CHANGES] = [20_000, 1000];

/** Maximum number of clients to read with one statement, to find removed ones. */
const MAX_REMOVED = 1000;

/** Stores grants in a table. A grant is active unless it was revoked by itself or with all grants of its client. */
export abstract class GrantTable extends ClientTable {
  readonly grants: Identifier;
  readonly tokens: Identifier;
  /** SQL for the revision of the times of `revokeBefore()`. */
  protected readonly revision: Sql;
  protected readonly revocationTimes = new RevocationTimesCache(() => readText(this.database, this.tokens, NOT_BEFORE));

  constructor(database: Database, names: TableNames) {
    super(database, database.table(names.clients));
    this.grants = database.table(names.grants);
    this.tokens = database.table(names.tokens);
    this.revision = sql`(SELECT SUBSTR(n.data, 1, ${rawSql(String(REVISION_LENGTH))}) FROM ${this.tokens} n
      WHERE n.digest = ${rawSql(`'${NOT_BEFORE}'`)} AND n.kind = 'text') AS revision`;
  }

  async revokeGrants(filter: GrantFilter): Promise<number> {
    const { kinds, grantId, userId, clientId, issuer } = filter;
    if (![grantId, userId, clientId].every((id = '') => isStorable(id))) return 0;
    const which = this.activeOf(filter);
    if (clientId !== undefined && (grantId ?? userId) === undefined) {
      return issuer === undefined && isWholeClient(kinds) ? this.revokeAllOf(clientId) : this.revokeInPages(which);
    }
    return this.database.change(sql`UPDATE ${this.grants} SET revoked_at = ${this.database.now} WHERE ${which}`);
  }

  async hasGrant(id: string): Promise<boolean> {
    if (!isStorable(id)) return false;
    const rows = await this.database.find(sql`SELECT id FROM ${this.grants} WHERE id = ${id} AND ${this.active}`);
    return rows.length > 0;
  }

  async listGrants(userId: string, kinds: GrantKinds): Promise<GrantRow[]> {
    if (!isStorable(userId)) return [];
    const rows = await this.database
      .find<DatabaseRecord>(sql`SELECT ${GRANT.names}, ${this.revision} FROM ${this.grants}
      WHERE user_id = ${userId} AND ${isOneOf(kinds)} AND ${this.active} AND last_used_at IS NOT NULL AND expires_at >= ${this.database.now}
      ORDER BY last_used_at DESC`);
    return withoutRevokedBefore(
      await this.revocationTimes.get(rows[0]?.['revision'] as string | null),
      rows.map(readGrant),
    );
  }

  async pageGrants(filter: GrantFilter, after: string | undefined, limit: number): Promise<GrantPage> {
    const { grantId, userId, clientId } = filter;
    if (![grantId, userId, clientId, after].every((id = '') => isStorable(id))) return { grants: [] };
    const rows = await this.database
      .find<DatabaseRecord>(sql`SELECT ${GRANT.names}, ${this.revision} FROM ${this.grants}
      WHERE ${this.activeOf(filter)} AND expires_at >= ${this.database.now} AND id > ${after ?? ''}
      ORDER BY id LIMIT ${limit}`);
    const times = await this.revocationTimes.get(rows[0]?.['revision'] as string | null);
    const grants = withoutRevokedBefore(times, rows.map(readGrant)).map((grant) => ({ grant, cursor: grant.id }));
    return rows.length < limit ? { grants } : { grants, next: String(rows.at(-1)!['id']) };
  }

  async eraseGrants({ kinds, grantId, userId, issuer }: GrantFilter, limit: number): Promise<number> {
    const { grants, tokens, database } = this;
    if (![grantId, userId].every((id = '') => isStorable(id)) || (grantId ?? userId) === undefined) return 0;
    const keys = sql`SELECT id FROM ${grants} WHERE ${matching({ kinds, grantId, userId, issuer })} LIMIT ${limit}`;
    const ids = (await database.find<{ id: string }>(keys)).map(({ id }) => id);
    if (ids.length === 0) return 0;
    const isErased = sql`id IN (${join(ids)})`;
    // No row of a revoked grant is inserted. So none is left after the rows are deleted.
    await database.change(
      sql`UPDATE ${grants} SET revoked_at = ${database.now} WHERE ${isErased} AND revoked_at IS NULL`,
    );
    const rows = sql`SELECT digest FROM ${tokens} WHERE grant_id IN (${join(ids)}) LIMIT ${CHANGES}`;
    for (let found = CHANGES; found === CHANGES;) {
      const digests = (await database.find<{ digest: string }>(rows)).map(({ digest }) => digest);
      found = digests.length;
      if (found === 0) break;
      const isOne = sql`digest IN (${join(digests)}) AND grant_id IN (${join(ids)})`;
      await database.change(sql`DELETE FROM ${tokens} WHERE ${isOne}`);
    }
    return database.change(sql`DELETE FROM ${grants} WHERE ${isErased} AND revoked_at IS NOT NULL`);
  }

  /**
   * Deletes the rows of removed clients whose grants are all deleted. A day must have passed, so that no request in
   * progress saves a grant or the client again. Returns the number of deleted rows.
   */
  protected async pruneRemovedClients(batchSize: number, signal: AbortSignal | undefined): Promise<number> {
    const { clients, grants, database } = this;
    const limit = Math.min(Math.max(Math.trunc(batchSize) || 1, 1), MAX_REMOVED);
    let count = 0;
    for (let after = ''; ;) {
      if (signal?.aborted) return count;
      // The condition is a column, so that the page is read by the primary key: no index contains removed clients.
      const page = await database.find<{ id: string; removed: unknown }>(sql`SELECT id, CASE WHEN metadata IS NULL
        AND created_at < ${database.statementStart} - ${DAY} THEN 1 ELSE 0 END AS removed
        FROM ${clients} WHERE id > ${after} ORDER BY id LIMIT ${limit}`);
      // The grants of one client at a time are looked up by their index. A query for several clients may read it whole.
      for (const { id } of page.filter(({ removed }) => Number(removed) === 1)) {
        count += await database.change(sql`DELETE FROM ${clients} WHERE id = ${id} AND metadata IS NULL
          AND NOT EXISTS (SELECT 1 FROM ${grants} g WHERE g.client_id = ${id})`);
      }
      if (page.length < limit) return count;
      after = page.at(-1)!.id;
    }
  }

  /** Returns a statement that inserts a grant or, if it exists, extends it. A revoked grant stays revoked. */
  protected upsertGrant(grant: GrantRow): Sql {
    return sql`INSERT INTO ${this.grants} AS g (${GRANT.names}) VALUES (${this.grantValues(grant)})
      ON CONFLICT (id) DO UPDATE SET ${grantExtension(grant, '', 'g.')} WHERE g.revoked_at IS NULL`;
  }

  protected grantValues(grant: GrantRow): Sql {
    return GRANT.values(newGrant(grant, this.generationOf(grant.clientId), this.database.now));
  }

  private activeOf(filter: GrantFilter): Sql {
    return sql`${this.active} AND ${matching(filter)}`;
  }

  /** SQL for the condition that a grant is active. */
  get active(): Sql {
    return sql`revoked_at IS NULL AND client_generation = ${this.generationOf(sql`client_id`)}`;
  }

  /**
   * Revokes grants in pages of their keys, because one statement for all of them might never end within the deadline.
   * Grants that are saved meanwhile do not move the pages. Returns how many grants were revoked.
   */
  private async revokeInPages(which: Sql): Promise<number> {
    const { grants, database } = this;
    for (let count = 0, after = ''; ;) {
      const keys = sql`SELECT id FROM ${grants} WHERE ${which} AND id > ${after} ORDER BY id LIMIT ${KEYS}`;
      const ids = (await database.find<{ id: string }>(keys)).map(({ id }) => id);
      for (let start = 0; start < ids.length; start += CHANGES) {
        const page = join(ids.slice(start, start + CHANGES));
        count += await database.change(
          sql`UPDATE ${grants} SET revoked_at = ${database.now} WHERE id IN (${page}) AND ${which}`,
        );
      }
      if (ids.length < KEYS) return count;
      after = ids.at(-1)!;
    }
  }

  /** Revokes all grants of a client at once. Returns how many were active, counted up to `MAX_COUNT`. */
  private async revokeAllOf(clientId: string): Promise<number> {
    await this.endGeneration(clientId);
    const [row] = await this.database.find<{ count: string | number }>(sql`SELECT COUNT(*) AS count FROM (
      SELECT 1 FROM ${this.grants} WHERE client_id = ${clientId} AND revoked_at IS NULL
      AND client_generation = ${this.generationOf(clientId)} - 1 LIMIT ${MAX_COUNT}) AS ended`);
    return Number(row?.count ?? 0);
  }
}

/** Returns the condition that a grant has one of the kinds. They are part of the text, since they are never input. */
const isOneOf = (kinds: GrantKinds): Sql => sql`kind IN (${rawSql(kinds.map((kind) => `'${kind}'`).join(', '))})`;

/** Returns the condition that a grant matches a filter. */
function matching({ kinds, grantId, userId, clientId, issuer }: Partial<Record<keyof GrantFilter, unknown>>): Sql {
  const conditions = [isOneOf(kinds as GrantKinds)];
  if (grantId !== undefined) conditions.push(sql`id = ${grantId}`);
  if (userId !== undefined) conditions.push(sql`user_id = ${userId}`);
  if (clientId !== undefined) conditions.push(sql`client_id = ${clientId}`);
  if (issuer !== undefined) conditions.push(sql`issuer = ${issuer}`);
  return join(conditions, ' AND ');
}
