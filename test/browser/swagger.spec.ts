import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type Sample, startSwagger } from './sample.js';
import { describeInBrowser, openBrowser, openPage, signIn } from './browser.js';

describeInBrowser('sample/14-swagger in a browser', () => {
  let browser: Browser;
  let sample: Sample;

  // Allows time to install the sample in a clean clone.
  beforeAll(async () => {
    browser = await openBrowser();
    sample = await startSwagger();
  }, 600_000);

  afterAll(async () => {
    await browser?.close();
    await sample?.stop();
  });

  /** Calls a route through the page, and returns the status and the body that it shows. */
  async function tryOut(page: Page, route: string): Promise<[string, string]> {
    const block = page
      .locator('.opblock')
      .filter({ has: page.locator(`[data-path="${route}"]`) })
      .first();
    if ((await block.locator('.execute').count()) === 0) {
      await block.locator('.opblock-summary-control').click();
      await block.getByRole('button', { name: 'Try it out' }).click();
    }
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname === route);
    await block.locator('.execute').click();
    await answered;
    const live = block.locator('.live-responses-table');
    await live.waitFor();
    return [
      await live.locator('.response-col_status').last().innerText(),
      await live.locator('.highlight-code').first().innerText(),
    ];
  }

  it('signs in by code and PKCE, and calls a route with the token', async () => {
    const { page, complaints } = await openPage(browser, {});
    await page.goto(`${sample.url}/docs`);
    await page.locator('.opblock').first().waitFor();
    // Only operations that require a token have a padlock.
    const locked = await page
      .locator('.opblock:has(.authorization__btn) [data-path]')
      .evaluateAll((all) => all.map((one) => (one as { dataset: { path: string } }).dataset.path));
    expect(locked.toSorted()).toEqual(['/notes', '/notes', '/notes/greeting']);

    expect((await tryOut(page, '/notes'))[0]).toContain('401');

    await page.locator('.auth-wrapper .authorize').click();
    const dialog = page.locator('.auth-container').filter({ hasText: 'authorizationCode' });
    await dialog.getByText('Read notes').waitFor();
    // The client is public, so no secret is needed.
    expect(await dialog.locator('input[type="text"]').inputValue()).toBe('swagger-ui');
    const opened = page.waitForEvent('popup');
    const authorize = page.context().waitForEvent('request', (request) => request.url().includes('/oauth/authorize?'));
    await dialog.locator('button.authorize').click();
    const popup = await opened;
    expect(new URL((await authorize).url()).searchParams.get('code_challenge_method')).toBe('S256');
    await signIn(popup);
    await popup.getByText('Read your notes').waitFor();
    expect(await popup.innerText('main')).toContain('Swagger UI would like to:');
    const token = page.waitForRequest(`${sample.url}/oauth/token`);
    const closed = popup.waitForEvent('close');
    await popup.getByRole('button', { name: 'Allow' }).click();
    await closed;
    const form = new URLSearchParams((await token).postData() ?? '');
    expect(form.get('code_verifier')).toMatch(/^[\w~.-]{43,}$/);
    expect(form.has('client_secret')).toBe(false);
    await dialog.getByRole('button', { name: 'Remove authorization' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();

    const [status, body] = await tryOut(page, '/notes');
    expect(status).toContain('200');
    expect(body).toContain('Follow the white rabbit');
    expect((await tryOut(page, '/notes/greeting'))[1]).toContain('Hello Alice');
    expect(complaints).toEqual([]);
  });
});
