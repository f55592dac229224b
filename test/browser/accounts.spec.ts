import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { generate } from 'otplib';
import { type Sample, startAccounts } from './sample.js';
import { addAuthenticator, describeInBrowser, openBrowser, openPage } from './browser.js';

const EMAIL = 'alice@example.com';
const PASSWORD = 'violet kettle on the moor';

describeInBrowser('sample/20-accounts in a browser', () => {
  let browser: Browser;
  let sample: Sample;

  // Allows time to install the sample in a clean clone.
  beforeAll(async () => {
    browser = await openBrowser();
    sample = await startAccounts();
  }, 600_000);

  afterAll(async () => {
    await browser?.close();
    await sample?.stop();
  });

  it('signs a user up by e-mail, and then in by a passkey, an app, a personal access token and a client', async () => {
    const { url } = sample;
    const { page, complaints, look } = await openPage(browser, {});
    const wide: number[] = [];
    await addAuthenticator(page);

    // Sign-up by the link in the e-mail
    await page.goto(url);
    wide.push(await look('sample-accounts-home'));
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail address').fill(EMAIL);
    await page.getByLabel('Name', { exact: true }).fill('Alice Liddell');
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: 'Check your e-mail' }).waitFor();
    await page.goto(`${url}/mails`);
    while (!(await page.getByRole('link', { name: 'Open the link' }).isVisible())) await page.reload();
    wide.push(await look('sample-accounts-mails'));
    await page.getByRole('link', { name: 'Open the link' }).click();
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button').click();

    // A page that calls the API with the session
    await page.getByRole('heading', { name: 'Notes of Alice Liddell' }).waitFor();
    await page.getByLabel('New note').fill('Follow the white rabbit');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByText('Follow the white rabbit').waitFor();
    wide.push(await look('sample-accounts-notes'));

    // A passkey, an authenticator app and a personal access token
    await page.getByRole('link', { name: 'My account' }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('Passkey added.').waitFor();
    await page.getByRole('link', { name: 'Set up an authenticator app' }).click();
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
    await page.getByLabel('Code of the app').fill(await generate({ secret }));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    await page.goto(`${url}/oauth/account`);
    const tokens = page.locator('#section-tokens');
    await tokens.getByLabel('What is the token for?').fill('Script');
    await tokens.getByLabel('Read your notes').check();
    await tokens.getByRole('button', { name: 'Create token' }).click();
    const token = await page.locator('code').filter({ hasText: 'notes_' }).innerText();
    const response = await fetch(`${url}/notes`, { headers: { authorization: `Bearer ${token}` } });
    expect(await response.json()).toEqual(['Follow the white rabbit']);

    // A client that gets a part of the scope
    await page.goto(`${url}/reader`);
    await page.getByLabel('Write notes for you').uncheck();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('You allowed: notes:read', { exact: true }).waitFor();
    await page.getByText('Follow the white rabbit').waitFor();
    wide.push(await look('sample-accounts-reader'));

    // The passkey signs the user in: the virtual authenticator accepts the suggestion of the login page at once.
    await page.goto(`${url}/oauth/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(`${url}/oauth/login`);
    await page.getByRole('heading', { name: 'Notes of Alice Liddell' }).waitFor();
    expect([complaints, wide]).toEqual([[], [0, 0, 0, 0]]);
  });
});
