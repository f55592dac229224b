import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { type CanActivate, Controller, Get, Sse, type Type, UseGuards } from '@nestjs/common';
import { OAuth2Module, OptionalAuth, Public } from 'nest-oauth2';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';
import { NEVER } from 'rxjs';

import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { later } from '../../support/models/model.js';
import { GuideCode } from './guide-code.js';

interface Code {
  Permissions(...permissions: string[]): ClassDecorator & MethodDecorator;
  PermissionsGuard: Type<CanActivate>;
}

const guide = GuideCode.write('decorators', ['docs/guides/scopes-roles-permissions.md']);
afterAll(() => guide.remove());

const { Permissions, PermissionsGuard } = await guide.import<Code>('src/permissions.guard.ts');

@Controller('class')
@UseGuards(PermissionsGuard)
@Permissions('notes:delete')
class DecoratedClass {
  @Get()
  get() {
    return 'secret';
  }

  @Get('both')
  @Permissions('reports:export')
  both() {
    return 'secret';
  }

  @Sse('stream')
  stream() {
    return NEVER;
  }
}

@Controller('inherited')
class InheritedClass extends DecoratedClass {}

@Controller('public')
@UseGuards(PermissionsGuard)
@Public()
class PublicClass {
  @Get()
  @Permissions('notes:delete')
  get() {
    return 'secret';
  }
}

@Controller('optional')
@UseGuards(PermissionsGuard)
@OptionalAuth()
class OptionalClass {
  @Get()
  @Permissions('notes:delete')
  get() {
    return 'secret';
  }
}

const WEB: StoredClient = { id: 'web', grants: ['authorization_code'], tokenEndpointAuthMethod: 'none' };
const editor = { id: '1', permissions: ['notes:delete'] };
const nobody = { id: '2' };

describe.each(PLATFORMS)('`@Permissions()` of docs/guides/scopes-roles-permissions.md on %s', (platform) => {
  afterEach(stopApplications);

  async function start() {
    const users = [editor, nobody];
    const find = { findById: (id: string) => users.find((user) => user.id === id), findByCredentials: () => null };
    const store = new MemoryStore({ clients: [WEB], users: find });
    const imports = [OAuth2Module.forRoot({ model: store, isGlobal: true })];
    const controllers = [DecoratedClass, InheritedClass, PublicClass, OptionalClass];
    const { url } = await startApplication(platform, { imports, controllers });
    return async (path: string, user?: object) => {
      const accessToken = randomUUID();
      if (user) await store.saveToken({ accessToken, accessTokenExpiresAt: later() }, WEB, user);
      const headers = new Headers(user && { authorization: `Bearer ${accessToken}` });
      const response = await fetch(url + path, { headers });
      await response.body?.cancel();
      return response.status;
    };
  }

  it.each(['/class', '/class/both', '/class/stream', '/inherited', '/inherited/both', '/public', '/optional'])(
    'rejects a user without the permission, and a request without a token, at %s',
    async (path) => {
      const get = await start();
      expect(await get(path, nobody)).toBe(403);
      expect(await get(path)).toBe(401);
    },
  );

  it('requires the permissions of the class and those of the method', async () => {
    const get = await start();
    expect(await get('/class', editor)).toBe(200);
    expect(await get('/class/both', editor)).toBe(403);
  });
});
