import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Sample, startPassport } from './sample.js';
import { describeInBrowser, openBrowser, openPage, signIn } from './browser.js';

describeInBrowser('sample/16-passport in a browser', () => {
  let browser: Browser;
  let sample: Sample;

  // Allows time to install the sample in a clean clone.
  beforeAll(async () => {
    browser = await openBrowser();
    sample = await startPassport();
  }, 600_000);

  afterAll(async () => {
    await browser?.close();
    await sample?.stop();
  });

  it('rejects a wrong password, returns a denial to the client, then signs Alice in and ends on the page of the client', async () => {
    const { page, complaints, look } = await openPage(browser, { viewport: { width: 390, height: 844 } });
    await page.goto(sample.url);
    await page.getByRole('link', { name: 'Read my notes with an app' }).click();
    await page.getByLabel('Username').fill('alice');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Incorrect username or password.').waitFor();
    const wide = [await look('passport-login')];
    await signIn(page);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    wide.push(await look('passport-denied'));
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByRole('link', { name: 'Read my notes with an app' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Notes of Alice Liddell' }).waitFor();
    wide.push(await look('passport-notes'));
    expect([complaints, wide]).toEqual([[], [0, 0, 0]]);
  });
});
