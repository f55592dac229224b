import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader, type JWTPayload } from 'jose';
import { signOutAtClients } from 'nest-oauth2/openid';
import * as client from 'openid-client';

import { ANY_PLATFORM, stopApplications } from '../../support/test-application.js';
import { json, TlsServer } from '../../support/tls-server.js';
import { logoutListener, openProvider } from './logout-application.js';

// OpenID Connect Back-Channel Logout 1.0

const clients = new TlsServer();
let heard: string[];
beforeAll(() => clients.start());
afterAll(() => clients.stop());
beforeEach(() => {
  clients.reset();
  heard = [];
  clients.replies['/web'] = logoutListener(heard);
});
afterEach(stopApplications);

describe.each(ANY_PLATFORM)('a client whose user signs out, on %s', (platform) => {
  it('is told by a token that is for nothing else, of the session that its ID token named', async () => {
    const { enter, signIn, signOut, settled, judge, told, events, configOf } = await openProvider(platform, clients);
    expect((await configOf('web')).serverMetadata()).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
    const visitor = await signIn();
    const { claims } = await enter(visitor);
    await signOut(visitor);
    await settled(1);
    const [{ headers, method }] = clients.seen as [TlsServer['seen'][0]];
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
    expect(told('logout.delivered')).toEqual([
      { at: expect.any(Date), endpoint: 'logout', issuer: claims.iss, clientId: 'web', userId: '1' },
    ]);
    expect(JSON.stringify(events)).not.toContain(heard[0]!);
  });

  it('is told once, however often the user had come in and goes out', async () => {
    const { enter, signIn, signOut, settled } = await openProvider(platform, clients);
    const visitor = await signIn();
    for (let times = 0; times < 3; times += 1) await enter(visitor);
    const shown = [await visitor.get('/oauth/logout'), await visitor.get('/oauth/logout')];
    await Promise.all(shown.map((page) => visitor.send(page)));
    await settled(1);
    await signIn().then(signOut);
    expect(heard).toHaveLength(1);
  });

  it('is told by the name that it knows its user by, as its ID tokens are signed', async () => {
    const web = { subjectType: 'pairwise', idTokenSignedResponseAlg: 'ES256' };
    const { enter, signIn, signOut, settled, judge } = await openProvider(platform, clients, { web });
    const visitor = await signIn();
    const { claims } = await enter(visitor);
    await signOut(visitor);
    await settled(1);
    expect(decodeProtectedHeader(heard[0]!).alg).toBe('ES256');
    const { payload } = await judge(heard[0]!);
    expect([payload.sub, payload['sid']]).toEqual([claims.sub, claims['sid']]);
    expect(payload.sub).not.toBe('1');
  });

  it('is told nothing of users who have not come to it, nor of other sessions', async () => {
    clients.replies['/other'] = logoutListener([]);
    const other = { backchannelLogoutUri: clients.url('/other') };
    const { enter, signIn, signOut, settled, judge } = await openProvider(platform, clients, { other });
    const [here, there, bob] = [await signIn(), await signIn(), await signIn('bob')];
    const { claims } = await enter(here);
    await enter(there);
    await enter(bob, 'other');
    await signOut(here);
    await settled(1);
    expect(clients.seen.map(({ url }) => url)).toEqual(['/web']);
    expect((await judge(heard[0]!)).payload['sid']).toBe(claims['sid']);
  });

  it('is told where the user is sent to sign out by another client', async () => {
    const other = { postLogoutRedirectUris: ['https://client.example/bye'] };
    const { enter, signIn, settled, configOf } = await openProvider(platform, clients, { other });
    const visitor = await signIn();
    await enter(visitor);
    const { id_token: hint } = await enter(visitor, 'other');
    const { pathname, search } = client.buildEndSessionUrl(await configOf('other'), {
      id_token_hint: hint!,
      post_logout_redirect_uri: 'https://client.example/bye',
    });
    expect((await visitor.get(pathname + search)).location).toBe('https://client.example/bye');
    await settled(1);
    expect(heard).toHaveLength(1);
  });

  it('is told where somebody else takes over the browser, and not where the same user proves again who they are', async () => {
    const { enter, signIn, settled, judge } = await openProvider(platform, clients);
    const visitor = await signIn();
    const { claims } = await enter(visitor);
    await visitor.signIn('/oauth/login?prompt=login', 'alice');
    expect((await enter(visitor)).claims['sid']).toBe(claims['sid']);
    await visitor.signIn('/oauth/login?prompt=login', 'bob');
    await settled(1);
    await enter(visitor);
    await visitor.send(await visitor.get('/oauth/login'), { account: 'other' });
    await settled(2);
    const said = await Promise.all(heard.map(async (one) => (await judge(one)).payload.sub));
    expect(said).toEqual(['1', '2']);
  });

  it('is told where the host ends all that the user has', async () => {
    const { enter, signIn, settled, judge, model, server } = await openProvider(platform, clients);
    const sids = new Set<unknown>();
    for (const visitor of [await signIn(), await signIn()]) sids.add((await enter(visitor)).claims['sid']);
    await enter(await signIn('bob'));
    await model.revokeGrantsOf({ userId: '1' });
    await settled(2);
    const told = await Promise.all(heard.map(async (one) => (await judge(one)).payload));
    expect(new Set(told.map(({ sid }) => sid))).toEqual(sids);
    expect(await signOutAtClients(server, { userId: '2' })).toEqual({ frames: [] });
    await settled(3);
    expect((await judge(heard[2]!)).payload.sub).toBe('2');
  });

  it('is told of a session that the host keeps by itself', async () => {
    const { settled, judge, enter, signIn, server } = await openProvider(platform, clients);
    const visitor = await signIn();
    const { claims } = await enter(visitor);
    await signOutAtClients(server, { userId: '1', sid: 'another' });
    await signOutAtClients(server, { userId: '2', sid: String(claims['sid']) });
    await signOutAtClients(server, { userId: '1', sid: String(claims['sid']) });
    await settled(1);
    expect(heard).toHaveLength(1);
    expect((await judge(heard[0]!)).payload['sid']).toBe(claims['sid']);
    await expect(signOutAtClients(server, { userId: '' })).rejects.toThrow('`userId` must have a value');
  });

  it('loses its refresh token with the session, unless that was for the time when the user is away', async () => {
    const { enter, signIn, signOut, configOf } = await openProvider(platform, clients, { endsGrants: true });
    const visitor = await signIn();
    const [online, offline] = [await enter(visitor), await enter(visitor, 'web', 'openid offline_access')];
    const [elsewhere] = [await enter(await signIn())];
    await signOut(visitor);
    const refresh = async (token: string) => client.refreshTokenGrant(await configOf('web'), token);
    await expect(refresh(online.refresh_token!)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(refresh(offline.refresh_token!)).resolves.toMatchObject({ access_token: expect.any(String) });
    await expect(refresh(elsewhere.refresh_token!)).resolves.toMatchObject({ access_token: expect.any(String) });
  });

  it('is told again where it is in trouble, and no more than a few times', async () => {
    let trouble = 1;
    clients.replies['/web'] = logoutListener(heard, (response) =>
      response.writeHead((trouble -= 1) < 0 ? 200 : 503).end(),
    );
    const { enter, signIn, signOut, settled, told } = await openProvider(platform, clients);
    const visitor = await signIn();
    await enter(visitor);
    await signOut(visitor);
    await settled(1);
    expect([told('logout.delivered').length, heard.length, new Set(heard).size]).toEqual([1, 2, 1]);
  });
});

describe('whoever signs out', () => {
  it('waits for no client', async () => {
    clients.replies['/slow'] = () => undefined;
    const web = { backchannelLogoutUri: clients.url('/slow') };
    const { enter, signIn, signOut, told } = await openProvider('express', clients, { web });
    const visitor = await signIn();
    await enter(visitor);
    expect((await signOut(visitor)).status).toBe(303);
    expect((await visitor.get('/oauth/logout')).heading).toBe('You are signed out');
    expect([told('logout.delivered'), told('logout.failed')]).toEqual([[], []]);
  });

  it.each([
    ['says no', json({ error: 'invalid_request' }, {}, 400)],
    ['sends them elsewhere', json({}, { location: 'https://client.example/elsewhere' }, 302)],
  ])('is signed out at once where a client %s', async (_, reply) => {
    clients.replies['/web'] = logoutListener(heard, reply);
    const { enter, signIn, signOut, settled, told } = await openProvider('express', clients);
    const visitor = await signIn();
    await enter(visitor);
    expect((await signOut(visitor)).status).toBe(303);
    expect((await visitor.get('/oauth/logout')).heading).toBe('You are signed out');
    await settled(1);
    expect(told('logout.failed')).toMatchObject([{ clientId: 'web', userId: '1', reason: expect.any(String) }]);
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
  ])('makes this server ask no %s', async (uri) => {
    const web = { backchannelLogoutUri: uri };
    const fetch = {};
    const { enter, signIn, signOut, settled, told } = await openProvider('express', clients, { web, fetch });
    const visitor = await signIn();
    await enter(visitor);
    await signOut(visitor);
    await settled(1);
    expect(told('logout.failed')).toMatchObject([{ reason: expect.stringContaining('not fetched') }]);
  });

  it('is signed out nowhere by a form of another site', async () => {
    const { enter, signIn, url } = await openProvider('express', clients);
    const visitor = await signIn();
    await enter(visitor);
    const answer = await visitor.post(
      '/oauth/logout',
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    );
    expect([answer.heading, heard.length]).toEqual(['Sign out?', 0]);
    expect((await visitor.get(`${url}/oauth/logout`)).heading).toBe('Sign out?');
  });

  it('is signed out here where the store cannot say at which clients, and hears nothing of that', async () => {
    const { enter, signIn, signOut, model, settled, told } = await openProvider('express', clients);
    const visitor = await signIn();
    await enter(visitor);
    model.takeSessionClients = () => Promise.reject(new Error('no store'));
    expect((await signOut(visitor)).status).toBe(303);
    await settled(1);
    expect(told('logout.failed')).toMatchObject([{ userId: '1', reason: 'no store' }]);
  });

  it('gives no logout token that is good as an ID token', async () => {
    const other = { postLogoutRedirectUris: ['https://client.example/bye'] };
    const { enter, signIn, signOut, settled } = await openProvider('express', clients, { other });
    const visitor = await signIn();
    await enter(visitor);
    await signOut(visitor);
    await settled(1);
    const again = await signIn();
    const page = await again.get(`/oauth/logout?id_token_hint=${heard[0]!}`);
    expect([page.status, page.heading]).toEqual([400, "This request can't be completed"]);
  });
});

describe('what a client registers of it', () => {
  const register = async (said: object) => {
    const { url } = await openProvider('express', clients);
    const body = JSON.stringify({ redirect_uris: ['https://client.example/cb'], ...said });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/oauth/register`, { method: 'POST', headers, body });
    return { status: answer.status, body: (await answer.json()) as JWTPayload };
  };

  it('is kept', async () => {
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
  ])('is refused where it is %j', async (said) => {
    expect(await register(said)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
  });
});
