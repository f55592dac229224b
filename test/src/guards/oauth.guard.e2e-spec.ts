import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AnyScope, OAuth2Module, OAuthGuard, Roles, Scopes, UserRequired } from 'nest-oauth2';
import { Controller, type ExecutionContext, Get, Logger, UseGuards } from '@nestjs/common';
import type { Feature } from 'nest-oauth2/features';

import { bearer, get, NO_STORE, post, readResponse, refusalBody } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import {
  AdminController,
  model,
  OpenController,
  ReadScopeController,
} from '../../support/servers/guarded-controllers.js';

const module = {
  imports: [OAuth2Module.forRoot({ model, controllers: false, allowBearerTokensInQueryString: true })],
  controllers: [ReadScopeController, AdminController, OpenController],
};

describe.each(PLATFORMS)('OAuthGuard on %s', (platform) => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await startApplication(platform, module));
  });
  afterAll(stopApplications);

  const statusOf = async (path: string, token?: string) =>
    (await get(`${url}/${path}`, token ? bearer(token) : {})).status;

  it('passes the user and the token to the handler, and the scopes to the client in headers', async () => {
    expect(await readResponse(get(`${url}/reading/writing`, bearer('read+write')))).toEqual({
      status: 200,
      headers: {
        'content-type': NO_STORE['content-type'],
        'x-accepted-oauth-scopes': 'read write',
        'x-oauth-scopes': 'read write',
      },
      body: { accessToken: 'read+write', scope: 'read write' },
    });
    expect((await readResponse(get(`${url}/reading`, bearer('read')))).body).toEqual({ id: 'u', name: 'U' });
  });

  it('requires the scopes of the method instead of those of the controller', async () => {
    expect(await statusOf('reading/writing', 'read')).toBe(403);
    expect(await statusOf('reading', 'read')).toBe(200);
    expect((await readResponse(get(`${url}/reading/any`, bearer('read')))).body).toEqual({ name: 'U' });
  });

  it('requires the scopes of the subclass for an inherited method', async () => {
    expect(await statusOf('reading/inherited', 'read')).toBe(200);
    expect(await statusOf('admin/inherited', 'read')).toBe(403);
    expect(await statusOf('reading/inherited', 'read')).toBe(200);
  });

  it('allows every request if the nearest decorator is @Public()', async () => {
    expect((await readResponse(get(`${url}/reading/open`))).body).toEqual({ name: null, token: null });
    expect(await statusOf('open')).toBe(200);
    expect(await statusOf('open/closed')).toBe(401);
    expect(await statusOf('open/closed', 'read')).toBe(200);
  });

  it('reads the token from a form, and from the URL if that is allowed', async () => {
    expect(await readResponse(post(`${url}/reading/form`, { access_token: 'read', text: 'a' }))).toMatchObject({
      status: 201,
      body: { text: 'a' },
    });
    expect((await get(`${url}/reading?access_token=read`)).status).toBe(200);
    expect((await get(`${url}/reading?access_token=read`, bearer('read'))).status).toBe(400);
  });

  it('does not reveal the error that the model threw', async () => {
    expect(await readResponse(get(`${url}/reading`, bearer('broken')))).toEqual({
      status: 503,
      headers: { 'content-type': NO_STORE['content-type'] },
      body: refusalBody(
        503,
        'server_error',
        'Server error: the request could not be handled; the server log has the reason',
      ),
    });
  });
});

/** Returns the scopes listed in a header of the request. */
const byHeader = ({ headers }: { headers: object }) =>
  String((headers as Record<string, unknown>)['x-wanted'] ?? '')
    .split(' ')
    .filter(Boolean);

@Controller()
@UseGuards(OAuthGuard)
class RoutesController {
  @Get('any')
  @AnyScope('admin', 'write')
  any() {
    return 'any';
  }

  @Get('dynamic')
  @Scopes(byHeader)
  @UserRequired()
  dynamic() {
    return 'dynamic';
  }

  @Get('dynamic/roles')
  @Scopes('read', byHeader)
  @Roles('admin')
  roles() {
    return 'roles';
  }
}

describe('OAuthGuard without a default server', () => {
  const make = (registration?: object) => new OAuthGuard(undefined as never, registration);

  it('cannot be made without OAuth2Module', () => {
    expect(() => make()).toThrow(
      'Invalid argument: OAuthGuard finds no OAuth2Server in the module of its controller: import a module there',
    );
  });

  it('rejects each request if OAuth2Module is imported, whose own error says why it has no server', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const guard = make({});
    const request = { method: 'GET', headers: bearer('read'), query: {} };
    const context = {
      getType: () => 'http',
      getClass: () => ReadScopeController,
      getHandler: () => ReadScopeController.prototype.byController,
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => ({ setHeader: jest.fn() }) }),
    } as unknown as ExecutionContext;
    await expect(guard.canActivate(context)).rejects.toMatchObject({ response: { error: 'server_error' } });
    expect(logged.mock.calls.join()).toContain('OAuthGuard finds no default server: add @UseOAuth()');
  });
});

describe.each(PLATFORMS)('the access requirements of a route on %s', (platform) => {
  let url: string;
  /** The engine validates the options of a call once per operation object, so this counts the operations. */
  let made = 0;
  const feature: Feature = { id: 'counting', install: () => ({ callMisconfigurations: () => ((made += 1), []) }) };

  beforeAll(async () => {
    const imports = [OAuth2Module.forRoot({ model, controllers: false, features: [feature] })];
    ({ url } = await startApplication(platform, { imports, controllers: [RoutesController] }));
  });
  afterAll(stopApplications);

  async function ask(path: string, wanted = '', token = 'read+write') {
    const response = await get(`${url}/${path}`, { ...bearer(token), 'x-wanted': wanted });
    const { headers, status } = response;
    return [status, headers.get('www-authenticate'), headers.get('x-accepted-oauth-scopes')];
  }

  it('are evaluated once, not for each request', async () => {
    made = 0;
    for (let request = 0; request < 3; request++) expect(await ask('any')).toEqual([200, null, 'admin write']);
    expect(made).toBe(1);
  });

  it('are evaluated once per scope if a function returns the scope', async () => {
    made = 0;
    const insufficient = (scope: string) => `Bearer realm="Service",error="insufficient_scope",scope="${scope}"`;
    for (let request = 0; request < 2; request++) {
      expect(await ask('dynamic', 'read')).toEqual([200, null, 'read']);
      expect(await ask('dynamic', 'write read')).toEqual([200, null, 'read write']);
      expect(await ask('dynamic', 'share read')).toEqual([403, insufficient('read share'), 'read share']);
      expect(await ask('dynamic')).toEqual([200, null, null]);
    }
    expect(made).toBe(4);
  });

  it('apply in addition to the scopes that a function returns', async () => {
    const challenge = 'Bearer realm="Service",error="insufficient_scope"';
    expect(await ask('dynamic/roles', 'write')).toEqual([403, challenge, 'read write']);
    expect(await ask('dynamic/roles', 'share')).toEqual([403, `${challenge},scope="read share"`, 'read share']);
  });
});
