import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import type { CredentialModel } from 'nest-oauth2/server';
import { logMailer } from 'nest-oauth2/accounts';
import { Store } from 'nest-oauth2/stores';
import type { MemoryStore } from 'nest-oauth2/stores/memory';
import { stopApplications } from '../../support/servers/test-application.js';
import type { PageBrowser, ShownPage } from '../pages/page-browser.js';
import {
  AccountApplication,
  AUTHORIZE,
  choose,
  ISSUER,
  isSignedIn,
  NEW_PASSWORD,
  PASSWORD,
  pathIn,
  sectionForm,
  TableWithPasswords,
  UserTable,
} from './account-application.js';
import { setUpApp } from './authenticator-page.js';

const ALICE = 'alice@example.com';
const FORGOT = '/oauth/forgot_password';
const SIGN_UP = '/oauth/sign_up';
const OTHER_ISSUER = 'https://customers.example';
const OTHER_SITE = { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' };

/** A response without what differs in each response: the address and the CSRF token. */
const plain = ({ status, html, headers, given }: ShownPage, email: string) => ({
  status,
  html: html.replaceAll(email, '').replaceAll(/name="csrf_token" value="[^"]*"/g, ''),
  headers: [...headers.keys()].filter((name) => name !== 'set-cookie').toSorted(),
  cookies: given.length,
});

afterEach(async () => {
  jest.restoreAllMocks();
  await stopApplications();
});

/** Starts an application in which Alice has an account. */
async function startWithAlice(more: Parameters<typeof AccountApplication.start>[0] = {}) {
  const app = await AccountApplication.start(more);
  const browser = await app.signUp(ALICE);
  return { app, browser };
}

/** Runs something between the verification of a login and the moment in which its session is saved. */
function beforeNextSession({ model }: AccountApplication, run: () => Promise<unknown>): void {
  const save = model.saveSession.bind(model);
  jest.spyOn(model, 'saveSession').mockImplementationOnce(async (session) => {
    await run();
    return save(session);
  });
}

describe('a stranger who looks for accounts', () => {
  it.each([FORGOT, SIGN_UP])(
    'sees equal responses of %s for known and unknown addresses, also if there are many',
    async (path) => {
      const { app } = await startWithAlice();
      const [known, unknown] = [app.browser(), app.browser()];
      const forms = [await known.get(path), await unknown.get(path)] as const;
      const pairs: [ReturnType<typeof plain>, ReturnType<typeof plain>][] = [];
      // One of the 60 requests for a link has been the sign-up of Alice.
      for (let attempt = 0; attempt < 31; attempt += 1) {
        const one = await known.send(forms[0], { email: ALICE });
        const other = await unknown.send(forms[1], { email: 'nobody@example.com' });
        pairs.push([plain(one, ALICE), plain(other, 'nobody@example.com')]);
      }
      // The 60th request is the last one that is allowed.
      const different = pairs.findIndex(([one, other]) => one.status !== other.status);
      expect([different, pairs[0]![0].status, pairs.at(-1)![0].status]).toEqual([29, 200, 429]);
      pairs.splice(different, 1);
      for (const [one, other] of pairs) expect(one).toEqual(other);
    },
  );

  it('costs the same hashes with a wrong password of a stored, an old and an unknown account', async () => {
    const users = new TableWithPasswords();
    const { app } = await startWithAlice({ users });
    await users.add('old@example.com', PASSWORD);
    for (const email of [ALICE, 'old@example.com', 'nobody@example.com']) {
      users.calls = 0;
      const { shown } = await app.signIn(email, 'wrong');
      expect([email, shown.status, users.calls]).toEqual([email, 401, 1]);
    }
  });

  it('costs the same calls of the store for each wrong password of a known and an unknown account', async () => {
    const { app } = await startWithAlice();
    const methods = ['countWithin', 'findCredential'] as const;
    const calls = methods.map((method) => jest.spyOn(app.model as MemoryStore & CredentialModel, method));
    const counts: number[][] = [];
    for (const email of [ALICE, 'nobody@example.com']) {
      expect((await app.signIn(email, 'wrong')).shown.status).toBe(401);
      counts.push(calls.map((one) => one.mock.calls.length));
      for (const one of calls) one.mockClear();
    }
    expect(counts[0]).toEqual([5, 1]);
    expect(counts[1]).toEqual(counts[0]);
  });

  it('learns nothing from a sign-up with a known address, whose owner is told', async () => {
    const { app } = await startWithAlice();
    const { mail } = await app.request(SIGN_UP, ALICE);
    expect(mail).toMatchObject({ to: ALICE, template: 'exists', link: 'https://id.example/oauth/forgot_password' });
    expect(app.users.rows.size).toBe(1);
  });

  it('causes no e-mail to an address without an account that has forgotten nothing', async () => {
    const app = await AccountApplication.start();
    expect((await app.request(FORGOT, 'nobody@example.com')).mail).toBeUndefined();
  });
});

describe('a stranger who sends e-mails', () => {
  it('cannot fill an inbox, and the owner can still use the first link', async () => {
    const { app } = await startWithAlice();
    const [attacker, before] = [app.browser(), app.mails.length];
    const form = await attacker.get(FORGOT);
    for (let attempt = 0; attempt < 9; attempt += 1) {
      const { status, heading } = await attacker.send(form, { email: ALICE });
      expect([status, heading]).toEqual([200, 'Check your e-mail']);
    }
    await app.nextMail(before + 9);
    expect(app.mails.length - before).toBe(5);
    expect((await choose(app.browser(), app.mails[before]!, NEW_PASSWORD)).status).toBe(303);
  });

  it('cannot keep the owner of an account from a reset by other e-mails to the address', async () => {
    const { app } = await startWithAlice();
    for (let attempt = 0; attempt < 6; attempt += 1) await app.request(SIGN_UP, ALICE);
    expect(app.mails.filter(({ template }) => template === 'exists')).toHaveLength(5);
    expect((await app.request(FORGOT, ALICE)).mail).toMatchObject({ to: ALICE, template: 'reset' });
  });

  it('cannot choose the receiver by another spelling of an address', async () => {
    class Collation extends UserTable {
      override findByEmail(email: string) {
        return super.findByEmail(email.normalize('NFKD').replaceAll(/\p{M}/gu, ''));
      }
    }
    const { app } = await startWithAlice({ users: new Collation() });
    const { mail } = await app.request(FORGOT, 'alice@exàmple.com');
    expect(mail!.to).toBe(ALICE);
  });

  it.each([
    'a@example.com, b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    '<a@example.com>',
    'a@localhost',
    '',
  ])('cannot send one to %j', async (email) => {
    const app = await AccountApplication.start();
    const { shown, mail } = await app.request(SIGN_UP, email);
    expect([shown.status, mail]).toEqual([400, undefined]);
  });

  it('cannot change the host of a link', async () => {
    const { app } = await startWithAlice();
    const browser = app.browser();
    const { form } = await browser.get(FORGOT);
    const [name, cookie] = [...browser.cookies][0]!;
    const before = app.mails.length;
    await new Promise((resolve, reject) => {
      const headers = {
        host: 'attacker.example',
        'x-forwarded-host': 'attacker.example',
        forwarded: 'host=attacker.example',
        cookie: `${name}=${cookie}`,
        'content-type': 'application/x-www-form-urlencoded',
      };
      const sent = httpRequest(new URL(FORGOT, app.url), { method: 'POST', headers }, (response) => {
        response.resume().on('end', resolve);
      });
      sent.on('error', reject);
      sent.end(new URLSearchParams({ ...form.fields, email: ALICE }).toString());
    });
    expect(new URL((await app.nextMail(before))!.link!).host).toBe('id.example');
  });

  it('is sent once the mail server is available again', async () => {
    const app = await AccountApplication.start();
    app.failures = 1;
    await app.request(SIGN_UP, ALICE);
    expect(await app.nextMail(0)).toMatchObject({ to: ALICE, template: 'signUp' });
  });
});

describe('a link in an e-mail', () => {
  const expired = async (browser: PageBrowser, path: string) => {
    const { status, html } = await browser.get(path);
    expect([status, html]).toEqual([410, expect.stringContaining('This link has expired or was already used.')]);
    expect(html).not.toContain('<form');
  };

  it('works once, and only for its purpose', async () => {
    const { app, browser } = await startWithAlice();
    await expired(browser, pathIn(app.mails[0]!));
    const { mail } = await app.request(FORGOT, ALICE);
    const path = pathIn(mail!);
    await expired(app.browser(), path.replace('new_password', 'confirm_email'));
    await expired(app.browser(), `${path}x`);
    const shown = await browser.get(path);
    expect((await browser.send(shown, { new_password: NEW_PASSWORD })).status).toBe(303);
    expect((await browser.send(shown, { new_password: PASSWORD })).status).toBe(410);
    await expired(browser, path);
    expect((await app.signIn(ALICE, NEW_PASSWORD)).shown.status).toBe(303);
  });

  it('ends after an hour, and that of a sign-up after a day', async () => {
    const { app } = await startWithAlice();
    const reset = (await app.request(FORGOT, ALICE)).mail!;
    const signUp = (await app.request(SIGN_UP, 'bob@example.com')).mail!;
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 3_590_000);
    expect((await app.browser().get(pathIn(reset))).status).toBe(200);
    clock.mockReturnValue(now + 3_601_000);
    await expired(app.browser(), pathIn(reset));
    expect((await app.browser().get(pathIn(signUp))).status).toBe(200);
    clock.mockReturnValue(now + 86_401_000);
    await expired(app.browser(), pathIn(signUp));
  });

  it('ends when the password or the address changes', async () => {
    const { app } = await startWithAlice();
    const first = (await app.request(FORGOT, ALICE)).mail!;
    const second = (await app.request(FORGOT, ALICE)).mail!;
    app.users.rows.get('1')!.email = 'alice@new.example';
    await expired(app.browser(), pathIn(first));
    app.users.rows.get('1')!.email = ALICE;
    expect((await choose(app.browser(), second, NEW_PASSWORD)).status).toBe(303);
    await expired(app.browser(), pathIn(first));
  });

  it('ends if the address changes after its form was sent, while the new password is hashed', async () => {
    const { app, browser } = await startWithAlice();
    const { mail } = await app.request(FORGOT, ALICE);
    const before = app.mails.length;
    const fields = await sectionForm(browser, 'email');
    await browser.post('/oauth/account', { ...fields, email: 'new@example.com', current_password: PASSWORD });
    const change = pathIn((await app.nextMail(before))!);
    const { model } = app as { model: MemoryStore & CredentialModel };
    const remove = model.removeCredential.bind(model);
    jest.spyOn(model, 'removeCredential').mockImplementationOnce(async (credential) => {
      expect((await browser.send(await browser.get(change), {})).status).toBe(200);
      return remove(credential);
    });
    expect((await choose(app.browser(), mail!, NEW_PASSWORD)).status).toBe(410);
    expect((await app.signIn('new@example.com', PASSWORD)).shown.status).toBe(303);
  });

  it('creates one account, however many links were sent to an address', async () => {
    const app = await AccountApplication.start();
    const first = (await app.request(SIGN_UP, ALICE)).mail!;
    const second = (await app.request(SIGN_UP, ALICE)).mail!;
    const done = await Promise.all([first, second].map((mail) => choose(app.browser(), mail, PASSWORD)));
    expect(new Set(done.map(({ status }) => status))).toEqual(new Set([303, 410]));
    expect(app.users.rows.size).toBe(1);
  });

  it('is redeemed by one of 200 concurrent callers', async () => {
    const { app } = await startWithAlice();
    const { mail } = await app.request(FORGOT, ALICE);
    const model: CredentialModel = app.model;
    const token = new URL(mail!.link!).searchParams.get('token')!;
    const found = (await model.findCredential('', 'email_proof', token))!;
    const won = await Promise.all(Array.from({ length: 200 }, async () => model.removeCredential(found)));
    expect(won.filter(Boolean)).toHaveLength(1);
    await expired(app.browser(), pathIn(mail!));
  });

  it('sets one password if its form is sent many times at once', async () => {
    const { app } = await startWithAlice();
    const { mail } = await app.request(FORGOT, ALICE);
    const browser = app.browser();
    const shown = await browser.get(pathIn(mail!));
    const words = ['amber', 'basil', 'cedar', 'dahlia'];
    const sent = await Promise.all(
      words.map((word) => browser.send(shown, { new_password: `${word} ${NEW_PASSWORD}` })),
    );
    // A busy machine refuses some hashes with 503.
    const refused = sent.filter(({ status }) => status === 410 || status === 503);
    expect([refused.length, sent.filter(({ status }) => status === 303).length]).toEqual([3, 1]);
    const winner = words[sent.findIndex(({ status }) => status === 303)]!;
    expect((await app.signIn(ALICE, `${winner} ${NEW_PASSWORD}`)).shown.status).toBe(303);
  });

  it('signs in, and leads back to the requesting page, only in the browser that requested it', async () => {
    const { app } = await startWithAlice();
    const [own, other] = [app.browser(), app.browser()];
    const path = `${FORGOT}?return_to=%2Fnext`;
    const { mail } = await app.request(path, ALICE, own);
    expect((await choose(other, mail!, NEW_PASSWORD)).location).toBe('/oauth/login');
    expect(await isSignedIn(other)).toBe(false);
    const again = await app.request(path, ALICE, own);
    expect((await choose(own, again.mail!, PASSWORD)).location).toBe('/next');
    const evil = await app.request(`${FORGOT}?return_to=https%3A%2F%2Fattacker.example`, ALICE, own);
    expect((await choose(own, evil.mail!, NEW_PASSWORD)).location).toBe('/');
  });

  it('stores no path to return to that is too long for a request', async () => {
    const app = await AccountApplication.start();
    const browser = app.browser();
    const path = `/${'a'.repeat(15_000)}`;
    const orders = jest.spyOn(app.model, 'saveNotification');
    for (const [at, return_to] of [path, path.repeat(5)].entries()) {
      const { shown } = await app.request(SIGN_UP, `stranger${at}@example.com`, browser, { return_to });
      expect(shown.status).toBe(200);
    }
    const stored = orders.mock.calls.map(([order]) => JSON.stringify(order).length);
    expect([stored.length, stored[0]! > 15_000, stored[1]! < 1000]).toEqual([2, true, true]);
  });

  it('signs nobody in without a new password, and is not revealed to other sites', async () => {
    const { app } = await startWithAlice();
    const { mail } = await app.request(FORGOT, ALICE);
    const browser = app.browser();
    const { headers } = await browser.get(pathIn(mail!));
    expect([await isSignedIn(browser), headers.get('referrer-policy')]).toEqual([false, 'no-referrer']);
    expect(headers.get('cache-control')).toContain('no-store');
  });

  it('does not skip the second factor', async () => {
    const by = { isEnrolled: () => true, verify: (_user: unknown, code: string) => code === '123456' };
    const app = await AccountApplication.start({ look: { secondFactor: { by } } });
    const browser = app.browser();
    const { mail } = await app.request(SIGN_UP, ALICE, browser);
    const done = await choose(browser, mail!, PASSWORD);
    expect(done.location).toMatch(/^\/oauth\/second_factor/);
    expect(await isSignedIn(browser)).toBe(false);
  });
});

describe('another site', () => {
  it('cannot send the forms of accounts', async () => {
    const { app, browser } = await startWithAlice();
    const { mail } = await app.request(FORGOT, ALICE);
    const before = app.mails.length;
    const link = pathIn(mail!);
    for (const path of [FORGOT, SIGN_UP, link]) {
      const shown = await browser.get(path);
      const typed = { email: 'bob@example.com', new_password: NEW_PASSWORD };
      const { csrf_token: _, ...others } = shown.form.fields;
      expect((await browser.post(path, { ...others, ...typed })).status).toBe(403);
      expect((await browser.send(shown, typed, OTHER_SITE)).status).toBe(403);
      // The token of another browser.
      expect((await app.browser().post(path, { ...shown.form.fields, ...typed })).status).toBe(403);
    }
    for (const section of ['password', 'email']) {
      const form = await sectionForm(browser, section);
      const typed = { current_password: PASSWORD, new_password: NEW_PASSWORD, email: 'bob@example.com' };
      expect((await browser.post('/oauth/account', { ...form, ...typed }, OTHER_SITE)).status).toBe(403);
      expect((await browser.post('/oauth/account', { ...form, ...typed, csrf_token: 'x' })).status).toBe(403);
    }
    expect(app.mails.length).toBe(before);
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(303);
  });
});

describe('a new password', () => {
  it('ends the access of applications only if the user asks for it', async () => {
    const { app } = await startWithAlice();
    const client = (await app.model.getClient('web', null))!;
    const user = app.users.findById('1')!;
    const token = (accessToken: string) => ({
      accessToken,
      accessTokenExpiresAt: new Date(Date.now() + 60_000),
      scope: 'read',
    });
    await app.model.saveToken(token('one'), client, user);
    const kept = await app.request(FORGOT, ALICE);
    await choose(app.browser(), kept.mail!, NEW_PASSWORD);
    expect(await app.model.getAccessToken('one')).toBeDefined();
    const ended = await app.request(FORGOT, ALICE);
    await choose(app.browser(), ended.mail!, PASSWORD, { end_access: '1' });
    expect(await app.model.getAccessToken('one')).toBeUndefined();
  });

  it('ends a login whose session is saved just after the old password was verified', async () => {
    const { app } = await startWithAlice();
    const { mail } = await app.request(FORGOT, ALICE);
    const thief = app.browser();
    const page = await thief.get('/oauth/login');
    beforeNextSession(app, () => choose(app.browser(), mail!, NEW_PASSWORD));
    expect((await thief.send(page, { username: ALICE, password: PASSWORD })).status).toBe(401);
    expect(await isSignedIn(thief)).toBe(false);
    expect((await app.signIn(ALICE, NEW_PASSWORD)).shown.status).toBe(303);
  });

  it.each(['password', 'code'])('ends a login with a second factor while its %s is verified', async (step) => {
    const by = { isEnrolled: () => true, verify: (_user: unknown, code: string) => code === '123456' };
    const app = await AccountApplication.start({ look: { secondFactor: { by } } });
    await choose(app.browser(), (await app.request(SIGN_UP, ALICE)).mail!, PASSWORD);
    const { mail } = await app.request(FORGOT, ALICE);
    const reset = () => choose(app.browser(), mail!, NEW_PASSWORD);
    const thief = app.browser();
    const page = await thief.get('/oauth/login');
    if (step === 'password') beforeNextSession(app, reset);
    const waiting = await thief.send(page, { username: ALICE, password: PASSWORD });
    expect(waiting.status).toBe(step === 'password' ? 401 : 303);
    const form = await thief.get('/oauth/second_factor');
    if (step === 'code') beforeNextSession(app, reset);
    await thief.send(form, { code: '123456' });
    expect(await isSignedIn(thief)).toBe(false);
  });

  it('ends a session that uses a second factor for the first time while the password is chosen', async () => {
    const app = await AccountApplication.start({ options: { authenticator: true } });
    const thief = await app.signUp(ALICE);
    const { mail } = await app.request(FORGOT, ALICE);
    beforeNextSession(app, () => choose(app.browser(), mail!, NEW_PASSWORD));
    await setUpApp(thief);
    expect(await isSignedIn(thief)).toBe(false);
  });

  it('ends the access for which the user agrees in another browser at the same moment', async () => {
    const { app, browser: thief } = await startWithAlice();
    const { mail } = await app.request(FORGOT, ALICE);
    const page = await thief.get(AUTHORIZE);
    const save = app.model.saveAuthorizationCode.bind(app.model);
    const codes: string[] = [];
    jest.spyOn(app.model, 'saveAuthorizationCode').mockImplementationOnce(async (code, ...more) => {
      await choose(app.browser(), mail!, NEW_PASSWORD, { end_access: '1' });
      codes.push(code.authorizationCode);
      return save(code, ...more);
    });
    const { location } = await thief.send(page, { decision: 'allow' });
    expect(Object.fromEntries(new URL(location!).searchParams)).toMatchObject({
      error: 'login_required',
      state: 'xyz',
    });
    expect(codes).toHaveLength(1);
    expect(await app.model.getAuthorizationCode(codes[0]!)).toBeUndefined();
  });

  it('forgets a consent that is saved at the same moment', async () => {
    const { app, browser: thief } = await startWithAlice();
    const { mail } = await app.request(FORGOT, ALICE);
    const page = await thief.get(AUTHORIZE);
    const save = app.model.saveConsent.bind(app.model);
    jest.spyOn(app.model, 'saveConsent').mockImplementationOnce(async (...consent) => {
      await choose(app.browser(), mail!, NEW_PASSWORD, { end_access: '1' });
      return save(...consent);
    });
    await thief.send(page, { decision: 'allow' });
    const { browser } = await app.signIn(ALICE, NEW_PASSWORD);
    expect((await browser.get(AUTHORIZE)).html).toContain('name="decision"');
  });

  it('cannot be set with a stolen session by guessing the current one', async () => {
    const { app, browser } = await startWithAlice();
    const form = await sectionForm(browser, 'password');
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 11; attempt += 1) {
      const typed = { current_password: `guess ${attempt}`, new_password: NEW_PASSWORD };
      statuses.add((await browser.post('/oauth/account', { ...form, ...typed })).status);
    }
    expect([...statuses]).toEqual([400, 429]);
    // The owner is not locked out.
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(303);
  }, 30_000);
});

/** Starts another server with the store of the first one. */
async function startBeside(
  { model }: AccountApplication,
  users: UserTable,
  realm: string,
): Promise<AccountApplication> {
  const { storage } = model as unknown as { storage: ConstructorParameters<typeof Store>[0] };
  const shared = new Store(storage, { users }) as MemoryStore;
  return AccountApplication.start({ users, model: shared, options: { realm }, module: { issuer: OTHER_ISSUER } });
}

/** Returns a browser of a server with the session cookie of another one, under the name that the server uses. */
function withSessionOf(other: PageBrowser, server: AccountApplication, browser: PageBrowser): PageBrowser {
  const session = ([name]: [string, string]) => name.startsWith('__Host-oauth2-session');
  const [[name], [, value]] = [[...browser.cookies].find(session)!, [...other.cookies].find(session)!];
  const thief = server.browser();
  thief.cookies.set(name, value);
  return thief;
}

describe('a user of another realm with the same ID in the same store', () => {
  it('has no part in the sessions and the access of the first user', async () => {
    const { app: staff, browser } = await startWithAlice({ options: { realm: 'staff' } });
    const user = staff.users.findById('1')!;
    const accessTokenExpiresAt = new Date(Date.now() + 60_000);
    const token = { accessToken: 'one', accessTokenExpiresAt, scope: 'read', issuer: ISSUER };
    await staff.model.saveToken(token, (await staff.model.getClient('web', null))!, user);

    const users = new UserTable();
    const customers = await startBeside(staff, users, 'customers');
    const mallory = customers.browser();
    const { mail } = await customers.request(SIGN_UP, 'mallory@example.com', mallory);
    const { pathname, search } = new URL(mail!.link!);
    await mallory.send(await mallory.get(pathname + search), { new_password: PASSWORD });
    expect([...users.rows.keys()]).toEqual(['1']);

    expect(await isSignedIn(withSessionOf(mallory, staff, browser))).toBe(false);
    const { html } = await mallory.get('/oauth/account');
    expect(html.match(/Signed in on/g)).toHaveLength(1);
    const typed = { current_password: PASSWORD, new_password: NEW_PASSWORD, end_access: '1' };
    const changed = await mallory.post('/oauth/account', { ...(await sectionForm(mallory, 'password')), ...typed });
    expect(changed.status).toBe(303);
    expect([await isSignedIn(mallory), await isSignedIn(browser)]).toEqual([true, true]);
    expect(await staff.model.getAccessToken('one')).toBeDefined();
  });
});

describe('a user of two servers with the same realm', () => {
  it('has a session at each, because a new password ends those of its server only', async () => {
    const { app: first, browser } = await startWithAlice({ options: { realm: 'staff' } });
    const second = await startBeside(first, first.users, 'staff');
    const { browser: other } = await second.signIn(ALICE, PASSWORD);
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, true]);
    expect(await isSignedIn(withSessionOf(other, first, browser))).toBe(false);
  });
});

describe('an address', () => {
  it('signs in only as it is stored, even if the database treats another one as equal', async () => {
    const users = new (class extends UserTable {
      override findByEmail(email: string) {
        const unaccented = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '');
        const row = [...this.rows.values()].find((one) => unaccented(one.email) === unaccented(email));
        return row && { ...row };
      }
    })();
    const { app } = await startWithAlice({ users });
    users.rows.get('1')!.email = 'Alice@Example.com';
    expect((await app.signIn('álice@example.com', PASSWORD)).shown.status).toBe(401);
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(401);
    users.findByEmail = () => ({ ...users.rows.get('1')! });
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(303);
    expect((await app.signIn('álice@example.com', PASSWORD)).shown.status).toBe(401);
  });

  it('is missing in what `findByEmail()` returns: the login fails, and the log says why', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { app } = await startWithAlice();
    app.users.findByEmail = () => ({ id: '1' }) as never;
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(500);
    expect(String(logged.mock.calls)).toContain('returned a user without `email`');
  });

  it('cannot be taken from another account', async () => {
    const { app, browser } = await startWithAlice();
    await app.signUp('bob@example.com');
    const before = app.mails.length;
    const form = await sectionForm(browser, 'email');
    const change = (email: string, current: string) =>
      browser.post('/oauth/account', { ...form, email, current_password: current });
    expect((await change('carol@example.com', 'wrong')).status).toBe(400);
    const [taken, free] = [await change('bob@example.com', PASSWORD), await change('carol@example.com', PASSWORD)];
    expect([taken.status, taken.location]).toEqual([free.status, free.location]);
    await app.nextMail(before + 1);
    const sent = app.mails.slice(before).map(({ to, template, link }) => [to, template, link !== undefined]);
    expect(sent).toHaveLength(2);
    expect(sent).toEqual(
      expect.arrayContaining([
        ['bob@example.com', 'taken', false],
        ['carol@example.com', 'change', true],
      ]),
    );
    // Carol signs up before Alice confirms the address.
    const confirm = app.mails.find(({ template }) => template === 'change')!;
    const confirming = app.browser();
    const shown = await confirming.get(pathIn(confirm));
    await app.signUp('carol@example.com');
    expect((await confirming.send(shown)).status).toBe(410);
    expect(app.users.rows.get('1')!.email).toBe(ALICE);
  });
});

describe('the start', () => {
  it('fails with `logMailer()` in production', async () => {
    const mode = process.env['NODE_ENV'];
    process.env['NODE_ENV'] = 'production';
    try {
      await expect(AccountApplication.start({ options: { mail: logMailer() } })).rejects.toThrow(
        /`logMailer\(\)` writes/,
      );
    } finally {
      process.env['NODE_ENV'] = mode;
    }
  });

  it.each([
    [{ password: { minLength: 7 } }, /`minLength` .* from 8 to 100/],
    [{ signUp: 'yes' as never }, /`signUp` of `accounts\(\)`/],
    [{ users: { findById: () => undefined } as never }, /`findByEmail/],
    [{ mails: {} } as never, /unknown option `mails` of `accounts\(\)`.* Did you mean `mail`/],
  ])('fails with the options %j', async (options, message) => {
    await expect(AccountApplication.start({ options })).rejects.toThrow(message);
  });
});
