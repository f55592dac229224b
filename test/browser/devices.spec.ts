import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { deviceAuthorization } from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import type { Browser } from 'playwright-core';

import { SECRET } from '../support/servers/demo.js';
import { freePort } from '../support/environment/free-port.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { describeInBrowser, openBrowser, openPage, signIn, tabTo } from './browser.js';

const alice = { id: 'alice', name: 'Alice Liddell' };
const tv = {
  id: 'tv',
  name: 'Television',
  tokenEndpointAuthMethod: 'none',
  grants: ['urn:ietf:params:oauth:grant-type:device_code'],
  scopes: ['notes:read', 'notes:write'],
};

describeInBrowser('the pages of the device flow in a browser', () => {
  let browser: Browser;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    const users = { findById: () => alice, findByCredentials: () => alice };
    const features = [
      deviceAuthorization(),
      pages({ devices: true, site: 'Wonderland', scopes: { 'notes:read': 'Read your notes' } }),
    ];
    const model = new MemoryStore({ clients: [tv], users });
    await startApplication(
      'express',
      { imports: [OAuth2Module.forRoot({ model, features, issuer: url, secret: SECRET })] },
      { port },
    );
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await stopApplications();
  });

  async function begin() {
    const body = new URLSearchParams({ client_id: 'tv', scope: 'notes:read notes:write' });
    const response = await fetch(`${url}/oauth/device_authorization`, { method: 'POST', body });
    return (await response.json()) as {
      user_code: string;
      verification_uri: string;
      verification_uri_complete: string;
    };
  }

  it.each([
    { place: 'desktop-light', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
    { place: 'phone-dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  ] as const)('have no accessibility violations and fit the screen: $place', async ({ place, ...look }) => {
    const { page, complaints, look: lookAt } = await openPage(browser, look);
    const { verification_uri, verification_uri_complete, user_code } = await begin();
    const wide: number[] = [];
    await page.goto(verification_uri);
    wide.push(await lookAt(`device-code-${place}`));
    await page.goto(verification_uri_complete);
    await page.getByRole('button', { name: 'Continue' }).click();
    await signIn(page);
    await page.getByText('Does your device show').waitFor();
    wide.push(await lookAt(`device-confirm-${place}`));
    await page.getByLabel('Code').fill('BBBB-BBBB');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This code is incorrect').waitFor();
    wide.push(await lookAt(`device-wrong-${place}`));
    await page.getByLabel('Code').fill(user_code.toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Connect this device?').waitFor();
    wide.push(await lookAt(`device-consent-${place}`));
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Your device is connected').waitFor();
    wide.push(await lookAt(`device-done-${place}`));
    expect([complaints, wide]).toEqual([[], [0, 0, 0, 0, 0]]);
    await page.context().close();
  });

  it('can be used by keyboard alone', async () => {
    const { page, complaints } = await openPage(browser, { viewport: { width: 1280, height: 800 } });
    const { verification_uri, user_code } = await begin();
    const enter = () => page.keyboard.press('Enter');
    await page.goto(verification_uri);
    await page.locator('#user_code:focus').waitFor();
    await page.keyboard.type(user_code);
    await enter();
    await signIn(page);
    await tabTo(page, 'Continue');
    await enter();
    await tabTo(page, 'Deny');
    await enter();
    await page.getByText('Device not connected').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
