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
import { readResponse, bearer, get, NO_STORE, refusalBody } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { model } from '../../support/servers/guarded-controllers.js';

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

describe.each(PLATFORMS)('the decorators @AnyScope() and @OptionalAuth() on %s', (platform) => {
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

  it('allow a token that has one of the scopes, and list the scopes in response headers', async () => {
    const { status, headers } = await ask('any', 'read+write');
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: { 'x-accepted-oauth-scopes': 'write admin', 'x-oauth-scopes': 'read write' },
    });
    expect(await statusOf('any', 'read+admin')).toBe(200);
  });

  it('reject a token without any of the scopes, and report the accepted scopes to the client and in the event', async () => {
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

  it('require all of @Scopes() and one of @AnyScope() if both are used', async () => {
    expect(await statusOf('both', 'read+write')).toBe(403);
    expect(await statusOf('both', 'read+share')).toBe(403);
  });

  it('allow a request without a token, and identify the user of a valid token', async () => {
    refusals.length = 0;
    expect((await ask('optional')).body).toEqual({ user: null, client: null });
    expect((await ask('optional', 'read')).body).toEqual({ user: 'u', client: 'c' });
    expect(refusals).toEqual([]);
  });

  it('reject an invalid token although the token is optional', async () => {
    expect(await statusOf('optional', 'stolen')).toBe(401);
    expect(await statusOf('optional/writing', 'read')).toBe(403);
    expect((await ask('optional/writing', 'read+write')).body).toEqual({ client: 'c' });
    expect((await ask('optional/writing')).body).toEqual({ client: null });
    const malformed = await get(`${url}/optional`, { authorization: 'Bearer' });
    expect(malformed.status).toBe(400);
  });

  it('require a token if a user is required too', async () => {
    expect(await statusOf('optional/account')).toBe(401);
    expect(await statusOf('optional/account', 'read')).toBe(200);
  });

  it('apply the decorator of the method before that of its controller', async () => {
    expect(await statusOf('open')).toBe(200);
    expect(await statusOf('open/closed')).toBe(401);
    expect(await statusOf('open/closed', 'read')).toBe(200);
  });
});

it('@AnyScope() throws if it gets no scope or an invalid one', () => {
  const any = AnyScope as (...scopes: string[]) => unknown;
  expect(() => any()).toThrow('@AnyScope() requires at least one scope');
  expect(() => any('a b')).toThrow("@AnyScope() takes each scope as a separate argument without spaces. Got 'a b'");
});
