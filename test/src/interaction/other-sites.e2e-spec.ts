import { EventEmitter } from 'node:events';
import type { INestApplication } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DECIDED_WITH_CODE, openConsentPage, PAGE_HEADERS, pageOf } from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, DemoInteraction, demoModule } from '../../support/servers/demo.js';
import { readResponse, get, NO_STORE, post } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const asAlice = { cookie: 'user=alice' };
const evil = { origin: 'https://evil.example' };
const enableCors = (app: INestApplication) => app.enableCors({ origin: true, credentials: true });

describe.each(PLATFORMS)('requests of another site to the authorization endpoint on %s', (platform) => {
  afterEach(stopApplications);

  const query = new URLSearchParams(AUTHORIZATION_PARAMETERS).toString();
  const named = (headers: Record<string, string>) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control'));

  it('get no CORS headers, even if the application and `cors` allow all origins', async () => {
    const { url } = await startApplication(platform, demoModule({ cors: { origins: '*' } }), { prepare: enableCors });
    const page = await readResponse(get(`${url}/oauth/authorize?${query}`, { ...asAlice, ...evil }));
    expect(pageOf(page).user).toBe('alice');
    expect(page.headers).toEqual({ ...PAGE_HEADERS, vary: 'Origin' });
    for (const [path, status] of [
      [`?${query}`, 302],
      ['?client_id=nobody', 400],
    ] as const) {
      const response = await readResponse(get(`${url}/oauth/authorize${path}`, evil));
      expect([response.status, named(response.headers)]).toEqual([status, []]);
    }
    const large = await readResponse(post(`${url}/oauth/authorize`, { state: 'x'.repeat(2 ** 20) }, evil));
    expect([large.status, named(large.headers)]).toEqual([413, []]);
    const method = await readResponse(fetch(`${url}/oauth/authorize`, { method: 'PUT', headers: evil }));
    expect([method.status, named(method.headers)]).toEqual([405, []]);
  });

  if (platform === 'fastify') {
    it('get no CORS headers in a preflight response', async () => {
      const { url } = await startApplication(platform, demoModule(), { prepare: enableCors });
      const headers = { ...evil, 'access-control-request-method': 'GET' };
      const response = await readResponse(fetch(`${url}/oauth/authorize`, { method: 'OPTIONS', headers }));
      expect([response.status, named(response.headers)]).toEqual([405, []]);
    });

    it('get no CORS headers even if a later hook of the application adds them', async () => {
      const prepare = (app: INestApplication) =>
        app
          .getHttpAdapter()
          .getInstance()
          .addHook(
            'onSend',
            (_request: unknown, reply: { header: (...header: string[]) => void }, _body: unknown, done: () => void) => {
              reply.header('Access-Control-Allow-Origin', evil.origin);
              done();
            },
          );
      const { url } = await startApplication(platform, demoModule(), { prepare });
      const page = await readResponse(get(`${url}/oauth/authorize?${query}`, { ...asAlice, ...evil }));
      expect([page.status, named(page.headers)]).toEqual([200, []]);
    });
  }

  it.each<[string, Record<string, string>]>([
    ['with Sec-Fetch-Site cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['with Sec-Fetch-Site same-site', { 'sec-fetch-site': 'same-site' }],
    ['with Sec-Fetch-Site cross-site and the server’s own origin', { 'sec-fetch-site': 'cross-site', origin: 'URL' }],
    ['with a foreign Origin header only', evil],
    ['with another port in the Origin header', { origin: 'http://127.0.0.1:1' }],
  ])('cannot send a consent decision (CSRF): %s', async (_name, headers) => {
    const refusals: object[] = [];
    const events = new EventEmitter().on('authorization.refused', (event: object) => refusals.push(event));
    const { url } = await startApplication(platform, demoModule({ events }));
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('URL', url)]));
    for (const decision of ['allow', 'deny']) {
      expect(
        await readResponse(post(url + action, { csrf_token: csrfToken, decision }, { ...asAlice, ...sent })),
      ).toEqual({
        status: 403,
        headers: { ...NO_STORE, pragma: undefined },
        body: {
          error: 'access_denied',
          error_description: 'Access denied: the decision was sent by a page of another site',
        },
      });
    }
    const reason = 'consent decision was sent by a page of another site';
    const refusal = { endpoint: 'authorize', clientId: 'web', error: 'access_denied', status: 403, reason };
    expect(refusals).toEqual([expect.objectContaining(refusal), expect.objectContaining(refusal)]);
  });

  it.each<[string, Record<string, string>]>([
    ['Sec-Fetch-Site: same-origin', { 'sec-fetch-site': 'same-origin', origin: 'URL' }],
    ['Sec-Fetch-Site: same-origin and Origin: null', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ['Sec-Fetch-Site: none, as after a reload', { 'sec-fetch-site': 'none' }],
    ['only the server’s own Origin', { origin: 'URL' }],
    ['only Origin: null, as sent by browsers without TLS and Referer', { origin: 'null' }],
    ['the Origin of the issuer, as behind a proxy', { origin: 'https://id.example' }],
  ])(
    'are not confused with a consent decision of the server’s own page, which is accepted with %s',
    async (_name, headers) => {
      const { url } = await startApplication(platform, demoModule({ issuer: 'https://id.example' }));
      const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
      const sent = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replace('URL', url)]),
      );
      const { status } = await readResponse(
        post(url + action, { csrf_token: csrfToken, decision: 'allow' }, { ...asAlice, ...sent }),
      );
      expect(status).toBe(DECIDED_WITH_CODE.status);
    },
  );

  it('include forms of the public host of a proxy, unless the application trusts X-Forwarded-Host', async () => {
    const forwarded = { ...asAlice, origin: 'https://public.example', 'x-forwarded-host': 'public.example' };
    const statuses = [];
    for (const trustProxy of [true, false]) {
      const { url } = await startApplication(platform, demoModule(), { trustProxy });
      const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
      statuses.push(
        (await readResponse(post(url + action, { csrf_token: csrfToken, decision: 'allow' }, forwarded))).status,
      );
    }
    expect(statuses).toEqual([303, 403]);
  });

  it('may send a complete authorization request as a form, which shows the consent page', async () => {
    const { url } = await startApplication(platform, demoModule());
    const headers = { ...asAlice, ...evil, 'sec-fetch-site': 'cross-site' };
    expect(pageOf(await readResponse(post(`${url}/oauth/authorize`, AUTHORIZATION_PARAMETERS, headers))).user).toBe(
      'alice',
    );
  });

  it('show the application’s own error page, if it has one, for a consent decision', async () => {
    const interaction = Object.assign(new DemoInteraction(), {
      showError: (error: Error) => ({ html: `<p>${error.message}` }),
    });
    const { url } = await startApplication(platform, demoModule({ interaction }));
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const response = await readResponse(
      post(url + action, { csrf_token: csrfToken, decision: 'allow' }, { ...asAlice, ...evil }),
    );
    expect(response).toEqual({
      status: 403,
      headers: PAGE_HEADERS,
      body: '<p>Access denied: the decision was sent by a page of another site',
    });
  });
});
