import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import * as globals from '@jest/globals';
import type { User } from 'nest-oauth2';
import type { MemoryStore } from 'nest-oauth2/stores/memory';
import { actingAs } from 'nest-oauth2/testing';
import { add } from '../../../src/schematics/index.js';
import { bearer, get } from '../../support/clients/http.js';
import { PLATFORMS } from '../../support/servers/test-application.js';
import { StagedApplication } from './staged-application.js';

const { afterAll, beforeAll, describe, expect, it } = globals;

/** The root controller of the application, with a guarded route that the schematic does not know. */
const CONTROLLER = `import { Controller, Get, UseGuards } from '@nestjs/common';
import { OAuthGuard } from 'nest-oauth2';

@Controller('orders')
@UseGuards(OAuthGuard)
export class AppController {
  @Get()
  list() {
    return [];
  }
}
`;

/** The provider `Database` of the application. */
interface Accounts {
  store: MemoryStore;
  users: { create(username: string, password: string): Promise<User> };
}

/** Writes an application with an MCP server to a new folder next to this file, and returns the folder. */
async function writeApplication(http: string): Promise<string> {
  const files = { 'src/app.controller.ts': CONTROLLER };
  const application = await new StagedApplication(files).run(add({ store: 'memory', features: 'pages,mcp', http }));
  return application.writeToFolder();
}

const written = await Promise.all(PLATFORMS.map(async (http) => [http, await writeApplication(http)] as const));

afterAll(() => Promise.all(written.map(([, folder]) => rm(folder, { recursive: true, force: true }))));

// The written test uses the globals of Jest, as in an application.
Object.assign(globalThis, globals);

for (const [http, folder] of written) {
  await import(join(folder, 'test/oauth.written.ts'));
  await import(join(folder, 'test/oauth-attack-lab.written.ts'));

  describe(`the application that nest add writes with an MCP server, on ${http}`, () => {
    let app: INestApplication;
    let url: string;

    beforeAll(async () => {
      const { AppModule } = (await import(join(folder, 'src/app.module.ts'))) as { AppModule: object };
      app = await (http === 'fastify'
        ? NestFactory.create(AppModule, new FastifyAdapter(), { logger: false })
        : NestFactory.create(AppModule, { logger: false }));
      await app.listen(0, '127.0.0.1');
      url = await app.getUrl();
    });
    afterAll(() => app?.close());

    const statusOf = async (path: string, token: string) => (await get(url + path, bearer(token))).status;

    it('accepts a token without a resource at all guarded routes except the MCP endpoint', async () => {
      const { Database } = (await import(join(folder, 'src/oauth/database.ts'))) as { Database: Type<Accounts> };
      const { store, users } = app.get(Database);
      const user = await users.create('alice', 'down the rabbit hole');
      await store.saveClient({ id: 'web', grants: ['password'], scopes: ['account:read'] });
      const token = await actingAs(app, user, ['account:read'], { client: 'web' });
      expect(await statusOf('/account', token)).toBe(200);
      expect(await statusOf('/orders', token)).toBe(200);
      expect(await statusOf('/mcp', token)).toBe(401);
    });
  });
}
