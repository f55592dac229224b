import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Sample, startOpenId, startSocialLogin } from './sample.js';
import { describeInBrowser, openBrowser, openPage, signIn } from './browser.js';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser?.close());

describeInBrowser('sample/11-openid in a browser', () => {
  let samples: { server: Sample; web: Sample; page: Sample };

  // Allows time to install the sample in a clean clone.
  beforeAll(async () => {
    samples = await startOpenId();
  }, 600_000);

  afterAll(async () => {
    for (const sample of Object.values(samples ?? {})) await sample.stop();
  });

  it('signs Alice in at a web application, and then without a password at a browser application', async () => {
    const { page, complaints } = await openPage(browser, {});
    await page.goto(samples.web.url);
    await page.getByRole('link', { name: 'Sign in with Wonderland' }).click();
    await signIn(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Welcome, Alice Liddell (alice@wonderland.example)').waitFor();

    await page.goto(samples.page.url);
    await page.getByRole('button', { name: 'Sign in with Wonderland' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Welcome, Alice Liddell (alice@wonderland.example)').waitFor();
    expect(complaints.filter((one) => !one.includes('404'))).toEqual([]);

    // Signing out at one of them signs her out at the provider, which notifies the other one.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with Wonderland' }).waitFor();
    const link = page.getByRole('link', { name: 'Sign in with Wonderland' });
    // The notification of the other application is asynchronous.
    for (let times = 0; times < 50 && !(await link.isVisible()); times += 1) {
      await page.waitForTimeout(100);
      await page.goto(samples.web.url);
    }
    await link.click();
    await page.getByLabel('Password').waitFor();
  });

  it('returns access_denied to the application if Alice denies', async () => {
    const { page } = await openPage(browser, {});
    await page.goto(samples.page.url);
    await page.getByRole('button', { name: 'Sign in with Wonderland' }).click();
    await signIn(page);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText(/denied/i).waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with Wonderland' }).isVisible()).toBe(true);
  });
});

describeInBrowser('sample/12-social-login in a browser', () => {
  let samples: { server: Sample; provider: Sample };

  beforeAll(async () => {
    samples = await startSocialLogin();
  }, 600_000);

  afterAll(async () => {
    for (const sample of Object.values(samples ?? {})) await sample.stop();
  });

  it('signs Alice in at another provider, and lets a client read her notes', async () => {
    const { page } = await openPage(browser, {});
    await page.goto(samples.server.url);
    await page.getByRole('link', { name: 'Read my notes with an app' }).click();
    await page.getByRole('button', { name: 'Sign in with Everybody' }).click();
    await page.getByLabel('Password').waitFor();
    expect(new URL(page.url()).origin).toBe(samples.provider.url);
    await signIn(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Read your notes').waitFor();
    expect(new URL(page.url()).origin).toBe(samples.server.url);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Notes of Alice Liddell' }).waitFor();
  });
});
