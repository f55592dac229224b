import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type Sample, startPasskeys } from './sample.js';
import { describeInBrowser, openBrowser, openPage } from './browser.js';

/** Adds a virtual authenticator that confirms every request. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
}

describeInBrowser('sample/17-passkeys in a browser', () => {
  let browser: Browser;
  let sample: Sample;
  let url: string;

  // Allows time to install the sample in a clean clone.
  beforeAll(async () => {
    browser = await openBrowser();
    sample = await startPasskeys();
    url = sample.url.replace('127.0.0.1', 'localhost');
  }, 600_000);

  afterAll(async () => {
    await browser?.close();
    await sample?.stop();
  });

  it('creates an account with a passkey, signs in with it alone, and lets a client read the notes', async () => {
    const { page, complaints } = await openPage(browser, {});
    await addAuthenticator(page);
    await page.goto(url);
    await page.getByRole('link', { name: 'Read my notes with an app' }).click();
    await page.getByLabel('Name').fill('Alice Liddell');
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Notes of Alice Liddell' }).waitFor();

    await page.goto(url);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Apps with access to my notes' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Notes on the web').waitFor();
    expect(complaints).toEqual([]);
  });

  it('rejects an unknown passkey, and a response without a matching challenge', async () => {
    const { page } = await openPage(browser, {});
    await addAuthenticator(page);
    await page.goto(`${url}/login`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.locator('#error:not(:empty)').waitFor();

    const send = (path: string) =>
      fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":"x"}' });
    expect((await send('/passkeys/authentication')).status).toBe(400);
    expect((await send('/passkeys/registration')).status).toBe(400);
  });
});
