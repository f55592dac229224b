import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { readResponse, bearer, get, NO_STORE, post, refusalBody } from '../../support/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/test-application.js';
import { AdminController, model, OpenController, ReadScopeController } from '../../support/guarded-controllers.js';

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
