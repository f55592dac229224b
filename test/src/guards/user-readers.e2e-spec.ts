import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Logger,
  type Provider,
  Req,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Module, OAuthGuard, Public, type Token } from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

interface UserRequest {
  user?: { roles: string[] };
  oauth2?: { token: Token };
}
const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<UserRequest>();

@Injectable()
class RolesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { user } = context.switchToHttp().getRequest<UserRequest>();
    return user?.roles.includes('admin') === true;
  }
}

@Injectable()
class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    return request.oauth2?.token.user['isActive'] === true;
  }
}

@Injectable()
class ApiKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const prisma = { user: { findUnique: () => ({}) } };
    return Boolean(prisma.user.findUnique()) && context.getType() === 'http';
  }
}

@Injectable()
class SettingGuard extends OAuthGuard {
  protected override attach(context: ExecutionContext, token: Token): void {
    super.attach(context, token);
    const request = context.switchToHttp().getRequest<{ user?: unknown }>();
    request.user = token.user;
  }
}

@Controller('notes')
class NotesController {
  @Get()
  list() {
    return [];
  }
}

@Controller('profile')
class ProfileController {
  @Get()
  read(@Req() req: UserRequest) {
    return req.user?.roles;
  }
}

const warn = jest.spyOn(Logger.prototype, 'warn');
beforeEach(() => void warn.mockReset().mockImplementation(() => undefined));
afterEach(stopApplications);

async function warningsOf(controller: new () => object, guards: Function[], global: Function[] = [], isPublic = false) {
  const Copy = class extends controller {};
  Object.defineProperty(Copy, 'name', { value: controller.name });
  Controller('copy')(Copy);
  if (guards.length > 0) UseGuards(...guards)(Copy);
  if (isPublic) Public()(Copy);
  const providers = global.map((useClass) => ({ provide: APP_GUARD, useClass }) as Provider);
  const model = new MemoryStore({ users: { findByCredentials: () => undefined, findById: () => undefined } });
  const oauth = OAuth2Module.forRoot({ model, interaction: null, isGlobal: true });
  await startApplication(ANY_PLATFORM[0]!, { imports: [oauth], providers, controllers: [Copy] });
  return warn.mock.calls.map(([text]) => String(text));
}

const tooEarly = (guard: string) =>
  `${guard} runs before OAuthGuard at NotesController.list(), so the request has no user yet: write ` +
  `\`@UseGuards(OAuthGuard, ${guard})\`, and read \`request.oauth2.token.user\`.`;
const unset = (reader: string) =>
  `${reader} reads \`request.user\`, which OAuthGuard does not set: use \`@CurrentUser()\` and \`@Roles()\`, or read ` +
  '`request.oauth2.token.user`. If a middleware sets it, ignore this.';

describe('the start warns of', () => {
  it('a guard that reads the user before OAuthGuard has run', async () => {
    expect(await warningsOf(NotesController, [OAuthGuard], [RolesGuard])).toEqual([tooEarly('RolesGuard')]);
  });

  it('a guard in the wrong order of @UseGuards()', async () => {
    expect(await warningsOf(NotesController, [TokenGuard, OAuthGuard])).toEqual([tooEarly('TokenGuard')]);
  });

  it('a guard that reads `request.user` after OAuthGuard', async () => {
    expect(await warningsOf(NotesController, [RolesGuard], [OAuthGuard])).toEqual([unset('RolesGuard')]);
  });

  it('a handler that reads `request.user`', async () => {
    expect(await warningsOf(ProfileController, [OAuthGuard])).toEqual([unset('ProfileController.read()')]);
  });
});

describe('the start does not warn of', () => {
  it.each<[string, new () => object, Function[], Function[], boolean]>([
    ['a guard after OAuthGuard that reads the token', NotesController, [OAuthGuard, TokenGuard], [], false],
    ['a guard before OAuthGuard that reads no user', NotesController, [OAuthGuard], [ApiKeyGuard], false],
    ['readers of `request.user`, if a guard sets it', ProfileController, [SettingGuard, RolesGuard], [], false],
    ['readers on a public route', ProfileController, [], [OAuthGuard], true],
    ['readers on a route without OAuthGuard', ProfileController, [RolesGuard], [], false],
  ])('%s', async (_, controller, guards, global, isPublic) => {
    expect(await warningsOf(controller, guards, global, isPublic)).toEqual([]);
  });
});
