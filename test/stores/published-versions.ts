import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { AbstractLogger, DataSource, type MigrationInterface } from 'typeorm';

import { withEmptyDatabase } from './empty-database.js';
import { type TestDatabase, undoMigrations, users, WEB } from './typeorm-databases.js';

const FOLDER = fileURLToPath(new URL('published/', import.meta.url));
/** The prefix in the recorded SQL. */
export const RECORDED_PREFIX = 'pinned_';
/** The expiry of recorded rows, which must not pass as long as the test exists. */
export const EXPIRY = new Date('2100-01-01');
export const ALICE = { id: 'alice' };

export interface Recorded {
  text: string;
  values: unknown[];
}

/** A published version, as its SQL for one kind of database. */
export interface Version {
  /** Its migrations in order. */
  migrations: { name: string; sql: string[] }[];
  /** The statements that its store sends for each step of `STEPS`. */
  steps: Record<string, Recorded[]>;
}

export const kindOf = ({ name }: TestDatabase): string => name.split(' ')[0]!;

/** Returns the names of all recorded versions, the earliest first. */
export const publishedVersions = (): string[] =>
  readdirSync(FOLDER)
    .map((file) => file.replace('.json', ''))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));

export function readVersion(version: string, database: TestDatabase): Version {
  return (JSON.parse(readFileSync(fileOf(version), 'utf8')) as Record<string, Version>)[kindOf(database)]!;
}

/** Adds the SQL of the current code to the record of a version that is about to be published. */
export async function recordVersion(version: string, database: TestDatabase): Promise<void> {
  const file = fileOf(version);
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Version>) : {};
  known[kindOf(database)] = { migrations: await currentMigrations(database), steps: await currentSteps(database) };
  writeFileSync(file, `${JSON.stringify(known, undefined, 2)}\n`);
}

/**
 * Returns the SQL of migrations for tables with this prefix. Each one runs before the next one is recorded, because a
 * migration may read the tables of the earlier ones.
 */
export function currentMigrations(
  database: TestDatabase,
  prefix = RECORDED_PREFIX,
  migrations = oauthMigrations({ prefix }),
): Promise<Version['migrations']> {
  return withEmptyDatabase(database, async (options) => {
    const source = await new DataSource(options).initialize();
    const found: Version['migrations'] = [];
    for (const Migration of migrations) {
      const runner = source.createQueryRunner();
      runner.enableSqlMemory();
      const migration: MigrationInterface = new Migration();
      await migration.up(runner);
      found.push({ name: migration.name!, sql: runner.getMemorySql().upQueries.map(({ query }) => query) });
      await runner.executeMemoryUpSql();
      await runner.release();
    }
    await source.destroy();
    return found;
  });
}

type Step = (store: TypeOrmStore) => Promise<unknown>;

const issue = (store: TypeOrmStore, name: string, grantId = `grant of ${name}`) =>
  store.saveToken(tokens(name, grantId), WEB, ALICE);

export const tokens = (name: string, grantId: string) => ({
  accessToken: `access ${name}`,
  accessTokenExpiresAt: EXPIRY,
  refreshToken: `refresh ${name}`,
  refreshTokenExpiresAt: EXPIRY,
  scope: 'read',
  grantId,
});

/** The steps that each version runs in its own database, and in one that a later version has upgraded. */
export const STEPS: Record<string, Step> = {
  client: (store) => store.saveClient(WEB),
  early: (store) => issue(store, 'early'),
  code: (store) =>
    store.saveAuthorizationCode(
      { authorizationCode: 'code', expiresAt: EXPIRY, redirectUri: 'https://a.example/cb', grantId: 'grant of code' },
      WEB,
      ALICE,
    ),
  late: (store) => issue(store, 'late'),
  find: (store) => store.getAccessToken('access new'),
  refresh: async (store) => {
    const used = { refreshToken: 'refresh new', client: WEB, user: ALICE, grantId: 'grant of new' };
    await store.redeem(used, tokens('refreshed', 'grant of new'), WEB, ALICE);
  },
};

async function currentSteps(database: TestDatabase): Promise<Version['steps']> {
  const log = new Recorder('all');
  const migrationsTableName = `${RECORDED_PREFIX}migrations`;
  return withSource(database, { logger: log, logging: true, migrationsTableName }, async (source) => {
    await source.runMigrations();
    const store = new TypeOrmStore(source, { users, prefix: RECORDED_PREFIX });
    const steps: Version['steps'] = {};
    for (const [name, step] of Object.entries(STEPS)) {
      if (name === 'find') await issue(store, 'new');
      log.recorded = [];
      await step(store);
      steps[name] = [...log.recorded];
    }
    await undoMigrations(source);
    await source.query(`DROP TABLE ${migrationsTableName}`);
    return steps;
  });
}

async function withSource<T>(
  database: TestDatabase,
  more: object,
  work: (source: DataSource) => Promise<T>,
): Promise<T> {
  const { dispose, ...options } = database.options();
  const prefix = RECORDED_PREFIX;
  const names = { entities: oauthEntities({ prefix }), migrations: oauthMigrations({ prefix }) };
  const source = await new DataSource({ ...options, ...names, ...more }).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
    dispose?.();
  }
}

/** Records the statements of a DataSource, except those that begin or end a transaction. */
export class Recorder extends AbstractLogger {
  recorded: Recorded[] = [];

  override logQuery(query: string, values: unknown[] = []): void {
    if (/^(START|BEGIN|COMMIT|ROLLBACK)/.test(query)) return;
    this.recorded.push({ text: query.replaceAll(/\s+/g, ' ').trim(), values });
  }

  protected writeLog(): void {}
}

const fileOf = (version: string) => `${FOLDER}${version}.json`;
