import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { OAuth2Module, OnOAuth2Event, type OAuth2Event } from 'nest-oauth2';
import { introspection, revocation } from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';

import { AUTHORIZATION_PARAMETERS, CALLBACK, demoStore, NotesController, SECRET } from '../support/servers/demo.js';
import { basic, bearer, get, post } from '../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../support/servers/test-application.js';
import { PageBrowser } from './pages/page-browser.js';

const ISSUER = 'https://id.example';
const WEB = basic('web', 'web-secret');
const authorize = `/oauth/authorize?${new URLSearchParams(AUTHORIZATION_PARAMETERS).toString()}`;

@Injectable()
class Operator {
  readonly heard: (OAuth2Event & { name: string })[] = [];

  @OnOAuth2Event('*')
  hear(event: OAuth2Event, name: string) {
    this.heard.push({ name, ...event });
  }

  take() {
    return this.heard.splice(0);
  }
}

const known = (event: object) => Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined));

describe.each(ANY_PLATFORM)('the events of a server on %s', (platform) => {
  let url = '';
  let operator: Operator;
  let browser: PageBrowser;
  /** Secrets that events must not contain. */
  const secrets = new Set<string>(['web-secret', 'wonderland', SECRET]);
  const all: string[] = [];

  beforeAll(async () => {
    const features = [pages(), revocation(), introspection()];
    const host = await startApplication(platform, {
      imports: [OAuth2Module.forRoot({ model: demoStore(), features, secret: SECRET, issuer: ISSUER })],
      controllers: [NotesController],
      providers: [Operator],
    });
    url = host.url;
    operator = host.app.get(Operator);
    browser = new PageBrowser(url, { 'x-forwarded-proto': 'https', host: 'id.example', origin: ISSUER });
  });
  afterAll(stopApplications);

  /** Returns the names and properties of new events, without the time and the issuer. */
  function heard(): [string, object][] {
    const events = operator.take();
    all.push(JSON.stringify(events));
    return events.map(({ name, at, issuer, ...event }) => {
      expect([at, issuer]).toEqual([expect.any(Date), ISSUER]);
      return [name, known(event)];
    });
  }

  async function ask(path: string, form: Record<string, string>) {
    const response = (await (await post(`${url}${path}`, form, WEB)).json()) as Record<string, string>;
    for (const name of ['access_token', 'refresh_token'] as const) if (response[name]) secrets.add(response[name]);
    return response;
  }

  it('report sign-ins, and failed sign-ins without the typed user name', async () => {
    await browser.signIn('/oauth/login', 'alice', 'wrong password');
    await browser.signIn('/oauth/login');
    expect(heard()).toEqual([
      [
        'user.refused',
        { endpoint: 'login', reason: 'user name or password is incorrect', remedy: expect.any(String), status: 401 },
      ],
      ['user.signed_in', { endpoint: 'login', userId: 'alice' }],
    ]);
    for (const value of browser.cookies.values()) secrets.add(value);
  });

  it('report consent and denial', async () => {
    await browser.send(await browser.get(authorize), { decision: 'deny' });
    const facts = { endpoint: 'authorize', clientId: 'web', userId: 'alice', scope: 'notes:read' };
    const { location } = await browser.send(await browser.get(authorize), { decision: 'allow' });
    secrets.add(new URL(location!).searchParams.get('code')!);
    const granted = { ...facts, responseType: 'code', grantId: expect.any(String) };
    expect(heard()).toEqual([
      [
        'consent.denied',
        { ...facts, responseType: 'code', error: 'access_denied', status: 400, description: expect.any(String) },
      ],
      ['consent.given', facts],
      ['authorization.granted', granted],
      ['code.issued', granted],
    ]);
    // The user consented before, so consent is granted without a page.
    await browser.get(authorize);
    expect(heard().map(([name]) => name)).toEqual(['authorization.granted', 'code.issued']);
  });

  it('report the lifecycle of a token, with ids that connect the events', async () => {
    const { location } = await browser.get(authorize);
    const code = new URL(location!).searchParams.get('code')!;
    const first = await ask('/oauth/token', { grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
    const second = await ask('/oauth/token', { grant_type: 'refresh_token', refresh_token: first['refresh_token']! });
    await ask('/oauth/introspect', { token: second['access_token']! });
    await ask('/oauth/introspect', { token: 'nonsense' });
    await get(`${url}/notes`, bearer(second['access_token']!));
    await ask('/oauth/revoke', { token: second['refresh_token']! });
    await ask('/oauth/token', { grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
    const [[, granted], ...events] = heard() as [[string, { grantId: string }], ...[string, object][]];
    const client = { clientId: 'web', userId: 'alice' };
    const { grantId } = granted;
    const proven = (endpoint: string) => [
      'client.authenticated',
      { endpoint, clientId: 'web', method: 'client_secret_basic' },
    ];
    const token = { ...client, endpoint: 'token', scope: 'notes:read', grantId };
    const requested = { endpoint: 'introspection', clientId: 'web' };
    const revoked = { ...client, endpoint: 'revocation', grantId };
    expect(events).toEqual([
      ['code.issued', granted],
      proven('token'),
      ['token.issued', { ...token, grantType: 'authorization_code' }],
      proven('token'),
      ['token.refreshed', { ...token, grantType: 'refresh_token' }],
      proven('introspection'),
      [
        'token.introspected',
        { ...requested, active: true, issuedTo: 'web', userId: 'alice', scope: 'notes:read', grantId },
      ],
      proven('introspection'),
      ['token.introspected', { ...requested, active: false }],
      proven('revocation'),
      ['token.revoked', { ...revoked, kind: 'grant' }],
      ['grant.ended', { ...revoked, reason: 'revoked' }],
      proven('token'),
      ['token.refused', expect.objectContaining({ reason: 'authorization code is unknown' })],
    ]);
  });

  it('report a replay, and the revocation of the grant', async () => {
    const code = new URL((await browser.get(authorize)).location!).searchParams.get('code')!;
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
    const { access_token: token } = await ask('/oauth/token', form);
    await ask('/oauth/token', form);
    await get(`${url}/notes`, bearer(token!));
    const facts = { endpoint: 'token', clientId: 'web', userId: 'alice', grantId: expect.any(String) };
    expect(heard().slice(5)).toEqual([
      ['token.reuse_detected', { ...facts, kind: 'authorization code' }],
      ['grant.ended', { ...facts, reason: 'reuse' }],
      ['token.refused', expect.objectContaining({ reason: 'authorization code was already used' })],
      ['access.refused', expect.objectContaining({ endpoint: 'resource', error: 'invalid_token' })],
    ]);
  });

  it('report once that a user removes the access of an application, and the sign-out', async () => {
    const list = await browser.get('/oauth/applications');
    await browser.send(list);
    await browser.send(list);
    await browser.send(await browser.get('/oauth/logout'));
    await browser.post('/oauth/logout', {});
    const facts = { endpoint: 'applications', clientId: 'web', userId: 'alice' };
    expect(heard()).toEqual([
      ['consent.withdrawn', facts],
      ['grant.ended', { ...facts, reason: 'withdrawn' }],
      ['user.signed_out', { endpoint: 'logout', userId: 'alice' }],
    ]);
  });

  it('never contain secrets', () => {
    expect(secrets.size).toBeGreaterThan(8);
    for (const secret of secrets) expect(all.join('\n')).not.toContain(secret);
  });
});
