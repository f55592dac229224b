import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { User } from 'nest-oauth2';
import { pages, type PagesOptions } from 'nest-oauth2/pages';

import { ANY_PLATFORM, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';
import { authorize, CALLBACK, jsonOf, openSignUp, SESSION, type Setting } from './sign-up-application.js';

const REMEMBERED = 'oauth2-remembered';
const MONTH = 30 * 86_400;
const typed = { username: 'alice', password: 'wonderland', remember: '1' };

describe.each(ANY_PLATFORM)('"Remember me" on %s', (platform) => {
  afterEach(async () => {
    jest.restoreAllMocks();
    await stopApplications();
  });

  const open = (options: PagesOptions = {}, setting: Setting = {}) =>
    openSignUp(platform, { ...setting, pages: { rememberLifetime: MONTH, ...options } });

  const signIn = async (browser: PageBrowser, fields: Record<string, string> = typed) =>
    browser.send(await browser.get('/oauth/login'), fields);

  /** Deletes the session cookie, as if it had expired, and keeps the other cookies. */
  const expire = (browser: PageBrowser) => browser.cookies.delete(SESSION);

  /** Returns a browser with the same cookies. */
  function copyOf(browser: PageBrowser): PageBrowser {
    const copy = new PageBrowser(browser['url']);
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    return copy;
  }

  /** Moves the clock beyond the time in which parallel requests are expected. */
  function wait(seconds: number): void {
    const [now, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)];
    jest.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1000);
    jest.spyOn(performance, 'now').mockImplementation(() => monotonic() + seconds * 1000);
  }

  const userOf = async (browser: PageBrowser) => jsonOf(await browser.get('/me')).user;
  const login = `/oauth/login?return_to=${encodeURIComponent(authorize())}`;

  it('offers a check box only where the option is set, and remembers only users who check it', async () => {
    const { browser, url } = await open();
    expect((await browser.get('/oauth/login')).html).toContain('type="checkbox" name="remember" value="1"');
    const { remember, ...unchecked } = typed;
    const signedIn = await signIn(browser, unchecked);
    expect([remember, signedIn.given.join()]).toEqual(['1', expect.not.stringContaining(REMEMBERED)]);
    const other = new PageBrowser(url);
    const given = (await signIn(other)).given.find((line) => line.startsWith(REMEMBERED));
    expect(given).toMatch(/^oauth2-remembered=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/);

    const without = await openSignUp(platform);
    expect((await without.browser.get('/oauth/login')).html).not.toContain('checkbox');
    expect((await signIn(without.browser)).given.join()).not.toContain(REMEMBERED);
  });

  it('sets a __Host- cookie with Secure where the issuer is https', async () => {
    const { browser } = await open({}, { module: { issuer: 'https://id.example' } });
    expect((await signIn(browser)).given).toContainEqual(
      expect.stringMatching(/^__Host-oauth2-remembered=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=/),
    );
  });

  it('continues an expired session without a password, and rotates both cookies', async () => {
    const { browser } = await open();
    await signIn(browser);
    const before = browser.cookies.get(REMEMBERED);
    expire(browser);
    const back = await browser.get(login);
    expect([back.status, back.location]).toEqual([303, authorize()]);
    expect(browser.cookies.get(REMEMBERED)).not.toBe(before);
    expect((await browser.get(back.location!)).location).toContain(`${CALLBACK}?code=`);
  });

  it('keeps the time of the login, so that a client can still require a fresh one', async () => {
    const { browser, store } = await open();
    const saved: Date[] = [];
    const save = store.saveSession.bind(store);
    const proceed = store.continueSession.bind(store);
    store.saveSession = (session) => (saved.push(session.authTime), save(session));
    store.continueSession = (token, session) => (saved.push(session.authTime), proceed(token, session));
    await signIn(browser);
    expire(browser);
    wait(7200);
    await browser.get(login);
    expect(saved).toEqual([saved[0], saved[0]]);
    expire(browser);
    expect((await browser.get(`${login}&prompt=login`)).heading).toBe('Sign in');
  });

  it('ends the sessions of both browsers when a replaced cookie is replayed', async () => {
    const { browser } = await open();
    await signIn(browser);
    expire(browser);
    const thief = copyOf(browser);
    // The thief uses the cookie first. The user follows with the cookie that was replaced.
    expect((await thief.get(login)).status).toBe(303);
    expect(await userOf(thief)).toBe('alice');
    wait(60);
    expect((await browser.get(login)).heading).toBe('Sign in');
    expect(browser.cookies.has(REMEMBERED)).toBe(false);
    expect(await userOf(thief)).toBe(null);
    expire(thief);
    expect((await thief.get(login)).heading).toBe('Sign in');
  });

  it('rejects a stolen cookie that was replaced, even immediately', async () => {
    const { browser } = await open();
    await signIn(browser);
    expire(browser);
    const thief = copyOf(browser);
    await browser.get(login);
    const again = await thief.get(login);
    expect([again.status, again.location]).toEqual([303, expect.stringContaining('again=1')]);
    expect((await thief.get(again.location!)).heading).toBe('Sign in');
    expect(await userOf(thief)).toBe(null);
    expect(await userOf(browser)).toBe('alice');
    wait(60);
    await thief.get(login);
    expect(await userOf(browser)).toBe(null);
  });

  it('allows parallel requests of one browser', async () => {
    const { browser } = await open();
    await signIn(browser);
    expire(browser);
    const tabs = [copyOf(browser), copyOf(browser), copyOf(browser)];
    const responses = await Promise.all(tabs.map((tab) => tab.get(login)));
    expect(responses.map(({ status }) => status)).toEqual([303, 303, 303]);
    const winner = responses.findIndex(({ location }) => location === authorize());
    const jar = tabs[winner]!.cookies;
    for (const [index, { location }] of responses.entries()) {
      if (index === winner) continue;
      for (const [name, value] of jar) tabs[index]!.cookies.set(name, value);
      expect((await tabs[index]!.get(location!)).html).toContain('Continue as');
      expect(await userOf(tabs[index]!)).toBe('alice');
    }
  });

  it.each(['sign-out', 'another account', 'a new password', 'time'] as const)('ends by %s', async (by) => {
    const { browser, store } = await open();
    await signIn(browser);
    const thief = copyOf(browser);
    if (by === 'sign-out') await browser.post('/oauth/logout', {});
    if (by === 'another account') await browser.send(await browser.get('/oauth/login'), {});
    if (by === 'a new password') await store.revokeGrantsOf({ userId: '1' });
    if (by === 'time') wait(MONTH + 1);
    expire(thief);
    expect((await thief.get(login)).heading).toBe('Sign in');
    expect(await userOf(thief)).toBe(null);
  });

  it.each(['/sign-out', '/oauth/logout'])('ends by a form to %s after the session has expired', async (path) => {
    const { browser } = await open();
    await signIn(browser);
    const thief = copyOf(browser);
    expire(browser);
    await browser.post(path, {});
    expect(browser.cookies.has(REMEMBERED)).toBe(false);
    expire(thief);
    expect((await thief.get(login)).heading).toBe('Sign in');
  });

  it('offers a remembered user the sign-out button after the session has expired', async () => {
    const { browser } = await open();
    await signIn(browser);
    expire(browser);
    const page = await browser.get('/oauth/logout');
    expect(page.form.action).toBe('/oauth/logout');
    await browser.send(page);
    expect(browser.cookies.has(REMEMBERED)).toBe(false);
    expect((await browser.get(login)).heading).toBe('Sign in');
  });

  it('accepts neither its own cookie as a session nor a session cookie as its own', async () => {
    const { browser, url } = await open();
    await signIn(browser);
    const swapped = new PageBrowser(url);
    swapped.cookies.set(SESSION, browser.cookies.get(REMEMBERED)!);
    swapped.cookies.set(REMEMBERED, browser.cookies.get(SESSION)!);
    expect(await userOf(swapped)).toBe(null);
    expect((await swapped.get(login)).heading).toBe('Sign in');
  });

  it('remembers a user signed in by the application', async () => {
    const { browser, url } = await open();
    const own = new PageBrowser(url, { 'x-options': JSON.stringify({ remember: true }) });
    await own.get('/link');
    expire(own);
    expect((await own.get(login)).location).toBe(authorize());
    const without = await openSignUp(platform);
    const refused = new PageBrowser(without.url, { 'x-options': JSON.stringify({ remember: true }) });
    expect(jsonOf(await refused.get('/link')).message).toContain('requires the option `rememberLifetime`');
    expect(browser.cookies.size).toBe(0);
  });

  describe('with a second factor', () => {
    const enrolled = { now: true };
    const by = { isEnrolled: () => enrolled.now, verify: (_user: User, code: string) => code === '123456' };

    it('remembers a login with both factors, after the code only', async () => {
      enrolled.now = true;
      const { browser } = await open({ secondFactor: { by } });
      const sent = await signIn(browser);
      expect(browser.cookies.has(REMEMBERED)).toBe(false);
      await browser.send(await browser.get(sent.location!), { code: '123456' });
      expire(browser);
      expect((await browser.get(login)).location).toBe(authorize());
    });

    it('asks for a code if the remembered login had none', async () => {
      enrolled.now = false;
      const { browser } = await open({ secondFactor: { by } });
      await signIn(browser);
      enrolled.now = true;
      expire(browser);
      const requested = await browser.get(login);
      expect(requested.location).toMatch(/^\/oauth\/second_factor\?return_to=/);
      expect(await userOf(browser)).toBe(null);
      const done = await browser.send(await browser.get(requested.location!), { code: '123456' });
      expect(done.location).toBe(authorize());
      expire(browser);
      expect((await browser.get(login)).location).toBe(authorize());
    });
  });

  it('rejects options that cannot work', () => {
    expect(() => pages({ rememberLifetime: 60 })).toThrow(
      '`rememberLifetime` of `pages()` must be greater than `sessionLifetime`',
    );
    const sessions = { find: () => undefined, start: () => undefined, end: () => undefined };
    expect(() => pages({ rememberLifetime: MONTH, sessions })).toThrow('cannot be combined with `sessions`');
  });
});
