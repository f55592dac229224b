import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import type { PrismaStore } from 'nest-oauth2/stores/prisma';
import { DataSource } from 'typeorm';

import { findServers, ownPrefix, SERVERS } from './typeorm-databases.js';

const hasPostgres = (await findServers()).some(({ name }) => name === 'PostgreSQL');
const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const run = (script: string, args: string[], cwd: string) =>
  promisify(execFile)(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd,
    // `prisma generate` looks for the schema engine, and does not run it.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
  });

const [, module, features] =
  /```ts\n(\/\/ src\/app\.module\.ts\n.*?)```.*```ts\n\/\/ src\/app\.module\.ts, the end\n(.*?)```/s.exec(
    read('docs/guides/prisma.md'),
  )!;
const [imports, end] = [features!.slice(0, features!.indexOf('\n\n')), features!.slice(features!.indexOf('\n\n'))];

const TYPES = `import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaStore } from 'nest-oauth2/stores/prisma';
import { PrismaClient } from './generated/prisma/client.js';

const users = { findByCredentials: () => null, findById: () => null };
const prisma = new PrismaClient({ adapter: new PrismaPg('postgres://localhost/app') });
const extended = prisma.$extends({ model: { oAuthGrant: { mine: () => 1 } } });
export const stores = [
  new PrismaStore(prisma, { users, prefix: 'sso_', deadline: 5 }),
  new PrismaStore(extended, { users, clients: { findById: () => null }, rememberSecretsFor: 0 }),
];
// @ts-expect-error the options need \`users\`
stores.push(new PrismaStore(prisma, {}));
// @ts-expect-error the adapter is no client of Prisma
stores.push(new PrismaStore(new PrismaPg('postgres://localhost/app'), { users }));
void prisma.$transaction(async (transaction) => {
  const grants = await transaction.oAuthGrant.findMany({ where: { userId: 'alice', revokedAt: null } });
  return grants.map(({ createdAt }): bigint => createdAt);
});
`;

describe('docs/guides/prisma.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-prisma-'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

  beforeAll(async () => {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'prisma'));
    mkdirSync(join(folder, 'src'));
    const generator = 'generator client {\n  provider = "prisma-client"\n  output = "../src/generated/prisma"\n}\n';
    const source = 'datasource db {\n  provider = "postgresql"\n}\n';
    write('package.json', '{ "type": "module" }');
    write('prisma/schema.prisma', generator + source + read('docs/schema/postgresql.prisma'));
    write('prisma.config.ts', "export default { schema: 'prisma/schema.prisma' };");
    write('src/app.module.ts', module!);
    write('src/features.module.ts', `${imports}\n${module!.slice(0, module!.indexOf('const adapter'))}${end}`);
    write('src/types.ts', TYPES);
    write('tsconfig.json', JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['src'] }));
    await run('prisma/build/index.js', ['generate'], folder);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('shows code that compiles with the client that `prisma generate` creates from the models', async () => {
    const { stdout } = await run('typescript/bin/tsc', ['-p', '.'], folder).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  }, 120_000);

  if (hasPostgres)
    it('shows applications that issue tokens on PostgreSQL', async () => {
      const { type, variable, url } = SERVERS[0];
      const schema = ownPrefix('prisma_page');
      const database = await new DataSource({
        type,
        url: process.env[variable] ?? url,
        schema,
        poolSize: 1,
      }).initialize();
      await database.query(`CREATE SCHEMA ${schema}`);
      await database.query(`SET search_path = ${schema}; ${read('docs/schema/postgresql.sql')}`);
      const location = new URL(process.env[variable] ?? url);
      location.searchParams.set('options', `-c search_path=${schema}`);
      const previous = { ...process.env };
      Object.assign(process.env, { DATABASE_URL: location.href, OAUTH2_SECRET: 'a secret of at least 32 characters' });
      try {
        for (const name of ['app', 'features']) {
          const { AppModule, store } = (await import(join(folder, `src/${name}.module.ts`))) as {
            AppModule: new () => object;
            store: PrismaStore;
          };
          const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
          await app.listen(0, '127.0.0.1');
          const client = { id: `client of ${name}`, grants: ['client_credentials'], scopes: ['notes:read'] };
          const secret = 'a secret of 32 characters or more';
          await store.saveClient({ ...client, secret });
          const authorization = `Basic ${Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
          const send = (path: string, init?: RequestInit) => app.getUrl().then((at) => fetch(`${at}${path}`, init));
          const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'notes:read' });
          const issued = await send('/oauth/token', { method: 'POST', headers: { authorization }, body });
          expect([issued.status, await issued.json()]).toMatchObject([200, { token_type: 'Bearer' }]);
          const discovered = await send('/.well-known/openid-configuration');
          expect(discovered.status).toBe(name === 'app' ? 404 : 200);
          await app.close();
        }
        const [counted] = await database.query<{ count: string }[]>(
          `SELECT COUNT(*) AS count FROM ${schema}.oauth_tokens`,
        );
        expect(Number(counted!.count)).toBeGreaterThanOrEqual(2);
      } finally {
        for (const name of ['DATABASE_URL', 'OAUTH2_SECRET']) {
          if (previous[name] === undefined) delete process.env[name];
          else process.env[name] = previous[name];
        }
        await database.query(`DROP SCHEMA ${schema} CASCADE`);
        await database.destroy();
      }
    }, 60_000);
});
