import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { ACCOUNT_MESSAGES, accounts, type Mail } from 'nest-oauth2/accounts';
import { ar } from 'nest-oauth2-languages/ar';
import { ENGLISH, pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { generate } from 'otplib';
import type { Browser } from 'playwright-core';
import { UserTable } from '../src/accounts/account-application.js';
import { freePort } from '../support/environment/free-port.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { SECRET } from '../support/servers/demo.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { addAuthenticator, describeInBrowser, openBrowser, openPage, type OpenedPage } from './browser.js';
import { type Look, LOOKS } from './looks.js';

const PASSWORD = 'violet kettle on the moor';
const NEW_PASSWORD = 'eleven quiet bicycles';
const TEXTS = {
  en: { ...ENGLISH, ...ACCOUNT_MESSAGES },
  ar: { ...ar.messages, ...ar.features.accounts },
} as unknown as Readonly<Record<string, typeof ENGLISH & typeof ACCOUNT_MESSAGES>>;

/** Returns by how much the last character of a code is to the right of its first. Runs in the browser. */
const SPAN = `(element) => {
  element.textContent = '1234-5678-abcd';
  const left = (at) => {
    const range = document.createRange();
    range.setStart(element.firstChild, at);
    range.setEnd(element.firstChild, at + 1);
    return range.getBoundingClientRect().left;
  };
  return left(13) - left(0);
}`;

class Users extends UserTable {
  delete({ id }: { id: string }) {
    this.rows.delete(id);
  }
}

describeInBrowser('the pages of accounts() in a browser', () => {
  let browser: Browser;
  let url: string;
  const mails: Mail[] = [];
  const users = new Users();

  beforeAll(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    const model = new MemoryStore({
      users,
      clients: [
        {
          id: 'web',
          name: 'Notes',
          tokenEndpointAuthMethod: 'none',
          grants: ['authorization_code'],
          redirectUris: ['https://notes.example/callback'],
          scopes: ['notes:read'],
        },
      ],
    });
    const organizations = {
      list: () => [
        { id: 'acme', name: 'Acme Ltd' },
        { id: 'long', name: 'Gesellschaft für Verkehrsbetriebe und Grundstücksverwaltung mit beschränkter Haftung' },
      ],
    };
    const features = [
      pages({
        site: 'Wonderland',
        home: '/oauth/account',
        scopes: { 'notes:read': 'Read your notes' },
        languages: { ar },
        organizations,
      }),
      accounts({
        users,
        mail: { send: (mail) => void mails.push(mail) },
        signUp: 'name',
        passkeys: true,
        authenticator: true,
        personalAccessTokens: { scopes: ['notes:read', 'notes:write'] },
        deletion: true,
      }),
    ];
    const module = { imports: [OAuth2Module.forRoot({ model, features, secret: SECRET, issuer: url })] };
    await startApplication('express', module, { port });
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await stopApplications();
  });

  /** Opens a browser page in a look, with functions that find the texts of its language. */
  async function open({ place, ...look }: Look) {
    const opened: OpenedPage = await openPage(browser, look);
    const { page } = opened;
    const wide: Record<string, number> = {};
    const text = TEXTS[look.locale]!;
    const address = `${place}@example.com`;
    return {
      ...opened,
      text,
      address,
      wide,
      seen: async (name: string) => {
        wide[name] = await opened.look(`accounts-${name}-${place}`);
        expect(await page.evaluate('document.documentElement.dir')).toBe(look.locale === 'ar' ? 'rtl' : 'ltr');
      },
      heading: (name: string) => page.getByRole('heading', { name, exact: true, level: 1 }).waitFor(),
      click: (name: string) => page.getByRole('button', { name, exact: true }).click(),
      link: async (template: string, to = address) =>
        (await waitUntil(() => mails.find((mail) => mail.template === template && mail.to === to))).link!,
      signIn: async (password: string) => {
        await page.goto(`${url}/oauth/login`);
        await page.locator('input[name=username]').fill(address);
        await page.locator('input[name=password]').fill(password);
        await page.getByRole('button', { name: text.signIn, exact: true }).click();
      },
    };
  }

  it.each(LOOKS)('have no accessibility violations, fit the screen and work: $place', async (look) => {
    const { page, complaints, wide, text, address, seen, heading, click, link, signIn } = await open(look);

    // Sign-up and verification of the address
    await page.goto(`${url}/oauth/sign_up`);
    await seen('sign-up');
    await page.locator('input[name=name]').fill('Alice');
    await page.locator('input[name=email]').fill('a@b');
    await click(text.sendLink);
    await page.getByText(text.emailInvalid).waitFor();
    await seen('sign-up-problem');
    await page.locator('input[name=email]').fill(address);
    await click(text.sendLink);
    await heading(text.sentTitle);
    await seen('sent');
    await page.goto(await link('signUp'));
    await heading(text.passwordTitle);
    await page.locator('input[name=new_password]').fill('password1234');
    await click(text.save);
    await page.getByText(text.passwordCommon).waitFor();
    await seen('password-problem');
    await page.locator('input[name=new_password]').fill(PASSWORD);
    await click(text.save);

    // The account page, with its sections
    await heading(text.yourAccount);
    await seen('account');
    await page.locator('input[name=token_name]').fill('Backup script of the notes');
    await page.getByRole('checkbox', { name: 'Read your notes' }).check();
    await click(text.tokenCreate);
    await page.getByText(text.tokenCreated).waitFor();
    await seen('token-created');
    await page.goto(`${url}/oauth/account`);
    await page.locator('input[name=email]').fill(`new-${address}`);
    await page.locator('input[name=current_password]').first().fill(PASSWORD);
    await seen('account-with-token');

    // Reset of the password
    await page.context().clearCookies();
    await page.goto(`${url}/oauth/login`);
    await seen('login');
    await page.goto(`${url}/oauth/forgot_password`);
    await seen('forgot-password');
    await page.locator('input[name=email]').fill(address);
    await click(text.sendLink);
    await heading(text.sentTitle);
    const reset = await link('reset');
    await page.goto(reset);
    await seen('new-password');
    await page.locator('input[name=new_password]').fill(NEW_PASSWORD);
    await click(text.save);
    await heading(text.yourAccount);
    await page.goto(reset);
    await page.getByText(text.linkExpired).waitFor();
    await seen('link-expired');

    // Change of the address
    await page.goto(`${url}/oauth/account`);
    const changed = page.locator('form', { has: page.locator('input[name=email]') });
    await changed.locator('input[name=email]').fill(`new-${address}`);
    await changed.locator('input[name=current_password]').fill(NEW_PASSWORD);
    await changed.getByRole('button').click();
    await page.getByText(text.emailSent).waitFor();
    await page.goto(await link('change', `new-${address}`));
    await heading(text.confirmTitle);
    await seen('confirm-email');

    // Choice of an organization before consent
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'web',
      redirect_uri: 'https://notes.example/callback',
      scope: 'notes:read',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    await page.goto(`${url}/oauth/authorize?${query.toString()}`);
    await heading(text.organizationTitle);
    await seen('organization');
    await page.getByRole('radio', { name: 'Gesellschaft' }).check();
    await click(text.continue);
    await heading(text.consentTitle);
    await page.getByText('Gesellschaft').waitFor();
    await seen('consent-organization');

    // Deletion of the account
    await page.goto(`${url}/oauth/account`);
    await page.getByRole('checkbox', { name: text.deleteConfirm }).check();
    await click(text.deleteButton);
    await heading(text.keepTitle);
    await seen('deletion-requested');
    await signIn(NEW_PASSWORD);
    await heading(text.keepTitle);
    await seen('keep-account');
    await click(text.keepButton);
    await heading(text.yourAccount);

    expect(complaints).toEqual([]);
    expect(Object.entries(wide).filter(([, pixels]) => pixels > 0)).toEqual([]);
    await page.context().close();
  });

  it.each(LOOKS)('enrol and use passkeys and an authenticator app: $place', async (look) => {
    const { page, complaints, wide, text, address, seen, heading, click, link } = await open({
      ...look,
      place: `factors-${look.place}` as never,
    });
    await addAuthenticator(page);
    await page.goto(`${url}/oauth/sign_up`);
    await page.locator('input[name=name]').fill('Alice');
    await page.locator('input[name=email]').fill(address);
    await click(text.sendLink);
    await heading(text.sentTitle);
    await page.goto(await link('signUp'));
    await page.locator('input[name=new_password]').fill(PASSWORD);
    await click(text.save);

    await page.getByRole('link', { name: text.appAdd, exact: true }).click();
    await heading(text.appTitle);
    await page.locator('input[name=code]').fill('000000');
    await click(text.continue);
    await page.getByText(text.codeWrong).waitFor();
    await seen('authenticator-problem');
    const secret = (await page.locator('code').innerText()).replaceAll(/[^A-Z2-7]/g, '');
    await page.locator('input[name=code]').fill(await generate({ secret }));
    await click(text.continue);
    await heading(text.recoveryTitle);
    await seen('recovery-codes');
    const [recoveryCode] = await page.locator('.codes code').allInnerTexts();
    // A code that begins with digits is in the order in which it is typed, also in a right-to-left text.
    expect(await page.evaluate<number>(`(${SPAN})(document.querySelector('.codes code'))`)).toBeGreaterThan(0);
    await page.getByRole('link', { name: text.recoveryDone }).click();
    await click(text.passkeyAdd);
    await page.getByText(text.passkeyAdded).waitFor();
    await seen('account-with-factors');

    // The second factor: a recovery code, then the page for a passkey
    await page.context().clearCookies();
    const other = await open(look);
    await other.page.goto(`${url}/oauth/login`);
    await other.page.locator('input[name=username]').fill(address);
    await other.page.locator('input[name=password]').fill(PASSWORD);
    await other.click(text.signIn);
    await other.heading(text.codeTitle);
    await other.seen('second-factor');
    await other.page.getByRole('link', { name: text.codeUsePasskey, exact: true }).click();
    await other.page.getByRole('button', { name: text.passkeyUse, exact: true }).waitFor();
    await other.seen('second-factor-passkey');
    await other.page.goBack();
    await other.page.getByRole('link', { name: text.codeUseRecovery, exact: true }).click();
    await other.page.locator('input[name=code]').fill(recoveryCode!);
    await other.seen('second-factor-recovery');
    await other.click(text.continue);
    await other.heading(text.yourAccount);

    // Sign-in by passkey: the virtual authenticator accepts what the autofill of the browser offers.
    await page.goto(`${url}/oauth/login`);
    await heading(text.yourAccount);
    expect([...complaints, ...other.complaints]).toEqual([]);
    const all = { ...wide, ...other.wide };
    expect(Object.entries(all).filter(([, pixels]) => pixels > 0)).toEqual([]);
    await Promise.all([page.context().close(), other.page.context().close()]);
  });
});
