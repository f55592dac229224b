import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { generateKeyPair, UnsecuredJWT } from 'jose';
import { keys } from 'nest-oauth2/jose';
import { logout, openid } from 'nest-oauth2/openid';
import { Store } from 'nest-oauth2/stores';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { oidc } from 'nest-oauth2/upstreams';

import { SECRET } from '../../support/servers/demo.js';
import { ANY_PLATFORM, PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import { Accounts, CLIENT, ISSUER, SiteBrowser, type SiteOptions, startSite, startTenants } from './site.js';
import { StandIn } from './stand-in.js';

// OpenID Connect Back-Channel Logout 1.0

afterEach(stopApplications);
afterEach(() => {
  jest.restoreAllMocks();
});

const PATH = '/oauth/upstreams/acme/backchannel_logout';
const ERIN = { sub: 'e-1', name: 'Erin' };
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Sends a logout token as a provider does. */
async function send(url: string, token: string, headers: Record<string, string> = {}, path = PATH) {
  const body = new URLSearchParams({ logout_token: token });
  return fetch(new URL(path, url), { method: 'POST', body, headers });
}

/** Lets one call of a store fail. */
class Calls {
  private left = 0;
  hasFailed = false;

  constructor(store: object) {
    const target = store as Record<string, (...parameters: unknown[]) => unknown>;
    for (const name of Object.getOwnPropertyNames(Store.prototype)) {
      const call = name === 'constructor' ? undefined : Object.getOwnPropertyDescriptor(Store.prototype, name)?.value;
      if (typeof call !== 'function') continue;
      target[name] = async (...parameters) => {
        this.left -= 1;
        if (this.left === 0) {
          this.hasFailed = true;
          throw new Error('The database failed');
        }
        return call.apply(store, parameters);
      };
    }
  }

  /** Lets the call with this number fail, from now on. `0`: no call fails. */
  failAt(number: number): void {
    this.left = number;
    this.hasFailed = false;
  }
}

/** Starts a site at which Erin has signed in in two browsers, in the sessions `one` and `two` of the provider. */
async function start(options: Partial<SiteOptions> = {}) {
  const site = await startSite({ platform: ANY_PLATFORM[0]!, ...options });
  const [one, two] = [site.browser(), site.browser()];
  await one.signInWith(site.acme, { ...ERIN, sid: 'one' });
  await two.signInWith(site.acme, { ...ERIN, sid: 'two' });
  const users = async () => [await one.user(), await two.user()];
  return { ...site, one, two, users };
}

describe.each(PLATFORMS)('back-channel logout of a provider on %s', (platform) => {
  it('ends the session with the `sid` of the logout token', async () => {
    const { url, acme, users } = await start({ platform });
    const { status, headers } = await send(url, await acme.logoutToken({ sub: 'e-1', sid: 'one' }));
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await users()).toEqual([undefined, 'Erin']);
  });

  it('ends the session of a logout token that contains only `sid`', async () => {
    const { url, acme, users } = await start({ platform });
    expect((await send(url, await acme.logoutToken({ sid: 'two' }))).status).toBe(200);
    expect(await users()).toEqual(['Erin', undefined]);
  });

  it('ends all sessions of the user if the logout token contains only `sub`', async () => {
    const { url, acme, users } = await start({ platform });
    expect((await send(url, await acme.logoutToken({ sub: 'e-1' }))).status).toBe(200);
    expect(await users()).toEqual([undefined, undefined]);
  });

  it('rejects invalid requests with status 400, which no cache may store', async () => {
    const { url, acme, users } = await start({ platform });
    const token = await acme.logoutToken({ sub: 'e-1' });
    const json = { method: 'POST', body: JSON.stringify({ logout_token: token }) };
    const sent = [
      await send(url, 'not-a-token'),
      await fetch(new URL(PATH, url), { ...json, headers: { 'content-type': 'application/json' } }),
      await fetch(new URL(PATH, url), { method: 'POST', body: new URLSearchParams() }),
      await fetch(new URL(PATH, url), {
        method: 'POST',
        body: new URLSearchParams([
          ['logout_token', token],
          ['logout_token', token],
        ]),
      }),
    ];
    for (const { status, headers } of sent) {
      expect([status, headers.get('cache-control')]).toEqual([400, 'no-store']);
    }
    expect(await users()).toEqual(['Erin', 'Erin']);
  });
});

describe('a logout token', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const signed = (claims: object, header?: object) => async (acme: StandIn) =>
    acme.logoutToken({ sub: 'e-1', ...claims }, header);

  it.each<[string, (acme: StandIn) => Promise<string>, string]>([
    ['of another issuer', signed({ iss: 'https://other.example' }), '`iss` is not'],
    ['for another client', signed({ aud: 'them' }), '"aud"'],
    ['without `aud`', signed({ aud: undefined }), '"aud"'],
    ['without `iat`', signed({ iat: undefined }), '"iat"'],
    ['from the future', signed({ iat: now() + 300 }), '"iat"'],
    ['that is older than ten minutes', signed({ iat: now() - 700 }), '"iat"'],
    ['without `exp`', signed({ exp: undefined }), '"exp"'],
    ['that has expired', signed({ exp: now() - 60 }), '"exp"'],
    ['without `jti`', signed({ jti: undefined }), '"jti"'],
    ['whose `jti` is empty', signed({ jti: '' }), '`jti` is not a text'],
    ['without `sub` and `sid`', signed({ sub: undefined }), '`sub` and `sid` are missing'],
    ['whose `sid` is a number', signed({ sid: 1 }), '`sid` or `jti` is not a text'],
    ['without `events`', signed({ events: undefined }), '`events`'],
    ['with another event', signed({ events: { 'https://example.com/other': {} } }), '`events`'],
    ['whose event is no object', signed({ events: { [EVENT]: true } }), '`events`'],
    ['with a `nonce`', signed({ nonce: 'n' }), '`nonce` is present'],
    ['of another `typ`', signed({}, { typ: 'at+jwt' }), '`typ` is not'],
    ['with an unknown key', signed({}, { kid: 'k2' }), 'no applicable key'],
    ['without a signature', async (acme) => new UnsecuredJWT({ iss: acme.issuer, sub: 'e-1' }).encode(), ''],
    [
      'with a forged signature',
      async (acme) => acme.logoutToken({ sub: 'e-1' }, {}, (await generateKeyPair('RS256')).privateKey),
      'signature verification failed',
    ],
    [
      'signed with the client secret',
      async (acme) =>
        acme.logoutToken({ sub: 'e-1' }, { alg: 'HS256' }, Buffer.alloc(32, CLIENT.clientSecret) as never),
      'algorithm',
    ],
    [
      'with an algorithm that the provider does not use for ID tokens',
      async (acme) => {
        const set = (await (await acme.fetch(`${acme.issuer}/jwks`)).json()) as { keys: { alg?: string }[] };
        // The key itself may be used with every RSA algorithm.
        for (const key of set.keys) delete key.alg;
        acme.reply = (url) => (url.endsWith('/jwks') ? Response.json(set) : undefined);
        return acme.logoutToken({ sub: 'e-1' }, { alg: 'PS256' });
      },
      '`alg`',
    ],
  ])('%s is rejected', async (_name, make, cause) => {
    const { url, acme, users, events } = await start();
    events.length = 0;
    const response = await send(url, await make(acme));
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'Invalid request: `logout_token` is invalid' },
    ]);
    expect(await users()).toEqual(['Erin', 'Erin']);
    expect(events).toEqual([
      [
        'refused',
        expect.objectContaining({
          endpoint: 'upstream_acme_backchannel_logout',
          provider: 'acme',
          reason: expect.stringContaining(cause),
        }),
      ],
    ]);
  });

  it.each([
    ['RS256', 200, undefined],
    ['PS256', 400, expect.stringContaining('does not sign ID tokens with this `alg`')],
  ] as const)(
    'signed with RS256 for a client with `idTokenSignedResponseAlg: %s` gets status %i',
    async (alg, status, reason) => {
      const acme = { idTokenSignedResponseAlg: alg };
      const { url, acme: provider, events } = await startSite({ platform: ANY_PLATFORM[0]!, acme });
      provider.metadata = { id_token_signing_alg_values_supported: ['PS256', 'RS256'] };
      expect((await send(url, await provider.logoutToken({ sub: 'e-1' }))).status).toBe(status);
      expect(events[0]?.[1]['reason']).toEqual(reason);
    },
  );

  it('is accepted without `typ`', async () => {
    const { url, acme, users } = await start();
    expect((await send(url, await acme.logoutToken({ sub: 'e-1' }, {}))).status).toBe(200);
    expect(await users()).toEqual([undefined, undefined]);
  });

  it('is rejected when it is sent twice, so that a new session continues', async () => {
    const { url, acme, users, one } = await start();
    const token = await acme.logoutToken({ sub: 'e-1', sid: 'one' });
    expect((await send(url, token)).status).toBe(200);
    await one.signInWith(acme, { ...ERIN, sid: 'one' });
    expect((await send(url, token)).status).toBe(400);
    expect(await users()).toEqual(['Erin', 'Erin']);
  });

  it('for an unknown user or session is accepted, and ends nothing', async () => {
    const { url, acme, users } = await start();
    const tokens = [{ sub: 'e-2' }, { sid: 'three' }, { sub: 'e-2', sid: 'one' }, { sub: 'e-1', sid: 'three' }];
    for (const claims of tokens) expect((await send(url, await acme.logoutToken(claims))).status).toBe(200);
    expect(await users()).toEqual(['Erin', 'Erin']);
  });

  it('of one provider is rejected at the endpoint of another one', async () => {
    const other = new StandIn('https://other.example');
    const accounts = new Accounts();
    const acme = new StandIn('https://acme.example');
    const fetch = async (url: string, init?: RequestInit) =>
      url.startsWith(other.issuer) ? other.fetch(url, init) : acme.fetch(url, init);
    const providers = {
      acme: oidc({ ...CLIENT, issuer: acme.issuer }),
      other: oidc({ ...CLIENT, issuer: other.issuer }),
    };
    const { url, browser } = await startSite({ platform: ANY_PLATFORM[0]!, accounts, providers, fetch });
    const userBrowser = browser();
    await userBrowser.signInWith(acme, ERIN);
    const path = '/oauth/upstreams/other/backchannel_logout';
    expect((await send(url, await acme.logoutToken({ sub: 'e-1' }), {}, path)).status).toBe(400);
    expect((await send(url, await other.logoutToken({ sub: 'e-1' }), {}, path)).status).toBe(200);
    expect(await userBrowser.user()).toBe('Erin');
  });

  it('at one tenant ends no session of another tenant', async () => {
    const { url, acme } = await startTenants(ANY_PLATFORM[0]!);
    const [red, blue] = [new SiteBrowser(url, { 'x-tenant': 'red' }), new SiteBrowser(url, { 'x-tenant': 'blue' })];
    for (const one of [red, blue]) await one.signInWith(acme, { ...ERIN, sid: 'one' });
    for (const claims of [{ sub: 'e-1' }, { sid: 'one' }]) {
      expect((await send(url, await acme.logoutToken(claims), { 'x-tenant': 'red' })).status).toBe(200);
    }
    expect([await red.user(), await blue.user()]).toEqual([undefined, 'Erin']);
  });
});

describe('back-channel logout of a provider', () => {
  it('does not end a session that began with a password', async () => {
    const { url, acme, browser, accounts } = await start();
    accounts.all.find(({ id }) => id === '2')!.password = 'secret-of-erin';
    const local = browser();
    await local.signIn('/oauth/login', 'erin', 'secret-of-erin');
    expect((await send(url, await acme.logoutToken({ sub: 'e-1' }))).status).toBe(200);
    expect(await local.user()).toBe('Erin');
  });

  it('ends a session that was strengthened or confirmed by a password afterwards', async () => {
    const { url, acme, one, accounts } = await start();
    accounts.all.find(({ id }) => id === '2')!.password = 'secret-of-erin';
    await one.signIn('/oauth/login?prompt=login', 'erin', 'secret-of-erin');
    expect((await send(url, await acme.logoutToken({ sid: 'one' }))).status).toBe(200);
    expect(await one.user()).toBeUndefined();
  });

  it('ends a session that began after a second factor', async () => {
    const secondFactor = { by: { isEnrolled: () => true, verify: (_: unknown, code: string) => code === '123456' } };
    const { url, acme, browser } = await startSite({ platform: ANY_PLATFORM[0]!, pagesOptions: { secondFactor } });
    const userBrowser = browser();
    const { location } = await userBrowser.signInWith(acme, { ...ERIN, sid: 'one' });
    await userBrowser.send(await userBrowser.get(location!), { code: '123456' });
    expect(await userBrowser.user()).toBe('Erin');
    expect((await send(url, await acme.logoutToken({ sid: 'one' }))).status).toBe(200);
    expect(await userBrowser.user()).toBeUndefined();
  });

  it('notifies the clients of the ended session', async () => {
    class Model extends MemoryStore {
      getClaims = () => ({});
    }
    const accounts = new Accounts();
    const model = new Model({ users: accounts });
    const features = [keys({ secret: SECRET, algorithms: ['RS256'] }), openid(), logout()];
    const { url, acme } = await start({ accounts, features, options: { model } });
    const { sessions } = await model.listSessions({ userId: '2' });
    const later = new Date(Date.now() + 60_000);
    for (const { sid, upstream } of sessions) {
      const clientId = `client of ${upstream!.sid}`;
      await model.saveSessionClient({ userId: '2', sid: sid!, clientId, sub: '2', issuer: ISSUER }, later);
    }
    expect((await send(url, await acme.logoutToken({ sub: 'e-1', sid: 'one' }))).status).toBe(200);
    const left = await model.takeSessionClients({ userId: '2' });
    expect(left.map(({ clientId }) => clientId).filter((id) => id.startsWith('client'))).toEqual(['client of two']);
  });

  it('succeeds when the provider sends the token again, whatever call of the database failed before', async () => {
    class Model extends MemoryStore {
      getClaims = () => ({});
    }
    const accounts = new Accounts();
    const model = new Model({ users: accounts });
    const features = [keys({ secret: SECRET, algorithms: ['RS256'] }), openid(), logout()];
    const { url, acme, browser } = await start({ accounts, features, options: { model } });
    const calls = new Calls(model);
    const statuses: number[] = [];
    const results: object[] = [];
    for (let step = 1; ; step += 1) {
      const userBrowser = browser();
      const sid = `step ${step}`;
      await userBrowser.signInWith(acme, { ...ERIN, sid });
      const { sessions } = await model.listSessions({ userId: '2' });
      const ended = { userId: '2', sid: sessions.find(({ upstream }) => upstream?.sid === sid)!.sid! };
      const client = { ...ended, clientId: `client of ${sid}`, sub: '2', issuer: ISSUER };
      await model.saveSessionClient(client, new Date(Date.now() + 60_000));
      const token = await acme.logoutToken({ sub: 'e-1', sid });
      calls.failAt(step);
      const { status } = await send(url, token);
      if (!calls.hasFailed) break;
      calls.failAt(0);
      const again = status === 200 ? status : (await send(url, token)).status;
      const user = await userBrowser.user();
      const clients = await model.takeSessionClients(ended);
      await userBrowser.signInWith(acme, { ...ERIN, sid });
      const replayed = (await send(url, token)).status;
      statuses.push(status);
      results.push({ again, user, clients, replayed, next: await userBrowser.user() });
    }
    const expected = { again: 200, user: undefined, clients: [], replayed: 400, next: 'Erin' };
    expect(results).toEqual(results.map(() => expected));
    // The clients are notified twice, so one of both may fail.
    expect(new Set(statuses)).toEqual(new Set([503, 200]));
    expect(statuses.length).toBeGreaterThan(6);
  });

  it('consumes the token before the sessions end if the model cannot count', async () => {
    const { url, acme, model, users } = await start();
    Object.assign(model, { countWithin: undefined });
    jest.spyOn(model, 'endSession').mockImplementation(() => Promise.reject(new Error('The database failed')));
    const token = await acme.logoutToken({ sub: 'e-1' });
    expect((await send(url, token)).status).toBe(503);
    jest.restoreAllMocks();
    expect((await send(url, token)).status).toBe(400);
    expect((await send(url, await acme.logoutToken({ sub: 'e-1' }))).status).toBe(200);
    expect(await users()).toEqual([undefined, undefined]);
  });

  it('is refused with status 400 if the application stores the sessions', async () => {
    const sessions = { find: () => undefined, start: () => undefined, end: () => undefined };
    const { url, acme } = await startSite({ platform: ANY_PLATFORM[0]!, pagesOptions: { sessions } });
    const response = await send(url, await acme.logoutToken({ sub: 'e-1' }));
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        error: 'invalid_request',
        error_description: 'Invalid request: the application stores the sessions, so they cannot be ended here',
      },
    ]);
  });

  it('reads the keys of the provider once, however many forged tokens arrive', async () => {
    const { url, acme } = await start();
    acme.requests.length = 0;
    for (let times = 0; times < 20; times += 1) {
      const forged = await acme.logoutToken({ sub: 'e-1' }, { kid: `unknown-${times}` });
      expect((await send(url, forged)).status).toBe(400);
    }
    expect(acme.requests.map((request) => new URL(request.url).pathname)).toEqual(['/jwks']);
  });

  it('limits invalid tokens of one network, and does not count valid ones', async () => {
    const { url, acme, model } = await start();
    const count = jest.spyOn(model, 'countWithin');
    await send(url, await acme.logoutToken({ sub: 'e-2' }));
    const deltas = count.mock.calls.filter(([key]) => key.includes('upstream logout')).map(([, , by = 1]) => by);
    expect(deltas).toEqual([1, -1]);
    count.mockResolvedValue({ count: 301, expiresIn: 30_000 });
    const limited = await send(url, await acme.logoutToken({ sub: 'e-1' }));
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '30']);
  });

  it('has no endpoint for a provider without ID tokens', async () => {
    const { url } = await start();
    const path = '/oauth/upstreams/github/backchannel_logout';
    expect((await send(url, 'x', {}, path)).status).toBe(404);
  });
});
