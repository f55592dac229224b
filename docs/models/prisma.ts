import { type Directory, type Row, RowModel } from './row-model.js';

/**
 * A model that stores codes and tokens with Prisma.
 *
 *     model OAuthGrant {
 *       id        String     @id
 *       revokedAt DateTime?
 *       rows      OAuthRow[]
 *     }
 *     model OAuthRow {
 *       key                 String     @id
 *       grantId             String
 *       grant               OAuthGrant @relation(fields: [grantId], references: [id], onDelete: Cascade)
 *       clientId            String
 *       userId              String
 *       issuer              String?
 *       scope               String?
 *       expiresAt           DateTime
 *       revokedAt           DateTime?
 *       redirectUri         String?
 *       codeChallenge       String?
 *       codeChallengeMethod String?
 *       successor           String?
 *       @@index([grantId])
 *       @@index([expiresAt])
 *     }
 */
export class PrismaModel extends RowModel {
  constructor(
    private readonly prisma: PrismaClient,
    directory: Directory,
  ) {
    super(directory);
  }

  protected async insert(id: string, data: Row[]): Promise<unknown> {
    // Not `upsert`: it reads before it inserts, so one of two concurrent calls fails. SQLite and SQL Server do not support
    // `skipDuplicates`: call `create` there and ignore the error `P2002`.
    await this.prisma.oAuthGrant.createMany({ data: [{ id }], skipDuplicates: true });
    return this.prisma.oAuthRow.createMany({ data });
  }

  protected find(key: string): Promise<Row | null> {
    return this.prisma.oAuthRow.findFirst({ where: { key, grant: { revokedAt: null } } });
  }

  protected async consume(key: string): Promise<boolean> {
    // Not `update`: it throws if another request consumed the row first, and its `where` cannot match `revokedAt`.
    const { count } = await this.prisma.oAuthRow.updateMany({
      where: { key, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    return count === 1;
  }

  protected consumeAndInsert(key: string, successor: string | null, rows: Row[]): Promise<boolean> {
    return this.prisma.$transaction(async ({ oAuthRow }) => {
      const where = { key, revokedAt: null };
      const { count } = await oAuthRow.updateMany({ where, data: { revokedAt: new Date(), successor } });
      if (count === 1) await oAuthRow.createMany({ data: rows });
      return count === 1;
    });
  }

  revokeGrant(id: string): Promise<unknown> {
    return this.prisma.oAuthGrant.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } });
  }
}

/**
 * The methods of the generated client that `PrismaModel` calls. In your project, import the client instead:
 * `import { PrismaClient } from './generated/prisma/client.js'`.
 */
export interface PrismaClient {
  $transaction<T>(work: (transaction: Pick<PrismaClient, 'oAuthRow'>) => Promise<T>): Promise<T>;
  oAuthGrant: {
    createMany(query: { data: { id: string }[]; skipDuplicates: true }): Promise<unknown>;
    updateMany(query: { where: { id: string; revokedAt: null }; data: { revokedAt: Date } }): Promise<unknown>;
  };
  oAuthRow: {
    createMany(query: { data: Row[] }): Promise<unknown>;
    findFirst(query: { where: { key: string; grant: { revokedAt: null } } }): Promise<Row | null>;
    updateMany(query: {
      where: { key: string; revokedAt: null };
      data: { revokedAt: Date; successor?: string | null };
    }): Promise<{ count: number }>;
  };
}
