import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { signOutAtClients } from 'nest-oauth2/openid';
import * as client from 'openid-client';

import { ANY_PLATFORM, stopApplications } from '../../support/servers/test-application.js';
import { json, TlsServer } from '../../support/servers/tls-server.js';
import { logoutListener, openProvider } from './logout-application.js';

// OpenID Connect Back-Channel Logout 1.0

const clients = new TlsServer();
let heard: string[];
// Each test has a port of its own, so that it receives no late notification of the application of another test.
beforeEach(async () => {
  clients.reset();
  await clients.start();
  heard = [];
  clients.replies['/web'] = logoutListener(heard);
});
afterEach(stopApplications);
afterEach(() => clients.stop());

describe.each(ANY_PLATFORM)('back-channel logout of a client on %s', (platform) => {
  it('sends a logout token with the `sid` of the ID token', async () => {
    const { enter, signIn, signOut, settled, judge, reported, events, configOf } = await openProvider(
      platform,
      clients,
    );
    expect((await configOf('web')).serverMetadata()).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
    const browser = await signIn();
    const { claims } = await enter(browser);
    await signOut(browser);
    await settled(1);
    const [{ headers, method }] = clients.requests as [TlsServer['requests'][0]];
    expect([method, headers['content-type']]).toEqual(['POST', 'application/x-www-form-urlencoded']);
    const { payload, protectedHeader } = await judge(heard[0]!);
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'logout+jwt' });
    expect(payload).toEqual({
      iss: claims.iss,
      sub: '1',
      aud: 'web',
      iat: expect.any(Number),
      exp: payload.iat! + 120,
      jti: expect.stringMatching(/^[\w-]{22}$/),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      sid: claims['sid'],
    });
    expect(claims['sid']).toMatch(/^[\w-]{22}$/);
    expect(reported('logout.delivered')).toEqual([
      { at: expect.any(Date), endpoint: 'logout', issuer: claims.iss, clientId: 'web', userId: '1' },
    ]);
    expect(JSON.stringify(events)).not.toContain(heard[0]!);
  });

  it('sends one logout token even if the user signed in and out several times', async () => {
    const { enter, signIn, signOut, settled } = await openProvider(platform, clients);
    const browser = await signIn();
    for (let times = 0; times < 3; times += 1) await enter(browser);
    const shown = [await browser.get('/oauth/logout'), await browser.get('/oauth/logout')];
    await Promise.all(shown.map((page) => browser.send(page)));
    await settled(1);
    await signIn().then(signOut);
    expect(heard).toHaveLength(1);
  });

  it('uses the client’s pairwise subject and ID token algorithm', async () => {
    const web = { subjectType: 'pairwise', idTokenSignedResponseAlg: 'ES256' };
    const { enter, signIn, signOut, settled, judge } = await openProvider(platform, clients, { web });
    const browser = await signIn();
    const { claims } = await enter(browser);
    await signOut(browser);
    await settled(1);
    expect(decodeProtectedHeader(heard[0]!).alg).toBe('ES256');
    const { payload } = await judge(heard[0]!);
    expect([payload.sub, payload['sid']]).toEqual([claims.sub, claims['sid']]);
    expect(payload.sub).not.toBe('1');
  });

  it('notifies only clients at which the user has signed in during this session', async () => {
    clients.replies['/other'] = logoutListener([]);
    const other = { backchannelLogoutUri: clients.url('/other') };
    const { enter, signIn, signOut, settled, judge } = await openProvider(platform, clients, { other });
    const [here, there, bob] = [await signIn(), await signIn(), await signIn('bob')];
    const { claims } = await enter(here);
    await enter(there);
    await enter(bob, 'other');
    await signOut(here);
    await settled(1);
    expect(clients.requests.map(({ url }) => url)).toEqual(['/web']);
    expect((await judge(heard[0]!)).payload['sid']).toBe(claims['sid']);
  });

  it('notifies the client when another client signs the user out', async () => {
    const other = { postLogoutRedirectUris: ['https://client.example/bye'] };
    const { enter, signIn, settled, configOf } = await openProvider(platform, clients, { other });
    const browser = await signIn();
    await enter(browser);
    const { id_token: hint } = await enter(browser, 'other');
    const { pathname, search } = client.buildEndSessionUrl(await configOf('other'), {
      id_token_hint: hint!,
      post_logout_redirect_uri: 'https://client.example/bye',
    });
    expect((await browser.get(pathname + search)).location).toBe('https://client.example/bye');
    await settled(1);
    expect(heard).toHaveLength(1);
  });

  it('notifies the client that began the sign-out when the user has returned to it', async () => {
    const bye = 'https://client.example/bye';
    const others: string[] = [];
    clients.replies['/other'] = logoutListener(others);
    const web = { postLogoutRedirectUris: [bye] };
    const other = { backchannelLogoutUri: clients.url('/other') };
    const { enter, signIn, settled, configOf, judge } = await openProvider(platform, clients, { web, other });
    const browser = await signIn();
    const { id_token: hint, claims } = await enter(browser);
    await enter(browser, 'other');
    const { pathname, search } = client.buildEndSessionUrl(await configOf('web'), {
      id_token_hint: hint!,
      post_logout_redirect_uri: bye,
    });
    expect((await browser.get(pathname + search)).location).toBe(bye);
    await settled(2);
    const { payload } = await judge(heard[0]!);
    expect(payload['sid']).toBe(claims['sid']);
    // Some clients, such as Keycloak, need their session until the user has returned.
    expect(payload.iat! - decodeJwt(others[0]!).iat!).toBeGreaterThanOrEqual(5);
    // An ID token of an earlier session does not show that the client has ended this one.
    const again = await signIn();
    await enter(again);
    const signedOutAt = Math.floor(Date.now() / 1000);
    expect((await again.get(pathname + search)).location).toBe(bye);
    await settled(3);
    expect((await judge(heard[1]!)).payload.iat! - signedOutAt).toBeLessThan(5);
  });

  it('notifies the client when another user signs in, but not on re-authentication', async () => {
    const { enter, signIn, settled, judge } = await openProvider(platform, clients);
    const browser = await signIn();
    const { claims } = await enter(browser);
    await browser.signIn('/oauth/login?prompt=login', 'alice');
    expect((await enter(browser)).claims['sid']).toBe(claims['sid']);
    await browser.signIn('/oauth/login?prompt=login', 'bob');
    await settled(1);
    await enter(browser);
    await browser.send(await browser.get('/oauth/login'), { account: 'other' });
    await settled(2);
    const said = await Promise.all(heard.map(async (one) => (await judge(one)).payload.sub));
    expect(said).toEqual(['1', '2']);
  });

  it('notifies the client when the application revokes everything of the user', async () => {
    const { enter, signIn, settled, judge, model, server } = await openProvider(platform, clients);
    const sids = new Set<unknown>();
    for (const browser of [await signIn(), await signIn()]) sids.add((await enter(browser)).claims['sid']);
    await enter(await signIn('bob'));
    await model.revokeGrantsOf({ userId: '1' });
    await settled(2);
    const reported = await Promise.all(heard.map(async (one) => (await judge(one)).payload));
    expect(new Set(reported.map(({ sid }) => sid))).toEqual(sids);
    expect(await signOutAtClients(server, { userId: '2' })).toEqual({ frames: [] });
    await settled(3);
    expect((await judge(heard[2]!)).payload.sub).toBe('2');
  });

  it('notifies the client about a session that the application manages itself', async () => {
    const { settled, judge, enter, signIn, server } = await openProvider(platform, clients);
    const browser = await signIn();
    const { claims } = await enter(browser);
    await signOutAtClients(server, { userId: '1', sid: 'another' });
    await signOutAtClients(server, { userId: '2', sid: String(claims['sid']) });
    await signOutAtClients(server, { userId: '1', sid: String(claims['sid']) });
    await settled(1);
    expect(heard).toHaveLength(1);
    expect((await judge(heard[0]!)).payload['sid']).toBe(claims['sid']);
    await expect(signOutAtClients(server, { userId: '' })).rejects.toThrow('`userId` must have a value');
  });

  it('revokes the refresh token of the session, unless offline_access was granted', async () => {
    const { enter, signIn, signOut, configOf } = await openProvider(platform, clients, { endsGrants: true });
    const browser = await signIn();
    const [online, offline] = [await enter(browser), await enter(browser, 'web', 'openid offline_access')];
    const [elsewhere] = [await enter(await signIn())];
    await signOut(browser);
    const refresh = async (token: string) => client.refreshTokenGrant(await configOf('web'), token);
    await expect(refresh(online.refresh_token!)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(refresh(offline.refresh_token!)).resolves.toMatchObject({ access_token: expect.any(String) });
    await expect(refresh(elsewhere.refresh_token!)).resolves.toMatchObject({ access_token: expect.any(String) });
  });

  it('retries a failed notification a limited number of times', async () => {
    let trouble = 1;
    clients.replies['/web'] = logoutListener(heard, (response) =>
      response.writeHead((trouble -= 1) < 0 ? 200 : 503).end(),
    );
    const { enter, signIn, signOut, settled, reported } = await openProvider(platform, clients);
    const browser = await signIn();
    await enter(browser);
    await signOut(browser);
    await settled(1);
    expect([reported('logout.delivered').length, heard.length, new Set(heard).size]).toEqual([1, 2, 1]);
  });
});

describe('a sign-out by the user', () => {
  it('does not wait for notified clients', async () => {
    clients.replies['/slow'] = () => undefined;
    const web = { backchannelLogoutUri: clients.url('/slow') };
    const { enter, signIn, signOut, reported } = await openProvider('express', clients, { web });
    const browser = await signIn();
    await enter(browser);
    expect((await signOut(browser)).status).toBe(303);
    expect((await browser.get('/oauth/logout')).heading).toBe('You are signed out');
    expect([reported('logout.delivered'), reported('logout.failed')]).toEqual([[], []]);
  });

  it.each([
    ['responds with an error', json({ error: 'invalid_request' }, {}, 400)],
    ['responds with a redirect', json({}, { location: 'https://client.example/elsewhere' }, 302)],
  ])('takes effect immediately if a client %s', async (_, reply) => {
    clients.replies['/web'] = logoutListener(heard, reply);
    const { enter, signIn, signOut, settled, reported } = await openProvider('express', clients);
    const browser = await signIn();
    await enter(browser);
    expect((await signOut(browser)).status).toBe(303);
    expect((await browser.get('/oauth/logout')).heading).toBe('You are signed out');
    await settled(1);
    expect(reported('logout.failed')).toMatchObject([{ clientId: 'web', userId: '1', reason: expect.any(String) }]);
    expect(heard).toHaveLength(1);
    expect(clients.count('/elsewhere')).toBe(0);
  });

  it.each([
    'https://127.0.0.1:1/',
    'https://169.254.169.254/latest',
    'http://client.example/',
    'https://localhost/',
    'file:///etc/passwd',
    'nonsense',
  ])('does not send a notification to %s', async (uri) => {
    const web = { backchannelLogoutUri: uri };
    const fetch = {};
    const { enter, signIn, signOut, settled, reported } = await openProvider('express', clients, { web, fetch });
    const browser = await signIn();
    await enter(browser);
    await signOut(browser);
    await settled(1);
    expect(reported('logout.failed')).toMatchObject([{ reason: expect.stringContaining('cannot be fetched') }]);
  });

  it('is not possible by a form of another site (CSRF)', async () => {
    const { enter, signIn, url } = await openProvider('express', clients);
    const browser = await signIn();
    await enter(browser);
    const response = await browser.post(
      '/oauth/logout',
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    );
    expect([response.heading, heard.length]).toEqual(['Sign out?', 0]);
    expect((await browser.get(`${url}/oauth/logout`)).heading).toBe('Sign out?');
  });

  it('succeeds without an error page if the store fails to list the clients of the session', async () => {
    const { enter, signIn, signOut, model, settled, reported } = await openProvider('express', clients);
    const browser = await signIn();
    await enter(browser);
    model.takeSessionClients = () => Promise.reject(new Error('no store'));
    expect((await signOut(browser)).status).toBe(303);
    await settled(1);
    expect(reported('logout.failed')).toMatchObject([{ userId: '1', reason: 'no store' }]);
  });

  it('issues a logout token that is not accepted as id_token_hint', async () => {
    const other = { postLogoutRedirectUris: ['https://client.example/bye'] };
    const { enter, signIn, signOut, settled } = await openProvider('express', clients, { other });
    const browser = await signIn();
    await enter(browser);
    await signOut(browser);
    await settled(1);
    const again = await signIn();
    const page = await again.get(`/oauth/logout?id_token_hint=${heard[0]!}`);
    expect([page.status, page.heading]).toEqual([400, "This request can't be completed"]);
  });
});

describe('the registered logout metadata of a client', () => {
  const register = async (said: object) => {
    const { url } = await openProvider('express', clients);
    const body = JSON.stringify({ redirect_uris: ['https://client.example/cb'], ...said });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/oauth/register`, { method: 'POST', headers, body });
    return { status: response.status, body: (await response.json()) as JWTPayload };
  };

  it('are stored', async () => {
    const said = {
      backchannel_logout_uri: 'https://client.example/out?a=b',
      backchannel_logout_session_required: true,
      frontchannel_logout_uri: 'https://client.example/frame',
      frontchannel_logout_session_required: true,
    };
    expect(await register(said)).toMatchObject({ status: 201, body: said });
  });

  it.each([
    { backchannel_logout_uri: 'http://client.example/out' },
    { backchannel_logout_uri: 'https://client.example/out#fragment' },
    { backchannel_logout_uri: 'https://client.example/out?a#fragment' },
    { backchannel_logout_uri: 'https://user:password@client.example/out' },
    { backchannel_logout_uri: ['https://client.example/out'] },
    { backchannel_logout_session_required: 'true' },
    { frontchannel_logout_uri: 'https://evil.example/out' },
    { frontchannel_logout_uri: 'https://client.example:444/out' },
    { frontchannel_logout_uri: 'javascript:alert(1)' },
  ])('are rejected as %j', async (said) => {
    expect(await register(said)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
  });
});
