import { oauthEntities, oauthMigrations } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';

import { findRedis, Keys } from '../stores/redis-server.js';
import { findDatabasesInTurn, ownPrefix, type TestDatabase, undoMigrations } from '../stores/typeorm-databases.js';
import type { DatabaseLocation } from './open-store.js';

/** A database that outlives the processes, with access for the tests. */
export interface OpenDatabase {
  place: DatabaseLocation;
  /** Returns for each grant the number of its unused refresh tokens. */
  countLiveRefreshTokens(): Promise<Map<string, number>>;
  close(): Promise<void>;
}

export interface DatabaseKind {
  name: string;
  open(): Promise<OpenDatabase>;
}

/**
 * Returns Redis and the available databases, except for those in memory.
 * @param findDatabases selects the libraries of the SQL databases
 */
export async function findDatabaseKinds(findDatabases = findDatabasesInTurn): Promise<DatabaseKind[]> {
  const databases = await findDatabases();
  const redis = await findRedis();
  return [
    ...redis.map((url) => ({ name: 'Redis', open: () => openRedis(url) })),
    ...databases.map((database) => ({ name: database.name, open: () => openDatabase(database) })),
  ];
}

async function openRedis(url: string): Promise<OpenDatabase> {
  const keys = new Keys([url]);
  return {
    place: { prefix: keys.prefix, redis: url },
    async countLiveRefreshTokens() {
      const grants: string[] = [];
      for (const [key, { content }] of await keys.contents()) {
        // The row of a used token starts with the time of its use instead of the JSON.
        if (key.startsWith('refresh:') && content.startsWith('{')) grants.push(JSON.parse(content).grantId);
      }
      return count(grants);
    },
    close: () => keys.remove(),
  };
}

let opened = 0;

async function openDatabase({ library, options }: TestDatabase): Promise<OpenDatabase> {
  const { dispose, ...database } = options();
  const prefix = ownPrefix(`processes${opened++}`);
  const entities = oauthEntities({ prefix });
  const migrations = oauthMigrations({ prefix });
  const names = { entities, migrations, migrationsTableName: `${prefix}migrations` };
  const source = await new DataSource({ ...database, ...names }).initialize();
  await source.runMigrations();
  return {
    place: { prefix, database, library },
    async countLiveRefreshTokens() {
      const query = `SELECT grant_id FROM ${prefix}tokens WHERE kind = 'refresh' AND revoked_at IS NULL`;
      return count((await source.query<{ grant_id: string }[]>(query)).map(({ grant_id }) => grant_id));
    },
    async close() {
      await undoMigrations(source);
      await source.query(`DROP TABLE ${prefix}migrations`);
      await source.destroy();
      dispose?.();
    },
  };
}

function count(grants: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const grant of grants) counts.set(grant, (counts.get(grant) ?? 0) + 1);
  return counts;
}
