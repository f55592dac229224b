import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import type { Browser } from 'playwright-core';

import { SECRET } from '../support/servers/demo.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { describeInBrowser, openBrowser, openPage, signIn } from './browser.js';

const alice = { id: 'alice', name: 'Alice Liddell' };

describeInBrowser('the second factor page in a browser', () => {
  let browser: Browser;
  let url: string;
  beforeAll(async () => {
    const by = {
      isEnrolled: () => true,
      verify: (_: unknown, code: string) => code === '123456',
      send: () => undefined,
    };
    const features = [pages({ site: 'Wonderland', secondFactor: { by, recoveryCodes: true } })];
    const model = new MemoryStore({ clients: [], users: { findById: () => alice, findByCredentials: () => alice } });
    ({ url } = await startApplication('express', {
      imports: [OAuth2Module.forRoot({ model, features, secret: SECRET })],
    }));
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await stopApplications();
  });

  it.each([
    { place: 'desktop-light', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
    { place: 'phone-dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  ] as const)('has no accessibility violations and fits the screen: $place', async ({ place, ...look }) => {
    const { page, complaints, look: lookAt } = await openPage(browser, look);
    const wide: number[] = [];
    await page.goto(`${url}/oauth/login?return_to=/oauth/applications`);
    await signIn(page);
    // The field has the focus.
    await page.locator('#code:focus').waitFor();
    wide.push(await lookAt(`second-factor-${place}`));
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await page.getByText('This code is incorrect').waitFor();
    wide.push(await lookAt(`second-factor-wrong-${place}`));
    await page.getByRole('link', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').waitFor();
    wide.push(await lookAt(`second-factor-recovery-${place}`));
    await page.getByLabel('Recovery code').fill('123 456');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('No apps have access').waitFor();
    expect([complaints, wide]).toEqual([[], [0, 0, 0]]);
    await page.context().close();
  });
});
