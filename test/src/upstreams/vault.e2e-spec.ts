import { inspect } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Upstreams } from 'nest-oauth2';
import { UpstreamConsentRequired, UpstreamUnavailable } from 'nest-oauth2/upstreams';

import { ANY_PLATFORM, PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import { ISSUER, type SiteOptions, startSite } from './site.js';

afterEach(stopApplications);
afterEach(() => {
  jest.restoreAllMocks();
});

const ERIN = { sub: 'e-1', name: 'Erin' };
const USER = { id: '2' };
const API = 'https://acme.example/api';

/** Lets time pass by the clock of this process, which is that of the store in memory. */
const pass = (seconds: number) => {
  const now = Date.now() + seconds * 1000;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
};

/** Starts a site whose user Erin has signed in with Acme, which rotates its refresh tokens. */
async function start(more: Partial<SiteOptions> & { issues?: object } = {}) {
  const { issues = { refresh_token: true, expires_in: 3600 }, ...options } = more;
  const site = await startSite({
    platform: ANY_PLATFORM[0]!,
    vault: true,
    ...options,
    acme: { apis: ['https://acme.example'], ...options.acme },
  });
  site.acme.issues = { ...issues };
  const erin = site.browser();
  await erin.signInWith(site.acme, ERIN);
  return { ...site, erin, upstreams: site.app.get(OAuth2Upstreams) };
}

const thrown = async (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the vault of upstream tokens', () => {
  it('returns the token of a sign-in until it expires soon, and then refreshes it once', async () => {
    const { acme, upstreams } = await start();
    const first = await upstreams.token(USER, 'acme');
    expect(first).toEqual({
      accessToken: 'their-access-token',
      scope: 'openid profile email',
      expiresAt: expect.any(Date),
      idToken: expect.any(String),
      iss: 'https://acme.example',
      sub: 'e-1',
    });
    expect((first.expiresAt!.getTime() - Date.now()) / 1000).toBeCloseTo(3600, -2);
    pass(3545);
    const all = await Promise.all(Array.from({ length: 200 }, () => upstreams.token(USER, 'acme')));
    expect(new Set(all.map(({ accessToken }) => accessToken))).toEqual(new Set(['refreshed-1']));
    expect(all[0]).toMatchObject({ idToken: first.idToken, scope: first.scope });
    expect(acme.refreshes).toBe(1);
    expect((await upstreams.token(USER, 'acme', { minValidity: 4000 })).accessToken).toBe('refreshed-2');
    expect((await upstreams.token(USER, 'acme')).accessToken).toBe('refreshed-2');
  });

  it('stores no readable token, and encrypts again after `secret` was rotated', async () => {
    const [old, fresh] = ['o'.repeat(32), 'n'.repeat(32)];
    const { model, upstreams, acme } = await start({ secret: old });
    const [entry] = await model.listUpstreamTokens({ userId: '2', issuer: ISSUER });
    const dump = JSON.stringify(entry);
    const readable = [...acme.refreshTokens.keys(), 'their-access-token', 'eyJ'];
    expect(readable.filter((text) => dump.includes(text))).toEqual([]);
    // Other tokens of the same server do not decrypt in the place of these.
    const moved = { ...entry!, id: 'x'.repeat(43) };
    await model.addUpstreamTokens(moved, { data: entry!.data, lifetime: 60_000 });

    const withSecret = async (secret: string | string[]) => {
      const other = await startSite({ platform: ANY_PLATFORM[0]!, vault: true, secret, options: { model } });
      return other.app.get(OAuth2Upstreams);
    };
    for (const secret of [[fresh, old], fresh])
      expect((await (await withSecret(secret)).token(USER, 'acme')).accessToken).toBe('their-access-token');
    const unknown = await withSecret('s'.repeat(32));
    expect(await thrown(unknown.token(USER, 'acme'))).toMatchObject({ reason: 'reconnect' });
    expect(await upstreams.list(USER)).toMatchObject([{ state: 'reconnect', reason: /secret/ }]);
  });

  it('throws no error that contains the tokens of a response which it refused', async () => {
    const { acme, upstreams } = await start();
    pass(3700);
    acme.issues = { refresh_token: true, expires_in: 3600, token_type: 'mac' };
    const error = (await thrown(upstreams.token(USER, 'acme'))) as UpstreamUnavailable;
    expect(error).toBeInstanceOf(UpstreamUnavailable);
    expect((error.cause as Error).message).toContain('token_type');
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('refreshed-1');
  });

  it('requires consent of users without tokens, without scope, and without a refresh token', async () => {
    const { upstreams } = await start({ issues: { expires_in: 3600, scope: 'openid,repo' } });
    const missing = (await thrown(upstreams.token({ id: '1' }, 'acme'))) as UpstreamConsentRequired;
    expect(missing).toBeInstanceOf(UpstreamConsentRequired);
    expect(missing).toMatchObject({ provider: 'acme', reason: 'missing', scope: 'openid profile email' });
    expect([missing.message, await missing.isResolved()]).toEqual(['Connect your Acme account to continue.', false]);
    expect(missing.url).toMatch(`${ISSUER}/oauth/connections/consent?consent=`);
    expect((await upstreams.token(USER, 'acme', { scope: 'repo openid' })).scope).toBe('openid repo');
    const scope = 'openid profile email repo calendar';
    expect(await thrown(upstreams.token(USER, 'acme', { scope: 'calendar' }))).toMatchObject({
      reason: 'scope',
      scope,
    });
    pass(3590);
    expect((await upstreams.token(USER, 'acme')).accessToken).toBe('their-access-token');
    pass(20);
    expect(await thrown(upstreams.token(USER, 'acme'))).toMatchObject({ reason: 'expired' });
    await expect(upstreams.token(USER, 'other')).rejects.toThrow('there is no provider `other`');
    await expect(upstreams.token(USER, 'acme', { minValidity: Number.NaN })).rejects.toThrow('`minValidity`');
  });

  it('asks the user once after the provider has refused the refresh token', async () => {
    const { acme, upstreams, events } = await start();
    acme.refreshTokens.clear();
    pass(3600);
    const failures = [await thrown(upstreams.token(USER, 'acme')), await thrown(upstreams.token(USER, 'acme'))];
    expect(failures).toMatchObject([{ reason: 'reconnect' }, { reason: 'reconnect' }]);
    const requests = acme.requests.filter(({ body }) => body.includes('grant_type=refresh_token'));
    expect(requests).toHaveLength(1);
    expect(events.filter(([name]) => name === 'reconnect_required')).toEqual([
      [
        'reconnect_required',
        expect.objectContaining({
          userId: '2',
          provider: 'acme',
          upstreamIssuer: 'https://acme.example',
          reason: 'the provider refused the refresh token',
        }),
      ],
    ]);
    expect(await upstreams.refreshAll(USER)).toMatchObject([
      { provider: 'acme', state: 'reconnect', isRefreshable: true },
    ]);
  });

  it('tries again after the provider was unavailable, and uses a valid token until then', async () => {
    const { acme, upstreams } = await start();
    acme.reply = (url) => (url.endsWith('/token') ? new Response('', { status: 503 }) : undefined);
    pass(3590);
    expect((await upstreams.token(USER, 'acme')).accessToken).toBe('their-access-token');
    pass(20);
    expect(await thrown(upstreams.token(USER, 'acme'))).toBeInstanceOf(UpstreamUnavailable);
    const { length } = acme.requests;
    expect(await thrown(upstreams.token(USER, 'acme'))).toBeInstanceOf(UpstreamUnavailable);
    expect(acme.requests).toHaveLength(length);
    acme.reply = undefined;
    pass(2);
    expect((await upstreams.token(USER, 'acme')).accessToken).toBe('refreshed-1');
  });

  it('refuses a response of the provider about another user', async () => {
    const { acme, upstreams } = await start();
    for (const one of acme.refreshTokens.values()) one.claims = { sub: 'e-2' };
    acme.idTokenOnRefresh = true;
    pass(3600);
    expect(await thrown(upstreams.token(USER, 'acme'))).toMatchObject({ reason: 'reconnect' });
    expect(await upstreams.list(USER)).toMatchObject([{ reason: /another user/ }]);
  });

  it('calls APIs of the provider only, and refreshes a token that an API rejects once', async () => {
    const { acme, upstreams } = await start();
    const call = async (init?: RequestInit) => (await upstreams.fetch(USER, 'acme', API, init)).json();
    expect(await call()).toEqual({ token: 'Bearer their-access-token' });
    for (const url of ['https://evil.example/api', 'https://acme.example.evil.example/api', 'http://acme.example/api'])
      await expect(upstreams.fetch(USER, 'acme', url)).rejects.toThrow('must not be sent to');
    await expect(upstreams.fetch(USER, 'acme', API, { body: new Blob(['x']), method: 'POST' })).rejects.toThrow(
      '`body`',
    );
    pass(31);
    let isRejecting = true;
    acme.reply = (url) => {
      if (!url.endsWith('/api') || !isRejecting) return undefined;
      isRejecting = false;
      return new Response('', { status: 401 });
    };
    expect(await call({ method: 'POST', body: new URLSearchParams({ a: 'b' }) })).toEqual({
      token: 'Bearer refreshed-1',
    });
    const bodies = acme.requests.slice(-3).map(({ body }) => body);
    expect(bodies).toEqual(['a=b', expect.stringContaining('grant_type=refresh_token'), 'a=b']);
    // A second 401 is returned, and a fresh token is not refreshed again.
    acme.reply = (url) => (url.endsWith('/api') ? new Response('', { status: 401 }) : undefined);
    expect((await upstreams.fetch(USER, 'acme', API)).status).toBe(401);
    expect(acme.refreshes).toBe(1);
    const redirect = new Response(null, { status: 302, headers: { location: 'https://evil.example/' } });
    acme.reply = (url) => (url.endsWith('/api') ? redirect : undefined);
    expect((await upstreams.fetch(USER, 'acme', API)).status).toBe(302);
    expect(acme.requests.filter(({ url }) => url.includes('evil'))).toEqual([]);
  });

  it('keeps better tokens at a sign-in, and replaces those of another account at the provider', async () => {
    const { acme, upstreams, browser, accounts } = await start();
    acme.issues = { access_token: 'weaker', scope: 'openid' };
    await browser().signInWith(acme, ERIN);
    expect((await upstreams.token(USER, 'acme')).accessToken).toBe('their-access-token');
    acme.issues = { access_token: 'wider', scope: 'openid profile email calendar' };
    await browser().signInWith(acme, ERIN);
    expect((await upstreams.token(USER, 'acme')).accessToken).toBe('wider');
    await browser().signInWith(acme, { sub: 'f-1', name: 'Finn' });
    expect((await upstreams.token({ id: '3' }, 'acme')).sub).toBe('f-1');
    expect((await upstreams.token(USER, 'acme')).sub).toBe('e-1');
    expect(accounts.all).toHaveLength(3);
  });

  it('deletes tokens, and revokes them at the provider', async () => {
    const { acme, upstreams } = await start();
    const [token] = acme.refreshTokens.keys();
    expect(await upstreams.disconnect(USER, 'acme')).toBe(true);
    expect(acme.revoked).toEqual([token]);
    expect(await upstreams.disconnect(USER, 'acme')).toBe(false);
    expect(await upstreams.list(USER)).toEqual([]);
    expect(await thrown(upstreams.token(USER, 'acme'))).toMatchObject({ reason: 'missing' });
  });

  it('keeps the connection if its tokens cannot be deleted, so that the user can disconnect it again', async () => {
    const { erin, model, accounts, upstreams } = await start();
    accounts.all[1]!.password = 'secret';
    const page = await erin.get('/oauth/connections');
    for (const method of ['findUpstreamTokens', 'removeUpstreamTokens'] as const) {
      jest.spyOn(model, method).mockRejectedValueOnce(new Error('The database is down'));
      expect((await erin.press(page, '/oauth/connections', 'disconnect')).status).toBe(503);
      expect(await model.listIdentities({ realm: '', userId: '2' })).toHaveLength(1);
    }
    expect((await erin.press(page, '/oauth/connections', 'disconnect')).status).toBe(303);
    expect(await upstreams.list(USER)).toEqual([]);
  });

  it('revokes tokens that arrive after the user has disconnected the provider', async () => {
    const { acme, upstreams } = await start();
    let disconnected: Promise<boolean> | undefined;
    acme.reply = (url) => {
      if (!url.endsWith('/token')) return undefined;
      disconnected ??= upstreams.disconnect(USER, 'acme');
      return disconnected.then(() => undefined);
    };
    const [token] = acme.refreshTokens.keys();
    pass(3600);
    // The provider handles the refresh request and the revocation at the same time.
    acme.refreshTokens.delete = () => false;
    expect(await thrown(upstreams.token(USER, 'acme'))).toMatchObject({ reason: 'missing' });
    const [, issued] = [...acme.refreshTokens.keys()];
    expect(acme.revoked).toEqual([token, issued]);
    expect(await upstreams.list(USER)).toEqual([]);
  });

  it('keeps a new refresh token although another process takes the lease and is refused meanwhile', async () => {
    const { acme, upstreams, model } = await start();
    const { app: other } = await startSite({
      platform: ANY_PLATFORM[0]!,
      vault: true,
      acme: { apis: ['https://acme.example'] },
      fetch: acme.fetch,
      options: { model },
    });
    // The database fails after the provider has rotated the token, for longer than the lease.
    const replace = model.replaceUpstreamTokens.bind(model);
    let failures = 0;
    jest.spyOn(model, 'replaceUpstreamTokens').mockImplementation(async (...given) => {
      if (acme.refreshes === 0 || failures > 0) return replace(...given);
      failures += 1;
      pass(16);
      expect(await thrown(other.get(OAuth2Upstreams).token(USER, 'acme'))).toMatchObject({ reason: 'reconnect' });
      throw new Error('the database is down');
    });
    pass(3600);
    expect((await upstreams.token(USER, 'acme')).accessToken).toBe('refreshed-1');
    expect((await other.get(OAuth2Upstreams).token(USER, 'acme')).accessToken).toBe('refreshed-1');
    expect(await upstreams.list(USER)).toMatchObject([{ state: 'active' }]);
    expect(acme.refreshes).toBe(1);
  });

  it('ends with the link and with the grants of the user', async () => {
    const { acme, upstreams, model, erin, accounts } = await start();
    accounts.hasOtherSignIn = () => true;
    await erin.press(await erin.get('/oauth/connections'), '/oauth/connections', 'disconnect');
    expect(await upstreams.list(USER)).toEqual([]);
    expect(acme.revoked).toHaveLength(1);
    await erin.get(acme.respond((await erin.connect()).location, ERIN));
    expect(await upstreams.list(USER)).toMatchObject([{ state: 'active' }]);
    await model.revokeGrantsOf({ userId: '2' });
    expect(await upstreams.list(USER)).toEqual([]);
  });

  it('stores nothing without `vault: true`', async () => {
    const { app, model, browser, acme } = await startSite({ platform: ANY_PLATFORM[0]! });
    await browser().signInWith(acme, ERIN);
    expect(await model.listUpstreamTokens({ userId: '2', issuer: ISSUER })).toEqual([]);
    await expect(app.get(OAuth2Upstreams).token(USER, 'acme')).rejects.toThrow('requires `upstreams({ vault: true })`');
    await expect(app.get(OAuth2Upstreams).forTenant('a')).rejects.toThrow('requires the option `tenants`');
  });
});

describe.each(PLATFORMS)('the page of consent on %s', (platform) => {
  const required = async (upstreams: OAuth2Upstreams, user = USER) => {
    const error = (await thrown(upstreams.token(user, 'acme', { scope: 'calendar' }))) as UpstreamConsentRequired;
    return error.url.slice(ISSUER.length);
  };

  it('sends the user to the provider for more scope, and stores the new token', async () => {
    const { acme, upstreams, erin } = await start({ platform });
    const page = await erin.get(await required(upstreams));
    expect([page.status, page.html]).toEqual([200, expect.stringContaining('Continue to Acme')]);
    const { location } = await erin.press(page, '/oauth/connections/consent');
    expect(new URL(location!).searchParams.get('scope')).toBe('openid profile email calendar');
    acme.issues = { access_token: 'wider', refresh_token: true };
    const error = (await thrown(upstreams.token(USER, 'acme', { scope: 'calendar' }))) as UpstreamConsentRequired;
    expect(error.message).toBe('Give more access to your Acme account to continue.');
    expect(await error.isResolved()).toBe(false);
    await erin.get(acme.respond(location, ERIN));
    expect(await error.isResolved()).toBe(true);
    expect(await upstreams.token(USER, 'acme', { scope: 'calendar' })).toMatchObject({ accessToken: 'wider' });
  });

  it('lets users of a provider for sign-in only give more consent, but connect no other account', async () => {
    const { acme, upstreams, erin, events } = await start({ platform, acme: { use: 'signIn' } });
    const begin = async () =>
      (await erin.press(await erin.get(await required(upstreams)), '/oauth/connections/consent')).location;
    expect((await erin.get(acme.respond(await begin(), { sub: 'e-2' }))).status).toBe(403);
    expect(events.at(-1)).toEqual([
      'refused',
      expect.objectContaining({ reason: expect.stringContaining("use: 'signIn'") }),
    ]);
    await erin.get(acme.respond(await begin(), ERIN));
    expect((await upstreams.token(USER, 'acme', { scope: 'calendar' })).sub).toBe('e-1');
  });

  it('refuses another user, a modified link and an old one, and requires a recent login', async () => {
    const { acme, upstreams, erin, browser } = await start({ platform });
    const path = await required(upstreams);
    const stranger = browser();
    expect((await stranger.get(path)).location).toMatch(
      /^\/oauth\/login\?return_to=%2Foauth%2Fconnections%2Fconsent%3Fconsent%3D/,
    );
    await stranger.signInWith(acme, { sub: 'f-1', name: 'Finn' });
    const refused = await stranger.get(path);
    expect([refused.status, refused.html]).toEqual([403, expect.stringContaining('made for another user')]);
    expect(refused.html).not.toContain('Continue to');
    expect((await erin.get(`${path.slice(0, -4)}AAAA`)).status).toBe(403);
    const page = await erin.get(path);
    const [, consent] = /consent=(.*)/.exec(path)!;
    const strange = await stranger.post('/oauth/connections/consent', { ...page.form.fields, consent: consent! });
    expect(strange.status).toBe(403);
    pass(301);
    expect((await erin.press(page, '/oauth/connections/consent')).location).toContain('prompt=login');
    pass(3600);
    expect((await erin.get(path)).status).toBe(403);
  });
});
