import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { add } from '../../../src/schematics/index.js';
import { StagedApplication } from './staged-application.js';

const ESM = { name: 'shop', type: 'module', dependencies: { '@nestjs/core': '^12.0.1' } };
const published = (name: string) => readFileSync(join(import.meta.dirname, '../../../docs/schema', name), 'utf8');

const schemaOf = (generator: string, provider = 'postgresql') =>
  `generator client {\n  ${generator}\n}\n\ndatasource db {\n  provider = "${provider}"\n}\n\nmodel Order {\n  id Int @id\n}\n`;

/** Returns the migration that creates the tables. */
function migrationOf(application: StagedApplication): string {
  const [, text] = Object.entries(application.files()).find(([path]) =>
    /^prisma\/migrations\/\d{14}_oauth\/migration\.sql$/.test(path),
  )!;
  return text;
}

describe('nest add nest-oauth2 --store=prisma', () => {
  it.each([
    ['postgres', 'postgresql', 'postgresql', 'adapter-pg'],
    ['mariadb', 'mariadb', 'mysql', 'adapter-mariadb'],
    ['sqlite', 'sqlite', 'sqlite', 'adapter-libsql'],
  ])('writes a schema and a migration for %s', async (database, file, provider, adapter) => {
    const application = await new StagedApplication().run(add({ store: 'prisma', database }));
    const schema = application.read('prisma/schema.prisma');
    expect(schema).toContain(`datasource db {\n  provider = "${provider}"\n}\n`);
    expect(schema).toContain(published(`${file}.prisma`));
    expect(schema.match(/^model \w+/gm)).toEqual([
      'model OAuthClient',
      'model OAuthGrant',
      'model OAuthToken',
      'model OAuthUser',
    ]);
    expect(schema.includes('@db.')).toBe(database !== 'sqlite');
    expect(migrationOf(application)).toContain(published(`${file}.sql`));
    expect(migrationOf(application)).toMatch(/CREATE TABLE ["`]oauth_users["`]/);
    expect(application.read('prisma/migrations/migration_lock.toml')).toContain(`provider = "${provider}"`);
    expect(application.json('package.json')).toMatchObject({
      dependencies: { '@prisma/client': '^7.10.0', [`@prisma/${adapter}`]: '^7.10.0' },
      devDependencies: { prisma: '^7.10.0' },
      scripts: { prebuild: 'prisma generate' },
    });
  });

  it.each(['postgres', 'mariadb', 'sqlite'])('writes users without passwords for accounts on %s', async (database) => {
    const application = await new StagedApplication().run(add({ store: 'prisma', database, features: 'accounts' }));
    const model = /model OAuthUser \{[^}]*\}/.exec(application.read('prisma/schema.prisma'))![0];
    expect(model).toContain('email String @unique');
    expect(model.includes('@db.VarChar(254)')).toBe(database !== 'sqlite');
    const [table] = /CREATE TABLE ["`]oauth_users["`][^]*/.exec(migrationOf(application))!;
    expect(table).toMatch(/CREATE UNIQUE INDEX ["`]oauth_users_email_key["`]/);
    expect(model + table).not.toMatch(/password|username/);
  });

  it('compares the names of users exactly on MariaDB, and on MySQL with its name of the collation', async () => {
    const mariadb = await new StagedApplication().run(add({ store: 'prisma/mariadb' }));
    const column = /`username` varchar\(191\) CHARACTER SET "utf8mb4" COLLATE "(\w+)" NOT NULL/;
    expect(column.exec(migrationOf(mariadb))?.[1]).toBe('utf8mb4_nopad_bin');
    const mysql = await new StagedApplication().run(add({ store: 'prisma/mysql' }));
    expect(column.exec(migrationOf(mysql))?.[1]).toBe('utf8mb4_0900_bin');
    expect(migrationOf(mysql)).not.toContain('nopad');
  });

  it('generates the client into node_modules in CommonJS, and into the sources in ES modules', async () => {
    const cjs = await new StagedApplication().run(add({ store: 'prisma' }));
    expect(cjs.read('prisma/schema.prisma')).toContain('provider = "prisma-client-js"\n}');
    expect(cjs.read('src/oauth/database.ts')).toContain("import { PrismaClient } from '@prisma/client';");
    const esm = await new StagedApplication({ 'package.json': ESM }).run(add({ store: 'prisma' }));
    expect(esm.read('prisma/schema.prisma')).toContain('output   = "../src/generated/prisma"');
    expect(esm.read('src/oauth/database.ts')).toContain("from '../generated/prisma/client.js';");
    expect(esm.read('.gitignore')).toContain('\n/src/generated/prisma\n');
  });

  it('appends the missing models to a schema once, and uses its generator, provider and migrations', async () => {
    const text = schemaOf('provider = "prisma-client"\n  output = "../src/db/client"');
    const files = {
      'package.json': ESM,
      'prisma.config.ts': "export default { schema: './prisma/schema.prisma' };",
      'prisma/schema.prisma': text,
      'prisma/migrations/20250101000000_orders/migration.sql': 'SELECT 1;',
      'prisma/migrations/migration_lock.toml': 'mine',
    };
    const application = await new StagedApplication(files).run(add({ store: 'prisma' }));
    const written = application.files();
    expect(written['prisma/schema.prisma']!.startsWith(text)).toBe(true);
    expect(written['src/oauth/database.ts']).toContain("from '../db/client/client.js';");
    expect(written['src/oauth/database.ts']).toContain('PrismaPg');
    expect(written).toMatchObject({ 'prisma.config.ts': files['prisma.config.ts'] });
    expect(written['prisma/migrations/migration_lock.toml']).toBe('mine');
    expect(written).not.toHaveProperty('prisma.config.mjs');
    await application.run(add({ store: 'prisma' }));
    expect(application.files()).toEqual(written);
    await application.run(add({ store: 'prisma', path: 'sso' }));
    expect(application.read('prisma/schema.prisma')).toBe(written['prisma/schema.prisma']);
  });

  it.each([
    ['provider = "prisma-client-js"', '@prisma/client'],
    ['provider = "prisma-client-js"\n  output = "../node_modules/.prisma/client"', '@prisma/client'],
    ['provider = "prisma-client-js"\n  output = "../generated"', '../../generated/index'],
    ['provider = "prisma-client"\n  output = "../src/oauth/client"', './client/client'],
  ])('imports the client of the generator %j', async (generator, path) => {
    const application = new StagedApplication({ 'prisma/schema.prisma': schemaOf(generator) });
    await application.run(add({ store: 'prisma' }));
    expect(application.read('src/oauth/database.ts')).toContain(`import { PrismaClient } from '${path}';`);
  });

  it.each([
    ['another database', { 'prisma/schema.prisma': schemaOf('', 'sqlite') }, 'postgres', 'has the provider "sqlite"'],
    ['MySQL or MariaDB', { 'prisma/schema.prisma': schemaOf('', 'mysql') }, undefined, '--database=mariadb or'],
    ['a schema in a folder', { 'prisma.config.ts': "{ schema: 'prisma' }" }, undefined, 'schema "prisma" is a folder'],
    [
      'an older version',
      { 'package.json': { dependencies: { '@nestjs/core': '^11.0.0', '@prisma/client': '^6.19.0' } } },
      undefined,
      'needs @prisma/client 7 or later',
    ],
  ])('rejects an application with %s', async (_, files, database, message) => {
    const application = new StagedApplication(files);
    const before = application.files();
    await expect(application.run(add({ store: 'prisma', database }))).rejects.toThrow(message);
    expect(application.files()).toEqual(before);
  });
});
