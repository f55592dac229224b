import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { OAuth2Module, type OAuth2ModuleOptions } from 'nest-oauth2';
import { pages, type PagesOptions } from 'nest-oauth2/pages';
import { TemporarilyUnavailableError, type GrantEvent } from 'nest-oauth2/server';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';

import { SECRET } from '../../support/servers/demo.js';
import {
  type TestApplicationOptions,
  PLATFORMS,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';
import { PageBrowser } from './page-browser.js';

const CALLBACK = 'https://app.example/callback';
const ASKED = { response_type: 'code', client_id: 'web', scope: 'notes:read', state: 'xyz', redirect_uri: CALLBACK };
const COOKIE = 'oauth2-session';

const web: StoredClient = {
  id: 'web',
  name: 'Notes <of> Wonderland',
  secret: 'web-secret',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: [CALLBACK],
  scopes: ['notes:read', 'notes:write'],
};

const users = [
  { id: '1', username: 'alice', name: 'Alice' },
  { id: '2', username: 'bob', name: 'Bob' },
];

function newStore(clients: StoredClient[] = [web]): MemoryStore {
  return new MemoryStore({
    clients,
    users: {
      findById: (id) => users.find((user) => user.id === id),
      findByCredentials(name, password) {
        if (password === 'busy') throw new TemporarilyUnavailableError('Busy', { retryAfter: 7 });
        if (password === 'broken') throw new Error('the database is at 10.0.0.1');
        return password === 'wonderland' && users.find(({ username }) => username === name);
      },
    },
  });
}

const authorize = (change: Record<string, string> = {}, at = '/oauth/authorize') =>
  `${at}?${new URLSearchParams({ ...ASKED, ...change }).toString()}`;

describe.each(PLATFORMS)('the built-in pages on %s', (platform) => {
  afterEach(stopApplications);

  interface Setting extends TestApplicationOptions {
    pages?: PagesOptions;
    module?: Partial<OAuth2ModuleOptions>;
    store?: MemoryStore;
  }

  async function open({ pages: options, module, store = newStore(), ...host }: Setting = {}) {
    const imports = [OAuth2Module.forRoot({ model: store, features: [pages(options)], secret: SECRET, ...module })];
    const { url } = await startApplication(platform, { imports }, host);
    return { url, store, browser: new PageBrowser(url) };
  }

  async function redeem(url: string, location: string | null) {
    const code = new URL(location!).searchParams.get('code')!;
    const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
    const headers = { authorization: `Basic ${btoa('web:web-secret')}` };
    const response = await fetch(`${url}/oauth/token`, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    return (await response.json()) as { access_token: string; refresh_token: string };
  }

  it('lead through login and consent to the client, and ask for consent once', async () => {
    const { browser, url } = await open();
    const sent = await browser.get(authorize());
    expect([sent.status, sent.location]).toEqual([
      302,
      `/oauth/login?${new URLSearchParams({ return_to: authorize() }).toString()}`,
    ]);
    const form = await browser.get(sent.location!);
    expect([form.status, form.heading]).toEqual([200, 'Sign in']);
    const back = await browser.send(form, { username: 'alice', password: 'wonderland' });
    expect([back.status, back.location]).toEqual([303, authorize()]);
    const consent = await browser.get(back.location!);
    expect([consent.status, consent.heading]).toEqual([200, 'Allow access?']);
    expect(consent.html).toContain('<b>Notes &lt;of&gt; Wonderland</b> would like to:');
    const response = await browser.send(consent, { decision: 'allow' });
    expect([response.status, response.location]).toEqual([
      303,
      expect.stringMatching(/^https:\/\/app\.example\/callback\?code=/),
    ]);
    await redeem(url, response.location);

    expect((await browser.get(authorize({ state: 'again' }))).location).toMatch(/callback\?code=.*state=again/);
    // A wider scope requires consent again.
    expect((await browser.get(authorize({ scope: 'notes:read notes:write' }))).heading).toBe('Allow access?');
  });

  it.each(['login', 'logout', 'applications'])(
    'answer HEAD for /oauth/%s like GET, without a body (RFC 9110 §9.3.2)',
    async (page) => {
      const { url } = await open();
      const ask = (method: string) => fetch(`${url}/oauth/${page}`, { method, redirect: 'manual' });
      const [get, head] = [await ask('GET'), await ask('HEAD')];
      expect([head.status, await head.text()]).toEqual([get.status, '']);
      for (const name of ['content-type', 'content-security-policy', 'cache-control', 'location']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
      }
    },
  );

  it("do not remember a denial, and always ask for a client with consent: 'always'", async () => {
    const store = newStore([{ ...web, consent: 'always' }]);
    const { browser } = await open({ store });
    await browser.signIn('/oauth/login');
    const denied = await browser.send(await browser.get(authorize()), { decision: 'deny' });
    expect(denied.location).toContain('error=access_denied');
    await browser.send(await browser.get(authorize()), { decision: 'allow' });
    expect((await browser.get(authorize())).heading).toBe('Allow access?');
  });

  it("ask for no consent for a client with consent: 'never'", async () => {
    const { browser } = await open({ store: newStore([{ ...web, consent: 'never' }]) });
    const back = await browser.signIn(`/oauth/login?return_to=${encodeURIComponent(authorize())}`);
    expect((await browser.get(back.location!)).location).toMatch(/callback\?code=/);
  });

  describe('the login page', () => {
    it('sets HttpOnly SameSite cookies: a new session cookie at sign-in, and one that identifies the browser', async () => {
      const { browser } = await open();
      const form = await browser.get('/oauth/login');
      expect(form.given).toEqual([
        expect.stringMatching(/^oauth2-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
      ]);
      const before = browser.cookies.get(COOKIE);
      const { given } = await browser.send(form, { username: 'alice', password: 'wonderland' });
      expect(given).toEqual([
        expect.stringMatching(
          /^oauth2-known-browser=[\w-]{22}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/,
        ),
        expect.stringMatching(/^oauth2-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=28800$/),
      ]);
      expect(browser.cookies.get(COOKIE)).not.toBe(before);
    });

    it('sets a Secure cookie with the __Host- prefix if the issuer is https', async () => {
      const { browser } = await open({ module: { issuer: 'https://id.example' } });
      const { given } = await browser.get('/oauth/login');
      expect(given[0]).toMatch(/^__Host-oauth2-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    });

    it('reports a wrong password, and keeps the user name but not the password in the form', async () => {
      const { browser } = await open();
      const again = await browser.signIn('/oauth/login?return_to=/there', 'alice"><script>', 'underland');
      expect([again.status, again.location]).toEqual([401, null]);
      expect(again.html).toContain('The sign-in details are incorrect.');
      expect(again.html).toContain('value="alice&quot;&gt;&lt;script&gt;"');
      expect(again.html).not.toContain('underland');
      expect(again.form.fields['return_to']).toBe('/there');
    });

    it.each([
      ['no token', { csrf_token: '' }, {}],
      ['a guessed token', { csrf_token: 'A'.repeat(43) }, {}],
      ['a cross-site Sec-Fetch-Site header', {}, { 'sec-fetch-site': 'cross-site' }],
      ['a same-site Sec-Fetch-Site header', {}, { 'sec-fetch-site': 'same-site' }],
      ['a foreign Origin header', {}, { origin: 'https://evil.example' }],
    ])('rejects a form with %s (CSRF)', async (_, change, headers) => {
      const { browser, store, url } = await open();
      const form = await browser.get('/oauth/login');
      const response = await browser.send(form, { username: 'alice', password: 'wonderland', ...change }, headers);
      expect([response.status, response.location]).toEqual([403, null]);
      expect(response.html).toContain('This form has expired');
      expect(await store.getSession(browser.cookies.get(COOKIE)!)).toBeUndefined();
      // A token that belongs to another browser is rejected too.
      const stranger = new PageBrowser(url);
      await stranger.get('/oauth/login');
      expect((await stranger.send(form, { username: 'alice', password: 'wonderland' })).status).toBe(403);
    });

    it.each([
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/.//evil.example',
      '/\t/evil.example',
      'javascript:alert(1)',
      '',
    ])('never redirects to %p after the login (open redirect)', async (returnTo) => {
      const { browser } = await open();
      const form = await browser.get(`/oauth/login?return_to=${encodeURIComponent(returnTo)}`);
      const typed = { username: 'alice', password: 'wonderland' };
      expect((await browser.send(form, typed)).location).toBe('/');
      const again = await browser.post('/oauth/login', {
        ...(await browser.get('/oauth/login')).form.fields,
        return_to: returnTo,
      });
      expect(again.location ?? '').not.toMatch(/evil|script/);
    });

    it('replaces a session cookie that the server did not issue (session fixation)', async () => {
      const { browser } = await open();
      browser.cookies.set(COOKIE, 'A'.repeat(43));
      expect((await browser.get('/oauth/login')).heading).toBe('Sign in');
      await browser.signIn('/oauth/login');
      // The cookie planted before the login must not become the session.
      expect(browser.cookies.get(COOKIE)).not.toBe('A'.repeat(43));
    });

    it('limits failed logins of a user without locking out others', async () => {
      const { browser, url } = await open();
      for (let guess = 0; guess < 10; guess++)
        expect((await browser.signIn('/oauth/login', 'alice', 'x')).status).toBe(401);
      const refused = await browser.signIn('/oauth/login', 'Alice', 'wonderland');
      expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.closeTo(300, -2)]);
      expect(refused.html).toContain('Too many attempts. Please try again in 5 minutes.');
      expect((await new PageBrowser(url).signIn('/oauth/login', 'bob')).status).toBe(303);
    });

    it.each([
      ['user name', 'ali\0ce', 'wonderland'],
      ['user name', 'ali\u0001ce', 'wonderland'],
      ['user name', 'alice\u0080', 'wonderland'],
      ['user name', 'al\u200Dice', 'wonderland'],
      ['user name', 'alice\u{e0001}', 'wonderland'],
      ['user name', 'alice\ue000', 'wonderland'],
      ['user name', 'alice\u0378', 'wonderland'],
      ['password', 'alice', 'wonder\0land'],
    ])(
      'rejects a %s with an invisible or control character without calling the model',
      async (_name, name, password) => {
        const { store, browser } = await open();
        const requested = jest.spyOn(store, 'getUser');
        expect((await browser.signIn('/oauth/login', name, password)).status).toBe(401);
        expect(requested).not.toHaveBeenCalled();
      },
    );

    it('lets the application limit failed logins with its own throttle', async () => {
      const attempts: unknown[] = [];
      const throttle = {
        count: ({ username, address }: { username?: string; address?: string | undefined }) =>
          attempts.push([username, address]),
      };
      const { browser } = await open({ pages: { throttle } });
      const refused = await browser.signIn('/oauth/login');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      expect(attempts).toEqual([['alice', expect.stringContaining('127.0.0.1')]]);
    });

    it('responds with 503 and Retry-After if the user store is temporarily unavailable', async () => {
      const { browser } = await open();
      const later = await browser.signIn('/oauth/login', 'alice', 'busy');
      expect([later.status, later.headers.get('retry-after')]).toEqual([503, '7']);
      expect(later.html).toContain('Sign-in is busy right now');
    });

    it('shows an internal error as a page without details', async () => {
      const { browser } = await open();
      const fault = await browser.signIn('/oauth/login', 'alice', 'broken');
      expect([fault.status, fault.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
      expect(fault.html).toContain('Something went wrong on our side');
      expect(fault.html).not.toContain('10.0.0.1');
    });

    it('offers the choice of an account to a signed-in user', async () => {
      const { browser, store } = await open();
      await browser.signIn('/oauth/login');
      const first = browser.cookies.get(COOKIE)!;
      const choice = await browser.get(`/oauth/login?return_to=${encodeURIComponent(authorize())}`);
      expect(choice.heading).toBe('Choose an account');
      expect(choice.html).toMatch(/href="\/oauth\/authorize\?[^"]*"[^>]*>Continue as <bdi>Alice</);
      const other = await browser.send(choice);
      expect(other.location).toBe(`/oauth/login?${new URLSearchParams({ return_to: authorize() }).toString()}`);
      expect(await store.getSession(first)).toBeUndefined();
      const back = await browser.signIn(other.location!, 'bob');
      expect((await browser.get(back.location!)).html).toContain('signed in as <b>Bob</b>');
    });

    it('uses the language of `ui_locales` in the authorization request', async () => {
      const languages = { de: { messages: { signInTitle: 'Anmelden', consentTitle: 'Zugriff erlauben?' } } };
      const { browser } = await open({ pages: { languages } });
      const sent = await browser.get(authorize({ ui_locales: 'de en' }));
      expect((await browser.get(sent.location!)).heading).toBe('Anmelden');
      const back = await browser.signIn(sent.location!);
      expect((await browser.get(back.location!)).heading).toBe('Zugriff erlauben?');
    });
  });

  describe('sign-out with the built-in pages', () => {
    it('asks for confirmation, ends the session for every copy of its cookie, and shows a page', async () => {
      const { browser, store } = await open();
      await browser.signIn('/oauth/login');
      const cookie = browser.cookies.get(COOKIE)!;
      const question = await browser.get('/oauth/logout');
      expect(question.heading).toBe('Sign out?');
      expect(await store.getSession(cookie)).toBeDefined();
      const response = await browser.send(question);
      expect([response.status, response.location, browser.cookies.has(COOKIE)]).toEqual([303, '/oauth/logout', false]);
      expect(await store.getSession(cookie)).toBeUndefined();
      expect((await browser.get(response.location!)).heading).toBe('You are signed out');
    });

    it.each([true, false])(
      'ends grants and the sessions in other browsers only if `signOutEndsGrants` is true: %j',
      async (ends) => {
        const reported: string[] = [];
        const events = new EventEmitter().on('grant.ended', (event: GrantEvent) =>
          reported.push(`${event.endpoint} ${event.reason}`),
        );
        const { browser, store } = await open({ pages: { signOutEndsGrants: ends }, module: { events } });
        await browser.signIn('/oauth/login');
        const { user } = (await store.getSession(browser.cookies.get(COOKIE)!))!;
        const expiresAt = new Date(Date.now() + 60_000);
        const client = { id: 'web', grants: [] };
        await store.saveSession({ sessionId: 'elsewhere', user, authTime: new Date(), expiresAt });
        await store.saveToken({ accessToken: 'granted', accessTokenExpiresAt: expiresAt }, client, user);
        expect(await store.listGrants(user['id'] as string)).toHaveLength(1);
        await browser.send(await browser.get('/oauth/logout'));
        expect(await store.listGrants(user['id'] as string)).toHaveLength(ends ? 0 : 1);
        expect(Boolean(await store.getSession('elsewhere'))).toBe(!ends);
        expect(reported).toEqual(ends ? ['logout withdrawn'] : []);
      },
    );

    it('accepts a form of the application with `return_to`, but no form of another site (CSRF)', async () => {
      const { browser, store } = await open();
      await browser.signIn('/oauth/login');
      const cookie = browser.cookies.get(COOKIE)!;
      const forged = await browser.post('/oauth/logout', {}, { 'sec-fetch-site': 'cross-site' });
      expect(forged.heading).toBe('Sign out?');
      expect(await store.getSession(cookie)).toBeDefined();
      expect((await browser.post('/oauth/logout', { return_to: '//evil.example' })).location).toBe('/oauth/logout');
      await browser.signIn('/oauth/login');
      expect((await browser.post('/oauth/logout', { return_to: '/?bye' })).location).toBe('/?bye');
    });
  });

  describe('the page of authorized applications', () => {
    const path = '/oauth/applications';

    it('lists applications for a signed-in user and removes their access: tokens and consent', async () => {
      const { browser, url, store } = await open({
        pages: { scopes: { 'notes:read': { consent: 'Read your notes' } } },
      });
      const away = await browser.get(path);
      expect(away.location).toBe(`/oauth/login?${new URLSearchParams({ return_to: path }).toString()}`);
      expect((await browser.signIn(away.location!)).location).toBe(path);
      expect((await browser.get(path)).html).toContain('No apps have access');

      const response = await browser.send(await browser.get(authorize()), { decision: 'allow' });
      const { access_token: token } = await redeem(url, response.location);
      const list = await browser.get(path);
      expect(list.html).toMatch(/Notes &lt;of&gt; Wonderland[^]*<li>Read your notes<\/li>[^]*Since /);
      const ended = await browser.send(list);
      expect([ended.status, ended.location]).toEqual([303, `${path}?ended=`]);
      const after = await browser.get(ended.location!);
      expect(after.html).toContain('Access removed.');
      expect(after.html).toContain('No apps have access');
      expect(await store.getAccessToken(token)).toBeUndefined();
      expect((await browser.get(authorize())).heading).toBe('Allow access?');
    });

    it('removes access only by its own form, and only that of the signed-in user', async () => {
      const { browser, store } = await open();
      await browser.signIn('/oauth/login');
      await browser.send(await browser.get(authorize()), { decision: 'allow' });
      const list = await browser.get(path);
      for (const [change, headers] of [
        [{ csrf_token: '' }, {}],
        [{}, { origin: 'https://evil.example' }],
        [{ client_id: 'other' }, {}],
      ] as const) {
        await browser.send(list, change, headers);
        expect(await store.listApplications('1')).toHaveLength(1);
      }
      const bob = new PageBrowser((await open({ store })).url);
      await bob.signIn('/oauth/login', 'bob');
      expect((await bob.get(path)).html).toContain('No apps have access');
      await bob.post(path, { ...(await bob.get('/oauth/logout')).form.fields, client_id: 'web' });
      expect(await store.listApplications('1')).toHaveLength(1);
    });

    it('responds with 404 if it is disabled', async () => {
      const { browser } = await open({ pages: { applications: false } });
      expect((await browser.get(path)).status).toBe(404);
    });
  });

  it('are served at custom paths', async () => {
    const prepare = (app: INestApplication) => app.setGlobalPrefix('id');
    const { browser } = await open({ module: { paths: { login: 'sign-in' } }, prepare });
    const sent = await browser.get(authorize({}, '/id/oauth/authorize'));
    expect(sent.location).toMatch(/^\/id\/sign-in\?return_to=%2Fid%2Foauth%2Fauthorize/);
    const back = await browser.signIn(sent.location!);
    expect((await browser.get(back.location!)).heading).toBe('Allow access?');
  });

  it('show errors that cannot be returned to a client', async () => {
    const { browser } = await open();
    const shown = await browser.get(authorize({ redirect_uri: 'https://evil.example/' }));
    expect([shown.status, shown.heading]).toEqual([400, "This request can't be completed"]);
    expect(shown.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(shown.headers.get('cache-control')).toBe('no-store');
  });

  it('leave login and sessions to the application if it has its own', async () => {
    const sessions = {
      find: ({ headers }: { headers: Record<string, string> }) => users.find(({ id }) => id === headers['x-user']),
      start: () => undefined,
      end: () => undefined,
    };
    const { browser, url } = await open({ pages: { login: '/my/login?a=b', sessions } });
    const sent = await browser.get(authorize());
    expect(sent.location).toBe(`/my/login?a=b&${new URLSearchParams({ return_to: authorize() }).toString()}`);
    expect((await browser.get('/oauth/login')).status).toBe(404);
    const alice = new PageBrowser(url, { 'x-user': '1' });
    const response = await alice.send(await alice.get(authorize()), { decision: 'allow' });
    expect(response.location).toMatch(/callback\?code=/);
  });

  it('keep the cookies that the application sets', async () => {
    const prepare = (app: INestApplication) => {
      if (platform === 'express') {
        app.use((_: unknown, reply: ServerResponse, next: () => void) => {
          reply.appendHeader('set-cookie', 'host=1');
          next();
        });
        return;
      }
      const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
      fastify.addHook('onRequest', (_, reply, done) => {
        void reply.header('set-cookie', 'host=1');
        done();
      });
    };
    const { browser } = await open({ prepare });
    const { given } = await browser.get('/oauth/login');
    expect(given).toEqual(['host=1', expect.stringMatching(/^oauth2-session=/)]);
  });

  it('respond with 405 to methods other than GET and POST', async () => {
    const { url } = await open();
    expect((await fetch(`${url}/oauth/login`, { method: 'DELETE' })).status).toBe(405);
  });
});

describe('pages()', () => {
  it.each<[PagesOptions, string]>([
    [{ sessionLifetime: 0 }, '`sessionLifetime` of `pages()` must be a whole number of seconds'],
    [{ home: 'https://elsewhere.example' }, '`home` of `pages()` must be a path on this server'],
    [{ login: '/login' }, '`login` requires `sessions`'],
    [{ sessions: {} as never }, '`sessions` of `pages()` must have a method `find()`'],
  ])('throws for the options %p', (options, sentence) => {
    expect(() => pages(options)).toThrow(sentence);
  });
});
