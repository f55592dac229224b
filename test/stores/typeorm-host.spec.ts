import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';

import { ALICE, later } from '../support/models/model.js';
import { findDatabases, ownPrefix, undoMigrations, users, WEB } from './typeorm-databases.js';

describe.each(await findDatabases())(
  'a TypeORM store in the application’s own DataSource on $name',
  ({ name, options }) => {
    const { dispose, ...given } = options();
    const names = { entities: oauthEntities(), migrations: oauthMigrations() };
    const host = ownPrefix('host');
    let dataSource: DataSource;
    let store: TypeOrmStore;

    async function connect(more: object): Promise<void> {
      dataSource = await new DataSource({ ...given, ...names, ...more }).initialize();
      store = new TypeOrmStore(dataSource, { users });
    }
    afterEach(async () => {
      for (const { tablePath } of dataSource.entityMetadatas)
        await dataSource.query(`DROP TABLE IF EXISTS ${tablePath}`);
      await dataSource.destroy();
    });
    afterAll(() => dispose?.());

    it('migrations create the tables of the store’s entities according to the DataSource options', async () => {
      await connect({ entityPrefix: host, migrationsTableName: `${host}migrations`, schema: `${host}schema` });
      const isPostgres = dataSource.options.type === 'postgres';
      if (isPostgres) await dataSource.query(`CREATE SCHEMA ${host}schema`);
      await dataSource.runMigrations();
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query).filter((query) => query.includes('oauth_'))).toEqual([]);
      await store.saveClient(WEB);
      await store.saveToken({ accessToken: 'hosted', accessTokenExpiresAt: later() }, WEB, ALICE);
      expect(await store.getAccessToken('hosted')).toMatchObject({ client: { id: 'web' }, user: ALICE });
      const table = `${isPostgres ? `${host}schema.` : ''}${host}oauth_tokens`;
      expect(await dataSource.query(`SELECT grant_id FROM ${table}`)).toHaveLength(1);
      await undoMigrations(dataSource);
      await dataSource.query(isPostgres ? `DROP SCHEMA ${host}schema CASCADE` : `DROP TABLE ${host}migrations`);
    });

    it('indexes are named with the prefix of the DataSource, so that two of them can share a database', async () => {
      await connect({ entityPrefix: `${host}one_`, migrationsTableName: `${host}one_migrations` });
      await dataSource.runMigrations();
      // For SQLite in memory, each DataSource has its own database.
      const isShared = name !== 'SQLite in memory';
      const more = { entityPrefix: `${host}two_`, migrationsTableName: `${host}two_migrations` };
      const second = isShared ? await new DataSource({ ...given, ...names, ...more }).initialize() : dataSource;
      if (isShared) await second.runMigrations();
      const indices = await Promise.all(
        [dataSource, second].map(async (source) => {
          const runner = source.createQueryRunner();
          const table = await runner.getTable(String(source.options.entityPrefix) + 'oauth_grants');
          await runner.release();
          return table!.indices.map((index) => index.name);
        }),
      );
      expect(new Set(indices.flat()).size).toBe(isShared ? 6 : 3);
      for (const source of new Set([dataSource, second])) {
        await undoMigrations(source);
        await source.query(`DROP TABLE ${String(source.options.migrationsTableName)}`);
      }
      if (isShared) await second.destroy();
    });

    it('similar client ids are distinguished in tables created without the migrations of the store', async () => {
      await connect({ entityPrefix: ownPrefix('synchronized'), synchronize: true });
      await store.saveClient(WEB);
      for (const id of ['WEB', 'web ', 'wéb']) expect(await store.getClient(id, null)).toBeUndefined();
    });

    it('a TypeORM store reports that its entities are missing in the application’s own DataSource', async () => {
      await connect({ entities: [] });
      await expect(store.getAccessToken('x')).rejects.toThrow('has no entity `oauth_');
    });
  },
);

it('TypeOrmStore rejects an unsupported database', () => {
  const dataSource = { options: { type: 'mongodb' } } as DataSource;
  expect(() => new TypeOrmStore(dataSource, { users })).toThrow(
    'TypeOrmStore does not support the DataSource type `mongodb`. Supported: postgres,',
  );
});
