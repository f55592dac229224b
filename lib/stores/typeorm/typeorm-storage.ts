import type { CodeRow, Found, GrantFilter, GrantRow, Storage, TokenRow } from '../storage.js';
import { ClientTable, isStorable } from './client-table.js';
import type { Database } from './database.js';
import type { tableNames } from './entities.js';
import { pruneTable } from './prune.js';
import {
  type CodeRecord,
  codeValues,
  type GrantRecord,
  grantValues,
  readCode,
  readGrant,
  readToken,
  type TokenRecord,
  tokenValues,
} from './rows.js';
import { join, type Name, sql } from './sql.js';

/** A grant outlives its tokens by so many milliseconds: a request on its way may still ask whether it was revoked. */
const LEEWAY = 60_000;

/**
 * Rows in tables. No step needs a transaction: a token is alive only while its grant is, and every search asks for that.
 * So to revoke is to change one row, and what is saved beside it, before or after, is dead as well.
 */
export class TypeOrmStorage extends ClientTable implements Storage {
  protected readonly grants: Name;
  private readonly codes: Name;
  protected readonly tokens: Name;

  constructor(
    database: Database,
    names: ReturnType<typeof tableNames>,
    private readonly keepsClients: boolean,
  ) {
    super(database, database.table(names.clients));
    this.grants = database.table(names.grants);
    this.codes = database.table(names.codes);
    this.tokens = database.table(names.tokens);
  }

  async saveCode(grant: GrantRow, code: CodeRow): Promise<void> {
    if (!(await this.addGrant(grant))) await this.keepGrant(grant);
    await this.database.change(sql`INSERT INTO ${this.codes} (digest, grant_id, client_id, user_id, scope, expires_at,
      revoked_at, redirect_uri, code_challenge, code_challenge_method) VALUES ${codeValues(code)}`);
  }

  async findCode(digest: string): Promise<Found<CodeRow> | undefined> {
    const [row] = await this.database.find<CodeRecord>(
      sql`SELECT ${this.columns} FROM ${this.codes} t JOIN ${this.grants} g ON g.id = t.grant_id ${this.client}
        WHERE t.digest = ${digest} AND g.revoked_at IS NULL`,
    );
    return row && readCode(row);
  }

  spendCode(digest: string, now: number): Promise<boolean> {
    return this.spend(this.codes, digest, now);
  }

  async saveTokens(grant: GrantRow, accessToken: TokenRow, refreshToken: TokenRow | undefined): Promise<void> {
    if (!(await this.keepGrant(grant))) return;
    const rows = [tokenValues(accessToken, 'access')];
    if (refreshToken) rows.push(tokenValues(refreshToken, 'refresh'));
    await this.database.change(sql`INSERT INTO ${this.tokens}
      (digest, grant_id, client_id, user_id, scope, expires_at, revoked_at, kind) VALUES ${join(rows)}`);
  }

  findAccessToken(digest: string): Promise<Found<TokenRow> | undefined> {
    return this.findToken(digest, 'access');
  }

  findRefreshToken(digest: string): Promise<Found<TokenRow> | undefined> {
    return this.findToken(digest, 'refresh');
  }

  spendRefreshToken(digest: string, now: number): Promise<boolean> {
    return this.spend(this.tokens, digest, now);
  }

  revokeGrant(id: string, now: number): Promise<number> {
    return this.revokeGrants({ grantId: id }, now);
  }

  async revokeGrants({ grantId, userId, clientId }: GrantFilter, now: number): Promise<number> {
    if (![grantId, userId, clientId].every((id = '') => isStorable(id))) return 0;
    const conditions = [sql`revoked_at IS NULL`];
    if (grantId !== undefined) conditions.push(sql`id = ${grantId}`);
    if (userId !== undefined) conditions.push(sql`user_id = ${userId}`);
    if (clientId !== undefined) conditions.push(sql`client_id = ${clientId}`);
    const which = join(conditions, ' AND ');
    return this.database.change(sql`UPDATE ${this.grants} SET revoked_at = ${now} WHERE ${which}`);
  }

  async listGrants(userId: string, now: number): Promise<GrantRow[]> {
    if (!isStorable(userId)) return [];
    const rows = await this.database.find<GrantRecord>(sql`SELECT * FROM ${this.grants} WHERE user_id = ${userId}
      AND revoked_at IS NULL AND last_used_at IS NOT NULL AND expires_at >= ${now} ORDER BY last_used_at DESC`);
    return rows.map(readGrant);
  }

  async prune(now: number, batchSize: number): Promise<number> {
    const { database, codes, tokens, grants } = this;
    let count = 0;
    for (const table of [codes, tokens]) {
      count += await pruneTable(database, { table, key: sql`digest`, before: now, batchSize });
    }
    return count + (await pruneTable(database, { table: grants, key: sql`id`, before: now - LEEWAY, batchSize }));
  }

  private addGrant(grant: GrantRow): Promise<boolean> {
    return this.database.add(sql`INSERT INTO ${this.grants}
      (id, client_id, user_id, scope, created_at, last_used_at, expires_at, revoked_at) VALUES ${grantValues(grant)}`);
  }

  /** Makes a grant that is known last longer, or adds it: false when it was revoked. */
  private async keepGrant(grant: GrantRow): Promise<boolean> {
    const { id, lastUsedAt, expiresAt } = grant;
    const known = sql`id = ${id} AND revoked_at IS NULL`;
    const update = sql`UPDATE ${this.grants} SET last_used_at = COALESCE(${lastUsedAt}, last_used_at),
      expires_at = CASE WHEN expires_at < ${expiresAt} THEN ${expiresAt} ELSE expires_at END WHERE ${known}`;
    if ((await this.database.change(update)) || (await this.addGrant(grant))) return true;
    // Revoked, or added by somebody else at the same time; MySQL may also count a row that is as it was as not changed.
    if (await this.database.change(update)) return true;
    return (await this.database.find(sql`SELECT id FROM ${this.grants} WHERE ${known}`)).length > 0;
  }

  private async spend(table: Name, digest: string, now: number): Promise<boolean> {
    const count = await this.database.change(
      sql`UPDATE ${table} SET revoked_at = ${now} WHERE digest = ${digest} AND revoked_at IS NULL`,
    );
    return count === 1;
  }

  private async findToken(digest: string, kind: 'access' | 'refresh'): Promise<Found<TokenRow> | undefined> {
    const [row] = await this.database.find<TokenRecord>(sql`SELECT ${this.columns} FROM ${this.tokens} t
      JOIN ${this.grants} g ON g.id = t.grant_id ${this.client}
      WHERE t.digest = ${digest} AND t.kind = ${kind} AND g.revoked_at IS NULL`);
    return row && readToken(row);
  }

  private get columns() {
    return this.keepsClients ? sql`t.*, c.id AS known_id, c.metadata` : sql`t.*`;
  }

  /** The client comes with its token, so that one query is enough. */
  private get client() {
    return this.keepsClients ? sql`LEFT JOIN ${this.clients} c ON c.id = t.client_id` : sql``;
  }
}
