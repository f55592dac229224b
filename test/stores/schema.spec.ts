import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OAuth2Module } from 'nest-oauth2';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';

import { findDatabases, ownPrefix, users } from './typeorm-databases.js';

describe.each(await findDatabases())('the schema check of a TypeORM store on $name', ({ options }) => {
  const prefix = ownPrefix('schema');
  const migrationsTableName = `${prefix}migrations`;
  const names = { entities: oauthEntities({ prefix }), migrations: oauthMigrations({ prefix }), migrationsTableName };
  const all = names.migrations.map((Migration) => new Migration().name!);
  let source: DataSource;
  const { dispose, ...given } = options();
  const connect = async (more: object = {}) => {
    source = await new DataSource({ ...given, ...names, ...more }).initialize();
  };
  const store = () => new TypeOrmStore(source, { users, prefix });
  /** Starts an application with this store. */
  const start = async () => {
    const model = store();
    class AppModule {}
    Module({ imports: [OAuth2Module.forRoot({ model })] })(AppModule);
    const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
    await app.init();
    await app.close();
  };

  afterEach(async () => {
    if (!source.isInitialized) return;
    for (const table of ['clients', 'grants', 'tokens', 'migrations']) {
      await source.query(`DROP TABLE IF EXISTS ${prefix}${table}`);
    }
    await source.destroy();
  });
  afterAll(() => dispose?.());

  it('the schema check stops the application if migrations have not run, and reports them with the command', async () => {
    await connect();
    await expect(start()).rejects.toThrow(
      `Missing migrations: ${all.map((name) => `\`${name}\``).join(', ')}. Run \`npx typeorm migration:run`,
    );
    await source.runMigrations();
    await expect(start()).resolves.toBeUndefined();
  });

  it('the schema check reports that the DataSource has no migrations', async () => {
    await connect({ migrations: [] });
    await expect(start()).rejects.toThrow(`Add \`...oauthMigrations({ prefix: '${prefix}' })\` to the \`migrations\``);
  });

  it('the schema check warns of columns that ignore case or accents', async () => {
    await connect();
    await source.synchronize();
    const isInexact = ['mysql', 'mariadb'].includes(given.type);
    const warning = expect.stringMatching(
      /^The collation of .*_clients\.id.* ignores case or accents.*`utf8mb4_nopad_bin`/,
    );
    expect(await store().checkSchema()).toEqual(isInexact ? [warning] : []);
    for (const table of ['clients', 'grants', 'tokens']) await source.query(`DROP TABLE ${prefix}${table}`);
    await source.runMigrations();
    expect(await store().checkSchema()).toEqual([]);
  });

  it('the schema check reports that the DataSource has no entities', async () => {
    await connect({ entities: [] });
    await expect(start()).rejects.toThrow(
      `The DataSource has no entity \`${prefix}clients\`. Add \`...oauthEntities()\` to its \`entities\``,
    );
  });

  it('the schema check reports a migration that is not recorded, although every table exists', async () => {
    await connect();
    await source.runMigrations();
    const last = all.at(-1)!;
    await source.query(`UPDATE ${migrationsTableName} SET name = 'Other1' WHERE name = '${last}'`);
    const outcome = await start().then(
      () => 'started',
      ({ message }: Error) => message,
    );
    // Without a record of any of its migrations, the tables may have been created by `synchronize`.
    expect(outcome).toContain(all.length > 1 ? `Missing migrations: \`${last}\`. Run` : 'started');
  });

  it('the schema check reports a missing column, although every migration is recorded', async () => {
    await connect();
    await source.runMigrations();
    await source.query(`ALTER TABLE ${prefix}tokens DROP COLUMN issuer`);
    await expect(start()).rejects.toThrow(
      `lacks tables or columns of TypeOrmStore (\`${prefix}tokens\`), although all migrations are recorded as run.`,
    );
  });

  it('the schema check accepts tables created by `synchronize`', async () => {
    await connect({ synchronize: true });
    await expect(start()).resolves.toBeUndefined();
  });

  it('a store that is used without the schema check explains a failed statement', async () => {
    await connect();
    await expect(store().getAccessToken('x')).rejects.toThrow('Missing migrations:');
    await expect(store().ping()).rejects.toThrow('Missing migrations:');
  });

  it('a store that is used without the schema check explains a missing column of a row that it saves', async () => {
    await connect();
    await source.runMigrations();
    await source.query(`ALTER TABLE ${prefix}tokens DROP COLUMN issuer`);
    const token = { accessToken: 'access', accessTokenExpiresAt: new Date(Date.now() + 1e6) };
    await expect(store().saveToken(token, { id: 'web', grants: [] }, { id: 'alice' })).rejects.toThrow(
      'lacks tables or columns of TypeOrmStore',
    );
  });

  it('the schema check asks to initialize the DataSource', async () => {
    source = new DataSource({ ...given, ...names });
    await start();
    await expect(store().ping()).rejects.toThrow('Call `await dataSource.initialize()` first');
  });
});
