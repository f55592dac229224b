import { VersioningType } from '@nestjs/common';
import { ModulesContainer, RouterModule } from '@nestjs/core';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, type OAuth2Paths } from 'nest-oauth2';
import { GLOBAL_ENHANCERS } from '../support/servers/global-enhancers.js';
import { demoModule, demoStore } from '../support/servers/demo.js';
import { ECHO_FEATURE } from '../support/servers/echo-feature.js';
import { readResponse, get, NO_STORE, post, expectedRefusal } from '../support/clients/http.js';
import {
  type TestApplicationOptions,
  type Platform,
  PLATFORMS,
  startApplication,
  stopApplications,
} from '../support/servers/test-application.js';

const APP = 'https://app.example';
const PREFLIGHT = { origin: APP, 'access-control-request-method': 'POST' };
const issuer = 'https://id.example';
const features = [ECHO_FEATURE];

const start = (platform: Platform, options: object = {}, host?: TestApplicationOptions) =>
  startApplication(platform, demoModule({ features, issuer, ...options }), host);

/** Returns the URLs of the endpoints, as the test endpoint reports them. */
async function endpointUrls(url: string): Promise<Record<string, string>> {
  const { status, body } = await readResponse(post(url, { a: '1' }));
  expect({ status, body }).toEqual({ status: 200, body: { at: expect.any(Object), sent: { a: '1' } } });
  return (body as { at: Record<string, string> }).at;
}

describe.each(PLATFORMS)('the endpoints of a feature on %s', (platform) => {
  afterEach(stopApplications);

  it('are routes of their own, without the global pipes, interceptors, filters and guards of the application', async () => {
    const { url } = await startApplication(platform, {
      ...demoModule({ features, issuer }),
      providers: GLOBAL_ENHANCERS,
    });
    expect(await endpointUrls(`${url}/oauth/echo`)).toEqual({
      authorize: `${issuer}/oauth/authorize`,
      token: `${issuer}/oauth/token`,
      echo: `${issuer}/oauth/echo`,
      internal: `${issuer}/oauth/internal`,
      status: `${issuer}/status`,
      document: `${issuer}/.well-known/document`,
    });
    expect((await get(`${url}/status`)).status).toBe(200);
  });

  it('reject a method that they do not support', async () => {
    const { url } = await start(platform);
    const allow = (methods: string) => ({ allow: methods });
    expect(await readResponse(get(`${url}/oauth/echo`))).toEqual(
      expectedRefusal('invalid_request', 'Invalid request: method must be POST', 405, allow('POST')),
    );
    expect(await readResponse(post(`${url}/status`, {}))).toEqual(
      expectedRefusal('invalid_request', 'Invalid request: method must be GET or HEAD', 405, allow('GET, HEAD')),
    );
  });

  it('receive parsed forms within the size limits of the other endpoints', async () => {
    const { url } = await start(platform, {}, { bodyParser: false });
    await endpointUrls(`${url}/oauth/internal`);
    expect(await readResponse(post(`${url}/oauth/internal`, { a: 'x'.repeat(2 ** 20) }))).toEqual(
      expectedRefusal('invalid_request', 'Invalid request: content is too large', 413),
    );
  });

  it('allow cross-origin requests only if they declare it', async () => {
    const cors = { origins: [APP] };
    const { url } = await start(platform, { cors }, { prepare: (app) => app.enableCors() });
    const plain = await start(platform, { cors });
    const ask = (at: string) => readResponse(fetch(at, { method: 'OPTIONS', headers: PREFLIGHT }));
    expect(await ask(`${plain.url}/oauth/echo`)).toEqual({
      status: 204,
      headers: {
        'access-control-allow-headers': 'Authorization, Content-Type, DPoP, X-Requested-With',
        'access-control-allow-methods': 'POST',
        'access-control-allow-origin': APP,
        'access-control-max-age': '7200',
        vary: 'Origin',
      },
      body: '',
    });
    const { status, headers } = await ask(`${plain.url}/oauth/internal`);
    expect([status, headers['access-control-allow-origin']]).toEqual([405, undefined]);
    const at = async (path: string) => (await post(url + path, {}, { origin: APP })).headers;
    expect((await at('/oauth/echo')).get('access-control-allow-origin')).toBe(APP);
    expect((await at('/oauth/internal')).get('access-control-allow-origin')).toBeNull();
  });

  it('know their URLs if the application changes the paths', async () => {
    const { imports = [], ...rest } = demoModule({ features, issuer, paths: { prefix: 'auth', token: 't/token' } });
    const mounted = RouterModule.register([{ path: 'id', module: OAuth2Module }]);
    const prepare: TestApplicationOptions['prepare'] = (app) =>
      app
        .setGlobalPrefix('api/', { exclude: ['id/auth/internal'] })
        .enableVersioning({ type: VersioningType.URI, defaultVersion: '2' });
    const { url } = await startApplication(platform, { imports: [...imports, mounted], ...rest }, { prepare });
    const at = await endpointUrls(`${url}/api/id/auth/echo`);
    expect(at).toEqual({
      authorize: `${issuer}/api/id/auth/authorize`,
      token: `${issuer}/api/id/t/token`,
      echo: `${issuer}/api/id/auth/echo`,
      internal: `${issuer}/id/auth/internal`,
      status: `${issuer}/api/id/auth/status`,
      document: `${issuer}/.well-known/document`,
    });
    const statusOf = async (id: string) => (await get(at[id]!.replace(issuer, url))).status;
    const statuses = await Promise.all(['authorize', 'token', 'echo', 'internal', 'status', 'document'].map(statusOf));
    expect(statuses).toEqual([400, 405, 405, 405, 200, 200]);
  });

  it('have the path of the issuer in their URLs if a proxy removes it', async () => {
    const { url } = await start(platform, { issuer: `${issuer}/tenant/` });
    expect(await endpointUrls(`${url}/oauth/echo`)).toMatchObject({ token: `${issuer}/tenant/oauth/token` });
    const prefixed = await start(
      platform,
      { issuer: `${issuer}/tenant` },
      { prepare: (app) => app.setGlobalPrefix('tenant') },
    );
    expect(await endpointUrls(`${prefixed.url}/tenant/oauth/echo`)).toMatchObject({
      token: `${issuer}/tenant/oauth/token`,
    });
  });

  it('are not in the OpenAPI description of the application', async () => {
    const { app } = await start(platform);
    const controllers = [...app.get(ModulesContainer).values()].flatMap((one) => Array.from(one.controllers.values()));
    const { metatype } = controllers.find(({ name }) => name === 'OAuth2Controller')!;
    expect(Reflect.getMetadata('swagger/apiExcludeController', metatype!)).toEqual([true]);
  });

  it('exist for each import of the module, unless two imports use one path', async () => {
    const two = (paths: OAuth2Paths) =>
      OAuth2Module.forRoot({ model: demoStore(), features, issuer: `${issuer}/b`, paths });
    const { imports = [] } = demoModule({ features, issuer });
    const { url } = await startApplication(platform, { imports: [...imports, two({ prefix: 'b' })] });
    expect(await endpointUrls(`${url}/oauth/echo`)).toMatchObject({ token: `${issuer}/oauth/token` });
    expect(await endpointUrls(`${url}/b/echo`)).toMatchObject({ token: `${issuer}/b/token` });
    const paths = { prefix: 'b', echo: 'oauth/echo' };
    await expect(startApplication(platform, { imports: [...imports, two(paths)] })).rejects.toThrow(
      'Invalid argument: two imports of OAuth2Module have the same path `oauth/echo`: give one of them different `paths`, or set `controllers: false`',
    );
  });
});

describe.each(PLATFORMS)('a well-known document on %s', (platform) => {
  afterEach(stopApplications);

  const seen = async (url: string) => {
    const { status, headers, body } = await readResponse(get(url, { origin: 'https://any.example' }));
    const names = ['access-control-allow-origin', 'x-host'].map((name) => headers[name]);
    return [status, ...names, typeof (body as { at?: unknown }).at];
  };

  it('is served at the root, without the global prefix, version and guards, but after the application’s middleware', async () => {
    const { imports = [], ...rest } = demoModule({ features, issuer });
    const mounted = RouterModule.register([{ path: 'id', module: OAuth2Module }]);
    const module = { imports: [...imports, mounted], ...rest, providers: GLOBAL_ENHANCERS };
    const { url } = await startApplication(platform, module, {
      prepare: (app) => {
        app.setGlobalPrefix('api').enableVersioning({ type: VersioningType.URI, defaultVersion: '2' });
        app.use((_: unknown, reply: { setHeader(name: string, value: string): void }, next: () => void) => {
          reply.setHeader('x-host', 'was here');
          next();
        });
        app.enableCors({ origin: 'https://other.example', credentials: true });
      },
    });
    expect(await seen(`${url}/.well-known/document`)).toEqual([200, '*', 'was here', 'object']);
    const preflight = await fetch(`${url}/.well-known/document`, { method: 'OPTIONS', headers: PREFLIGHT });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect((await get(`${url}/api/.well-known/document`)).status).toBe(404);
    const head = await fetch(`${url}/.well-known/document`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'application/json; charset=utf-8',
      '',
    ]);
  });

  it('rejects other methods, and allows cross-origin requests from any origin', async () => {
    const { url } = await start(platform, { cors: { origins: [APP] } });
    expect(await readResponse(post(`${url}/.well-known/document`, {}))).toEqual({
      status: 405,
      headers: { ...NO_STORE, allow: 'GET, HEAD', 'access-control-allow-origin': '*' },
      body: { error: 'invalid_request', error_description: 'Invalid request: method must be GET or HEAD' },
    });
    const headers = { origin: 'https://any.example', 'access-control-request-method': 'GET' };
    expect(await readResponse(fetch(`${url}/.well-known/document`, { method: 'OPTIONS', headers }))).toEqual({
      status: 204,
      headers: {
        'access-control-allow-headers': '*',
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-origin': '*',
        'access-control-max-age': '7200',
      },
      body: '',
    });
    expect((await readResponse(post(`${url}/.well-known/document`, { a: 'x'.repeat(2 ** 20) }))).status).toBe(413);
  });

  it.each(['/tenant', '/a/b.c/', '/w:x(1)', '/é%20f'])(
    'is served at both well-known URLs of an issuer with the path %s',
    async (path) => {
      const { url } = await start(platform, { issuer: issuer + path });
      const base = path.replace(/\/$/, '');
      expect((await seen(`${url}/.well-known/document${base}`))[0]).toBe(200);
      expect((await seen(`${url}${base}/.well-known/document`))[0]).toBe(200);
      expect((await get(`${url}/.well-known/document`)).status).toBe(404);
      expect((await get(`${url}/.well-known/document/else`)).status).toBe(404);
      const tooLarge = await post(`${url}/.well-known/document${base}`, { a: 'x'.repeat(2 ** 20) });
      expect([tooLarge.status, await tooLarge.json()]).toMatchObject([413, { error: 'invalid_request' }]);
    },
  );

  it('is served if the options are asynchronous or the model is request-scoped', async () => {
    const { useFactory, inject } = { useFactory: async () => ({ issuer: `${issuer}/late` }), inject: [] };
    const model = { useFactory: () => demoStore(), inject: ['REQUEST'] };
    const { url } = await startApplication(platform, {
      imports: [OAuth2Module.forRootAsync({ features, useFactory, inject, model })],
    });
    const { status, body } = await readResponse(get(`${url}/.well-known/document/late`));
    expect({ status, body }).toMatchObject({ status: 200, body: { at: { token: `${issuer}/late/oauth/token` } } });
    expect(await endpointUrls(`${url}/oauth/echo`)).toMatchObject({ token: `${issuer}/late/oauth/token` });
  });

  it('exists once in an application, unless the issuers have different paths', async () => {
    const two = (other: string) =>
      OAuth2Module.forRoot({ model: demoStore(), features, issuer: other, paths: { prefix: 'b' } });
    const { imports = [] } = demoModule({ features, issuer });
    await expect(startApplication(platform, { imports: [...imports, two('https://other.example')] })).rejects.toThrow(
      'Invalid argument: two imports of OAuth2Module have the same path `/.well-known/document`: give each an `issuer` with a different path, or remove the feature from one of them',
    );
    await expect(startApplication(platform, { imports: [...imports, two(`${issuer}/b`)] })).resolves.toBeDefined();
  });
});
