import { VersioningType } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, type OAuth2Paths } from 'nest-oauth2';
import { pageOf } from '../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, DemoInteraction, demoModule, demoStore, SECRET } from '../support/servers/demo.js';
import { readResponse, basic, get, issued, post, expectedRefusal } from '../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';

const credentials = basic('web', 'web-secret');
const form = { grant_type: 'client_credentials', scope: 'notes:read' };
const tooLarge = expectedRefusal('invalid_request', 'Invalid request: content is too large', 413);

describe.each(PLATFORMS)('the routes of an application on %s', (platform) => {
  afterEach(stopApplications);

  it('can have a global prefix', async () => {
    const { url } = await startApplication(platform, demoModule(), { prepare: (app) => app.setGlobalPrefix('api/v1') });
    expect(await readResponse(post(`${url}/api/v1/oauth/token`, form, credentials))).toEqual(
      issued({ scope: 'notes:read' }),
    );
    expect(await readResponse(post(`${url}/api/v1/oauth/token`, { a: 'x'.repeat(2 ** 20) }))).toEqual(tooLarge);
    expect((await readResponse(post(`${url}/oauth/token`, form, credentials))).status).toBe(404);
  });

  it('leave the endpoints unversioned if the application versions its own routes', async () => {
    const { url } = await startApplication(platform, demoModule(), {
      prepare: (app) => app.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' }),
    });
    expect(await readResponse(post(`${url}/oauth/token`, form, credentials))).toEqual(issued({ scope: 'notes:read' }));
    expect((await readResponse(get(`${url}/v2/notes`))).status).toBe(401);
  });

  it('can mount the module under a path', async () => {
    const { imports = [], ...rest } = demoModule();
    const mounted = RouterModule.register([{ path: 'tenants/:tenant', module: OAuth2Module }]);
    const { url } = await startApplication(platform, { imports: [...imports, mounted], ...rest });
    expect(await readResponse(post(`${url}/tenants/a/oauth/token`, form, credentials))).toEqual(
      issued({ scope: 'notes:read' }),
    );
    expect(await readResponse(post(`${url}/tenants/a/oauth/token`, { a: 'x'.repeat(2 ** 20) }))).toEqual(tooLarge);
  });

  it('allow cross-origin token requests if the application enables CORS', async () => {
    const { url } = await startApplication(platform, demoModule(), { prepare: (app) => app.enableCors() });
    const preflight = await fetch(`${url}/oauth/token`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    const response = await readResponse(
      post(`${url}/oauth/token`, form, { ...credentials, origin: 'https://app.example' }),
    );
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.body).toEqual(issued({ scope: 'notes:read' }).body);
  });

  it('keep their own responses to malformed bodies', async () => {
    const { url } = await startApplication(platform, demoModule());
    const { status, body } = await readResponse(post(`${url}/notes`, '{', { 'content-type': 'application/json' }));
    expect(status).toBe(400);
    expect(body).toMatchObject({ statusCode: 400 });
  });

  it('can have the endpoints at custom paths', async () => {
    const paths = { authorize: '/sign-in', token: 'o/:realm/t' };
    const { url } = await startApplication(platform, demoModule({ paths }));
    expect(await readResponse(post(`${url}/o/main/t`, form, credentials))).toEqual(issued({ scope: 'notes:read' }));
    expect(await readResponse(post(`${url}/o/main/t`, { a: 'x'.repeat(2 ** 20) }))).toEqual(tooLarge);
    const query = new URLSearchParams(AUTHORIZATION_PARAMETERS).toString();
    const { action } = pageOf(await readResponse(get(`${url}/sign-in?${query}`, { cookie: 'user=alice' })));
    expect(action).toBe(`/sign-in?${query}`);
    expect((await get(`${url}/oauth/authorize?${query}`)).status).toBe(404);
  });

  it('can import the module twice, with different models and paths', async () => {
    const one = OAuth2Module.forRoot({ model: demoStore(), paths: { authorize: 'one/authorize', token: 'one/token' } });
    const two = OAuth2Module.forRoot({ model: demoStore(), paths: { authorize: 'two/authorize', token: 'two/token' } });
    class One {}
    class Two {}
    const { url } = await startApplication(platform, {
      imports: [
        { module: One, imports: [one] },
        { module: Two, imports: [two] },
      ],
    });
    for (const path of ['one', 'two']) {
      expect(await readResponse(post(`${url}/${path}/token`, form, credentials))).toEqual(
        issued({ scope: 'notes:read' }),
      );
    }
  });
});

describe.each(PLATFORMS)('two imports of OAuth2Module on %s', (platform) => {
  afterEach(stopApplications);

  const other = (paths: OAuth2Paths) =>
    OAuth2Module.forRoot({ model: demoStore(), interaction: new DemoInteraction(), secret: SECRET, paths });

  it.each([
    ['the same paths', {}, 'oauth/authorize'],
    ['one common path', { authorize: 'login/authorize' }, 'oauth/token'],
    ['the paths of the other one in reverse', { authorize: 'oauth/token', token: 'other' }, 'oauth/token'],
  ])('stop the application if they have %s', async (_name, paths, path) => {
    const { imports = [] } = demoModule();
    await expect(startApplication(platform, { imports: [...imports, other(paths)] })).rejects.toThrow(
      `Invalid argument: two imports of OAuth2Module have the same path \`${path}\`: give one of them different \`paths\`, or set \`controllers: false\``,
    );
  });

  it('both respond if their paths differ', async () => {
    const { imports = [] } = demoModule();
    const { url } = await startApplication(platform, {
      imports: [...imports, other({ authorize: 'b/authorize', token: 'b/token' })],
    });
    expect((await get(`${url}/oauth/token`)).status).toBe(405);
    expect((await get(`${url}/b/token`)).status).toBe(405);
  });
});
