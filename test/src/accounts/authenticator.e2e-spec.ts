import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { SECRET } from '../../support/servers/demo.js';
import { PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import type { PageBrowser } from '../pages/page-browser.js';
import {
  AccountApplication,
  choose,
  isSignedIn,
  NEW_PASSWORD,
  PASSWORD,
  sectionForm,
  UserTable,
} from './account-application.js';
import { codeOf, enterCode, keyOn, recoveryCodesOn, setUpApp } from './authenticator-page.js';

const ALICE = 'alice@example.com';
const BOB = 'bob@example.com';
const OPTIONS = { authenticator: true };

afterEach(async () => {
  jest.restoreAllMocks();
  await stopApplications();
});

type Setup = NonNullable<Parameters<typeof AccountApplication.start>[0]>;

/** Starts an application in which Alice has set up an authenticator app. */
async function startWithApp(more: Setup = {}) {
  const app = await AccountApplication.start({ options: OPTIONS, ...more });
  const browser = await app.signUp(ALICE);
  return { app, browser, telephone: await setUpApp(browser) };
}

/** Sends a form of the section about the app. */
async function sendSection(browser: PageBrowser, form: 'newCodes' | 'remove') {
  const fields = await sectionForm(browser, 'authenticator');
  return browser.post('/oauth/account', { ...fields, form });
}

/** Lets time pass, so that a login is no longer fresh. */
const letPass = (seconds: number) => {
  const now = Date.now() + seconds * 1000;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
};

describe.each(PLATFORMS)('an authenticator app on %s', (platform) => {
  it('is set up by a first code, required at the next login, and replaced by each recovery code once', async () => {
    const events = new EventEmitter();
    const reported: object[] = [];
    for (const name of ['credential.added', 'credential.removed'])
      events.on(name, ({ credential, by, userId }: Record<string, unknown>) =>
        reported.push({ name, credential, by, userId }),
      );
    const app = await AccountApplication.start({ platform, options: OPTIONS, module: { events } });
    const browser = await app.signUp(ALICE);
    const other = (await app.signIn(ALICE, PASSWORD)).browser;
    const account = await browser.get('/oauth/account');
    expect(account.html).toContain('href="/oauth/authenticator"');
    const page = await browser.get('/oauth/authenticator');
    expect([page.status, page.heading]).toEqual([200, 'Set up an authenticator app']);
    expect(page.html).toContain('role="img"');
    expect(page.html).toContain('otpauth://totp/Example%20Notes:alice%40example.com?secret=');
    const secret = keyOn(page);
    const wrong = await browser.send(page, { code: '000000' });
    expect([wrong.status, keyOn(wrong)]).toEqual([400, secret]);
    expect(await isSignedIn(other)).toBe(true);
    const code = await codeOf({ secret });
    const done = await browser.send(wrong, { code: `${code.slice(0, 3)} ${code.slice(3)}` });
    const recoveryCodes = recoveryCodesOn(done);
    expect([done.status, done.heading, new Set(recoveryCodes).size]).toEqual([200, 'Save your recovery codes', 10]);
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false]);
    expect(await app.nextMail(0, ['signUp'])).toMatchObject({ template: 'factors', to: ALICE });

    const next = await app.signIn(ALICE, PASSWORD);
    expect(next.shown.location).toBe('/oauth/second_factor');
    expect(await isSignedIn(next.browser)).toBe(false);
    const used = await enterCode(next.browser, code);
    expect([used.status, used.html]).toEqual([401, expect.stringContaining('incorrect or has expired')]);
    expect((await enterCode(next.browser, await codeOf({ secret }, 1))).status).toBe(303);
    expect(await isSignedIn(next.browser)).toBe(true);

    const typed = recoveryCodes[0]!.toUpperCase().replaceAll('-', ' ');
    const lost = await app.signIn(ALICE, PASSWORD);
    const form = await lost.browser.get('/oauth/second_factor?recovery=');
    expect((await lost.browser.send(form, { code: typed })).status).toBe(303);
    expect((await lost.browser.get('/oauth/account')).html).toContain('Unused recovery codes: 9.');
    const again = await app.signIn(ALICE, PASSWORD);
    expect((await enterCode(again.browser, recoveryCodes[0]!)).status).toBe(401);

    const replaced = await sendSection(lost.browser, 'newCodes');
    expect([replaced.status, recoveryCodesOn(replaced).length]).toEqual([200, 10]);
    expect((await enterCode(again.browser, recoveryCodes[1]!)).status).toBe(401);
    expect((await enterCode(again.browser, recoveryCodesOn(replaced)[1]!)).status).toBe(303);

    expect((await sendSection(lost.browser, 'remove')).location).toContain('done=authenticator.remove');
    expect((await app.signIn(ALICE, PASSWORD)).shown.location).toBe('/');
    expect(reported).toEqual([
      { name: 'credential.added', credential: 'totp', by: 'user', userId: '1' },
      { name: 'credential.added', credential: 'recovery_code', by: 'user', userId: '1' },
      { name: 'credential.removed', credential: 'totp', by: 'user', userId: '1' },
    ]);
  });

  it('rejects each of its forms without a CSRF token, or from another site', async () => {
    const { browser } = await startWithApp({ platform });
    const fields = await sectionForm(browser, 'authenticator');
    const OTHER_SITE = { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' };
    for (const form of ['newCodes', 'remove']) {
      expect((await browser.post('/oauth/account', { ...fields, form }, OTHER_SITE)).status).toBe(403);
      const forged = await browser.post('/oauth/account', { section: 'authenticator', form });
      expect(forged.status).toBe(403);
    }
    const app = await AccountApplication.start({ platform, options: OPTIONS });
    const bob = await app.signUp(BOB);
    const page = await bob.get('/oauth/authenticator');
    const code = await codeOf({ secret: keyOn(page) });
    expect((await bob.send(page, { code }, OTHER_SITE)).status).toBe(403);
    expect((await bob.send(page, { code, csrf_token: '' })).status).toBe(403);
    expect((await bob.send(page, { code })).status).toBe(200);
  });
});

describe('a second factor of accounts', () => {
  it('is required after each way to sign in: reset, remembered login and a forged pending login', async () => {
    const look = { rememberLifetime: 2_592_000 };
    const { app, telephone } = await startWithApp({ look });
    const reset = app.browser();
    const { mail } = await app.request('/oauth/forgot_password', ALICE, reset);
    const done = await choose(reset, mail!, NEW_PASSWORD);
    expect([done.location, await isSignedIn(reset)]).toEqual(['/oauth/second_factor', false]);

    const remembering = app.browser();
    const form = await remembering.get('/oauth/login');
    const shown = await remembering.send(form, { username: ALICE, password: NEW_PASSWORD, remember: '1' });
    expect(shown.location).toBe('/oauth/second_factor');
    expect(await isSignedIn(remembering)).toBe(false);
    expect([...remembering.cookies.keys()].filter((name) => name.includes('remembered'))).toEqual([]);
    // The cookie of the pending login is no session.
    const [[, value]] = [...remembering.cookies].filter(([name]) => name.includes('pending')) as [[string, string]];
    remembering.cookies.set('__Host-oauth2-session', value);
    expect(await isSignedIn(remembering)).toBe(false);
    expect((await enterCode(remembering, await codeOf(telephone, 1))).status).toBe(303);
    expect(await isSignedIn(remembering)).toBe(true);
  });

  it('gives the session a new identifier, so that a fixed one is useless', async () => {
    const { app, telephone } = await startWithApp();
    const { browser } = await app.signIn(ALICE, PASSWORD);
    const before = browser.cookies.get('__Host-oauth2-session');
    await enterCode(browser, await codeOf(telephone, 1));
    const attacker = app.browser();
    attacker.cookies.set('__Host-oauth2-session', before!);
    expect([await isSignedIn(browser), await isSignedIn(attacker)]).toEqual([true, false]);
  });

  it('accepts a code once in its time step, by 200 requests to two processes at the same time', async () => {
    const throttle = { count: () => 0 };
    const look = { throttle };
    const { app, telephone } = await startWithApp({ look });
    const second = await AccountApplication.start({ users: app.users, model: app.model, options: OPTIONS, look });
    const logins = await Promise.all([app, second].map(async (one) => (await one.signIn(ALICE, PASSWORD)).browser));
    const forms = await Promise.all(logins.map((one) => one.get('/oauth/second_factor')));
    const code = await codeOf(telephone, 1);
    const sent = Array.from({ length: 200 }, (_, at) => logins[at % 2]!.send(forms[at % 2]!, { code }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
  });

  it('accepts a recovery code once, by 200 requests to two processes at the same time', async () => {
    const look = { throttle: { count: () => 0 } };
    const { app, telephone } = await startWithApp({ look });
    const second = await AccountApplication.start({ users: app.users, model: app.model, options: OPTIONS, look });
    const logins = await Promise.all([app, second].map(async (one) => (await one.signIn(ALICE, PASSWORD)).browser));
    const forms = await Promise.all(logins.map((one) => one.get('/oauth/second_factor')));
    const code = telephone.recoveryCodes[0]!;
    const sent = Array.from({ length: 200 }, (_, at) => logins[at % 2]!.send(forms[at % 2]!, { code }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
  });

  it('allows five wrong codes of an account in fifteen minutes, from all browsers together', async () => {
    const { app, telephone } = await startWithApp();
    const browsers = await Promise.all([1, 2].map(async () => (await app.signIn(ALICE, PASSWORD)).browser));
    const statuses: number[] = [];
    for (const at of [0, 1, 0, 1, 0]) statuses.push((await enterCode(browsers[at]!, '000000')).status);
    const limited = await enterCode(browsers[1]!, await codeOf(telephone, 1));
    expect([...statuses, limited.status]).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('can be set up only with a fresh login, and changed only by a session that has used it', async () => {
    const { app, browser } = await startWithApp();
    const bob = await app.signUp(BOB);
    const page = await bob.get('/oauth/authenticator');
    const fields = await sectionForm(browser, 'authenticator');
    letPass(660);
    expect((await bob.get('/oauth/authenticator')).location).toContain('/oauth/login?return_to=');
    const late = await bob.send(page, { code: await codeOf({ secret: keyOn(page) }) });
    expect(late.location).toContain('prompt=login');
    for (const form of ['newCodes', 'remove']) {
      const refused = await browser.post('/oauth/account', { ...fields, form });
      expect([refused.status, refused.location]).toEqual([303, expect.stringContaining('prompt=login')]);
    }
    expect((await browser.get('/oauth/account')).html).not.toContain('Unused recovery codes');
  });

  it('is asked for before a change if the session has not used it, because only some logins require it', async () => {
    const look = { secondFactor: { when: 'wanted', acr: 'urn:example:mfa' } } as const;
    const features = [keys({ secret: SECRET, algorithms: ['RS256'] }), openid({ acrValues: ['urn:example:mfa'] })];
    const users = new UserTable();
    const model = Object.assign(new MemoryStore({ users }), { getClaims: () => ({}) });
    const options = { ...OPTIONS, personalAccessTokens: { scopes: ['read'] } };
    const { app, telephone } = await startWithApp({ look, features, users, model, options });
    const { browser, shown } = await app.signIn(ALICE, PASSWORD);
    expect(shown.location).toBe('/');
    const typed = {
      current_password: PASSWORD,
      new_password: NEW_PASSWORD,
      email: BOB,
      token_name: 'CI',
      'scope:read': '1',
      confirm: '1',
    };
    const forms = { password: 'change', email: 'change', tokens: 'create', data: 'export', authenticator: 'remove' };
    for (const [section, name] of Object.entries(forms)) {
      const { status, location } = await browser.post('/oauth/account', {
        ...(await sectionForm(browser, section, name)),
        ...typed,
      });
      expect([section, status, location]).toEqual([section, 303, '/oauth/second_factor?return_to=%2Foauth%2Faccount']);
    }
    const refused = await sendSection(browser, 'remove');
    const form = await browser.get(refused.location!);
    expect((await browser.send(form, { code: await codeOf(telephone, 1) })).location).toBe('/oauth/account');
    expect((await sendSection(browser, 'remove')).location).toContain('done=authenticator.remove');
  });

  it('enrols only the secret that the same user was shown in the same browser', async () => {
    const app = await AccountApplication.start({ options: OPTIONS });
    const [alice, bob] = [await app.signUp(ALICE), await app.signUp(BOB)];
    const [ofAlice, ofBob] = [await alice.get('/oauth/authenticator'), await bob.get('/oauth/authenticator')];
    const code = await codeOf({ secret: keyOn(ofBob) });
    const crossed = await alice.send(ofAlice, { secret: ofBob.form.fields['secret']!, code });
    expect([crossed.status, crossed.heading]).toEqual([403, 'Set up an authenticator app']);
    const { browser } = await app.signIn(ALICE, PASSWORD);
    const elsewhere = await browser.send(await browser.get('/oauth/authenticator'), {
      secret: ofAlice.form.fields['secret']!,
      code: await codeOf({ secret: keyOn(ofAlice) }),
    });
    expect(elsewhere.status).toBe(403);
  });

  it('stores secrets encrypted for their owner, and encrypts them again with a new secret at the next login', async () => {
    const { app, telephone } = await startWithApp();
    const find = async (userId: string) => app.model.findCredentials({ realm: '', userId }, ['totp']);
    const [stored] = await find('1');
    expect(stored!.data).not.toContain(telephone.secret);
    const codes = await app.model.findCredentials({ realm: '', userId: '1' }, ['recovery_code']);
    expect(codes).toHaveLength(10);
    for (const code of telephone.recoveryCodes) expect(JSON.stringify(codes)).not.toContain(code.replaceAll('-', ''));

    const next = 'the next secret of at least thirty-two characters';
    const both = { model: app.model, users: app.users, options: OPTIONS, module: { secret: [next, SECRET] } };
    const rotated = await AccountApplication.start(both);
    const { browser } = await rotated.signIn(ALICE, PASSWORD);
    expect((await enterCode(browser, await codeOf(telephone, 1))).status).toBe(303);
    const [again] = await find('1');
    expect(again!.data).not.toBe(stored!.data);

    // The encrypted secret of another account cannot be decrypted.
    const bob = await rotated.signUp(BOB);
    await setUpApp(bob);
    const [ofBob] = await find('2');
    const { secret } = JSON.parse(again!.data!) as { secret: string };
    await app.model.replaceCredential(ofBob!, JSON.stringify({ ...JSON.parse(ofBob!.data!), secret }));
    const login = await rotated.signIn(BOB, PASSWORD);
    expect((await enterCode(login.browser, await codeOf(telephone))).status).toBe(503);
  });
});
