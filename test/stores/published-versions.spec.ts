import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource, type QueryRunner, TableColumn } from 'typeorm';

import {
  ALICE,
  currentMigrations,
  publishedVersions,
  readVersion,
  RECORDED_PREFIX,
  recordVersion,
  tokens,
  type Version,
} from './published-versions.js';
import {
  findServers,
  ownPrefix,
  SQLITE_IN_FILE,
  type TestDatabase,
  undoMigrations,
  users,
  WEB,
} from './typeorm-databases.js';

const databases = [SQLITE_IN_FILE, ...(await findServers())];

// To run before a release:
// RECORD_VERSION=1.2.3 npm test -- test/stores/published-versions
const { RECORD_VERSION } = process.env;
if (RECORD_VERSION) for (const database of databases) await recordVersion(RECORD_VERSION, database);

const versions = publishedVersions();

describe.each(databases)('the migrations on $name', (database) => {
  it.each(versions)('start with all migrations of version %s, unchanged', async (version) => {
    const { migrations } = readVersion(version, database);
    expect((await currentMigrations(database)).slice(0, migrations.length)).toEqual(migrations);
  });
});

const cases = databases.flatMap((database) =>
  versions.flatMap((version) =>
    readVersion(version, database).migrations.map(({ name }, index, all) => ({
      title: `${version} on ${database.name}, after ${name.replace(/_.*/, '')}`,
      database,
      version: readVersion(version, database),
      count: index + 1,
      isComplete: index + 1 === all.length,
    })),
  ),
);

describe.each(cases)('a database of version $title', ({ database, version, count, isComplete }) => {
  let old: OldVersion;
  let store: TypeOrmStore;
  beforeAll(async () => {
    old = await OldVersion.install(database, version, count);
    if (isComplete) for (const step of ['client', 'early', 'code']) await old.run(step);
  });
  afterAll(() => old.remove());

  it('is upgraded by the missing migrations', async () => {
    await old.source.runMigrations();
    store = new TypeOrmStore(old.source, { users, prefix: old.prefix });
    await expect(store.checkSchema()).resolves.toEqual([]);
    await store.saveClient(WEB);
  });

  if (isComplete)
    it('keeps the tokens that the earlier version issued', async () => {
      expect(await store.getClient('web', null)).toMatchObject({ id: 'web', redirectUris: WEB.redirectUris });
      expect(await store.getAccessToken('access early')).toMatchObject({ scope: 'read', user: ALICE });
      const code = (await store.getAuthorizationCode('code'))!;
      expect(await store.redeem(code, tokens('redeemed', 'grant of code'), WEB, ALICE)).toBeDefined();
      const refreshed = (await store.getRefreshToken('refresh early'))!;
      expect(await store.redeem(refreshed, tokens('again', 'grant of early'), WEB, ALICE)).toBeDefined();
      expect(await store.getAccessToken('access again')).toBeDefined();
    });

  if (isComplete)
    it('can be used by the earlier version and this version at the same time', async () => {
      await old.run('late');
      expect(await store.getAccessToken('access late')).toMatchObject({ user: ALICE });
      await store.saveToken(tokens('new', 'grant of new'), WEB, ALICE);
      expect(await old.run('find')).toHaveLength(1);
      await old.run('refresh');
      expect(await store.getRefreshToken('refresh new')).toMatchObject({ revokedAt: expect.any(Date) });
      expect(await store.getAccessToken('access refreshed')).toMatchObject({ user: ALICE });
      expect(await store.revokeGrantsOf({ userId: 'alice' })).toBeGreaterThan(0);
      expect(await old.run('find')).toHaveLength(0);
    });

  it('remains usable by this version after a later version has added a nullable column', async () => {
    const table = `${old.prefix}tokens`;
    const change = async (work: (runner: QueryRunner) => Promise<void>) => {
      const runner = old.source.createQueryRunner();
      await work(runner);
      await runner.release();
    };
    await change((runner) =>
      runner.addColumn(table, new TableColumn({ name: 'later', type: 'text', isNullable: true })),
    );
    await expect(store.checkSchema()).resolves.toEqual([]);
    await store.saveToken(tokens('beside', 'grant of beside'), WEB, { id: 'bob' });
    expect(await store.getAccessToken('access beside')).toMatchObject({ user: { id: 'bob' } });
    await change((runner) => runner.dropColumn(table, 'later'));
  });
});

/** A database as an earlier version of the package left it, and the statements of that version. */
class OldVersion {
  private constructor(
    readonly source: DataSource,
    readonly prefix: string,
    private readonly version: Version,
    private readonly dispose: (() => void) | undefined,
  ) {}

  static async install(database: TestDatabase, version: Version, count: number): Promise<OldVersion> {
    const prefix = ownPrefix('old');
    const { dispose, ...options } = database.options();
    const source = await new DataSource({
      ...options,
      entities: oauthEntities({ prefix }),
      migrations: oauthMigrations({ prefix }),
      migrationsTableName: `${prefix}migrations`,
    }).initialize();
    const old = new OldVersion(source, prefix, version, dispose);
    const migrations = version.migrations.slice(0, count);
    for (const { sql } of migrations) for (const text of sql) await source.query(old.renamed(text));
    // TypeORM creates its table of migrations, which records these as executed.
    await source.showMigrations();
    for (const { name } of migrations) {
      const own = old.renamed(name);
      await source.query(
        `INSERT INTO ${prefix}migrations (timestamp, name) VALUES (${Number(own.slice(-13))}, '${own}')`,
      );
    }
    return old;
  }

  /** Executes the statements of a step. Returns the rows of the last one. */
  async run(step: string): Promise<unknown> {
    let rows: unknown;
    for (const { text, values } of this.version.steps[step]!) {
      rows = await this.source.query(this.renamed(text), values);
    }
    return rows;
  }

  async remove(): Promise<void> {
    await undoMigrations(this.source);
    await this.source.query(`DROP TABLE ${this.prefix}migrations`);
    await this.source.destroy();
    this.dispose?.();
  }

  /** Index and constraint names are unique per database, so each test uses its own. */
  private renamed(text: string): string {
    return text.replaceAll(RECORDED_PREFIX, this.prefix).replaceAll(/\b(IDX|PK|UQ)_\w{10}/g, `$1_${this.prefix}`);
  }
}
