import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { accounts } from 'nest-oauth2/accounts';
import { pages } from 'nest-oauth2/pages';
import { hashPassword } from 'nest-oauth2/stores';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { generate } from 'otplib';
import type { Browser } from 'playwright-core';
import { UserTable } from '../src/accounts/account-application.js';
import { SECRET } from '../support/servers/demo.js';
import { freePort } from '../support/environment/free-port.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { addAuthenticator, describeInBrowser, openBrowser, openPage } from './browser.js';

const PASSWORD = 'violet kettle on the moor';

describeInBrowser('passkeys and an authenticator app in a browser', () => {
  let browser: Browser;
  let url: string;
  const users = new UserTable();
  const model = new MemoryStore({ users });

  beforeAll(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    const options = { users, mail: { send: () => undefined }, passkeys: true, authenticator: true };
    const features = [pages({ site: 'Wonderland', home: '/oauth/account' }), accounts(options)];
    const module = { imports: [OAuth2Module.forRoot({ model, features, secret: SECRET, issuer: url })] };
    await startApplication('express', module, { port });
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await stopApplications();
  });

  it.each([
    { place: 'desktop-light', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
    { place: 'phone-dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  ] as const)('are set up and used without accessibility violations: $place', async ({ place, ...look }) => {
    const email = `${place}@example.com`;
    const user = await users.create({ email });
    const data = JSON.stringify({ hash: await hashPassword(PASSWORD) });
    await model.addCredential({ realm: '', userId: user!.id }, { kind: 'password', key: user!.id, data });
    const { page, complaints, look: lookAt } = await openPage(browser, look);
    const wide: number[] = [];
    await addAuthenticator(page);
    await page.goto(`${url}/oauth/login`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('Passkey added.').waitFor();
    wide.push(await lookAt(`account-passkeys-${place}`));
    await page.getByRole('link', { name: 'Set up an authenticator app' }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    wide.push(await lookAt(`account-authenticator-${place}`));
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
    await page.getByLabel('Code of the app').fill(await generate({ secret }));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    wide.push(await lookAt(`account-recovery-codes-${place}`));
    await page.context().clearCookies();
    // The browser offers the passkey in the input of the user name, and the virtual authenticator accepts it at once.
    await page.goto(`${url}/oauth/login`);
    await page.getByText('Unused recovery codes: 10.').waitFor();
    expect([complaints, wide]).toEqual([[], [0, 0, 0]]);
    await page.context().close();
  });
});
