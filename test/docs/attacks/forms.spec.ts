import { afterAll, afterEach, describe, expect, it } from '@jest/globals';

import type { PageBrowser, ShownPage } from '../../src/pages/page-browser.js';
import { stopApplications } from '../../support/servers/test-application.js';
import {
  startOwnLogin,
  startSessionList,
  startSignUp,
  writeOwnLogin,
  writeSessionList,
  writeSignUp,
} from './guide-applications.js';

const OTHER_SITE = { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' };
const PASSWORD = 'a long password of the user';

const [signUp, sessionList, ownLogin] = [writeSignUp('forms'), writeSessionList('forms'), writeOwnLogin('forms')];
afterAll(() => [signUp, sessionList, ownLogin].forEach((guide) => guide.remove()));

/** The origin of the application that a browser calls. */
const ownOrigin = (browser: PageBrowser) => new URL(browser.url).origin;

/** Where a user signs in with the code of a page. */
interface SignIn {
  /** Opens a page with the form of the sign-in in a new browser. */
  open(): Promise<{ browser: PageBrowser; form: ShownPage; typed: Record<string, string> }>;
  /** Whether a user is signed in in this browser. */
  isSignedIn(browser: PageBrowser): Promise<boolean>;
  cookie: string;
}

const isSignedInAt = async (browser: PageBrowser) => {
  const { heading } = await browser.get('/oauth/login');
  return heading !== 'Sign in';
};

const SIGN_INS: Record<string, () => Promise<SignIn>> = {
  async 'docs/reference/features/sessions.md'() {
    const app = await startSignUp(signUp);
    const open = async () => {
      const browser = app.browser();
      const typed = { username: `user-${Math.random()}`, password: PASSWORD };
      return { browser, form: await browser.get('/sign-up'), typed };
    };
    return { open, isSignedIn: isSignedInAt, cookie: 'oauth2-session' };
  },
  async 'docs/guides/own-pages.md'() {
    const app = await startOwnLogin(ownLogin);
    const open = async () => {
      const browser = app.browser();
      const form = await browser.get('/login');
      form.form.action = '/login';
      return { browser, form, typed: { username: 'alice', password: 'wonderland' } };
    };
    const isSignedIn = async (browser: PageBrowser) => (await browser.get('/oauth/applications')).status === 200;
    return { open, isSignedIn, cookie: 'connect.sid' };
  },
};

describe.each(Object.keys(SIGN_INS))('the sign-in of %s', (page) => {
  afterEach(stopApplications);

  it('signs no browser in if a page of another site sends the form (login CSRF)', async () => {
    const { open, isSignedIn } = await SIGN_INS[page]!();
    const { browser, form, typed } = await open();
    const response = await browser.send(form, typed, OTHER_SITE);
    expect(response.status).toBe(403);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('starts a session with a new cookie, so that an attacker cannot choose it (session fixation)', async () => {
    const { open, isSignedIn, cookie } = await SIGN_INS[page]!();
    const { browser, form, typed } = await open();
    const before = browser.cookies.get(cookie) ?? 'a value that an attacker has chosen';
    const attacker = await open().then(({ browser: other }) => other);
    for (const one of [browser, attacker]) one.cookies.set(cookie, before);
    await browser.send(form, typed, { origin: ownOrigin(browser) });
    expect(await isSignedIn(browser)).toBe(true);
    expect(browser.cookies.get(cookie)).not.toBe(before);
    expect(await isSignedIn(attacker)).toBe(false);
  });
});

describe('the forms of docs/guides/sign-out-and-deletion.md', () => {
  afterEach(stopApplications);

  it('change nothing without the session cookie, which browsers do not send with a form of another site', async () => {
    const app = await startSessionList(sessionList);
    const [user, other] = [app.browser(), app.browser()];
    const { given } = await user.signIn('/oauth/login');
    expect(given.find((line) => line.startsWith('oauth2-session='))).toMatch(/; SameSite=(?:Lax|Strict)/i);
    await other.signIn('/oauth/login');
    const { html } = await user.get('/sessions');
    const ids = [...html.matchAll(/name="id" value="([^"]+)"/g)].map(([, id]) => id!);
    expect(ids).toHaveLength(3);
    for (const id of ids) await app.browser().post('/sessions', { id }, OTHER_SITE);
    expect(await Promise.all([user, other].map(isSignedInAt))).toEqual([true, true]);
    await user.post('/sessions', { id: 'others' });
    expect(await Promise.all([user, other].map(isSignedInAt))).toEqual([true, false]);
  });

  it('end no session of another user', async () => {
    const app = await startSessionList(sessionList);
    const user = app.browser();
    await user.signIn('/oauth/login');
    const [, id] = /name="id" value="([^"]+)"/.exec((await user.get('/sessions')).html)!;
    const { status } = await app.browser().post('/sessions', { id: id! });
    expect(status).toBe(303);
    expect(await isSignedInAt(user)).toBe(true);
  });
});
