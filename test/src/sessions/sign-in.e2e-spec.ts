import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Inject } from '@nestjs/common';
import { InjectOAuth2Sessions, OAuth2Module, OAuth2Sessions } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { html, page, pages, sendPage } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { SECRET } from '../../support/servers/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';
import { PageBrowser } from '../pages/page-browser.js';
import { authorize, CALLBACK, jsonOf, openSignUp, SESSION, signUpLink } from './sign-up-application.js';

const typed = { username: 'carol', password: 'looking-glass' };
const openId = {
  features: [keys({ from: [RSA] }), openid({ signUp: true })],
  module: { issuer: 'http://127.0.0.1' },
};
const optionsOf = (options: object) => ({ 'x-options': JSON.stringify(options) });

describe.each(PLATFORMS)('OAuth2Sessions.signIn() on %s', (platform) => {
  afterEach(stopApplications);

  it('signs a new user in after sign-up and continues the authorization request', async () => {
    const { browser } = await openSignUp(platform);
    const login = await browser.get((await browser.get(authorize())).location!);
    const form = await browser.get(signUpLink(login));
    expect([form.status, form.heading]).toEqual([200, 'Create &lt;account&gt;']);
    const signedUp = await browser.send(form, typed);
    expect(jsonOf(signedUp).next).toBe(authorize());
    const back = await browser.get(jsonOf(signedUp).next!);
    expect(back.location).toMatch(/^https:\/\/app\.example\/callback\?code=.*state=xyz/);
  });

  it('continues a request for a new account without asking for the password', async () => {
    const { browser } = await openSignUp(platform, openId);
    const requested = authorize({ prompt: 'create', scope: 'openid' });
    const sent = await browser.get(requested);
    const signedUp = await browser.send(await browser.get(sent.location!), typed);
    expect((await browser.get(jsonOf(signedUp).next!)).location ?? '').toContain(`${CALLBACK}?code=`);
  });

  it('returns null without a return path, or with one of another site (open redirect)', async () => {
    const { browser } = await openSignUp(platform);
    for (const query of [
      '',
      '?return_to=https://evil.example/',
      '?return_to=//evil.example/',
      `?return_to=${encodeURIComponent('/\\evil.example')}`,
      `?return_to=${encodeURIComponent('/oauth/login?return_to=https://evil.example/')}`,
      `?return_to=${encodeURIComponent('/oauth/login?return_to=//evil.example/')}`,
      '?return_to=javascript:alert(1)',
    ]) {
      expect([query, jsonOf(await browser.get(`/link${query}`)).next]).toEqual([query, null]);
    }
    expect(jsonOf(await browser.get('/me')).user).toBe('alice');
  });

  it('continues at the local path that the application saved', async () => {
    const { browser } = await openSignUp(platform);
    const next = async (returnTo: string) =>
      jsonOf(await new PageBrowser(browser['url'], optionsOf({ returnTo })).get('/link')).next;
    expect(await next('/welcome?a=1')).toBe('/welcome?a=1');
    expect(await next(`/oauth/login?${new URLSearchParams({ return_to: authorize() }).toString()}`)).toBe(authorize());
    expect(await next('https://evil.example/')).toBe(null);
    expect(await next('//evil.example')).toBe(null);
  });

  it('starts a new session with a new cookie, so that a planted cookie is worthless', async () => {
    const { browser, url } = await openSignUp(platform);
    await browser.get('/oauth/login');
    const planted = browser.cookies.get(SESSION);
    const signedIn = await browser.get('/link');
    expect(signedIn.given).toEqual([
      expect.stringMatching(/^oauth2-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=28800$/),
    ]);
    expect(browser.cookies.get(SESSION)).not.toBe(planted);
    const attacker = new PageBrowser(url);
    attacker.cookies.set(SESSION, planted!);
    expect(jsonOf(await attacker.get('/me')).user).toBe(null);

    const first = browser.cookies.get(SESSION)!;
    await browser.get('/link');
    attacker.cookies.set(SESSION, first);
    expect(jsonOf(await attacker.get('/me')).user).toBe(null);
  });

  it('keeps apart the sessions of two applications on different ports of one host', async () => {
    const open = (port: number) => openSignUp(platform, { module: { issuer: `http://localhost:${port}` } });
    const [one, other] = [await open(3000), await open(3001)];
    // A browser sends the cookies of a host to each of its ports.
    const shared = new Map([...(await signInAt(one)), ...(await signInAt(other))]);
    expect([...shared.keys()].filter((name) => name.startsWith(SESSION))).toEqual([
      `${SESSION}.3000`,
      `${SESSION}.3001`,
    ]);
    for (const { url } of [one, other]) {
      const browser = new PageBrowser(url);
      for (const [name, value] of shared) browser.cookies.set(name, value);
      expect(jsonOf(await browser.get('/me')).user).toBe('alice');
    }
  });

  it('sets a __Host- cookie with Secure where the issuer is https', async () => {
    const { browser } = await openSignUp(platform, { module: { issuer: 'https://id.example' } });
    expect((await browser.get('/link')).given).toEqual([
      expect.stringMatching(
        /^__Host-oauth2-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=28800$/,
      ),
    ]);
  });

  it('rejects a form of another site (login CSRF)', async () => {
    const { browser } = await openSignUp(platform);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ] as Record<string, string>[]) {
      const refused = await browser.post('/sign-up', typed, headers);
      expect([refused.status, refused.given]).toEqual([403, []]);
      expect(jsonOf(refused).message).toContain('another site');
    }
    expect(jsonOf(await browser.get('/me')).user).toBe(null);
    // A page that hides its origin must send the CSRF token of the form.
    const hidden = await browser.send(await browser.get('/sign-up'), typed, { origin: 'null' });
    expect([hidden.status, jsonOf(await browser.get('/me')).user]).toEqual([200, 'carol']);
  });

  it('accepts a cross-site POST only if the application allows it', async () => {
    const { browser } = await openSignUp(platform);
    const headers = { origin: 'https://idp.example', ...optionsOf({ crossSite: true }) };
    expect((await browser.post('/sign-up', typed, headers)).status).toBe(200);
    expect(jsonOf(await browser.get('/me')).user).toBe('carol');
  });

  it('is undone by signOut(), which ends the session', async () => {
    const { browser } = await openSignUp(platform);
    await browser.get('/link');
    const cookie = browser.cookies.get(SESSION)!;
    await browser.post('/sign-out', {});
    expect(browser.cookies.has(SESSION)).toBe(false);
    browser.cookies.set(SESSION, cookie);
    expect(jsonOf(await browser.get('/me')).user).toBe(null);
  });

  it('throws a clear error for an invalid user, invalid authentication details or a misconfigured application', async () => {
    const { app, browser } = await openSignUp(platform);
    const sessions = app.get(OAuth2Sessions);
    const request = { headers: {}, method: 'GET' };
    await expect(sessions.signIn(request, {} as never, {})).rejects.toThrow('requires a user with an `id`');
    const bad = await new PageBrowser(browser['url'], optionsOf({ amr: 'pwd' })).get('/link');
    expect(jsonOf(bad).message).toContain('`amr` of a sign-in must be a list of texts');

    const model = new MemoryStore({
      clients: [],
      users: { findById: () => undefined, findByCredentials: () => undefined },
    });
    const interaction = { findUser: () => undefined, login: () => ({ redirect: '/' }), consent: () => ({ html: '' }) };
    const without = await startApplication(platform, {
      imports: [OAuth2Module.forRoot({ model, interaction, secret: SECRET })],
    });
    await expect(without.app.get(OAuth2Sessions).findUser(request)).rejects.toThrow('requires `pages()` among');
  });

  it('works for named servers, each with its own session cookie', async () => {
    @Controller()
    class Named {
      constructor(
        @InjectOAuth2Sessions('partners') readonly partners: OAuth2Sessions,
        @Inject(OAuth2Sessions) readonly own: OAuth2Sessions,
      ) {}
    }
    const { url, store } = await openSignUp(platform);
    const users = { findById: () => undefined, findByCredentials: () => undefined };
    const imports = [
      OAuth2Module.forRoot({ model: store, issuer: url, features: [pages()], secret: SECRET }),
      OAuth2Module.forRoot({
        name: 'partners',
        model: new MemoryStore({ clients: [], users }),
        issuer: 'https://partners.example',
        features: [pages({ signUp: '/partners/sign-up' })],
        secret: SECRET,
        paths: {
          authorize: 'partners/authorize',
          token: 'partners/token',
          login: 'partners/login',
          logout: 'partners/logout',
          applications: 'partners/applications',
          account: 'partners/account',
        },
      }),
    ];
    const { app } = await startApplication(platform, { imports, controllers: [Named] });
    const { partners, own } = app.get(Named);
    expect(partners).not.toBe(own);
    const cookie = new PageBrowser(url);
    await cookie.get('/link');
    const name = cookie.cookieName(SESSION);
    const value = cookie.cookies.get(SESSION);
    const headers = { cookie: `__Host-${SESSION}=${value}; ${name}=${value}` };
    expect(await own.findUser({ headers, method: 'GET' })).toMatchObject({ id: '1' });
    expect(await partners.findUser({ headers, method: 'GET' })).toBe(undefined);
  });
});

async function signInAt({ browser }: { browser: PageBrowser }): Promise<ReadonlyMap<string, string>> {
  await browser.get('/link');
  return browser.cookies;
}

describe.each(PLATFORMS)('an application’s own page in the style of the built-in pages on %s', (platform) => {
  afterEach(stopApplications);

  it('has the style, language and content security policy of the built-in pages', async () => {
    const { browser } = await openSignUp(platform, { pages: { site: 'Wonderland' } });
    const [own, login] = [await browser.get('/sign-up'), await browser.get('/oauth/login')];
    const styleOf = (text: string) => /<style>[^]*<\/style>/.exec(text)![0];
    expect(styleOf(own.html)).toBe(styleOf(login.html));
    for (const name of ['content-security-policy', 'cache-control', 'x-frame-options', 'vary']) {
      expect([name, own.headers.get(name)]).toEqual([name, login.headers.get(name)]);
    }
    // Browsers send `Origin: null` with forms of a page whose policy is `no-referrer`.
    expect(own.headers.get('referrer-policy')).toBe('same-origin');
    expect(own.html).toContain('<title>Create &lt;account&gt; · Wonderland</title>');
  });

  it('links to the sign-up page and to the page for forgotten passwords', async () => {
    const { browser } = await openSignUp(platform, { pages: { forgotPassword: '/forgot' } });
    const login = await browser.get(`/oauth/login?return_to=${encodeURIComponent('/a?b=c')}`);
    const back = new URLSearchParams({ return_to: '/oauth/login?return_to=%2Fa%3Fb%3Dc' }).toString();
    expect(login.html).toContain(`<a href="/forgot?${back}">Forgot password?</a>`);
    expect(login.html).toContain(`<a href="/sign-up?${back}">Create an account</a>`);
  });

  it('links to another server for forgotten passwords without revealing the return path', async () => {
    const { browser } = await openSignUp(platform, { pages: { forgotPassword: 'https://accounts.example/reset' } });
    const login = await browser.get('/oauth/login?return_to=/a');
    expect(login.html).toContain('<a href="https://accounts.example/reset">Forgot password?</a>');
    expect(() => pages({ forgotPassword: 'http://accounts.example' })).toThrow(
      '`forgotPassword` of `pages()` must be a path',
    );
    expect(() => pages({ forgotPassword: 'javascript:alert(1)' })).toThrow(
      '`forgotPassword` of `pages()` must be a path',
    );
  });
});

describe('page()', () => {
  it('escapes title and text, and inserts markup created with html', () => {
    const hostile = '<script>alert(1)</script>';
    const shown = page({ title: hostile, main: hostile });
    expect(shown.html).not.toContain('<script');
    expect(page({ title: 'A', main: html`<b>${hostile}</b>` }).html).toContain('<b>&lt;script&gt;');
    expect([shown.status, page({ title: 'A', main: 'B', status: 404 }).status]).toEqual([200, 404]);
    expect(shown.headers!['Content-Security-Policy']).not.toMatch(/script-src|unsafe/);
  });

  it('allows scripts of this server only if `script` is set', () => {
    const shown = page({ title: 'A', main: 'B', script: '/a.js?"><b>' });
    expect(shown.html).toContain('<script src="/a.js?&quot;&gt;&lt;b&gt;" type="module"></script>');
    expect(shown.headers!['Content-Security-Policy']).toContain("script-src 'self'; connect-src 'self'");
  });

  it('uses the style of the application', () => {
    const shown = page({ title: 'A', main: 'B' }, { site: 'Wonderland', css: ':root { --accent: red }' });
    expect(shown.html).toMatch(/Wonderland[^]*<h1>A<\/h1>\s*<p>B<\/p>/);
    expect(shown.html).toContain('--accent: red');
    expect(typeof sendPage).toBe('function');
  });
});
