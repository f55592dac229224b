import { and, eq, getTableColumns, isNull } from 'drizzle-orm';
import { type PgDatabase, type PgQueryResultHKT, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

import { type Directory, type Row, RowModel } from './row-model.js';

const timestampColumn = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const grants = pgTable('oauth_grants', {
  id: text('id').primaryKey(),
  revokedAt: timestampColumn('revoked_at'),
});

export const rows = pgTable(
  'oauth_rows',
  {
    key: text('key').primaryKey(),
    grantId: text('grant_id')
      .notNull()
      .references(() => grants.id, { onDelete: 'cascade' }),
    clientId: text('client_id').notNull(),
    userId: text('user_id').notNull(),
    issuer: text('issuer'),
    scope: text('scope'),
    expiresAt: timestampColumn('expires_at').notNull(),
    revokedAt: timestampColumn('revoked_at'),
    redirectUri: text('redirect_uri'),
    codeChallenge: text('code_challenge'),
    codeChallengeMethod: text('code_challenge_method'),
    successor: text('successor'),
  },
  (table) => [index('oauth_rows_grant').on(table.grantId), index('oauth_rows_expiry').on(table.expiresAt)],
);

/** A model that stores codes and tokens with Drizzle. */
export class DrizzleModel extends RowModel {
  constructor(
    private readonly db: PgDatabase<PgQueryResultHKT>,
    directory: Directory,
  ) {
    super(directory);
  }

  protected async insert(id: string, values: Row[]): Promise<unknown> {
    await this.db.insert(grants).values({ id }).onConflictDoNothing();
    return this.db.insert(rows).values(values);
  }

  protected async find(key: string): Promise<Row | undefined> {
    const [row] = await this.db
      .select(getTableColumns(rows))
      .from(rows)
      .innerJoin(grants, and(eq(grants.id, rows.grantId), isNull(grants.revokedAt)))
      .where(eq(rows.key, key));
    return row;
  }

  protected async consume(key: string): Promise<boolean> {
    const consumed = await this.db
      .update(rows)
      .set({ revokedAt: new Date() })
      .where(and(eq(rows.key, key), isNull(rows.revokedAt)))
      .returning({ key: rows.key });
    return consumed.length === 1;
  }

  protected consumeAndInsert(key: string, successor: string | null, values: Row[]): Promise<boolean> {
    return this.db.transaction(async (transaction) => {
      const consumed = await transaction
        .update(rows)
        .set({ revokedAt: new Date(), successor })
        .where(and(eq(rows.key, key), isNull(rows.revokedAt)))
        .returning({ key: rows.key });
      if (consumed.length === 1) await transaction.insert(rows).values(values);
      return consumed.length === 1;
    });
  }

  async revokeGrant(id: string): Promise<unknown> {
    return this.db
      .update(grants)
      .set({ revokedAt: new Date() })
      .where(and(eq(grants.id, id), isNull(grants.revokedAt)));
  }
}
