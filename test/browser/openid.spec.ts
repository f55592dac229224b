import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Sample, startOpenId, startSocialLogin } from './sample.js';
import { openBrowser, openPage, signIn } from './browser.js';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser?.close());

describe('the sample of OpenID Connect', () => {
  let samples: { server: Sample; web: Sample; page: Sample };

  // Time to install the sample on a clean clone.
  beforeAll(async () => {
    samples = await startOpenId();
  }, 600_000);

  afterAll(async () => {
    for (const sample of Object.values(samples ?? {})) await sample.stop();
  });

  it('signs Alice in at an application on a server, and then without a password at one in the browser', async () => {
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

    // Signed out at one of them, she is signed out at the provider, which tells the other.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with Wonderland' }).waitFor();
    const link = page.getByRole('link', { name: 'Sign in with Wonderland' });
    // Nobody has waited for the other one to hear of it.
    for (let times = 0; times < 50 && !(await link.isVisible()); times += 1) {
      await page.waitForTimeout(100);
      await page.goto(samples.web.url);
    }
    await link.click();
    await page.getByLabel('Password').waitFor();
  });

  it('tells an application that Alice said no', async () => {
    const { page } = await openPage(browser, {});
    await page.goto(samples.page.url);
    await page.getByRole('button', { name: 'Sign in with Wonderland' }).click();
    await signIn(page);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText(/denied/i).waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with Wonderland' }).isVisible()).toBe(true);
  });
});

describe('the sample of sign-in through another provider', () => {
  let samples: { server: Sample; provider: Sample };

  beforeAll(async () => {
    samples = await startSocialLogin();
  }, 600_000);

  afterAll(async () => {
    for (const sample of Object.values(samples ?? {})) await sample.stop();
  });

  it('signs Alice in at the provider, and lets a client read her notes', async () => {
    const { page } = await openPage(browser, {});
    await page.goto(samples.server.url);
    await page.getByRole('link', { name: 'Read my notes with an app' }).click();
    expect(new URL(page.url()).origin).toBe(samples.provider.url);
    await signIn(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Read your notes').waitFor();
    expect(new URL(page.url()).origin).toBe(samples.server.url);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Notes of Alice Liddell' }).waitFor();
  });
});
