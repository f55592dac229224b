import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Stage } from './sample.js';
import { openPage, type OpenedPage } from './browser.js';

/** The cases of one user in order. Each case continues where the previous one ended. */
export function throughTheFlow(stage: Stage, { place, ...look }: BrowserContextOptions & { place: string }): void {
  let userBrowser: OpenedPage;
  let page: Page;
  let pictures = 0;

  beforeAll(async () => {
    userBrowser = await openPage(stage.browser, look);
    page = userBrowser.page;
  });
  afterAll(() => page?.context().close());

  afterEach(async () => {
    const name = expect.getState().currentTestName?.split(`${place} `)[1]?.replaceAll(' ', '-');
    expect({
      tooWide: await userBrowser.look(`${place}-${++pictures}-${name}`),
      complaints: userBrowser.complaints,
    }).toEqual({
      tooWide: 0,
      complaints: [],
    });
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const token = (name: string) => page.locator(`dt:text-is("${name}") + dd`).first().innerText();
  const status = () => page.getByRole('status').innerText();

  it('shows what the page is', async () => {
    await page.goto(stage.sample.url);
    expect(await page.title()).toBe('nest-oauth2 quick start');
    expect(await page.getByText('All data is stored in test.sqlite and survives a restart.').isVisible()).toBe(true);
  });

  it('asks the user to sign in', async () => {
    await button('Sign in').click();
    await page.waitForURL('**/login?return_to=*');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Sign in');
  });

  it('rejects a wrong password', async () => {
    await page.getByLabel('Username').fill('alice');
    await page.getByLabel('Password').fill('underland');
    await button('Sign in').click();
    expect(await page.getByRole('alert').innerText()).toBe('The sign-in details are incorrect.');
    expect((await page.innerText('main')).match(/wonderland/g)).toHaveLength(1);
    expect(await page.getByLabel('Username').inputValue()).toBe('alice');
    expect(await page.getByLabel('Password').inputValue()).toBe('');
  });

  it('describes the requested access on the consent page', async () => {
    await page.getByLabel('Password').fill('wonderland');
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    expect(await page.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('See your name'),
      expect.stringContaining('Read your notes'),
    ]);
  });

  it('shows that the user denied access', async () => {
    await button('Deny').click();
    await page.getByText('You denied access').waitFor();
    // A denial is neither a success nor an error.
    expect(await page.getByRole('status').getAttribute('class')).toBe('notice calm');
    expect(await page.locator('li[data-state=denied]').count()).toBe(1);
    expect(await page.locator('li[data-state=refused], .bad').count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await page.getByRole('heading', { name: 'Your tokens' }).isVisible()).toBe(false);
  });

  it('shows the tokens after consent', async () => {
    await button('Sign in').click();
    await button('Allow').click();
    await page.getByRole('heading', { name: 'Your tokens' }).waitFor();
    expect(await status()).toBe('You are signed in. This page has received its tokens.');
    expect(page.url()).toBe(`${stage.sample.url}/`);
    expect(await token('access_token')).toMatch(/^\S{20,}$/);
    expect(await token('refresh_token')).toMatch(/^\S{20,}$/);
    // The value is the remaining lifetime in whole seconds.
    expect(await token('expires_in')).toMatch(/^(3600|359\d)$/);
    expect(await token('scope')).toBe('profile notes:read');
    expect(await page.locator('li[data-state=done]').count()).toBe(5);
  });

  it('calls the API with the token', async () => {
    await button('Read profile').click();
    await page.getByText('"Alice Liddell"').waitFor();
    await button('Read notes').click();
    await page.getByText('Follow the white rabbit').waitFor();
    expect(await page.locator('.badge').innerText()).toBe('200 OK');
  });

  it('shows a rejected API request', async () => {
    await button('Add note').click();
    await page.getByText('403 Forbidden').waitFor();
    const answer = await page.locator('#api-response pre').innerText();
    expect(answer).toMatch(/^WWW-Authenticate: Bearer .*error="insufficient_scope"/);
    expect(answer).toContain('"error": "insufficient_scope"');
  });

  it('refreshes the tokens', async () => {
    const before = [await token('access_token'), await token('refresh_token')];
    await button('Refresh tokens').click();
    await page.getByText('a new access token').waitFor();
    const after = [await token('access_token'), await token('refresh_token')];
    expect(after).not.toContain(before[0]);
    expect(after).not.toContain(before[1]);
    await button('Read notes').click();
    await page.getByText('200 OK').waitFor();
  });

  it('lists the applications with access to the account, and removes access', async () => {
    await page.goto(`${stage.sample.url}/oauth/applications`);
    await page.getByRole('heading', { name: 'Apps with access to your account' }).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['Quick start page']);
    expect(await userBrowser.look(`${place}-applications`)).toBe(0);
    await page.getByRole('button', { name: 'Remove access of Quick start page' }).click();
    await page.getByText('Access removed.').waitFor();
    expect(await page.getByText('No apps have access').isVisible()).toBe(true);
  });

  it('offers the choice of an account, and asks for confirmation before signing out', async () => {
    await page.goto(`${stage.sample.url}/oauth/login`);
    await page.getByRole('link', { name: 'Continue as Alice Liddell' }).waitFor();
    expect(await userBrowser.look(`${place}-account`)).toBe(0);
    await page.goto(`${stage.sample.url}/oauth/logout`);
    await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
    expect(await userBrowser.look(`${place}-sign-out`)).toBe(0);
    await page.goto(stage.sample.url);
  });

  it('signs the user out', async () => {
    await button('Sign out').last().click();
    await page.getByText('You are signed out').waitFor();
    expect((await page.context().cookies()).filter(({ name }) => name.startsWith('oauth2-session'))).toEqual([]);
    expect(await page.getByText('Your tokens').isVisible()).toBe(false);
    await button('Sign in').click();
    await page.waitForURL('**/login?return_to=*');
  });

  it('rejects an authorization response that it did not request (CSRF)', async () => {
    await page.goto(`${stage.sample.url}/callback?code=planted&state=planted`);
    await page.getByText('does not belong to a sign-in started in this tab').waitFor();
    expect(await page.getByText('Your tokens').isVisible()).toBe(false);
  });
}
