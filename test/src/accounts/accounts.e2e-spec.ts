import { afterEach, describe, expect, it } from '@jest/globals';
import { accounts } from 'nest-oauth2/accounts';
import { de } from 'nest-oauth2-languages/de';
import { stopApplications, PLATFORMS } from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';
import {
  AccountApplication,
  choose,
  isSignedIn,
  NEW_PASSWORD,
  PASSWORD,
  pathIn,
  sectionForm,
  TableWithPasswords,
} from './account-application.js';

const ALICE = 'alice@example.com';
const FORGOT = '/oauth/forgot_password';
const SIGN_UP = '/oauth/sign_up';

describe.each(PLATFORMS)('accounts on %s', (platform) => {
  afterEach(stopApplications);
  const start = (more: object = {}) => AccountApplication.start({ platform, ...more });

  it('signs up, signs in, and resets the password by links in e-mails', async () => {
    const app = await start();
    const browser = app.browser();
    const login = await browser.get('/oauth/login?return_to=%2Fnext');
    expect(login.html).toContain('/oauth/sign_up?return_to=');
    expect(login.html).toContain('/oauth/forgot_password?return_to=');
    const path = /\/oauth\/sign_up\?[^"]+/.exec(login.html)![0].replaceAll('&amp;', '&');
    const { shown, mail } = await app.request(path, ` ${ALICE.toUpperCase()} `, browser);
    expect([shown.status, shown.heading]).toEqual([200, 'Check your e-mail']);
    expect(mail).toMatchObject({
      to: ALICE,
      template: 'signUp',
      language: 'en',
      subject: 'Finish your sign-up at Example Notes',
    });
    expect(mail!.text).toContain(mail!.link);
    expect(app.users.rows.size).toBe(0);
    const done = await choose(browser, mail!, PASSWORD);
    expect([done.status, done.location]).toEqual([303, '/next']);
    expect([...app.users.rows.values()]).toEqual([{ id: '1', email: ALICE }]);
    expect(await isSignedIn(browser)).toBe(true);
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(303);
    expect((await app.signIn(ALICE, NEW_PASSWORD)).shown.status).toBe(401);

    const reset = await app.request(FORGOT, ALICE);
    expect(reset.mail).toMatchObject({ to: ALICE, template: 'reset' });
    const elsewhere = app.browser();
    expect((await elsewhere.get(pathIn(reset.mail!))).html).toContain('You started in another browser.');
    expect((await choose(elsewhere, reset.mail!, NEW_PASSWORD)).location).toBe('/oauth/login');
    expect(await app.nextMail(2)).toMatchObject({ to: ALICE, template: 'password' });
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(401);
    expect((await app.signIn(ALICE, NEW_PASSWORD)).shown.status).toBe(303);
    expect([await isSignedIn(browser), await isSignedIn(elsewhere)]).toEqual([false, false]);
  });

  it('changes the password on the account page, keeps this browser and signs out the others', async () => {
    const app = await start();
    const [browser, other] = [await app.signUp(ALICE), (await app.signIn(ALICE, PASSWORD)).browser];
    const form = await sectionForm(browser, 'password');
    const change = (current: string, next: string) =>
      browser.post('/oauth/account', { ...form, current_password: current, new_password: next });
    const wrong = await change('wrong', NEW_PASSWORD);
    expect([wrong.status, wrong.html]).toEqual([400, expect.stringContaining('The current password is incorrect.')]);
    expect((await change(PASSWORD, 'short')).html).toContain('Use a longer password.');
    const done = await change(PASSWORD, NEW_PASSWORD);
    expect([done.status, done.location]).toEqual([303, '/oauth/account?done=password.change#section-password']);
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false]);
    expect((await app.signIn(ALICE, NEW_PASSWORD)).shown.status).toBe(303);
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(401);
  });

  it('changes the address after the new one is proved, and tells the old one', async () => {
    const app = await start();
    const browser = await app.signUp(ALICE);
    const form = await sectionForm(browser, 'email');
    const before = app.mails.length;
    const next = 'alice@new.example';
    await browser.post('/oauth/account', { ...form, email: next, current_password: PASSWORD });
    const mail = (await app.nextMail(before))!;
    expect([mail.to, mail.template, app.users.rows.get('1')!.email]).toEqual([next, 'change', ALICE]);
    const elsewhere = app.browser();
    const shown = await elsewhere.get(pathIn(mail));
    // A scanner of e-mails that opens the link changes nothing.
    expect([shown.heading, app.users.rows.get('1')!.email]).toEqual(['Confirm your e-mail address', ALICE]);
    const done = await elsewhere.send(shown);
    expect([done.status, done.html]).toEqual([200, expect.stringContaining('was changed to')]);
    expect(app.users.rows.get('1')!.email).toBe(next);
    expect(await isSignedIn(elsewhere)).toBe(false);
    expect(await app.nextMail(before + 1)).toMatchObject({ to: ALICE, template: 'moved' });
    expect((await elsewhere.send(shown)).status).toBe(410);
  });
});

describe('accounts with a password column of the application', () => {
  afterEach(stopApplications);

  it('accept the old password once, and keep it in the store from then on', async () => {
    const users = new TableWithPasswords();
    const app = await AccountApplication.start({ users });
    await users.add(ALICE, PASSWORD);
    expect((await app.signIn(ALICE, 'wrong')).shown.status).toBe(401);
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(303);
    const { calls } = users;
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(303);
    expect(users.calls).toBe(calls);
    const { mail } = await app.request(FORGOT, ALICE);
    await choose(app.browser(), mail!, NEW_PASSWORD);
    // The column still has the old password.
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(401);
    expect((await app.signIn(ALICE, NEW_PASSWORD)).shown.status).toBe(303);
  });

  it('end the old password with a reset before any login', async () => {
    const users = new TableWithPasswords();
    const app = await AccountApplication.start({ users });
    await users.add(ALICE, PASSWORD);
    const { mail } = await app.request(FORGOT, ALICE);
    await choose(app.browser(), mail!, NEW_PASSWORD);
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(401);
    expect((await app.signIn(ALICE, NEW_PASSWORD)).shown.status).toBe(303);
  });
});

describe('sign-up', () => {
  afterEach(stopApplications);

  it('asks for the e-mail address on the login page, in the language of the user', async () => {
    const app = await AccountApplication.start({ look: { languages: { de } } });
    expect((await app.browser().get('/oauth/login')).html).toContain('<label for="username">E-mail address</label>');
    const german = await app.browser().get('/oauth/login?ui_locales=de');
    expect(german.html).toContain('<label for="username">E-Mail-Adresse</label>');
  });

  it('asks for a name if the application wants one', async () => {
    const app = await AccountApplication.start({ options: { signUp: 'name' } });
    const browser = app.browser();
    const { shown } = await app.request(SIGN_UP, ALICE, browser, { name: ' ' });
    expect([shown.status, shown.html]).toEqual([400, expect.stringContaining('Enter a name')]);
    const { mail } = await app.request(SIGN_UP, ALICE, browser, { name: 'Alice Ross' });
    const personal = await choose(browser, mail!, 'alice ross alice');
    expect(personal.html).toContain('Do not use your name');
    expect((await choose(browser, mail!, PASSWORD)).status).toBe(303);
    expect(app.users.rows.get('1')).toEqual({ id: '1', email: ALICE, name: 'Alice Ross' });
  });

  it('sends e-mails in the language of the page, with texts of the application', async () => {
    const own = { ...de, features: { ...de.features, accounts: { ...de.features.accounts, sentTitle: 'Post!' } } };
    const app = await AccountApplication.start({ look: { languages: { de: own } } });
    const browser = new PageBrowser(app.url, { 'accept-language': 'fi, de-CH;q=0.5' });
    const { shown, mail } = await app.request(SIGN_UP, ALICE, browser);
    expect(shown.heading).toBe('Post!');
    expect(mail).toMatchObject({ language: 'de', subject: 'Schließen Sie Ihre Registrierung bei Example Notes ab' });
    expect(mail!.text).toContain(`gilt einen Tag:\n\n${mail!.link}\n\nWenn Sie`);
    const form = await browser.get(pathIn(mail!));
    expect(form.html).toContain('Mindestens 12 Zeichen.');
    // Password managers ignore inputs of the type `hidden`.
    expect(form.html).toContain(`<input name="username" value="${ALICE}" autocomplete="username" readonly hidden`);
  });

  it('has no page if the application switches it off', async () => {
    const app = await AccountApplication.start({ options: { signUp: false } });
    expect((await app.browser().get(SIGN_UP)).status).toBe(404);
    expect((await app.browser().get('/oauth/login')).html).not.toContain('sign_up');
  });

  it('keeps the passwords of another realm of users apart, with equal IDs in one store', async () => {
    const app = await AccountApplication.start({ options: { realm: 'staff' } });
    await app.signUp(ALICE);
    const passwordsOf = (realm: string) => app.model.findCredentials({ realm, userId: '1' }, ['password']);
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(303);
    expect(await passwordsOf('')).toEqual([]);
    expect(await passwordsOf(JSON.stringify(['staff', null]))).toHaveLength(1);
    expect(() => accounts({ users: app.users, mail: { send: () => undefined }, realm: '' })).toThrow('`realm`');
  });
});
