import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { Browser, Page } from 'playwright-core';

import { workspace } from './applications.js';
import { freePort } from '../support/environment/free-port.js';
import { INSTALL_PROGRAMS, reportMissing, START_SERVERS } from '../support/environment/requirements.js';
import { REDIS_URL } from '../support/environment/redis-url.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { PageBrowser } from '../src/pages/page-browser.js';
import { PageReader } from './page-reader.js';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const POSTGRES = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

const hasBrowser = existsSync(CHROMIUM);
const hasPostgres = await query('select 1').then(
  () => true,
  () => false,
);
const hasRedis = await deleteKeys('none:').then(
  () => true,
  () => false,
);
if (!hasBrowser) reportMissing(`Chromium at ${CHROMIUM}`, INSTALL_PROGRAMS);
if (!hasPostgres) reportMissing('PostgreSQL', START_SERVERS);
if (!hasRedis) reportMissing('Redis', START_SERVERS);

const databases: string[] = [];

/** A copy of the application after the first tutorial, with which the guides continue. */
let first: PageReader;

afterAll(async () => {
  for (const name of databases) await query(`drop database if exists ${name} with (force)`);
});

/** The tutorials, followed in their order in one application. */
describe('the tutorials, followed with the packed package on Nest 12', () => {
  const readers: PageReader[] = [];
  let tutorial: PageReader;
  let browser: Browser | undefined;

  beforeAll(async () => {
    tutorial = await PageReader.begin(join(workspace, 'tutorials'));
    readers.push(tutorial);
    if (hasBrowser) browser = await (await import('../browser/browser.js')).openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    // The guides use the same ports.
    for (const reader of readers) await reader.stop();
  });

  it('create an application that issues a token', async () => {
    await tutorial.follow('docs/start/first-server.md');
    await tutorial.stop();
    first = await tutorial.copy('first');
    expect(tutorial.cwd).toBe(join(workspace, 'tutorials/notes'));
  });

  it('protect a route', async () => {
    await expect(tutorial.follow('docs/start/protect-a-route.md')).resolves.toBeUndefined();
  });

  it('sign a user in from a browser application', async () => {
    await tutorial.follow('docs/start/browser-sign-in.md');
    if (!browser) return;
    const page = await browser.newPage();
    await signIn(page, tutorial.port('5173'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are not signed in.').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(0);
  });

  it('store the data in PostgreSQL', async () => {
    if (!hasPostgres) return;
    await tutorial.stop('npm start');
    const database = await createDatabase();
    const reader = await tutorial.copy('postgresql');
    readers.push(reader);
    const replace = [['postgres://postgres:postgres@127.0.0.1:5432/notes', database]] as const;
    const followed = reader.follow('docs/start/postgresql.md', { skip: /^docker run/, replace });
    await expect(followed).resolves.toBeUndefined();
    if (browser) {
      const page = await browser.newPage();
      await signIn(page, tutorial.port('5173'));
      await reader.serve('npm start');
      await page.goto(`http://localhost:${tutorial.port('3000')}/oauth/applications`);
      await page.getByRole('heading', { name: 'Notes in the browser' }).waitFor();
    }
    await reader.stop();
  });

  it('serve MCP tools', async () => {
    await tutorial.stop('npm start');
    const reader = await tutorial.copy('mcp');
    readers.push(reader);
    await expect(reader.follow('docs/start/mcp-server.md')).resolves.toBeUndefined();
    await reader.stop();
  });
});

/** The packages of the guides below, which one installation adds for all of them. */
const PACKAGES =
  '@nestjs/swagger ioredis @opentelemetry/api @opentelemetry/sdk-node @opentelemetry/exporter-prometheus';

/** The files that `docs/guides/redis.md` expects in an application. */
const APPLICATION = `cat >src/users.ts <<'END'
export const users = { findByCredentials: () => null, findById: () => null };
END
cat >src/app.module.ts <<'END'
import { Module } from '@nestjs/common';
import { OAuthModule } from './oauth.module.js';
import { OrdersController } from './orders.controller.js';

@Module({ imports: [OAuthModule], controllers: [OrdersController] })
export class AppModule {}
END
export OAUTH2_SECRET=a-secret-of-at-least-32-characters REDIS_URL=${REDIS_URL}`;

/** Guides that continue with the application of the first tutorial, each in a copy. */
describe('the guides, followed with the packed package on Nest 12', () => {
  let installed: PageReader;
  let reader: PageReader | undefined;

  beforeAll(async () => {
    installed = await first.copy('guides');
    await installed.run(`npm install ${PACKAGES}`);
  });

  afterEach(() => reader?.stop());

  it('sign in with Swagger UI', async () => {
    reader = await installed.copy('swagger');
    await reader.follow('docs/guides/swagger.md', {
      replace: [['app.listen(3000)', `app.listen(${reader.port('3000')})`]],
    });
    const document = await fetch(`http://localhost:${reader.port('3000')}/docs-json`);
    expect(await document.json()).toMatchObject({
      paths: { '/notes': { get: { security: [{ oauth2: ['notes:read'] }] } } },
    });
  });

  it('monitor the server with OpenTelemetry', async () => {
    reader = await installed.copy('monitoring');
    const replace = [['9464', String(await freePort())]] as const;
    await expect(reader.follow('docs/guides/monitoring.md', { replace })).resolves.toBeUndefined();
  });

  it('store OAuth data in Redis, and let a service request tokens with a secret that is replaced', async () => {
    if (!hasRedis) return;
    reader = await installed.copy('redis');
    await reader.run(APPLICATION);
    const prefix = `pages-${process.pid}:`;
    await reader.follow('docs/guides/redis.md', { replace: [["'oauth2:'", `'${prefix}'`]] });
    try {
      // The commands of the guide load the compiled application, which contains the files of the guide.
      await reader.follow('docs/guides/service-to-service.md', { skip: /^npx/ });
      expect(await tokenOfNewClient(reader)).toMatchObject({ token_type: 'Bearer', scope: 'notes:read' });
      await reader.follow('docs/guides/service-to-service.md');
      expect(await reader.run('npx nest-oauth2 clients list')).toContain('billing');
    } finally {
      await deleteKeys(prefix);
    }
  });

  it('let users sign up by e-mail with TypeORM, and choose a new password', async () => {
    if (!hasPostgres) return;
    reader = await first.copy('sign-up');
    const replace = [['postgres://postgres:postgres@127.0.0.1:5432/app', await createDatabase()]] as const;
    await reader.follow('docs/guides/sign-up-and-reset.md', { replace });
    const user = new PageBrowser(`http://localhost:${reader.port('3000')}`);
    for (const [page, subject] of [
      ['sign_up', 'Finish your sign-up'],
      ['forgot_password', 'Choose a new password'],
    ] as const) {
      await user.send(await user.get(`/oauth/${page}`), { email: 'alice@example.com' });
      const pattern = new RegExp(`${subject}.*?(/oauth/new_password\\?token=[\\w-]+)`, 's');
      const [, link] = await waitUntil(() => pattern.exec(reader!.printed('npm start')));
      const saved = await user.send(await user.get(link!), { new_password: `password of ${page}` });
      expect(saved).toMatchObject({ status: 303, location: '/oauth/account' });
      expect((await user.get(link!)).html).toContain('This link has expired or was already used.');
    }
  });

  it('store OAuth data with Drizzle', async () => {
    if (!hasPostgres) return;
    reader = await first.copy('drizzle');
    await reader.run(`DATABASE_URL=${await createDatabase()}`);
    await reader.follow('docs/guides/drizzle.md');
    expect(await tokenOfNewClient(reader)).toMatchObject({ token_type: 'Bearer', scope: 'notes:read' });
  });
});

/** Compiles and starts the application, and returns the token response for a client that the command creates. */
async function tokenOfNewClient(reader: PageReader): Promise<unknown> {
  await reader.run('npm run build');
  const create = 'npx nest-oauth2 clients create backup --grant client_credentials --scope notes:read --json';
  const { secret } = JSON.parse(await reader.run(create)) as { secret: string };
  await reader.serve('npm start');
  const response = await fetch(`http://localhost:${reader.port('3000')}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`backup:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'notes:read' }),
  });
  return response.json();
}

/** Signs Alice in from the browser application of the tutorial. */
async function signIn(page: Page, port: number): Promise<void> {
  page.setDefaultTimeout(30_000);
  await page.goto(`http://localhost:${port}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Username').fill('alice');
  await page.getByLabel('Password').fill('wonderland');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Hello Alice').waitFor();
  expect(await page.getByRole('listitem').allInnerTexts()).toEqual(['Follow the white rabbit']);
}

/** Creates an empty database and returns its address. It is removed when the tests end. */
async function createDatabase(): Promise<string> {
  const name = `pages_${process.pid}_${databases.length}`;
  await query(`create database ${name}`);
  databases.push(name);
  const address = new URL(POSTGRES);
  address.pathname = name;
  return address.href;
}

/** Deletes the keys of a prefix in Redis. */
async function deleteKeys(prefix: string): Promise<void> {
  const redis = new Redis(REDIS_URL, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => {});
  await redis.connect();
  for (const key of await redis.keys(`${prefix}*`)) await redis.del(key);
  await redis.quit();
}

async function query(statement: string): Promise<void> {
  const client = new Client(POSTGRES);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
