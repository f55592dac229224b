import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import * as globals from '@jest/globals';
import type { AccountUsers } from 'nest-oauth2/accounts';
import { hashPassword } from 'nest-oauth2/stores';
import type { DataSource } from 'typeorm';
import { add } from '../../../src/schematics/index.js';
import { hasMongo, mongoUrl, openMongo } from '../../support/environment/mongo-server.js';
import { waitUntil } from '../../support/environment/wait-until.js';
import { PageBrowser } from '../pages/page-browser.js';
import { DRIZZLE, MONGOOSE_SHOP, TYPEORM } from './existing-applications.js';
import { createShopDatabase } from './shop-database.js';
import { StagedApplication } from './staged-application.js';

const { afterAll, beforeAll, describe, expect, it } = globals;

const USERS = `CREATE TABLE users (id integer PRIMARY KEY AUTOINCREMENT, email text NOT NULL UNIQUE, name text,
  password_hash text NOT NULL, city text, role text NOT NULL DEFAULT 'reader');`;

/** Strangers sign up there: no other column of a new user is required. */
const WITH_SIGN_UP = {
  ...DRIZZLE,
  'src/db/schema.ts': DRIZZLE['src/db/schema.ts'].replace("text('city').notNull()", "text('city')"),
};

/** The column `active` is required, so strangers cannot sign up until the application chooses its value. */
const WITHOUT_SIGN_UP = {
  ...TYPEORM,
  'src/account.entity.ts': TYPEORM['src/account.entity.ts'].replace('username', 'email'),
};

/** Writes an existing application and what `nest add` adds to it. Returns the folder. */
async function writeApplication(files: Record<string, string | object>): Promise<string> {
  const controller = { 'src/app.controller.ts': 'export class AppController {}\n' };
  const staged = new StagedApplication({ ...files, ...controller });
  return (await staged.run(add({ existing: true, features: 'openid,accounts' }))).writeToFolder();
}

const drizzle = await writeApplication(WITH_SIGN_UP);
const typeorm = await writeApplication(WITHOUT_SIGN_UP);
const mongoose = hasMongo() ? await writeApplication(MONGOOSE_SHOP) : undefined;
const folders = [drizzle, typeorm, mongoose].filter((folder) => folder !== undefined);
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const client = await createShopDatabase(drizzle, typeorm, USERS);
const mongo = mongoose ? await openMongo(await mongoUrl()) : undefined;
if (mongo) Object.assign(process.env, { SHOP_MONGODB: await mongoUrl(), SHOP_MONGODB_NAME: mongo.name });
afterAll(async () => {
  await mongo?.dropDatabase();
  await mongo?.close();
});

// The written tests use the globals of Jest, as in an application. They sign a user of the application in, and attack it.
Object.assign(globalThis, globals);
await import(join(drizzle, 'test/oauth.written.ts'));
await import(join(drizzle, 'test/oauth-attack-lab.written.ts'));
await import(join(typeorm, 'test/oauth.written.ts'));
if (mongoose) await import(join(mongoose, 'test/oauth.written.ts'));

/** How a test changes the table of the application. */
interface Rows {
  insert(email: string, hash: string): Promise<unknown>;
  setHash(email: string, hash: string): Promise<unknown>;
  find(email: string): Promise<object | null | undefined>;
}

const drizzleRows = (): Rows => ({
  insert: (email, hash) =>
    client.execute({ sql: 'INSERT INTO users (email, password_hash) VALUES (?, ?)', args: [email, hash] }),
  setHash: (email, hash) =>
    client.execute({ sql: 'UPDATE users SET password_hash = ? WHERE email = ?', args: [hash, email] }),
  find: async (email) => (await client.execute({ sql: 'SELECT * FROM users WHERE email = ?', args: [email] })).rows[0],
});

const typeormRows = (app: INestApplication): Rows => {
  const repository = app.get<DataSource>('DATA_SOURCE', { strict: false }).getRepository('Account');
  return {
    insert: (email, password) => repository.insert({ email, password, active: true }),
    setHash: (email, password) => repository.update({ email }, { password }),
    find: (email) => repository.findOneBy({ email }),
  };
};

const mongooseRows = (): Rows => {
  const users = mongo!.collection('users');
  return {
    insert: (email, password) => users.insertOne({ email, password }),
    setHash: (email, password) => users.updateOne({ email }, { $set: { password } }),
    find: (email) => users.findOne({ email }),
  };
};

const CASES = [
  { orm: 'Drizzle', folder: drizzle, prefix: '/api', rowsOf: drizzleRows },
  { orm: 'TypeORM', folder: typeorm, prefix: '', rowsOf: typeormRows },
  ...(mongoose ? [{ orm: 'Mongoose', folder: mongoose, prefix: '/api', rowsOf: mongooseRows }] : []),
];

const PASSWORD = 'violet kettle on the moor';

describe.each(CASES)('accounts over the users of an application with $orm', ({ folder, prefix, rowsOf }) => {
  let app: INestApplication;
  let rows: Rows;
  let log = '';

  const browser = async () => new PageBrowser(await app.getUrl());
  const signIn = async (email: string, password: string) =>
    (await browser()).signIn(`${prefix}/oauth/login`, email, password);

  beforeAll(async () => {
    const { AppModule } = (await import(join(folder, 'src/app.module.ts'))) as Record<string, Type>;
    const write = (message: string) => void (log += `${message}\n`);
    app = await NestFactory.create(AppModule!, { logger: { log: write, warn: write, error: write } });
    if (prefix) app.setGlobalPrefix(prefix);
    await app.listen(0, '127.0.0.1');
    rows = rowsOf(app);
  });
  afterAll(() => app.close());

  it('moves a password to the store at the next login, after which the column has no effect', async () => {
    await rows.insert('moves@example.com', await hashPassword(PASSWORD));
    expect((await signIn('Moves@example.com', PASSWORD)).status).toBe(303);
    await rows.setHash('moves@example.com', await hashPassword('another kettle on the moor'));
    expect((await signIn('moves@example.com', PASSWORD)).status).toBe(303);
    expect((await signIn('moves@example.com', 'another kettle on the moor')).status).toBe(401);
  });

  it('resists a wrong hash, an unknown address and a user without a password, with the same page', async () => {
    await rows.insert('wrong@example.com', await hashPassword('another kettle on the moor'));
    await rows.insert('broken@example.com', 'no hash');
    await rows.insert('empty@example.com', '');
    const attempts = ['wrong', 'broken', 'empty', 'unknown', "' OR 1=1 --"].map((name) => [name, PASSWORD]);
    const shown = [];
    for (const [name, password] of [...attempts, ['empty', ''], ['broken', 'no hash']]) {
      const { status, html } = await signIn(`${name}@example.com`, password!);
      shown.push({ status, problem: /role="alert"[^>]*>([^<]*)/.exec(html)?.[1] });
    }
    expect(shown).toEqual(shown.map(() => ({ status: 401, problem: expect.any(String) as unknown })));
    expect(new Set(shown.map(({ problem }) => problem)).size).toBe(1);
    // No attempt has stored a password: a correct hash in the column still signs in.
    await rows.setHash('empty@example.com', await hashPassword(PASSWORD));
    expect((await signIn('empty@example.com', PASSWORD)).status).toBe(303);
  });

  it('keeps the password of a reset in the store only', async () => {
    await rows.insert('reset@example.com', await hashPassword('another kettle on the moor'));
    const page = await browser();
    await page.send(await page.get(`${prefix}/oauth/forgot_password`), { email: 'reset@example.com' });
    const link = await waitUntil(() => /http:\/\/localhost:4000(\S*\/oauth\/new_password\?\S+)/.exec(log)?.[1]);
    expect((await page.send(await page.get(link), { new_password: PASSWORD })).status).toBe(303);
    expect((await signIn('reset@example.com', PASSWORD)).status).toBe(303);
    expect((await signIn('reset@example.com', 'another kettle on the moor')).status).toBe(401);
  });

  it('saves a new address in the table, and rejects that of another user', async () => {
    await rows.insert('first@example.com', await hashPassword(PASSWORD));
    await rows.insert('second@example.com', await hashPassword(PASSWORD));
    const { OAuthUsers } = (await import(join(folder, 'src/oauth/oauth-users.ts'))) as Record<
      string,
      Type<AccountUsers>
    >;
    const users = app.get(OAuthUsers!, { strict: false });
    const user = await users.findByEmail('first@example.com');
    if (!user) throw new Error('The user was not found.');
    await expect(Promise.resolve(users.update!(user, { email: 'second@example.com' }))).rejects.toThrow();
    expect(await users.update!(user, { email: 'third@example.com' })).toMatchObject({ email: 'third@example.com' });
    expect(await users.findByEmail('first@example.com')).toBeUndefined();
    expect((await signIn('third@example.com', PASSWORD)).status).toBe(303);
  });

  it('signs strangers up only if no other column needs a value', async () => {
    const page = await browser();
    const form = await page.get(`${prefix}/oauth/sign_up`);
    if (folder === typeorm) return expect(form.status).toBe(404);
    log = '';
    await page.send(form, { email: 'new@example.com', name: 'Nora' });
    const link = await waitUntil(() => /http:\/\/localhost:4000(\S*\/oauth\/new_password\?\S+)/.exec(log)?.[1]);
    expect((await page.send(await page.get(link), { new_password: PASSWORD })).status).toBe(303);
    expect((await signIn('new@example.com', PASSWORD)).status).toBe(303);
    expect({ ...(await rows.find('new@example.com')) }).toMatchObject({ name: 'Nora', role: 'reader' });
  });
});
