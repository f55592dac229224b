import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AnyScope,
  CurrentUser,
  OAuth2Module,
  OAuthClient,
  OAuthGuard,
  OptionalAuth,
  Scopes,
  type OAuth2Events,
  UserRequired,
} from 'nest-oauth2';
import { readResponse, bearer, get, NO_STORE, refusalBody } from '../../support/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/test-application.js';
import { model } from '../../support/guarded-controllers.js';

@Controller()
@UseGuards(OAuthGuard)
@Scopes('read')
class ShelfController {
  @Get('any')
  @AnyScope('write', 'admin')
  any() {
    return 'any';
  }

  @Get('both')
  @AnyScope('write', 'admin')
  @Scopes('read', 'share')
  both() {
    return 'both';
  }

  @Get('optional')
  @OptionalAuth()
  optional(@CurrentUser('id') user: string | undefined, @OAuthClient() client: { id: string } | undefined) {
    return { user: user ?? null, client: client?.id ?? null };
  }

  @Get('optional/writing')
  @OptionalAuth()
  @Scopes('write')
  optionalWriting(@OAuthClient('id') client: string | undefined) {
    return { client: client ?? null };
  }

  @Get('optional/account')
  @OptionalAuth()
  @UserRequired()
  account() {
    return 'account';
  }
}

@Controller('open')
@UseGuards(OAuthGuard)
@OptionalAuth()
class OpenController {
  @Get()
  open() {
    return 'open';
  }

  @Get('closed')
  @AnyScope('write', 'read')
  closed() {
    return 'closed';
  }
}

describe.each(PLATFORMS)('@AnyScope() and @OptionalAuth() on %s', (platform) => {
  let url: string;
  const refusals: OAuth2Events['access.refused'][] = [];
  beforeAll(async () => {
    const events = {
      wants: () => true,
      emit: (name: string, payload: object) => name === 'access.refused' && refusals.push(payload as never),
    };
    const imports = [OAuth2Module.forRoot({ model, controllers: false, events })];
    ({ url } = await startApplication(platform, { imports, controllers: [ShelfController, OpenController] }));
  });
  afterAll(stopApplications);

  const ask = (path: string, token?: string) => readResponse(get(`${url}/${path}`, token ? bearer(token) : {}));
  const statusOf = async (path: string, token?: string) => (await ask(path, token)).status;

  it('lets a token in that has one of the scopes, and says so', async () => {
    const { status, headers } = await ask('any', 'read+write');
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: { 'x-accepted-oauth-scopes': 'write admin', 'x-oauth-scopes': 'read write' },
    });
    expect(await statusOf('any', 'read+admin')).toBe(200);
  });

  it('refuses a token that has none of them, and tells the client and the operator which would do', async () => {
    refusals.length = 0;
    expect(await ask('any', 'read')).toEqual({
      status: 403,
      headers: {
        'content-type': NO_STORE['content-type'],
        'www-authenticate': 'Bearer realm="Service",error="insufficient_scope",scope="write admin"',
        'x-accepted-oauth-scopes': 'write admin',
      },
      body: refusalBody(403, 'insufficient_scope', 'Insufficient scope: authorized scope is insufficient'),
    });
    expect(refusals).toMatchObject([{ error: 'insufficient_scope', scope: 'write admin', given: 'read' }]);
  });

  it('demands all of the one and one of the other where both stand together', async () => {
    expect(await statusOf('both', 'read+write')).toBe(403);
    expect(await statusOf('both', 'read+share')).toBe(403);
  });

  it('lets in who brings no token, and knows who brings a good one', async () => {
    refusals.length = 0;
    expect((await ask('optional')).body).toEqual({ user: null, client: null });
    expect((await ask('optional', 'read')).body).toEqual({ user: 'u', client: 'c' });
    expect(refusals).toEqual([]);
  });

  it('refuses a bad token where none was needed', async () => {
    expect(await statusOf('optional', 'stolen')).toBe(401);
    expect(await statusOf('optional/writing', 'read')).toBe(403);
    expect((await ask('optional/writing', 'read+write')).body).toEqual({ client: 'c' });
    expect((await ask('optional/writing')).body).toEqual({ client: null });
    const malformed = await get(`${url}/optional`, { authorization: 'Bearer' });
    expect(malformed.status).toBe(400);
  });

  it('demands a token where a user is required too', async () => {
    expect(await statusOf('optional/account')).toBe(401);
    expect(await statusOf('optional/account', 'read')).toBe(200);
  });

  it('takes the nearest word: a method closes what its controller leaves open', async () => {
    expect(await statusOf('open')).toBe(200);
    expect(await statusOf('open/closed')).toBe(401);
    expect(await statusOf('open/closed', 'read')).toBe(200);
  });
});

it('refuses @AnyScope() of nothing', () => {
  const any = AnyScope as (...scopes: string[]) => unknown;
  expect(() => any()).toThrow('@AnyScope() requires at least one scope');
  expect(() => any('a b')).toThrow("@AnyScope() takes each scope as a separate argument without spaces. Got 'a b'");
});
