import { generateKeyPairSync } from 'node:crypto';
import { EventEmitter } from 'node:events';

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { User } from 'nest-oauth2';
import { accounts as passwordAccounts } from 'nest-oauth2/accounts';
import { OAuth2Server } from 'nest-oauth2/server';
import { oidc, type UpstreamProvider } from 'nest-oauth2/upstreams';

import { ANY_PLATFORM, stopApplications } from '../../support/servers/test-application.js';
import { DUE_DELETIONS } from '../../../src/accounts/deletion/due-deletions.js';
import { sectionForm } from '../accounts/account-application.js';
import { Accounts, AccountsWithEmail, CLIENT, startSite } from './site.js';
import { StandIn } from './stand-in.js';

afterEach(stopApplications);
afterEach(() => {
  jest.restoreAllMocks();
});

const ERIN = { sub: 'e-1', name: 'Erin', email: 'erin@acme.example', email_verified: true };
const MALLORY = { sub: 'm-1', name: 'Mallory', email: 'mallory@acme.example', email_verified: true };

/** The reasons of the refusals that were reported. */
const reasons = (events: readonly [string, Record<string, unknown>][]) =>
  events.filter(([name]) => name === 'refused').map(([, { reason }]) => reason);

describe.each(ANY_PLATFORM)('attacks on the sign-in with a provider on %s', (platform) => {
  // Login CSRF, and FastMCP CVE-2026-27124: a consent or response that is not bound to the browser.
  it('refuses a response in another browser than the one that began', async () => {
    const { browser, acme, events } = await startSite({ platform });
    const [attacker, victim] = [browser(), browser()];
    const response = acme.respond((await attacker.begin()).location, MALLORY);
    await victim.begin();
    const shown = await victim.get(response);
    expect({ status: shown.status, heading: shown.heading, user: await victim.user() }).toEqual({
      status: 400,
      heading: 'Sign-in with Acme',
      user: undefined,
    });
    expect(shown.html).toContain('started in another browser');
    expect(acme.requests.filter(({ url }) => url.endsWith('/token'))).toEqual([]);
    expect(reasons(events)).toEqual([expect.stringContaining('this browser has not begun')]);
    expect(await browser().post(...formOf(response))).toMatchObject({ status: 303 });
  });

  it('refuses a form post of an attacker in the browser of the victim', async () => {
    const { browser, acme } = await startSite({ platform });
    const [attacker, victim] = [browser(), browser()];
    const response = acme.respond((await attacker.begin()).location, MALLORY);
    const { location } = await victim.post(...formOf(response));
    expect((await victim.get(location!)).status).toBe(400);
    expect(await victim.user()).toBeUndefined();
  });

  it('finishes a response once, also if two requests race', async () => {
    const { browser, acme, events } = await startSite({ platform });
    const userBrowser = browser();
    const response = acme.respond((await userBrowser.begin()).location, ERIN);
    const cookies = new Map(userBrowser.cookies);
    const all = await Promise.all([userBrowser.get(response), userBrowser.get(response), userBrowser.get(response)]);
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400, 400]);
    for (const [name, value] of cookies) userBrowser.cookies.set(name, value);
    expect((await userBrowser.get(response)).status).toBe(400);
    expect(reasons(events)).toHaveLength(3);
    expect(acme.requests.filter(({ url }) => url.endsWith('/token'))).toHaveLength(1);
  });

  it('begins only by a form of this server in this browser', async () => {
    const { browser, acme } = await startSite({ platform });
    const userBrowser = browser();
    await userBrowser.get('/oauth/login');
    const foreign = await userBrowser.post('/oauth/upstreams/acme', { return_to: '/' });
    expect([foreign.status, foreign.given.some((line) => line.includes('upstream'))]).toEqual([403, false]);
    expect((await userBrowser.get('/oauth/upstreams/acme')).location).toMatch(/^\/oauth\/login/);
    expect(acme.requests).toEqual([]);
  });

  it('sends the browser to no other site afterwards', async () => {
    const { browser, acme } = await startSite({ platform });
    for (const bad of ['https://evil.example/', '//evil.example/', '/\\evil.example']) {
      const { location } = await browser().signInWith(acme, ERIN, { return_to: bad });
      expect(location).toMatch(/^\/(?!\/|\\)/);
    }
  });

  it('starts a new session, so that nobody can fix it before', async () => {
    const { browser, acme } = await startSite({ platform });
    const userBrowser = browser();
    await userBrowser.get('/oauth/login');
    const fixed = userBrowser.cookies.get('__Host-oauth2-session');
    await userBrowser.signInWith(acme, ERIN);
    expect(userBrowser.cookies.get('__Host-oauth2-session')).not.toBe(fixed);
    const attacker = browser();
    attacker.cookies.set('__Host-oauth2-session', fixed!);
    expect(await attacker.user()).toBeUndefined();
  });

  it('ignores a cookie that another host of the domain can set', async () => {
    const { browser, acme } = await startSite({ platform });
    const [attacker, victim] = [browser(), browser()];
    const response = acme.respond((await attacker.begin()).location, MALLORY);
    for (const [name, value] of attacker.cookies) {
      victim.cookies.set(name.replace('__Host-', ''), value);
      victim.cookies.set(`\u00a0${name}`.replace('\u00a0', '%C2%A0'), value);
    }
    expect((await victim.get(response)).status).toBe(400);
  });

  it.each<[string, (acme: StandIn) => void]>([
    ['another issuer', (acme) => (acme.changes = { iss: 'https://evil.example' })],
    ['an issuer with a trailing slash', (acme) => (acme.changes = { iss: 'https://acme.example/' })],
    ['another audience', (acme) => (acme.changes = { aud: 'somebody-else' })],
    ['another nonce', (acme) => (acme.changes = { nonce: 'other' })],
    ['no nonce', (acme) => (acme.changes = { nonce: undefined })],
    ['an expired ID token', (acme) => (acme.changes = { exp: 1 })],
    ['no `sub`', (acme) => (acme.changes = { sub: undefined })],
    ['an empty `sub`', (acme) => (acme.changes = { sub: '' })],
    ['a `sub` of 300 characters', (acme) => (acme.changes = { sub: 'x'.repeat(300) })],
    ['a `sub` that is a number', (acme) => (acme.changes = { sub: 7 })],
    [
      'a signature of another key',
      (acme) => (acme.key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    ],
    ['the `sub` of another user at the UserInfo endpoint', (acme) => (acme.userInfo = { sub: 'm-1', email: 'x@y.z' })],
    ['no ID token', (acme) => (acme.reply = tokenResponse({ access_token: 'a', token_type: 'Bearer' }))],
    [
      'text instead of JSON',
      (acme) => (acme.reply = (url) => (url.endsWith('/token') ? new Response('<html>') : undefined)),
    ],
    [
      'a redirect',
      (acme) =>
        (acme.reply = (url) => (url.endsWith('/token') ? Response.redirect('https://evil.example/', 302) : undefined)),
    ],
  ])('refuses a provider that answers with %s', async (_title, change) => {
    const { browser, acme, accounts, events } = await startSite({ platform });
    const userBrowser = browser();
    acme.userInfo = { sub: 'e-1' };
    const { location } = await userBrowser.begin();
    change(acme);
    if (acme.userInfo['sub'] === 'm-1') acme.metadata = { userinfo_endpoint: 'https://acme.example/userinfo' };
    const shown = await userBrowser.get(acme.respond(location, ERIN));
    expect([400, 403]).toContain(shown.status);
    expect({ user: await userBrowser.user(), accounts: accounts.all.length }).toEqual({ user: undefined, accounts: 1 });
    expect(reasons(events)).toHaveLength(1);
  });

  // Mix-up: RFC 9700 §4.4
  it('refuses the response of one provider at the redirect URI of another', async () => {
    const evil = new StandIn('https://evil.example');
    const acme = new StandIn('https://acme.example');
    const fetch = (url: string, init?: RequestInit) => (url.startsWith(evil.issuer) ? evil : acme).fetch(url, init);
    const providers: Record<string, UpstreamProvider> = {
      acme: oidc({ issuer: acme.issuer, ...CLIENT }),
      evil: oidc({ issuer: evil.issuer, ...CLIENT }),
    };
    const { browser } = await startSite({ platform, providers, fetch });
    const userBrowser = browser();
    // The user wants to sign in at `evil`, whose server sends the browser to Acme and gets Acme’s code at its own URI.
    const { location } = await userBrowser.begin('evil');
    const code = acme.respond(location, ERIN);
    const shown = await userBrowser.get(code.replace('/upstreams/evil/', '/upstreams/acme/'));
    expect(shown.status).toBe(400);
    expect(acme.requests.map(({ url }) => url)).toEqual([]);
    // `iss` of the response names another provider: RFC 9207 §2.4
    const again = await userBrowser.begin('evil');
    expect((await userBrowser.get(evil.respond(again.location, ERIN, { iss: acme.issuer }))).status).toBe(400);
    expect(evil.requests.filter(({ url }) => url.endsWith('/token'))).toEqual([]);
    expect(await userBrowser.user()).toBeUndefined();
  });

  it('keeps users of two providers with the same `sub` apart', async () => {
    const [acme, other] = [new StandIn('https://acme.example'), new StandIn('https://acme.example:8443')];
    const fetch = (url: string, init?: RequestInit) => (url.startsWith(other.issuer) ? other : acme).fetch(url, init);
    const providers = {
      acme: oidc({ issuer: acme.issuer, ...CLIENT }),
      other: oidc({ issuer: other.issuer, ...CLIENT }),
    };
    const { browser, accounts } = await startSite({ platform, providers, fetch });
    await browser().signInWith(acme, ERIN);
    const userBrowser = browser();
    await userBrowser.get(other.respond((await userBrowser.begin('other')).location, { ...MALLORY, sub: ERIN.sub }));
    expect(await userBrowser.user()).toBe('Mallory');
    expect(accounts.all.map(({ name }) => name)).toEqual(['Alice', 'Erin', 'Mallory']);
  });

  // better-auth 1.7.0 to 1.7.3: identities were stored by the configured name.
  it('finds the account after the provider was renamed', async () => {
    const acme = new StandIn('https://acme.example');
    const provider = oidc({ issuer: acme.issuer, ...CLIENT });
    const { browser, accounts } = await startSite({
      platform,
      providers: { acme: provider, renamed: provider },
      fetch: acme.fetch,
    });
    await browser().signInWith(acme, ERIN);
    const userBrowser = browser();
    await userBrowser.get(acme.respond((await userBrowser.begin('renamed')).location, ERIN));
    expect([await userBrowser.user(), accounts.all.length]).toEqual(['Erin', 2]);
  });

  // authorizer #503, ezauth #87, open-webui #28191: an unverified address signed in as its owner.
  it.each([
    ['that the provider has not verified', { email_verified: false }, ['acme.example']],
    ['whose verification is a text', { email_verified: 'true' }, ['acme.example']],
    ['of a domain for which the provider is not trusted', { email: 'alice@example.com' }, ['acme.example']],
    ['of a provider that is not trusted', {}, false],
    ['that contains two addresses', { email: 'alice@example.com@acme.example' }, ['acme.example']],
  ] as const)('never finds or changes an account by an address %s', async (_title, more, trustEmail) => {
    const accounts = new AccountsWithEmail();
    accounts.all[0]!.email = 'alice@acme.example';
    accounts.all.push({ id: '9', name: 'Other', email: 'alice@example.com', isVerified: true });
    const { browser, acme } = await startSite({ platform, accounts, acme: { trustEmail: trustEmail as never } });
    const attacker = browser();
    const claims = { ...MALLORY, email: 'alice@acme.example', ...more };
    await attacker.signInWith(acme, claims);
    expect(await attacker.user()).toBe('Mallory');
    expect(accounts.profiles).toMatchObject([{ email: undefined }]);
    expect(accounts.all.map(({ name }) => name)).toEqual(['Alice', 'Other', 'Mallory']);
  });

  it('tells the owner of a proven address to sign in, and merges nothing', async () => {
    const accounts = new AccountsWithEmail();
    const { browser, acme, events } = await startSite({ platform, accounts, acme: { trustEmail: true } });
    const userBrowser = browser();
    const shown = await userBrowser.signInWith(acme, { ...ERIN, email: 'alice@example.com' }, { return_to: '/notes' });
    expect(shown.status).toBe(403);
    expect(shown.html).toContain('You already have an account. Sign in to connect Acme.');
    expect([await userBrowser.user(), accounts.all.length]).toEqual([undefined, 1]);
    expect(events).toEqual([
      ['refused', expect.objectContaining({ provider: 'acme', status: 403, remedy: expect.any(String) })],
    ]);
  });

  // better-auth #9578 (pre-hijacking), fojin #1024 (refusing as a way to lock somebody out).
  it('takes an unproven address from the account of an attacker, and ends its sessions', async () => {
    const accounts = new AccountsWithEmail();
    accounts.all.push({ id: '2', name: 'Mallory', email: 'erin@acme.example', isVerified: false, password: 'known' });
    const events = new EventEmitter();
    const ended = new Promise((resolve) => events.once('grant.ended', resolve));
    const acmeOptions = { trustEmail: ['acme.example'] };
    const { browser, acme } = await startSite({ platform, accounts, acme: acmeOptions, options: { events } });
    const attacker = browser();
    await attacker.signIn('/oauth/login', 'mallory', 'known');
    expect(await attacker.user()).toBe('Mallory');
    const owner = browser();
    await owner.signInWith(acme, ERIN);
    expect([await owner.user(), accounts.all.find(({ name }) => name === 'Erin')]).toMatchObject(['Erin', { id: '3' }]);
    expect(accounts.released).toEqual(['erin@acme.example']);
    expect(await ended).toMatchObject({ userId: '2', reason: 'application' });
    expect(await attacker.user()).toBeUndefined();
    expect((await attacker.signIn('/oauth/login', 'mallory', 'known')).status).toBe(401);
  });

  it('keeps an account without a proven address from linking, so that no second key is left in it', async () => {
    const accounts = new AccountsWithEmail();
    accounts.all.push({ id: '2', name: 'Mallory', email: 'erin@acme.example', isVerified: false, password: 'known' });
    const { browser, acme } = await startSite({ platform, accounts });
    const attacker = browser();
    await attacker.signIn('/oauth/login', 'mallory', 'known');
    const shown = await attacker.get(acme.respond((await attacker.connect()).location, MALLORY));
    expect([shown.status, shown.html]).toEqual([403, expect.stringContaining('Verify the e-mail address')]);
  });

  it('requires `isVerified()` and `releaseEmail()` of an application that finds accounts by address', async () => {
    const accounts = Object.assign(new AccountsWithEmail(), { releaseEmail: undefined as never });
    await expect(startSite({ platform, accounts })).rejects.toThrow(
      '`findByEmail()` of the `accounts` of `upstreams()` requires',
    );
  });

  // Keycloak CVE-2026-16442: a provider for links only signed users in.
  it('never signs in with a provider for links only, by whatever way it was begun', async () => {
    const { browser, acme } = await startSite({ platform, acme: { use: 'link' } });
    const alice = browser();
    await alice.signIn('/oauth/login');
    await alice.get(acme.respond((await alice.connect()).location, ERIN));
    const userBrowser = browser();
    const page = await userBrowser.get('/oauth/login');
    expect(page.html).not.toContain('Acme');
    const refused = await userBrowser.post('/oauth/upstreams/acme', page.form.fields);
    expect([refused.status, refused.html]).toEqual([403, expect.stringContaining('You cannot sign in with Acme')]);
  });

  it('shows a busy provider as unavailable, and tries again', async () => {
    const { browser, acme } = await startSite({ platform });
    const userBrowser = browser();
    const { location } = await userBrowser.begin();
    acme.reply = (url) => (url.endsWith('/token') ? new Response('', { status: 503 }) : undefined);
    const shown = await userBrowser.get(acme.respond(location, ERIN));
    expect([shown.status, shown.html]).toEqual([503, expect.stringContaining('Acme does not respond')]);
    acme.reply = undefined;
    await userBrowser.signInWith(acme, ERIN);
    expect(await userBrowser.user()).toBe('Erin');
  });

  it('returns to the login page if the user cancels at the provider', async () => {
    const { browser, acme } = await startSite({ platform });
    const userBrowser = browser();
    const { location } = await userBrowser.begin('acme', { return_to: '/notes' });
    const state = new URL(location!).searchParams.get('state')!;
    const shown = await userBrowser.get(`/oauth/upstreams/acme/callback?error=access_denied&state=${state}`);
    expect([shown.status, shown.html]).toEqual([
      403,
      expect.stringContaining('href="/oauth/login?return_to=%2Fnotes"'),
    ]);
    expect(acme.requests.filter(({ url }) => url.endsWith('/token'))).toEqual([]);
  });

  it('refuses a response that arrives more than ten minutes after the beginning', async () => {
    const { browser, acme, events } = await startSite({ platform });
    const userBrowser = browser();
    const response = acme.respond((await userBrowser.begin()).location, ERIN);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + 601_000);
    expect((await userBrowser.get(response)).status).toBe(400);
    expect(reasons(events)).toEqual([expect.stringContaining('more than ten minutes ago')]);
    expect(acme.requests.filter(({ url }) => url.endsWith('/token'))).toEqual([]);
  });

  it('limits failed responses of one network, and does not count sign-ins', async () => {
    const { browser, acme, model, events } = await startSite({ platform });
    const count = jest.spyOn(model, 'countWithin');
    const deltas = () =>
      count.mock.calls.filter(([key]) => key.includes('upstream callback')).map(([, , by = 1]) => by);
    await browser().signInWith(acme, ERIN);
    expect(deltas()).toEqual([1, -1]);
    const userBrowser = browser();
    const failed = acme.respond((await userBrowser.begin()).location, ERIN, { error: 'access_denied' });
    expect([(await userBrowser.get(failed)).status, deltas()]).toEqual([403, [1, -1, 1]]);
    const response = acme.respond((await userBrowser.begin()).location, ERIN);
    count.mockResolvedValue({ count: 301, expiresIn: 30_000 });
    const limited = await userBrowser.get(response);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '30']);
    expect(limited.html).toContain('Too many');
    expect(reasons(events).at(-1)).toContain('too many failed sign-ins');
    expect(acme.requests.filter(({ url }) => url.endsWith('/token'))).toHaveLength(1);
  });

  it('keeps few attempts of one browser, and refuses a request that is too long for a cookie', async () => {
    const { browser } = await startSite({ platform });
    const userBrowser = browser();
    for (let count = 0; count < 7; count += 1) await userBrowser.begin();
    expect([...userBrowser.cookies.keys()].filter((name) => name.includes('upstream'))).toHaveLength(4);
    const shown = await userBrowser.begin('acme', { return_to: `/oauth/authorize?state=${'x'.repeat(3500)}` });
    expect([shown.status, shown.html]).toEqual([400, expect.stringContaining('too long to sign in with Acme')]);
  });

  it('gives a new account nothing of a deleted one with the same ID, and is not deleted with it', async () => {
    const accounts = new Accounts();
    const users = {
      findById: accounts.findById,
      findByEmail: () => undefined,
      create: () => undefined,
      // The next account gets this ID, as in a table of SQLite without `AUTOINCREMENT`.
      delete: ({ id }: User) => accounts.all.splice(Number(id) - 1, 1),
    };
    const features = [passwordAccounts({ users, mail: { send: () => undefined }, deletion: { gracePeriod: 0 } })];
    const { browser, acme, model, app } = await startSite({ platform, features, accounts });
    const erin = browser();
    await erin.signInWith(acme, ERIN);
    jest.spyOn(model, 'deleteAccount').mockRejectedValueOnce(new Error('The database is down'));
    const form = await sectionForm(erin, 'data', 'delete');
    await erin.post('/oauth/account', { ...form, confirm: '1' });
    expect(accounts.all.map(({ name }) => name)).toEqual(['Alice']);
    const mallory = browser();
    await mallory.signInWith(acme, MALLORY);
    expect(await mallory.user()).toBe('Mallory');
    expect(await model.listIdentities({ realm: '', userId: '2' })).toMatchObject([{ sub: 'm-1' }]);
    expect(await app.get(OAuth2Server).context.find(DUE_DELETIONS)!.finishDue()).toBe(0);
    expect(await mallory.user()).toBe('Mallory');
  });

  it('creates one account if two browsers sign in for the first time at once', async () => {
    const { browser, acme, accounts } = await startSite({ platform });
    const browsers = Array.from({ length: 6 }, () => browser());
    const responses = await Promise.all(browsers.map(async (one) => acme.respond((await one.begin()).location, ERIN)));
    const shown = await Promise.all(browsers.map((one, index) => one.get(responses[index]!)));
    expect(shown.map(({ status }) => status).filter((status) => ![303, 409].includes(status))).toEqual([]);
    expect(accounts.all.map(({ name }) => name)).toEqual(['Alice', 'Erin']);
  });
});

const tokenResponse = (body: object) => (url: string) => (url.endsWith('/token') ? Response.json(body) : undefined);

function formOf(response: string): [path: string, fields: Record<string, string>] {
  const [path, query] = response.split('?') as [string, string];
  return [path, Object.fromEntries(new URLSearchParams(query))];
}
