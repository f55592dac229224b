import { hash } from 'node:crypto';

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Inject, Injectable, UseGuards } from '@nestjs/common';
import { OAuth2Module, type OAuth2ModuleOptions, OAuthGuard, RequireAuth } from 'nest-oauth2';
import { deviceAuthorization, introspection } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { html, pages, type PagesOptions, type SecondFactor } from 'nest-oauth2/pages';
import { OAuth2Server, TemporarilyUnavailableError } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as client from 'openid-client';

import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { forRootError } from '../../support/servers/start-up-error.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';
import { type ShownPage, PageBrowser } from './page-browser.js';

const PWD = 'urn:example:pwd';
const MFA = 'urn:example:mfa';
const CALLBACK = 'https://app.example/callback';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const HALF = 'oauth2-pending-login';
const SESSION = 'oauth2-session';
const ESSENTIAL = { claims: JSON.stringify({ id_token: { acr: { essential: true, value: MFA } } }) };

const users = [
  ...['alice', 'bob', 'carol'].map((name, index) => ({ id: String(index + 1), username: name, name })),
  { id: 'x', username: 'dora', name: 'dora' },
  { id: 'X', username: 'dan', name: 'dan' },
];

class Model extends MemoryStore {
  getClaims = () => ({});
}

const newModel = () =>
  new Model({
    clients: [
      {
        id: 'web',
        secret: 'secret-of-the-client-web',
        grants: ['authorization_code', 'refresh_token', DEVICE],
        redirectUris: [CALLBACK],
        scopes: ['openid'],
        consent: 'always',
      },
    ],
    users: {
      findById: (id) => users.find((user) => user.id === id),
      findByCredentials: (name, password) => password === 'wonderland' && users.find((one) => one.username === name),
    },
  });

/** The application’s second factor. Carol has not enrolled. */
class Codes {
  readonly enrolled = new Set(['1', '2', 'x', 'X']);
  readonly tried: string[] = [];
  readonly sent: string[] = [];
  answer: (() => unknown) | undefined;
}

@Injectable()
class Totp implements SecondFactor {
  constructor(@Inject(Codes) protected readonly codes: Codes) {}

  isEnrolled({ id }: { id?: unknown }): boolean {
    return this.codes.enrolled.has(id as string);
  }

  verify({ id }: { id?: unknown }, code: string): boolean {
    this.codes.tried.push(code);
    if (this.codes.answer) return this.codes.answer() as boolean;
    return code === `12345${id as string}` || code === 'abcd-efgh';
  }
}

class ByMail extends Totp {
  send({ id }: { id?: unknown }): void {
    this.codes.sent.push(id as string);
  }
}

@Controller('payments')
@UseGuards(OAuthGuard)
class PaymentsController {
  @Get()
  @RequireAuth({ acr: MFA })
  pay() {
    return { paid: true };
  }
}

describe.each(ANY_PLATFORM)('a second factor on the built-in pages on %s', (platform) => {
  afterEach(async () => {
    jest.restoreAllMocks();
    await stopApplications();
  });

  interface Setting extends Partial<NonNullable<PagesOptions['secondFactor']>> {
    pages?: PagesOptions;
    module?: Partial<OAuth2ModuleOptions>;
  }

  async function open({ pages: looks, module, ...factor }: Setting = {}) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const [model, codes] = [newModel(), new Codes()];
    const secondFactor = { by: Totp, acr: MFA, ...factor };
    const site = pages({ signIn: { acr: PWD, amr: ['pwd'] }, secondFactor, devices: true, ...looks });
    const features = [
      keys({ from: [RSA] }),
      openid({ acrValues: [PWD, MFA] }),
      introspection(),
      deviceAuthorization({ interval: 1 }),
      site,
    ];
    const extraProviders = [{ provide: Codes, useValue: codes }];
    const imports = [OAuth2Module.forRoot({ model, issuer: url, features, secret: SECRET, extraProviders, ...module })];
    const host = { imports, controllers: [PaymentsController] };
    const { app } = await startApplication(platform, host, { port, trustProxy: true });
    const config = await client.discovery(new URL(url), 'web', 'secret-of-the-client-web', undefined, {
      execute: [client.allowInsecureRequests],
    });
    return { url, model, codes, config, site, server: app.get(OAuth2Server), browser: new PageBrowser(url) };
  }

  const requested = (change: Record<string, string> = {}) => {
    const usual = { response_type: 'code', client_id: 'web', scope: 'openid', state: 'xyz', redirect_uri: CALLBACK };
    return `/oauth/authorize?${new URLSearchParams({ ...usual, ...change }).toString()}`;
  };

  /** Follows redirects as a browser does until a page is shown or the client is reached. */
  async function follow(userBrowser: PageBrowser, shown: ShownPage): Promise<ShownPage> {
    let next = shown;
    for (let hops = 0; next.location?.startsWith('/'); hops += 1) {
      expect(hops).toBeLessThan(10);
      next = await userBrowser.get(next.location);
    }
    return next;
  }

  const go = async (userBrowser: PageBrowser, change: Record<string, string> = {}) =>
    follow(userBrowser, await userBrowser.get(requested(change)));
  const send = async (userBrowser: PageBrowser, page: ShownPage, typed: Record<string, string> = {}) =>
    follow(userBrowser, await userBrowser.send(page, typed));
  const password = async (userBrowser: PageBrowser, page: ShownPage, username = 'alice') =>
    send(userBrowser, page, { username, password: 'wonderland' });

  /** Approves the consent page and redeems the code. */
  async function redeem(config: client.Configuration, userBrowser: PageBrowser, consent: ShownPage) {
    expect(consent.heading).toBe('Allow access?');
    const { location } = await userBrowser.send(consent, { decision: 'allow' });
    return client.authorizationCodeGrant(config, new URL(location!), { expectedState: 'xyz' });
  }

  /** Returns the link of the account choice that continues with the current account. */
  const continued = ({ html: page }: ShownPage) =>
    /href="([^"]*)"[^>]*>Continue as/.exec(page)![1]!.replaceAll('&amp;', '&');

  const errorOf = ({ location }: ShownPage) => new URL(location!).searchParams.get('error');

  it('is requested between password and consent, and determines acr in ID tokens, introspection and @RequireAuth()', async () => {
    const { browser: userBrowser, config, url } = await open();
    const page = await password(userBrowser, await go(userBrowser));
    expect([page.status, page.heading]).toEqual([200, 'Enter your code']);
    expect(page.html).toMatch(/<label for="code">Code<\/label>\s*<input\s+id="code"\s+name="code"/);
    expect(page.html).toMatch(/autocomplete="one-time-code" inputmode="numeric"/);
    expect(page.html).toContain('<b>alice</b>');
    expect(page.html).not.toMatch(/<script|recovery|name="send"/);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page.headers.get('cache-control')).toBe('no-store');

    const tokens = await redeem(config, userBrowser, await send(userBrowser, page, { code: ' 123 451 ' }));
    expect(tokens.claims()).toMatchObject({ acr: MFA, amr: ['pwd', 'otp', 'mfa'], auth_time: expect.any(Number) });
    expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({ active: true, acr: MFA });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await fetch(`${url}/payments`, { headers })).status).toBe(200);
    // The user has completed both factors, so no further code is required.
    expect((await go(userBrowser, { acr_values: MFA })).heading).toBe('Allow access?');
  });

  it('is required: the password alone does not sign the user in, at any page or with any cookie', async () => {
    const { browser: userBrowser, url, site, server, model } = await open();
    await password(userBrowser, await go(userBrowser));
    const half = userBrowser.cookies.get(userBrowser.cookieName(HALF))!;
    expect((await go(userBrowser)).heading).toBe('Sign in');
    expect((await follow(userBrowser, await userBrowser.get('/oauth/applications'))).heading).toBe('Sign in');
    const decided = await userBrowser.post(requested(), { decision: 'allow', csrf_token: 'x' });
    expect(decided.location).toMatch(/^\/oauth\/login/);
    for (const cookie of [half, `pending login ${half}`, `pending%20login%20${half}`]) {
      const forger = new PageBrowser(url);
      forger.cookies.set(forger.cookieName(SESSION), cookie);
      expect((await go(forger)).heading).toBe('Sign in');
      const native = {
        headers: { cookie: `${forger.cookieName(SESSION)}=${cookie}` },
        method: 'GET',
        url: '/',
        query: {},
      };
      expect(await site.findUser(native, server)).toBeUndefined();
    }
    expect(await model.getSession(half)).toBeUndefined();
  });

  it('is skipped for users who have not enrolled; the client gets an error if its acr is essential', async () => {
    const { browser: userBrowser, config, url } = await open();
    const consent = await password(userBrowser, await go(userBrowser, { acr_values: MFA }), 'carol');
    const tokens = await redeem(config, userBrowser, consent);
    expect(tokens.claims()).toMatchObject({ acr: PWD, amr: ['pwd'] });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await fetch(`${url}/payments`, { headers })).status).toBe(401);
    const other = new PageBrowser(url);
    const refused = await password(other, await go(other, ESSENTIAL), 'carol');
    expect(errorOf(refused)).toBe('unmet_authentication_requirements');
    // A user who is signed in already may have another account with a second factor.
    expect((await go(other, ESSENTIAL)).heading).toBe('Choose an account');
  });

  it("is requested only if a client requires it with `when: 'wanted'`, and keeps the time of the login", async () => {
    const { browser: userBrowser, config, url } = await open({ when: 'wanted' });
    const first = await redeem(config, userBrowser, await password(userBrowser, await go(userBrowser)));
    expect(first.claims()).toMatchObject({ acr: PWD, amr: ['pwd'] });
    const before = userBrowser.cookies.get(userBrowser.cookieName(SESSION))!;
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + 20_000);

    const page = await go(userBrowser, ESSENTIAL);
    expect(page.heading).toBe('Enter your code');
    const stronger = await redeem(config, userBrowser, await send(userBrowser, page, { code: '123451' }));
    expect(stronger.claims()).toMatchObject({ acr: MFA, amr: ['pwd', 'otp', 'mfa'] });
    expect(stronger.claims()!['auth_time']).toBe(first.claims()!['auth_time']);
    // The second factor issues a new session cookie and invalidates the old one.
    expect(userBrowser.cookies.get(userBrowser.cookieName(SESSION))).not.toBe(before);
    const thief = new PageBrowser(url);
    thief.cookies.set(thief.cookieName(SESSION), before);
    expect((await go(thief)).heading).toBe('Sign in');
  });

  it.each([
    ['prompt=login', { prompt: 'login' }],
    ['max_age', { max_age: '10' }],
  ])(
    'is requested after the password if %s requires a new login, which a code alone does not satisfy',
    async (_, fresh) => {
      const { browser: userBrowser, config } = await open({ when: 'wanted' });
      const first = await redeem(config, userBrowser, await password(userBrowser, await go(userBrowser)));
      const now = Date.now();
      jest.spyOn(Date, 'now').mockImplementation(() => now + 100_000);
      const away = await userBrowser.get(requested({ ...fresh, acr_values: MFA }));
      const address = new URL(away.location!, 'http://here');
      expect(address.searchParams.get('prompt')).toBe('login');
      // If the user removes `prompt` from the URL, both factors are required nevertheless.
      address.searchParams.delete('prompt');
      const page = await userBrowser.get(address.pathname + address.search);
      const code = await follow(userBrowser, page);
      expect(code.heading).toBe('Enter your code');
      const again = await send(userBrowser, code, { code: '123451' });
      expect(again.heading).toBe('Sign in');
      const both = await send(userBrowser, await password(userBrowser, again), { code: '123451' });
      const tokens = await redeem(config, userBrowser, both);
      expect(tokens.claims()).toMatchObject({ acr: MFA, amr: ['pwd', 'otp', 'mfa'] });
      expect(tokens.claims()!['auth_time']).toBeGreaterThan(Number(first.claims()!['auth_time']) + 90);
    },
  );

  it('is requested after the choice of an account, and allows switching to another account', async () => {
    const { browser: userBrowser } = await open({ when: 'wanted' });
    await password(userBrowser, await userBrowser.get('/oauth/login'));
    const choice = await go(userBrowser, { ...ESSENTIAL, prompt: 'select_account' });
    expect(choice.heading).toBe('Choose an account');
    expect((await userBrowser.get(continued(choice))).heading).toBe('Enter your code');
    // Bob’s password alone is not sufficient for a request that requires more.
    const bob = await password(userBrowser, await send(userBrowser, choice), 'bob');
    expect([bob.heading, bob.html.includes('<b>bob</b>')]).toEqual(['Enter your code', true]);
    expect((await send(userBrowser, bob, { code: '123452' })).html).toContain('signed in as <b>bob</b>');
  });

  it('sends a code once for each login and again on request, but never because of a link', async () => {
    const { browser: userBrowser, codes, url } = await open({ by: ByMail, when: 'wanted' });
    const page = await password(userBrowser, await go(userBrowser, ESSENTIAL));
    expect(page.html).toContain('We sent you a code');
    const path = page.form.action;
    for (let times = 0; times < 3; times += 1) await userBrowser.get(path);
    expect(codes.sent).toEqual(['1']);
    await userBrowser.send(page, { send: '1' }, { origin: 'https://evil.example' });
    await userBrowser.send(page, { send: '1', csrf_token: 'x' });
    expect(codes.sent).toEqual(['1']);
    const again = await send(userBrowser, page, { send: '1' });
    expect([again.heading, codes.sent.length]).toEqual(['Enter your code', 2]);
    expect((await send(userBrowser, again, { code: '123451' })).heading).toBe('Allow access?');

    // A signed-in user must request the code, because a link of another site may have opened the page.
    const signedIn = new PageBrowser(url);
    await password(signedIn, await signedIn.get('/oauth/login'));
    const unsent = await go(signedIn, ESSENTIAL);
    expect([unsent.html.includes('Send me a code'), unsent.html.includes('name="code"')]).toEqual([true, false]);
    expect(codes.sent).toHaveLength(2);
    expect((await send(signedIn, unsent, { send: '1' })).html).toContain('name="code"');
    expect(codes.sent).toHaveLength(3);
    // Repeated logins with a known password do not send more codes either.
    for (let times = 0; times < 10; times += 1)
      await password(new PageBrowser(url), await go(new PageBrowser(url), ESSENTIAL));
    expect(codes.sent.length).toBeLessThan(8);
  });

  it('accepts recovery codes on a page with a text field', async () => {
    const { browser: userBrowser } = await open({ recoveryCodes: true });
    const page = await password(userBrowser, await go(userBrowser));
    const [, link] = /href="([^"]*recovery=[^"]*)"/.exec(page.html)!;
    const recovery = await userBrowser.get(link!.replaceAll('&amp;', '&'));
    expect(recovery.html).toContain('Enter one of your recovery codes.');
    expect(recovery.html).not.toMatch(/inputmode|Use a recovery code/);
    expect((await userBrowser.send(recovery, { code: 'x' })).html).toContain('Enter one of your recovery codes.');
    expect((await send(userBrowser, recovery, { code: 'abcd-efgh' })).heading).toBe('Allow access?');
  });

  it('reports a wrong code without showing it', async () => {
    const { browser: userBrowser, codes } = await open();
    const page = await password(userBrowser, await go(userBrowser));
    const wrong = await userBrowser.send(page, { code: '"><script>' });
    expect([wrong.status, wrong.heading, wrong.html.includes('script>')]).toEqual([401, 'Enter your code', false]);
    expect(wrong.html).toMatch(/role="alert" id="problem">This code is incorrect/);
    expect(wrong.html).toContain('aria-invalid="true" aria-describedby="problem"');
    for (const code of ['', '  ', 'x'.repeat(101)]) expect((await userBrowser.send(page, { code })).status).toBe(401);
    // A malformed code is not verified.
    expect(codes.tried).toHaveLength(1);
  });

  it('limits failed codes of a user from all addresses and logins without locking out others', async () => {
    const { url, codes } = await open();
    let last: ShownPage | undefined;
    for (let guess = 0; guess < 8; guess += 1) {
      const guesser = new PageBrowser(url, { 'x-forwarded-for': `192.0.2.${guess}` });
      last = await guesser.send(await password(guesser, await go(guesser)), { code: `00000${guess}` });
    }
    expect([last!.status, Number(last!.headers.get('retry-after'))]).toEqual([429, expect.closeTo(900, -2)]);
    expect(last!.html).toContain('Too many attempts');
    expect(codes.tried).toHaveLength(5);
    const alice = new PageBrowser(url);
    expect((await alice.send(await password(alice, await go(alice)), { code: '123451' })).status).toBe(429);
    const bob = new PageBrowser(url);
    const his = await send(bob, await password(bob, await go(bob), 'bob'), { code: '123452' });
    expect(his.heading).toBe('Allow access?');
  });

  it('lets the application limit failed codes with its own throttle', async () => {
    const attempts: object[] = [];
    const throttle = {
      count({ request: _, ...attempt }: { request: unknown }) {
        attempts.push(attempt);
        return 0;
      },
    };
    const { browser: userBrowser } = await open({ pages: { throttle } });
    await userBrowser.send(await password(userBrowser, await go(userBrowser)), { code: '1' });
    expect(attempts).toEqual([
      { username: 'alice', address: expect.any(String) },
      { account: '1', secondFactor: 'code' },
    ]);
  });

  it('limits failed codes that are sent concurrently', async () => {
    const { browser: userBrowser, codes } = await open();
    const page = await password(userBrowser, await go(userBrowser));
    const guesses = Array.from({ length: 50 }, (_, guess) => String(100_000 + guess));
    const statuses = (await Promise.all(guesses.map((code) => userBrowser.send(page, { code })))).map(
      ({ status }) => status,
    );
    expect(codes.tried).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(45);
  });

  it('does not reset failed codes when another user with a similar id or name signs in', async () => {
    const { codes, url } = await open();
    const guess = async (username: string, code: string) => {
      const guesser = new PageBrowser(url);
      return guesser.send(await password(guesser, await go(guesser), username), { code });
    };
    for (let times = 0; times < 4; times += 1) await guess('dora', '000000');
    expect((await guess('dan', '12345X')).status).toBe(303);
    expect([(await guess('dora', '000000')).status, (await guess('dora', '000000')).status]).toEqual([401, 429]);
    expect(codes.tried).toHaveLength(6);
  });

  it('is requested for the last user who gave a password in the same browser', async () => {
    const { browser: userBrowser } = await open({ when: 'wanted' });
    await password(userBrowser, await go(userBrowser, ESSENTIAL));
    await password(userBrowser, await userBrowser.get('/oauth/login'), 'bob');
    const choice = await go(userBrowser, { ...ESSENTIAL, prompt: 'select_account' });
    const page = await userBrowser.get(continued(choice));
    expect([page.heading, page.html.includes('<b>bob</b>')]).toEqual(['Enter your code', true]);
    // Signing out or switching the account discards the pending login too.
    for (const leave of ['/oauth/logout', '/oauth/login']) {
      await password(userBrowser, await userBrowser.get('/oauth/login?prompt=login'), 'bob');
      await password(userBrowser, await go(userBrowser, { ...ESSENTIAL, prompt: 'login' }));
      expect((await userBrowser.get('/oauth/second_factor')).heading).toBe('Enter your code');
      await userBrowser.send(await userBrowser.get(leave));
      expect((await userBrowser.get('/oauth/second_factor')).location).toBe('/');
    }
  });

  it('fails if the login is revoked while the code is verified', async () => {
    const { browser: userBrowser, codes, model, url } = await open({ when: 'wanted' });
    const end = async () => {
      await model.revokeGrantsOf({ userId: '1' });
      return true;
    };
    codes.answer = end;
    const late = await userBrowser.send(await password(userBrowser, await go(userBrowser, ESSENTIAL)), { code: '1' });
    expect([late.status, late.heading]).toEqual([403, 'Sign in']);
    expect((await go(userBrowser)).heading).toBe('Sign in');
    // A second factor within an existing session fails, too.
    const other = new PageBrowser(url);
    await password(other, await other.get('/oauth/login'));
    const stepUp = await other.send(await go(other, ESSENTIAL), { code: '1' });
    expect([stepUp.status, stepUp.heading]).toEqual([403, 'Sign in']);
    expect((await go(other)).heading).toBe('Sign in');
  });

  it('accepts only the form of its own page, for the same user and browser', async () => {
    const { browser: userBrowser, url, codes } = await open();
    const hers = await password(userBrowser, await go(userBrowser));
    const bob = new PageBrowser(url);
    const his = await password(bob, await go(bob), 'bob');
    for (const [browser, form, headers] of [
      [userBrowser, { ...hers, form: { ...hers.form, fields: {} } }, {}],
      [userBrowser, hers, { origin: 'https://evil.example' }],
      [userBrowser, hers, { 'sec-fetch-site': 'cross-site' }],
      [userBrowser, his, {}],
      [bob, hers, {}],
    ] as const) {
      const refused = await browser.send(form, { code: '123451' }, headers);
      expect([refused.status, refused.location]).toEqual([403, null]);
    }
    // This includes the case that Bob signs in in the same browser after the page was shown to Alice.
    await password(userBrowser, await go(userBrowser), 'bob');
    const swapped = await userBrowser.send(hers, { code: '123451' });
    expect([swapped.status, swapped.html.includes('<b>bob</b>')]).toEqual([403, true]);
    // A browser without a pending login cannot submit the form.
    const stranger = new PageBrowser(url);
    const page = await go(stranger);
    const alone = await stranger.post('/oauth/second_factor', { ...page.form.fields, code: '123451' });
    expect([alone.status, alone.heading]).toEqual([403, 'Sign in']);
    expect((await stranger.get('/oauth/second_factor')).location).toBe('/');
    expect(codes.tried).toEqual([]);
  });

  it('replaces a planted cookie of a pending login, and completes a pending login only once', async () => {
    const { browser: userBrowser, url } = await open();
    userBrowser.cookies.set(userBrowser.cookieName(HALF), 'A'.repeat(43));
    const page = await password(userBrowser, await go(userBrowser));
    const half = userBrowser.cookies.get(userBrowser.cookieName(HALF))!;
    expect(half).not.toBe('A'.repeat(43));
    expect(page.heading).toBe('Enter your code');
    const before = userBrowser.cookies.get(userBrowser.cookieName(SESSION))!;
    expect((await send(userBrowser, page, { code: '123451' })).heading).toBe('Allow access?');
    expect(userBrowser.cookies.get(userBrowser.cookieName(SESSION))).not.toBe(before);
    // Submitting the form again is harmless, and the old cookies are invalid.
    expect((await userBrowser.send(page, { code: '123451' })).status).toBe(303);
    const thief = new PageBrowser(url);
    thief.cookies.set(thief.cookieName(SESSION), before).set(thief.cookieName(HALF), half);
    const replayed = await thief.send(page, { code: '123451' });
    expect([replayed.status, replayed.heading]).toEqual([403, 'Sign in']);
    expect((await go(thief)).heading).toBe('Sign in');
  });

  it('must be entered within its lifetime, and before the user’s grants are revoked', async () => {
    const { browser: userBrowser, model } = await open({ lifetime: 60 });
    const page = await password(userBrowser, await go(userBrowser));
    expect(userBrowser.cookies.has(userBrowser.cookieName(HALF))).toBe(true);
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 61_000);
    const late = await userBrowser.send(page, { code: '123451' });
    expect([late.status, late.heading, late.html.includes('has expired')]).toEqual([403, 'Sign in', true]);
    clock.mockRestore();
    const other = await password(userBrowser, await go(userBrowser));
    await model.revokeGrantsOf({ userId: '1' });
    expect((await userBrowser.send(other, { code: '123451' })).status).toBe(403);
  });

  it('returns to the original path of this server, and to no other URL (open redirect)', async () => {
    const { browser: userBrowser } = await open();
    await password(userBrowser, await userBrowser.get('/oauth/login'));
    for (const [asks, leads] of [
      ['/there?a=b', '/there?a=b'],
      ['https://evil.example/', '/'],
      ['//evil.example', '/'],
    ]) {
      const page = await userBrowser.get(
        `/oauth/second_factor?${new URLSearchParams({ return_to: asks! }).toString()}`,
      );
      const sent = await userBrowser.send(page, { code: '123451' });
      expect(sent.location).toBe(leads);
      await password(userBrowser, await userBrowser.get('/oauth/login?prompt=login'));
    }
  });

  it.each([
    ['an error', () => Promise.reject(new Error('the database is at 10.0.0.1')), 503, 'Something went wrong'],
    [
      'a temporarily unavailable error',
      () => Promise.reject(new TemporarilyUnavailableError('Busy', { retryAfter: 7 })),
      503,
      'Please try again',
    ],
    ['a value other than true', () => ({ valid: true }), 401, 'This code is incorrect'],
  ])('does not sign the user in if verify() results in %s, and shows a page', async (_, answer, status, text) => {
    const { browser: userBrowser, codes } = await open();
    const page = await password(userBrowser, await go(userBrowser));
    codes.answer = answer;
    const shown = await userBrowser.send(page, { code: '123451' });
    expect([shown.status, shown.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(shown.html).toContain(text);
    expect(shown.html).not.toContain('10.0.0.1');
    expect((await go(userBrowser)).heading).toBe('Sign in');
    // Afterwards the user can continue.
    codes.answer = undefined;
    expect((await userBrowser.send(page, { code: '123451' })).status).toBe(303);
  });

  it('does not sign the user in if enrollment cannot be determined or the code cannot be sent', async () => {
    const fault = () => {
      throw new Error('the database is at 10.0.0.1');
    };
    for (const by of [
      { isEnrolled: fault, verify: () => true },
      { isEnrolled: () => true, verify: () => true, send: fault },
    ]) {
      const { browser: userBrowser } = await open({ by });
      const shown = await password(userBrowser, await go(userBrowser));
      expect([shown.status, shown.html.includes('Something went wrong')]).toEqual([503, true]);
      expect((await go(userBrowser)).heading).toBe('Sign in');
      expect(userBrowser.cookies.has(userBrowser.cookieName(HALF))).toBe(false);
    }
  });

  it('is shown in the user’s language, or on the application’s own page', async () => {
    const languages = { de: { messages: { codeTitle: 'Code eingeben' } } };
    const { browser: userBrowser } = await open({ pages: { languages } });
    expect((await password(userBrowser, await go(userBrowser, { ui_locales: 'de' }))).heading).toBe('Code eingeben');
    const own = await open({
      pages: {
        render: { secondFactor: ({ message: say }) => ({ title: say('codeTitle'), main: html`<h1>Mine</h1>` }) },
      },
    });
    expect((await password(own.browser, await go(own.browser))).heading).toBe('Mine');
  });

  it('works in the device flow, where the user can also sign out', async () => {
    const { browser: userBrowser, config } = await open();
    const begun = await client.initiateDeviceAuthorization(config, { scope: 'openid' });
    const login = await send(userBrowser, await userBrowser.get('/oauth/device'), { user_code: begun.user_code });
    const back = await send(userBrowser, await password(userBrowser, login), { code: '123451' });
    const shown = await send(userBrowser, back, { user_code: begun.user_code });
    expect((await send(userBrowser, shown, { decision: 'allow' })).heading).toBe('Your device is connected');
    const tokens = await client.pollDeviceAuthorizationGrant(config, begun);
    expect(tokens.claims()).toMatchObject({ acr: MFA, amr: ['pwd', 'otp', 'mfa'] });
    await userBrowser.send(await userBrowser.get('/oauth/logout'));
    expect((await go(userBrowser)).heading).toBe('Sign in');
    expect((await password(userBrowser, await go(userBrowser))).heading).toBe('Enter your code');
  });

  it('is accepted only at the tenant where the password was entered', async () => {
    const tenants = {
      findTenant: ({ host }: { host?: string | undefined }) => (host === 'localhost' ? 'b' : 'a'),
      createTenantOptions: (tenant: string) => ({ issuer: `http://${tenant}.example` }),
    };
    const codes = new Codes();
    const imports = [
      OAuth2Module.forRoot({
        model: newModel(),
        tenants,
        features: [pages({ secondFactor: { by: Totp } })],
        extraProviders: [{ provide: Codes, useValue: codes }],
        secret: SECRET,
      }),
    ];
    const { url } = await startApplication(platform, { imports });
    const userBrowser = new PageBrowser(url);
    const page = await password(userBrowser, await userBrowser.get('/oauth/login'));
    expect(page.heading).toBe('Enter your code');
    const other = new PageBrowser(url.replace('127.0.0.1', 'localhost'));
    for (const [name, value] of userBrowser.cookies) other.cookies.set(name, value);
    const shown = await other.send(page, { code: '123451' });
    expect(shown.location).toBeNull();
    expect((await userBrowser.send(page, { code: '123451' })).location).toBe('/');
  });

  it('limits failed codes despite logins of an equally named user at another server', async () => {
    const codes = new Codes();
    const extraProviders = [{ provide: Codes, useValue: codes }];
    const both = { features: [pages({ secondFactor: { by: Totp } })], extraProviders, secret: SECRET };
    const paths = { prefix: 'partners' };
    const tenants = {
      findTenant: ({ host }: { host?: string | undefined }) => (host === 'localhost' ? 'b' : 'a'),
      createTenantOptions: (tenant: string) => ({ issuer: `http://${tenant}.example` }),
    };
    const { url } = await startApplication(platform, {
      imports: [
        OAuth2Module.forRoot({ ...both, model: newModel(), tenants }),
        OAuth2Module.forRoot({ ...both, model: newModel(), name: 'partners', paths, issuer: 'http://p.example' }),
        OAuth2Module.forRoot({
          ...both,
          model: newModel(),
          name: 'shop',
          paths: { prefix: 'shop' },
          issuer: 'http://s.example',
        }),
      ],
    });
    const guess = async (prefix: string, code: string) => {
      const guesser = new PageBrowser(url);
      return guesser.send(await password(guesser, await guesser.get(`/${prefix}/login`)), { code });
    };
    for (let times = 0; times < 4; times += 1) await guess('shop', '000000');
    expect((await guess('partners', '123451')).location).toBe('/');
    expect([(await guess('shop', '0')).status, (await guess('shop', '0')).status]).toEqual([401, 429]);

    // Failed passwords at the pages of two tenants are counted separately, too.
    const [a, b] = [new PageBrowser(url), new PageBrowser(url.replace('127.0.0.1', 'localhost'))];
    const forms = [await a.get('/oauth/login'), await b.get('/oauth/login')] as const;
    const wrong = async () => (await a.send(forms[0], { username: 'carol', password: 'x' })).status;
    for (let times = 0; times < 9; times += 1) expect(await wrong()).toBe(401);
    expect((await b.send(forms[1], { username: 'carol', password: 'wonderland' })).status).toBe(303);
    expect([await wrong(), await wrong()]).toEqual([401, 429]);
  });

  it('cannot be bypassed at another server without tenants that shares the store', async () => {
    const [model, codes] = [newModel(), new Codes()];
    const extraProviders = [{ provide: Codes, useValue: codes }];
    const site = pages({ secondFactor: { by: Totp } });
    const both = { model, features: [site], extraProviders, secret: SECRET };
    const tenants = {
      findTenant: () => 'a',
      createTenantOptions: (tenant: string) => ({ issuer: `http://${tenant}.example` }),
    };
    const paths = { prefix: 'plain' };
    const imports = [
      OAuth2Module.forRoot({ ...both, tenants }),
      OAuth2Module.forRoot({ ...both, name: 'plain', paths, issuer: 'http://plain.example' }),
    ];
    const { url } = await startApplication(platform, { imports });
    const userBrowser = new PageBrowser(url);
    const page = await password(userBrowser, await userBrowser.get('/oauth/login'));
    const named = (kind: string) => [...userBrowser.cookies].find(([name]) => name.startsWith(kind))![1];
    const digest = (text: string) => hash('sha256', JSON.stringify(['a', text]), 'base64url');
    const half = named(HALF);
    await userBrowser.send(page, { code: '123451' });
    const forger = new PageBrowser(url);
    for (const cookie of [digest(`pending login ${half}`), digest(half), digest(named(SESSION))]) {
      forger.cookies.set(SESSION, cookie);
      expect((await forger.get('/plain/applications')).location).toMatch(/^\/plain\/login/);
    }
  });
});

describe('the option secondFactor of pages()', () => {
  const by = { isEnrolled: () => true, verify: () => true };

  it.each<[PagesOptions, string]>([
    [{ secondFactor: { by, acr: '' } }, '`acr` in `secondFactor` of `pages()` must be a non-empty text'],
    [{ secondFactor: { by, acr: PWD }, signIn: { acr: PWD } }, 'must be different from the `acr` of `signIn`'],
    [{ secondFactor: { by, when: 'never' as never } }, "must be 'always' or 'wanted'"],
    [
      { secondFactor: { by, lifetime: 0.5 } },
      '`lifetime` in `secondFactor` of `pages()` must be a whole number of seconds',
    ],
    [
      { secondFactor: { by }, sessions: { find: () => undefined, start: () => undefined, end: () => undefined } },
      '`secondFactor` cannot be combined with `sessions`',
    ],
  ])('throws for the options %p', (options, sentence) => {
    expect(() => pages(options)).toThrow(sentence);
  });

  it.each([
    ['an acr that clients cannot request', { acr: MFA }, [PWD], /to `acrValues` of `openid\(\)`/],
    ['acrValues in the wrong order', { acr: MFA }, [MFA, PWD], /from weak to strong/],
    ["`when: 'wanted'` without an acr", { when: 'wanted' as const }, [PWD], /requires an `acr`/],
  ])('fails at start-up with %s', (_, factor, acrValues, message) => {
    const features = [
      keys({ from: [RSA] }),
      openid({ acrValues }),
      pages({ signIn: { acr: PWD }, secondFactor: { by, ...factor } }),
    ];
    expect(() => new OAuth2Server({ model: newModel(), features, issuer: 'https://id.example' })).toThrow(message);
  });

  it.each<[string, PagesOptions, string]>([
    [
      'without verify()',
      { secondFactor: { by: { isEnrolled: () => true } as never } },
      'the `secondFactor.by` of `pages()` has no method `verify()`: implement it',
    ],
    [
      'without an implementation',
      { secondFactor: {} },
      '`secondFactor` requires `by`, or the feature `accounts({ authenticator: true })`',
    ],
    [
      'with a function',
      { secondFactor: { by: (() => by) as never } },
      'the `secondFactor.by` of `pages()` must be a class, an instance or a provider: pass a function as `{ useFactory }`',
    ],
    [
      'with a throttle without count()',
      { throttle: {} as never },
      'the `throttle` of `pages()` has no method `count()`: implement it',
    ],
  ])('fails at start-up %s', async (_, options, message) => {
    expect(await forRootError({ model: newModel(), features: [pages(options)], secret: SECRET })).toBe(message);
  });
});
