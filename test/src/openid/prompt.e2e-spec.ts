import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { OAuth2Module, type OAuth2ModuleOptions, type SignIn } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { openid, type OpenIdOptions } from 'nest-oauth2/openid';
import { pages, type PagesOptions } from 'nest-oauth2/pages';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';
import * as client from 'openid-client';

import { clientShapes, withoutSector } from '../../support/clients/client-shapes.js';
import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';
import { type ShownPage, PageBrowser } from '../pages/page-browser.js';

// OpenID Connect requirements for login and consent: Core 1.0 §3.1.2.1, §3.1.2.3, §3.1.2.6; Initiating User
// Registration 1.0.

const CALLBACK = 'https://app.example/callback';
const SHAPES = clientShapes(CALLBACK);
const users = [
  { id: '1', username: 'alice', name: 'Alice' },
  { id: '2', username: 'bob', name: 'Bob' },
];

class Model extends MemoryStore {
  getClaims = () => ({});
}

function newModel(more: object = {}): Model {
  const web = {
    id: 'web',
    secret: 'secret-of-the-client-web',
    grants: ['authorization_code', 'refresh_token'],
    redirectUris: [CALLBACK],
    scopes: ['openid'],
    ...more,
  } as StoredClient;
  return new Model({
    clients: [web, { ...web, id: 'other' }],
    users: {
      findById: (id) => users.find((user) => user.id === id),
      findByCredentials: (name, password) => password === 'wonderland' && users.find((one) => one.username === name),
    },
  });
}

interface Setting {
  openid?: OpenIdOptions;
  pages?: PagesOptions;
  client?: object;
  module?: Partial<OAuth2ModuleOptions>;
}

describe.each(ANY_PLATFORM)('login parameters of OpenID Connect on %s', (platform) => {
  afterEach(async () => {
    jest.restoreAllMocks();
    await stopApplications();
  });

  async function open({ openid: requested, pages: looks, client: known, module }: Setting = {}) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const model = newModel(known);
    const features = [keys({ from: [RSA] }), openid(requested), ...(module?.interaction ? [] : [pages(looks)])];
    const imports = [OAuth2Module.forRoot({ model, issuer: url, features, secret: SECRET, ...module })];
    await startApplication(platform, { imports }, { port });
    const config = await client.discovery(new URL(url), 'web', 'secret-of-the-client-web', undefined, {
      execute: [client.allowInsecureRequests],
    });
    return { url, model, config, browser: new PageBrowser(url) };
  }

  const requested = (change: Record<string, string> = {}) => {
    const usual = { response_type: 'code', client_id: 'web', scope: 'openid', state: 'xyz', redirect_uri: CALLBACK };
    return `/oauth/authorize?${new URLSearchParams({ ...usual, ...change }).toString()}`;
  };

  const answerOf = ({ location }: ShownPage) => {
    expect(location).toMatch(/^https:\/\/app\.example\/callback\?/);
    return Object.fromEntries(new URL(location!).searchParams);
  };

  /** Follows redirects as a browser does until a page is shown or the client is reached. */
  async function follow(browser: PageBrowser, shown: ShownPage): Promise<ShownPage> {
    let next = shown;
    for (let hops = 0; next.location?.startsWith('/'); hops += 1) {
      expect(hops).toBeLessThan(10);
      next = await browser.get(next.location);
    }
    return next;
  }

  const go = async (browser: PageBrowser, change: Record<string, string> = {}) =>
    follow(browser, await browser.get(requested(change)));

  const signIn = async (browser: PageBrowser, form: ShownPage, username = 'alice') =>
    follow(browser, await browser.send(form, { username, password: 'wonderland' }));

  /** Signs in and consents, so that later requests need no interaction. */
  async function settle(browser: PageBrowser) {
    const consent = await signIn(browser, await go(browser));
    expect(answerOf(await browser.send(consent, { decision: 'allow' }))).toMatchObject({ state: 'xyz' });
    expect(answerOf(await go(browser))).toHaveProperty('code');
  }

  it('scopes of openid() are described on the consent page, and the application can change the texts', async () => {
    const { browser } = await open({
      client: { scopes: ['openid', 'email'] },
      pages: { scopes: { email: 'Write to you' } },
    });
    const { html } = await signIn(browser, await go(browser, { scope: 'openid email' }));
    expect(html).toContain('Know who you are here');
    expect(html).toContain('Write to you');
    expect(html).not.toContain('Access:');
  });

  describe('prompt=none', () => {
    it.each([
      ['no user is signed in', false, {}, 'login_required'],
      ['the user has not consented yet', true, {}, 'consent_required'],
      ['it is combined with consent', true, { prompt: 'none consent' }, 'invalid_request'],
      ['it is combined with login', true, { prompt: 'login none' }, 'invalid_request'],
      ['the login is older than max_age', true, { max_age: '0' }, 'login_required'],
    ])('returns an error if %s', async (_, isSignedIn, change, error) => {
      const { browser } = await open();
      if (isSignedIn) await signIn(browser, await browser.get('/oauth/login?return_to=/oauth/login'));
      const response = await browser.get(requested({ prompt: 'none', ...change }));
      expect(answerOf(response)).toMatchObject({ error, state: 'xyz' });
    });

    it.each(SHAPES)('returns a code if no interaction is needed, also for a posted request ($shape)', async (shape) => {
      const { browser, url } = await open({ client: withoutSector(shape) });
      await settle(browser);
      expect(answerOf(await browser.get(requested({ prompt: 'none' })))).toHaveProperty('code');
      const form = Object.fromEntries(new URL(requested({ prompt: 'none' }), url).searchParams);
      expect(answerOf(await browser.post('/oauth/authorize', form))).toHaveProperty('code');
    });

    it('returns login_required in a cross-site frame, which sends no cookie', async () => {
      const { browser, url } = await open();
      await settle(browser);
      const framed = new PageBrowser(url, { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' });
      expect(answerOf(await framed.get(requested({ prompt: 'none' })))).toMatchObject({ error: 'login_required' });
    });
  });

  describe('re-authentication of a user', () => {
    it.each([
      ['prompt=login', { prompt: 'login' }],
      ['max_age=0', { max_age: '0' }],
    ])('is required by %s, and returned to the client as a new auth_time', async (_, change) => {
      const { browser, config } = await open();
      await settle(browser);
      const before = Math.floor(Date.now() / 1000);
      const form = await go(browser, change);
      expect([form.heading, form.status]).toEqual(['Sign in', 200]);
      const response = await signIn(browser, form);
      const tokens = await client.authorizationCodeGrant(config, new URL(response.location!), {
        expectedState: 'xyz',
        maxAge: 60,
      });
      expect(tokens.claims()!['auth_time']).toBeGreaterThanOrEqual(before);
      // Without logout notifications, ID tokens do not contain `sid`.
      expect(tokens.claims()).not.toHaveProperty('sid');
    });

    it('cannot be skipped: returning from the login page without signing in shows it again', async () => {
      const { browser } = await open();
      await settle(browser);
      const sent = await browser.get(requested({ prompt: 'login' }));
      const back = new URL(sent.location!, 'http://here').searchParams.get('return_to')!;
      expect(back).toMatch(/&prompt_ticket=[\w.-]+$/);
      expect((await follow(browser, await browser.get(back))).heading).toBe('Sign in');
      // A forged prompt state does not help either.
      const forged = back.replace(/prompt_ticket=.*/, `prompt_ticket=${'a'.repeat(80)}`);
      expect((await follow(browser, await browser.get(forged))).heading).toBe('Sign in');
    });

    it('is required again in another browser than the one that was redirected to sign in', async () => {
      const { browser, url } = await open();
      // The browser has its own cookie for prompt states.
      await browser.get(requested({ prompt: 'login' }));
      expect(browser.cookies.has(browser.cookieName('oauth2-prompt'))).toBe(true);
      const attacker = new PageBrowser(url);
      const sent = await attacker.get(requested({ prompt: 'login' }));
      const link = new URL(sent.location!, 'http://here').searchParams.get('return_to')!;
      await settle(browser);
      expect((await follow(browser, await browser.get(link))).heading).toBe('Sign in');
    });

    it('is not repeated endlessly: a login page that does not authenticate causes an error for the client', async () => {
      const interaction = Object.assign(new DemoInteraction(), {
        howSignedIn: (): SignIn => ({ authTime: new Date(Date.now() - 5000) }),
        login: ({ returnTo }: { returnTo: string }) => ({ redirect: returnTo }),
      });
      const authTime = new Date(Date.now() - 5000);
      interaction.howSignedIn = () => ({ authTime });
      interaction.findUser = () => ({ id: '1', name: 'Alice' });
      const { browser } = await open({ module: { interaction } });
      expect(answerOf(await go(browser, { prompt: 'login' }))).toMatchObject({ error: 'login_required' });
    });

    it.each<[string, unknown]>([
      ['is an invalid date', new Date(Number.NaN)],
      ['is a string, as after JSON serialization', '2026-01-02T03:04:05.678Z'],
      ['is a number of seconds', 1_767_323_045],
    ])('is not repeated endlessly if authTime %s: the error is logged', async (_, authTime) => {
      const log = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
      const interaction = Object.assign(new DemoInteraction(), {
        findUser: () => ({ id: '1', name: 'Alice' }),
        howSignedIn: () => ({ authTime }) as SignIn,
        login: ({ returnTo }: { returnTo: string }) => ({ redirect: returnTo }),
      });
      const { browser } = await open({ module: { interaction } });
      expect(answerOf(await go(browser, { prompt: 'login' }))).toMatchObject({ error: 'server_error' });
      expect(JSON.stringify(log.mock.calls)).toContain('`authTime` of a sign-in must be a Date');
    });

    it('is valid for 15 minutes: afterwards the user signs in again', async () => {
      const { browser } = await open();
      await settle(browser);
      const sent = await go(browser, { prompt: 'login' });
      const { location: back } = await browser.send(sent, { username: 'alice', password: 'wonderland' });
      const now = Date.now();
      jest.spyOn(Date, 'now').mockReturnValue(now + 16 * 60_000);
      expect((await follow(browser, await browser.get(back!))).heading).toBe('Sign in');
    });

    it('causes an error if the interaction does not report the login time', async () => {
      const interaction = Object.assign(new DemoInteraction(), {
        findUser: () => ({ id: '1', name: 'Alice' }),
        howSignedIn: () => undefined,
        login: ({ returnTo }: { returnTo: string }) => ({ redirect: returnTo }),
      });
      const { browser } = await open({ module: { interaction } });
      expect(answerOf(await go(browser, { max_age: '60' }))).toMatchObject({ error: 'login_required' });
    });

    it('counts for one decision: its return URL cannot be used again', async () => {
      const { browser } = await open();
      await settle(browser);
      const form = await go(browser, { prompt: 'login' });
      const { location: back } = await browser.send(form, { username: 'alice', password: 'wonderland' });
      expect(answerOf(await browser.get(back!))).toHaveProperty('code');
      expect((await follow(browser, await browser.get(back!))).heading).toBe('Sign in');
    });

    it('that is recent enough for max_age needs no other one if its return URL is used again', async () => {
      const { browser } = await open();
      await settle(browser);
      const now = Date.now();
      jest.spyOn(Date, 'now').mockReturnValue(now + 301_000);
      const form = await go(browser, { max_age: '300' });
      const { location: back } = await browser.send(form, { username: 'alice', password: 'wonderland' });
      expect(answerOf(await browser.get(back!))).toHaveProperty('code');
      expect(answerOf(await browser.get(back!))).toHaveProperty('code');
    });

    it('counts only for the very request that started it', async () => {
      const { browser } = await open();
      await settle(browser);
      const form = await go(browser, { prompt: 'login' });
      const { location: back } = await browser.send(form, { username: 'alice', password: 'wonderland' });
      const other = back!.replace('state=xyz', 'state=abc');
      expect((await follow(browser, await browser.get(other))).heading).toBe('Sign in');
    });

    it('is not satisfied by an older session whose cookie was not sent when re-authentication was requested', async () => {
      const { browser, url } = await open();
      await settle(browser);
      const now = Date.now();
      jest.spyOn(Date, 'now').mockReturnValue(now + 5 * 60_000);
      const sent = await new PageBrowser(url).get(requested({ prompt: 'login' }));
      const back = new URL(sent.location!, url).searchParams.get('return_to')!;
      expect((await follow(browser, await browser.get(back))).heading).toBe('Sign in');
    });

    it('is required only if the login is older than the client’s default_max_age', async () => {
      const { browser } = await open({ client: { defaultMaxAge: 300 } });
      const consent = await signIn(browser, await go(browser));
      await browser.send(consent, { decision: 'allow' });
      expect(answerOf(await go(browser))).toHaveProperty('code');
      const now = Date.now();
      jest.spyOn(Date, 'now').mockReturnValue(now + 301_000);
      expect((await go(browser)).heading).toBe('Sign in');
      expect(answerOf(await go(browser, { max_age: '3600' }))).toHaveProperty('code');
    });

    it('is recognized if the clock of the server is half a minute behind', async () => {
      const { browser } = await open();
      await settle(browser);
      const form = await go(browser, { prompt: 'login' });
      const now = Date.now();
      // The user signs in by the clock of another process, half a minute behind that of the first.
      const clock = jest.spyOn(Date, 'now').mockReturnValue(now - 30_000);
      const { location: back } = await browser.send(form, { username: 'bob', password: 'wonderland' });
      clock.mockRestore();
      expect((await browser.get(back!)).heading).toBe('Allow access?');
    });

    it('with another account in another tab shows the consent page again to the new user', async () => {
      const { browser } = await open();
      await settle(browser);
      const first = await go(browser, { prompt: 'consent' });
      expect(first.heading).toBe('Allow access?');
      await signIn(browser, await browser.get('/oauth/login?prompt=login&return_to=/oauth/login'), 'bob');
      const again = await browser.send(first, { decision: 'allow' });
      expect([again.status, again.heading]).toEqual([200, 'Allow access?']);
      expect(again.html).toContain('<b>Bob</b>');
    });
  });

  it('asks for consent each time with prompt=consent', async () => {
    const { browser } = await open();
    await settle(browser);
    const consent = await go(browser, { prompt: 'consent' });
    expect(consent.heading).toBe('Allow access?');
    expect(answerOf(await browser.send(consent, { decision: 'allow' }))).toHaveProperty('code');
    expect((await go(browser, { prompt: 'consent' })).heading).toBe('Allow access?');
  });

  it('lets the user choose an account once with prompt=select_account', async () => {
    const { browser } = await open();
    await settle(browser);
    const choice = await go(browser, { prompt: 'select_account' });
    expect(choice.heading).toBe('Choose an account');
    const [, here] = /href="([^"]*prompt_ticket[^"]*)"/.exec(choice.html)!;
    expect(answerOf(await browser.get(here!.replaceAll('&amp;', '&')))).toHaveProperty('code');
    const other = await follow(browser, await browser.send(await go(browser, { prompt: 'select_account' })));
    expect(other.heading).toBe('Sign in');
    const consent = await signIn(browser, other, 'bob');
    expect([consent.heading, consent.html.includes('<b>Bob</b>')]).toEqual(['Allow access?', true]);
  });

  describe('hints in an authorization request', () => {
    it('fill in the user name on the login page and select its language', async () => {
      const { browser } = await open({
        pages: { languages: { de: { messages: { signInTitle: 'Anmelden' } } } },
      });
      const form = await go(browser, { login_hint: 'alice"><b>', ui_locales: 'fr de' });
      expect([form.heading, form.headers.get('content-language')]).toEqual(['Anmelden', 'de']);
      expect(form.html).toContain('value="alice&quot;&gt;&lt;b&gt;"');
      const wrong = await browser.send(form, { username: 'alice', password: 'no' });
      expect([wrong.status, wrong.heading]).toEqual([401, 'Anmelden']);
    });

    async function idTokenOf(browser: PageBrowser, config: client.Configuration, by = 'web') {
      const { location } = await go(browser, { client_id: by });
      return (await client.authorizationCodeGrant(config, new URL(location!), { expectedState: 'xyz' })).id_token!;
    }

    it.each(SHAPES)('with an ID token of a client with $shape are satisfied only by its user', async (shape) => {
      const { browser, config, url } = await open({ client: withoutSector(shape) });
      await settle(browser);
      const hint = await idTokenOf(browser, config);
      expect(answerOf(await go(browser, { prompt: 'none', id_token_hint: hint }))).toHaveProperty('code');
      const bob = new PageBrowser(url);
      await signIn(bob, await bob.get('/oauth/login?return_to=/oauth/login'), 'bob');
      expect(answerOf(await go(bob, { prompt: 'none', id_token_hint: hint }))).toMatchObject({
        error: 'login_required',
      });
      // Bob may switch to Alice’s account, but the request fails if he stays Bob.
      const choice = await go(bob, { id_token_hint: hint });
      expect(choice.heading).toBe('Choose an account');
      const [, here] = /href="([^"]*prompt_ticket[^"]*)"/.exec(choice.html)!;
      expect(answerOf(await bob.get(here!.replaceAll('&amp;', '&')))).toMatchObject({ error: 'login_required' });
      const form = await follow(bob, await bob.send(await go(bob, { id_token_hint: hint })));
      expect(answerOf(await signIn(bob, form, 'alice'))).toHaveProperty('code');
    });

    it('with an ID token are rejected unless this server issued it to this client', async () => {
      const { browser, config } = await open();
      await settle(browser);
      const hint = await idTokenOf(browser, config);
      const [, payload] = hint.split('.');
      const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
      for (const bad of [unsigned, `${hint.slice(0, -6)}AAAAAA`, 'nonsense', 'a.b.c']) {
        expect(answerOf(await go(browser, { prompt: 'none', id_token_hint: bad }))).toMatchObject({
          error: 'invalid_request',
        });
      }
      const foreign = await go(browser, { prompt: 'none', client_id: 'other', id_token_hint: hint });
      expect(answerOf(foreign)).toMatchObject({ error: 'invalid_request' });
    });
  });

  describe('prompt=create', () => {
    it('leads to the application’s sign-up page, and from there through the login to the client', async () => {
      const { browser, config } = await open({ openid: { signUp: true }, pages: { signUp: '/sign-up' } });
      expect(config.serverMetadata()['prompt_values_supported']).toContain('create');
      const sent = await browser.get(requested({ prompt: 'create', login_hint: 'bob' }));
      const { pathname, searchParams } = new URL(sent.location!, 'http://here');
      expect([pathname, searchParams.get('login_hint')]).toEqual(['/sign-up', 'bob']);
      const form = await browser.get(searchParams.get('return_to')!);
      expect([form.heading, form.html.includes('value="bob"')]).toEqual(['Sign in', true]);
      const consent = await signIn(browser, form, 'bob');
      expect(consent.heading).toBe('Allow access?');
      expect(answerOf(await browser.send(consent, { decision: 'allow' }))).toHaveProperty('code');
    });

    it('shows the login page if there is no sign-up page, even if a user is signed in', async () => {
      const { browser } = await open({ openid: { signUp: true } });
      await settle(browser);
      const form = await go(browser, { prompt: 'create' });
      expect(form.heading).toBe('Sign in');
      expect((await signIn(browser, form, 'bob')).heading).toBe('Allow access?');
    });

    it('is ignored and not announced without a sign-up page', async () => {
      const { browser, config } = await open();
      expect(config.serverMetadata()['prompt_values_supported']).toEqual([
        'none',
        'login',
        'consent',
        'select_account',
      ]);
      await settle(browser);
      expect(answerOf(await go(browser, { prompt: 'create' }))).toHaveProperty('code');
    });
  });

  describe('the authentication context (acr) of a login', () => {
    const MFA = 'urn:example:mfa';
    const PWD = 'urn:example:pwd';

    /** Returns an interaction with a second step, which its login page asks for if required. */
    function stepping() {
      let signedIn: SignIn = { authTime: new Date(Date.now() - 1000), acr: PWD };
      const wanted: unknown[] = [];
      const interaction = Object.assign(new DemoInteraction(), {
        findUser: () => ({ id: '1', name: 'Alice' }),
        howSignedIn: () => signedIn,
        hasConsented: () => true,
        login(context: { returnTo: string; requestedLogin: { acr?: readonly string[] } }) {
          wanted.push(context.requestedLogin);
          return { redirect: context.returnTo };
        },
      });
      const stepUp = () => void (signedIn = { authTime: new Date(), acr: MFA, amr: ['pwd', 'otp'] });
      return { interaction, wanted, stepUp };
    }

    it('is requested once if the client asks for a known value', async () => {
      const { interaction, wanted, stepUp } = stepping();
      const { browser, config } = await open({ openid: { acrValues: [PWD, MFA] }, module: { interaction } });
      expect(config.serverMetadata()['acr_values_supported']).toEqual([PWD, MFA]);
      expect(answerOf(await go(browser, { prompt: 'none', acr_values: MFA }))).toMatchObject({
        error: 'interaction_required',
      });
      expect(answerOf(await go(browser, { acr_values: `urn:unknown ${PWD}` }))).toHaveProperty('code');
      expect(wanted).toEqual([]);
      // A voluntary acr is only a preference, so a user who cannot meet it continues.
      expect(answerOf(await go(browser, { acr_values: `${MFA} urn:unknown` }))).toHaveProperty('code');
      expect(wanted).toEqual([{ acr: [MFA] }]);
      stepUp();
      const { location } = await go(browser, { acr_values: PWD });
      const tokens = await client.authorizationCodeGrant(config, new URL(location!), { expectedState: 'xyz' });
      expect(tokens.claims()).toMatchObject({ acr: MFA, amr: ['pwd', 'otp'] });
      expect(wanted).toHaveLength(1);
    });

    it('is enforced if the client requests it as essential', async () => {
      const { interaction, stepUp } = stepping();
      const { browser } = await open({ openid: { acrValues: [PWD, MFA] }, module: { interaction } });
      const claims = (value: string) => JSON.stringify({ id_token: { acr: { essential: true, values: [value] } } });
      const unmet = { error: 'unmet_authentication_requirements' };
      expect(answerOf(await go(browser, { claims: claims(MFA) }))).toMatchObject(unmet);
      expect(answerOf(await go(browser, { claims: claims('urn:unknown') }))).toMatchObject(unmet);
      const empty = JSON.stringify({ id_token: { acr: { essential: true, value: MFA, values: [] } } });
      expect(answerOf(await go(browser, { claims: empty }))).toMatchObject(unmet);
      stepUp();
      expect(answerOf(await go(browser, { claims: claims(MFA) }))).toHaveProperty('code');
      const sub = (value: string) => JSON.stringify({ id_token: { sub: { value } } });
      expect(answerOf(await go(browser, { prompt: 'none', claims: sub('1') }))).toHaveProperty('code');
      expect(answerOf(await go(browser, { prompt: 'none', claims: sub('2') }))).toMatchObject({
        error: 'login_required',
      });
    });
  });

  it.each([
    ['a negative max_age', { max_age: '-1' }],
    ['a max_age that is not a number', { max_age: 'soon' }],
    ['a max_age of several centuries', { max_age: '99999999999' }],
    ['an overlong login_hint', { login_hint: 'a'.repeat(256) }],
    ['overlong acr_values', { acr_values: 'a'.repeat(1001) }],
  ])('rejects %s before the user has to sign in', async (_, change) => {
    const { browser } = await open();
    expect(answerOf(await browser.get(requested(change)))).toMatchObject({ error: 'invalid_request' });
  });
});
