import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import * as globals from '@jest/globals';
import { DataSource } from 'typeorm';
import type { AccountUsers } from 'nest-oauth2/accounts';
import { add } from '../../../src/schematics/index.js';
import { findRedis } from '../../stores/redis-server.js';
import { findServers, type TestDatabase } from '../../stores/typeorm-databases.js';
import { hasMongo, mongoUrl, openMongo } from '../../support/environment/mongo-server.js';
import { REDIS_URL } from '../../support/environment/redis-url.js';
import { waitUntil } from '../../support/environment/wait-until.js';
import { PageBrowser } from '../pages/page-browser.js';
import { StagedApplication } from './staged-application.js';

const { afterAll, afterEach, beforeEach, describe, expect, it } = globals;

const CONTROLLER = `import { Controller } from '@nestjs/common';

@Controller()
export class AppController {}
`;

interface Account {
  id: string;
  email: string;
}

/** The provider `Database` of the application. */
interface Database {
  users: Required<Pick<AccountUsers<Account>, 'findById' | 'findByEmail' | 'create' | 'update' | 'delete'>>;
}

/** Writes a new application with accounts to a folder next to this file, and returns the folder. */
async function writeApplication(store: string, http: string): Promise<string> {
  const options = { store, http, features: 'accounts,openid,mcp' };
  const files = { 'src/app.controller.ts': CONTROLLER };
  const application = await new StagedApplication(files).run(add(options));
  return application.writeToFolder();
}

/** Creates an empty database on a server, and returns its URL and the function that deletes it. */
async function createDatabase({ options }: TestDatabase) {
  const { type, url } = options() as { type: 'postgres'; url: string };
  const database = `written_${randomUUID().replaceAll('-', '')}`;
  const run = async (sql: string) => {
    const source = await new DataSource({ type, url }).initialize();
    try {
      await source.query(sql);
    } finally {
      await source.destroy();
    }
  };
  await run(`CREATE DATABASE ${database}`);
  return {
    url: Object.assign(new URL(url), { pathname: database }).href,
    drop: () => run(`DROP DATABASE ${database}`),
  };
}

const STORES_OF_SERVERS: Readonly<Record<string, string>> = {
  PostgreSQL: 'typeorm/postgres',
  MariaDB: 'typeorm/mysql',
};
/** Returns the URL of a new database of MongoDB, and the function that deletes it. */
async function createMongoDatabase() {
  const [server, dbName] = [await mongoUrl(), `written-${randomUUID()}`];
  const drop = async () => {
    const connection = await openMongo(server, { dbName });
    await connection.dropDatabase();
    await connection.close();
  };
  return { url: Object.assign(new URL(server), { pathname: dbName }).href, drop };
}

const databases = new Map<string, Awaited<ReturnType<typeof createDatabase>>>();
for (const server of await findServers()) databases.set(STORES_OF_SERVERS[server.name]!, await createDatabase(server));

if (hasMongo()) databases.set('mongoose', await createMongoDatabase());

const CASES = [
  ...[...databases.keys()].map((store) => [store, 'fastify'] as const),
  ['memory', 'express'],
  ['memory', 'fastify'],
  ['typeorm', 'express'],
  ['drizzle', 'express'],
  ...(await findRedis()).map(() => ['redis', 'fastify'] as const),
] as const;
const written = await Promise.all(
  CASES.map(async ([store, http]) => ({ store, http, folder: await writeApplication(store, http) })),
);
afterAll(async () => {
  await Promise.all(written.map(({ folder }) => rm(folder, { recursive: true, force: true })));
  for (const { drop } of databases.values()) await drop();
});

const folderOf = (name: string) => written.find(({ store }) => store === name)!.folder;
Object.assign(process.env, {
  OAUTH2_SECRET: 'a'.repeat(43),
  OAUTH2_ISSUER: 'http://localhost:3000',
  OAUTH2_DATABASE_FILE: join(folderOf('typeorm'), 'oauth.sqlite'),
  REDIS_URL,
  MONGODB_URL: databases.get('mongoose')?.url ?? '',
});
// The written tests use the globals of Jest, as in an application. They sign a user up by the link of an e-mail.
Object.assign(globalThis, globals);
for (const { store, folder } of written) {
  // The application reads the URL of its database when it is imported.
  process.env['DATABASE_URL'] = databases.get(store)?.url ?? '';
  await import(join(folder, 'test/oauth.written.ts'));
}
await import(join(folderOf('memory'), 'test/oauth-attack-lab.written.ts'));

// The import of the TypeORM application has read its file. The Drizzle application reads the name when it starts.
process.env['OAUTH2_DATABASE_FILE'] = join(folderOf('drizzle'), 'oauth.sqlite');
const client = createClient({ url: `file:${process.env['OAUTH2_DATABASE_FILE']}` });
const USERS = 'CREATE TABLE oauth_users (id text PRIMARY KEY, email text NOT NULL UNIQUE);';
await client.executeMultiple(USERS + (await readFile('docs/schema/sqlite.sql', 'utf8')));
client.close();

for (const { store, http, folder } of written) {
  describe(`the application that nest add writes with accounts, ${store} and ${http}`, () => {
    const load = (file: string) => import(join(folder, file)) as Promise<Record<string, Type<Database>>>;
    const name = randomUUID();
    const created: Account[] = [];
    let log: string;
    let app: INestApplication;
    let users: Database['users'];

    beforeEach(async () => {
      log = '';
      const write = (message: string) => void (log += `${message}\n`);
      const logger = { log: write, warn: write, error: write };
      const { AppModule } = await load('src/app.module.ts');
      app = await (http === 'fastify'
        ? NestFactory.create(AppModule!, new FastifyAdapter(), { logger })
        : NestFactory.create(AppModule!, { logger }));
      await app.listen(0, '127.0.0.1');
      const { Database } = await load('src/oauth/database.ts');
      ({ users } = app.get(Database!));
    });
    afterEach(async () => {
      for (const user of created.splice(0)) await users.delete(user);
      await app.close();
    });

    it('signs a user up by the link in the log, with all sections of the account page', async () => {
      const email = `${name}@example.com`;
      const browser = new PageBrowser(await app.getUrl());
      await browser.send(await browser.get('/oauth/sign_up'), { email });
      const link = await waitUntil(() => /http:\/\/localhost:3000(\/oauth\/new_password\?\S+)/.exec(log)?.[1]);
      const done = await browser.send(await browser.get(link), { new_password: 'violet kettle on the moor' });
      expect(done.status).toBe(303);
      const user = await users.findByEmail(email);
      created.push(user as Account);
      expect(user).toEqual({ id: expect.any(String), email });

      const { html } = await browser.get('/oauth/account');
      const sections = [...html.matchAll(/id="section-([\w-]+)"/g)].map(([, id]) => id);
      expect(sections).toEqual(
        expect.arrayContaining(['email', 'password', 'passkeys', 'authenticator', 'tokens', 'data']),
      );
      const other = new PageBrowser(await app.getUrl());
      expect((await other.signIn('/oauth/login', email, 'violet kettle on the moor')).status).toBe(303);
    });

    it('rejects an address that another user has, and finds users by their new address only', async () => {
      const [first, second, third] = ['first', 'second', 'third'].map((one) => `${one}-${name}@example.com`);
      const user = (await users.create({ email: first! })) as Account;
      const other = (await users.create({ email: second! })) as Account;
      created.push(user, other);
      await expect(Promise.resolve(users.create({ email: first! }))).rejects.toThrow();
      await expect(Promise.resolve(users.update(other, { email: first! }))).rejects.toThrow();
      expect(await users.findByEmail(first!)).toEqual(user);

      const moved = { ...other, email: third! };
      expect(await users.update(other, { email: third! })).toEqual(moved);
      expect(await users.findByEmail(third!)).toEqual(moved);
      expect(await users.findByEmail(second!)).toBeFalsy();
      await users.delete(moved);
      await users.delete(moved);
      expect(await users.findById(other.id)).toBeFalsy();
      expect(await users.findByEmail(third!)).toBeFalsy();
      created.push((await users.create({ email: third! })) as Account);
    });
  });
}
