import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import type { Feature } from 'nest-oauth2/features';
import { ACCOUNT_SECTIONS, defineMessages, defineSection, html, LOGIN_METHODS, pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import type { Browser } from 'playwright-core';

import { SECRET } from '../support/servers/demo.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { describeInBrowser, openBrowser, openPage, signIn } from './browser.js';

const alice = { id: 'alice', name: 'Alice Liddell' };

/** Two methods of login and a section, as features contribute them. */
const contributions: Feature = {
  id: 'contributions',
  install(builder) {
    builder.contribute(LOGIN_METHODS, {
      id: 'link',
      show: () => ({ label: 'Continue with Looking Glass', action: '/' }),
    });
    builder.contribute(LOGIN_METHODS, {
      id: 'passkey',
      show: () => ({ label: 'Use a passkey', action: '/passkey', fields: { challenge: 'c' }, autofill: 'webauthn' }),
    });
    builder.contribute(
      ACCOUNT_SECTIONS,
      defineSection({
        id: 'name',
        messages: defineMessages({ title: 'Name', save: 'Save', saved: 'Name saved.', missing: 'Enter a name.' }),
        title: 'title',
        get: () => ({}),
        forms: {
          save: {
            done: 'saved',
            post: (call) => (call.text('name') ? undefined : call.problem('missing')),
          },
        },
        render: (_data, { form, message }) =>
          form(
            'save',
            html`<label for="name">${message('title')}</label> <input id="name" name="name" />
              <button class="wide">${message('save')}</button>`,
          ),
      }),
    );
  },
};

describeInBrowser('the account page in a browser', () => {
  let browser: Browser;
  let url: string;
  beforeAll(async () => {
    const model = new MemoryStore({ clients: [], users: { findById: () => alice, findByCredentials: () => alice } });
    const features = [pages({ site: 'Wonderland' }), contributions];
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
  ] as const)('has no accessibility violations, fits the screen and works: $place', async ({ place, ...look }) => {
    const other = await openPage(browser, look);
    await other.page.goto(`${url}/oauth/login?return_to=/oauth/account`);
    await signIn(other.page);
    await other.page.getByText('This browser').waitFor();

    const { page, complaints, look: lookAt } = await openPage(browser, look);
    const wide: number[] = [];
    await page.goto(`${url}/oauth/login?return_to=/oauth/account`);
    wide.push(await lookAt(`login-methods-${place}`));
    await signIn(page);
    await page.getByText('This browser').waitFor();
    wide.push(await lookAt(`account-${place}`));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a name.').waitFor();
    wide.push(await lookAt(`account-problem-${place}`));
    await page.getByLabel('Name').fill('Alice');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Name saved.').waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByText('Signed out.').waitFor();
    wide.push(await lookAt(`account-done-${place}`));
    await other.page.reload();
    await other.page.getByLabel('Password').waitFor();
    expect([complaints, wide]).toEqual([[], [0, 0, 0, 0]]);
    await Promise.all([page.context().close(), other.page.context().close()]);
  });
});
