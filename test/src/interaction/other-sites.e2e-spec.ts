import { EventEmitter } from 'node:events';
import type { INestApplication } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DECIDED_WITH_CODE, openConsentPage, PAGE_HEADERS, pageOf } from '../../support/consent.js';
import { AUTHORIZATION_PARAMETERS, DemoInteraction, demoModule } from '../../support/demo.js';
import { readResponse, get, NO_STORE, post } from '../../support/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/test-application.js';

const asAlice = { cookie: 'user=alice' };
const evil = { origin: 'https://evil.example' };
const enableCors = (app: INestApplication) => app.enableCors({ origin: true, credentials: true });

// Issue 10, 1.5
describe.each(PLATFORMS)('another site at the authorization endpoint on %s', (platform) => {
  afterEach(stopApplications);

  const query = new URLSearchParams(AUTHORIZATION_PARAMETERS).toString();
  const named = (headers: Record<string, string>) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control'));

  it('reads no page, redirect or error, whatever CORS the host and the option `cors` allow', async () => {
    const { url } = await startApplication(platform, demoModule({ cors: { origins: '*' } }), { prepare: enableCors });
    const page = await readResponse(get(`${url}/oauth/authorize?${query}`, { ...asAlice, ...evil }));
    expect(pageOf(page).user).toBe('alice');
    expect(page.headers).toEqual({ ...PAGE_HEADERS, vary: 'Origin' });
    for (const [path, status] of [
      [`?${query}`, 302],
      ['?client_id=nobody', 400],
    ] as const) {
      const answer = await readResponse(get(`${url}/oauth/authorize${path}`, evil));
      expect([answer.status, named(answer.headers)]).toEqual([status, []]);
    }
    const large = await readResponse(post(`${url}/oauth/authorize`, { state: 'x'.repeat(2 ** 20) }, evil));
    expect([large.status, named(large.headers)]).toEqual([413, []]);
    const method = await readResponse(fetch(`${url}/oauth/authorize`, { method: 'PUT', headers: evil }));
    expect([method.status, named(method.headers)]).toEqual([405, []]);
  });

  if (platform === 'fastify') {
    it('is not answered when it asks what it may send', async () => {
      const { url } = await startApplication(platform, demoModule(), { prepare: enableCors });
      const headers = { ...evil, 'access-control-request-method': 'GET' };
      const answer = await readResponse(fetch(`${url}/oauth/authorize`, { method: 'OPTIONS', headers }));
      expect([answer.status, named(answer.headers)]).toEqual([405, []]);
    });

    it('reads nothing that a later hook of the host would let it read', async () => {
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
    ['a browser says is another', { 'sec-fetch-site': 'cross-site' }],
    ['a browser says is a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['a browser says is another, though it has this name', { 'sec-fetch-site': 'cross-site', origin: 'URL' }],
    ['an older browser names', evil],
    ['has another port', { origin: 'http://127.0.0.1:1' }],
  ])('cannot send a decision when it is one that %s', async (_name, headers) => {
    const refusals: object[] = [];
    const events = new EventEmitter().on('authorization.refused', (event: object) => refusals.push(event));
    const { url } = await startApplication(platform, demoModule({ events }));
    const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('URL', url)]));
    for (const decision of ['allow', 'deny']) {
      expect(await readResponse(post(url + action, { ticket, decision }, { ...asAlice, ...sent }))).toEqual({
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
    ['of this site', { 'sec-fetch-site': 'same-origin', origin: 'URL' }],
    ['of this site that hides its name', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ['that the user sent again', { 'sec-fetch-site': 'none' }],
    ['in an older browser', { origin: 'URL' }],
    ['without TLS and Referer, where browsers say nothing else', { origin: 'null' }],
    ['behind a proxy, under the name of the issuer', { origin: 'https://id.example' }],
  ])('is not meant: a decision is taken %s', async (_name, headers) => {
    const { url } = await startApplication(platform, demoModule({ issuer: 'https://id.example' }));
    const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('URL', url)]));
    const { status } = await readResponse(post(url + action, { ticket, decision: 'allow' }, { ...asAlice, ...sent }));
    expect(status).toBe(DECIDED_WITH_CODE.status);
  });

  it('is told from this one behind a proxy that the host trusts', async () => {
    const forwarded = { ...asAlice, origin: 'https://public.example', 'x-forwarded-host': 'public.example' };
    const statuses = [];
    for (const trustProxy of [true, false]) {
      const { url } = await startApplication(platform, demoModule(), { trustProxy });
      const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
      statuses.push((await readResponse(post(url + action, { ticket, decision: 'allow' }, forwarded))).status);
    }
    expect(statuses).toEqual([303, 403]);
  });

  it('may send a whole request as a form, which is asked about as any other', async () => {
    const { url } = await startApplication(platform, demoModule());
    const headers = { ...asAlice, ...evil, 'sec-fetch-site': 'cross-site' };
    expect(pageOf(await readResponse(post(`${url}/oauth/authorize`, AUTHORIZATION_PARAMETERS, headers))).user).toBe(
      'alice',
    );
  });

  it('is told off on the host’s own page, where it has one', async () => {
    const interaction = Object.assign(new DemoInteraction(), {
      showError: (error: Error) => ({ html: `<p>${error.message}` }),
    });
    const { url } = await startApplication(platform, demoModule({ interaction }));
    const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const answer = await readResponse(post(url + action, { ticket, decision: 'allow' }, { ...asAlice, ...evil }));
    expect(answer).toEqual({
      status: 403,
      headers: PAGE_HEADERS,
      body: '<p>Access denied: the decision was sent by a page of another site',
    });
  });
});
