import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';

import { reportMissing, START_SERVERS } from '../support/environment/requirements.js';
import { findRedis } from '../stores/redis-server.js';

export interface Folders {
  /** Returns the settings that let a sample run in isolation, or `undefined` if its server is missing. */
  settingsOf(sample: string): Record<string, string> | undefined;
  remove(): Promise<void>;
}

const DATABASE_URL = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test';

/** Prepares databases of this test for the samples that need a server. Reports each missing server. */
export async function findFolders(): Promise<Folders> {
  const [redis] = await findRedis();
  const database = `first_contact_${process.pid}`;
  const hasDatabase = await onPostgres(`CREATE DATABASE ${database}`).then(
    () => true,
    (error: Error) => {
      reportMissing(`PostgreSQL (${error.message})`, START_SERVERS);
      return false;
    },
  );
  const at = (server: string, path: string) => Object.assign(new URL(server), { pathname: path }).href;
  const known: Record<string, Record<string, string> | undefined> = {
    '02-migrated-model': {},
    '03-typeorm-postgres': hasDatabase ? { DATABASE_URL: at(DATABASE_URL, database) } : undefined,
    '05-resource-server': {},
    '11-openid': {},
    '12-social-login': {},
    '15-device': {},
    '16-passport': {},
    '18-payments': {},
    '20-accounts': {},
    '09-two-servers': {},
    '04-redis': redis ? { REDIS_URL: at(redis, '15') } : undefined,
  };
  return {
    settingsOf: (sample) => known[sample],
    async remove() {
      if (hasDatabase) await onPostgres(`DROP DATABASE ${database} WITH (FORCE)`);
      if (!redis) return;
      // Removes everything that does not expire by itself.
      const client = new Redis(at(redis, '15'));
      await client.del('sample:client:demo');
      await client.quit();
    },
  };
}

async function onPostgres(statement: string): Promise<void> {
  const server = await new DataSource({ type: 'postgres', url: DATABASE_URL }).initialize();
  try {
    await server.query(statement);
  } finally {
    await server.destroy();
  }
}
