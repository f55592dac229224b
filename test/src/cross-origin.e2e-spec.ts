import type { INestApplication } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { demoModule } from '../support/servers/demo.js';
import { readResponse, basic, issued, NO_STORE, post, expectedRefusal } from '../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';

const APP = 'https://app.example';
const READABLE = {
  'access-control-allow-origin': APP,
  'access-control-expose-headers': 'Retry-After, WWW-Authenticate, DPoP-Nonce',
  vary: 'Origin',
};
const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
const GRANT = { grant_type: 'client_credentials', scope: 'notes:read' };
const credentials = basic('web', 'web-secret');
const cors = { origins: [APP, 'https://other.example'] };

const ask = (url: string, headers: object) =>
  readResponse(fetch(`${url}/oauth/token`, { method: 'OPTIONS', headers: { ...headers } }));
const token = (url: string, headers: object, form: Record<string, string> = GRANT) =>
  readResponse(post(`${url}/oauth/token`, form, { ...credentials, ...headers }));

describe.each(PLATFORMS)('cross-origin requests to the token endpoint on %s', (platform) => {
  afterEach(stopApplications);

  it('get the allowed methods and headers in a preflight response if `cors` is set', async () => {
    const { url } = await startApplication(platform, demoModule({ cors }));
    expect(await ask(url, { origin: APP, ...PREFLIGHT })).toEqual({
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
    const unknown = await ask(url, { origin: 'https://evil.example', ...PREFLIGHT });
    expect(unknown).toEqual({ status: 204, headers: { vary: 'Origin' }, body: '' });
  });

  it('are allowed from any origin, with the configured maximum age of the preflight result', async () => {
    const { url } = await startApplication(platform, demoModule({ cors: { origins: '*', maxAge: 60 } }));
    const { headers } = await ask(url, { origin: 'https://any.example', ...PREFLIGHT });
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://any.example',
      'access-control-max-age': '60',
    });
  });

  it('can read tokens and errors, including errors of the guard or the body parser', async () => {
    const { url } = await startApplication(platform, demoModule({ cors }));
    const readable = <T extends { headers: object }>(answer: T) => ({
      ...answer,
      headers: { ...answer.headers, ...READABLE },
    });
    expect(await token(url, { origin: APP })).toEqual(readable(issued({ scope: 'notes:read' })));
    const unsupported = expectedRefusal('unsupported_grant_type', 'Unsupported grant type: `grant_type` is invalid');
    expect(await token(url, { origin: APP }, { grant_type: 'x' })).toEqual(readable(unsupported));
    const large = await token(url, { origin: APP }, { code: 'x'.repeat(2 ** 20) });
    expect(large).toEqual(readable(expectedRefusal('invalid_request', 'Invalid request: content is too large', 413)));
    const options = await ask(url, { origin: APP });
    const method = 'Invalid request: method must be POST';
    expect(options).toEqual(readable(expectedRefusal('invalid_request', method, 405, { allow: 'POST' })));
  });

  it('are rejected if the client is registered for other origins', async () => {
    const { url } = await startApplication(platform, demoModule({ cors }));
    const { status, headers, body } = await token(url, { origin: 'https://other.example' });
    expect([status, headers['access-control-allow-origin']]).toEqual([400, 'https://other.example']);
    expect(body).toMatchObject({ error: 'invalid_request' });
  });

  it('get no CORS headers without the option `cors`', async () => {
    const { url } = await startApplication(platform, demoModule());
    expect((await ask(url, { origin: APP, ...PREFLIGHT })).status).toBe(405);
    expect(await token(url, { origin: APP })).toEqual(issued({ scope: 'notes:read' }));
  });

  const enableCors = (app: INestApplication) => app.enableCors({ origin: true, credentials: true });

  it('get the headers of the application’s own CORS if only the application enables it', async () => {
    const { url } = await startApplication(platform, demoModule(), { prepare: enableCors });
    const { headers } = await token(url, { origin: APP });
    expect(headers).toEqual({
      ...NO_STORE,
      'access-control-allow-credentials': 'true',
      'access-control-allow-origin': APP,
      vary: 'Origin',
    });
  });

  it('get the headers of `cors` once, without credentials, if enableCors() is used too', async () => {
    const { url } = await startApplication(platform, demoModule({ cors }), { prepare: enableCors });
    expect((await token(url, { origin: APP })).headers).toEqual({ ...NO_STORE, ...READABLE });
    const evil = await token(url, { origin: 'https://evil.example' });
    expect(evil).toEqual(expectedRefusal('invalid_request', expect.any(String) as never, 400, { vary: 'Origin' }));
    expect((await ask(url, { origin: APP, ...PREFLIGHT })).headers).toMatchObject({
      'access-control-allow-origin': APP,
    });
  });

  it('get preflight responses by `cors`, also if enableCors() allows only other origins', async () => {
    const prepare = (app: INestApplication) => app.enableCors({ origin: 'https://own.example' });
    const { url } = await startApplication(platform, demoModule({ cors }), { prepare });
    const alone = await startApplication(platform, demoModule({ cors }));
    for (const origin of [APP, 'https://own.example']) {
      expect(await ask(url, { origin, ...PREFLIGHT })).toEqual(await ask(alone.url, { origin, ...PREFLIGHT }));
    }
    const notes = await fetch(`${url}/notes`, { method: 'OPTIONS', headers: { origin: APP, ...PREFLIGHT } });
    expect(notes.headers.get('access-control-allow-origin')).toBe('https://own.example');
  });

  it('keep the application’s own `Vary` header', async () => {
    const prepare = (app: INestApplication) => {
      if (platform === 'fastify') {
        const fastify = app.getHttpAdapter().getInstance();
        fastify.addHook(
          'onRequest',
          (_request: unknown, reply: { header: (...header: string[]) => void }, done: () => void) => {
            reply.header('vary', 'Accept-Encoding');
            done();
          },
        );
      } else {
        app.use((_request: unknown, reply: { setHeader: (...header: string[]) => void }, next: () => void) => {
          reply.setHeader('vary', 'Accept-Encoding');
          next();
        });
      }
    };
    const { url } = await startApplication(platform, demoModule({ cors }), { prepare });
    expect((await token(url, { origin: APP })).headers['vary']).toBe('Accept-Encoding, Origin');
  });
});
