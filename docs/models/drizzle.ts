import { and, eq, getTableColumns, isNull } from 'drizzle-orm';
import { type PgDatabase, type PgQueryResultHKT, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

import { type People, type Row, RowModel } from './row-model.js';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const grants = pgTable('oauth_grants', { id: text('id').primaryKey(), revokedAt: moment('revoked_at') });

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
    expiresAt: moment('expires_at').notNull(),
    revokedAt: moment('revoked_at'),
    redirectUri: text('redirect_uri'),
    codeChallenge: text('code_challenge'),
    codeChallengeMethod: text('code_challenge_method'),
    successor: text('successor'),
  },
  (table) => [index('oauth_rows_grant').on(table.grantId), index('oauth_rows_expiry').on(table.expiresAt)],
);

/** A model over Drizzle. */
export class DrizzleModel extends RowModel {
  constructor(
    private readonly db: PgDatabase<PgQueryResultHKT>,
    people: People,
  ) {
    super(people);
  }

  protected async insert(id: string, values: Row[]): Promise<unknown> {
    await this.db.insert(grants).values({ id }).onConflictDoNothing();
    return this.db.insert(rows).values(values);
  }

  protected async find(key: string): Promise<Row | undefined> {
    const [found] = await this.db
      .select(getTableColumns(rows))
      .from(rows)
      .innerJoin(grants, and(eq(grants.id, rows.grantId), isNull(grants.revokedAt)))
      .where(eq(rows.key, key));
    return found;
  }

  protected async spend(key: string): Promise<boolean> {
    const spent = await this.db
      .update(rows)
      .set({ revokedAt: new Date() })
      .where(and(eq(rows.key, key), isNull(rows.revokedAt)))
      .returning({ key: rows.key });
    return spent.length === 1;
  }

  protected exchange(key: string, successor: string | null, values: Row[]): Promise<boolean> {
    return this.db.transaction(async (within) => {
      const spent = await within
        .update(rows)
        .set({ revokedAt: new Date(), successor })
        .where(and(eq(rows.key, key), isNull(rows.revokedAt)))
        .returning({ key: rows.key });
      if (spent.length === 1) await within.insert(rows).values(values);
      return spent.length === 1;
    });
  }

  async revokeGrant(id: string): Promise<unknown> {
    return this.db
      .update(grants)
      .set({ revokedAt: new Date() })
      .where(and(eq(grants.id, id), isNull(grants.revokedAt)));
  }
}
