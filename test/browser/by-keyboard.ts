import { expect, it } from '@jest/globals';
import type { Stage } from './sample.js';
import { openPage, tabTo } from './browser.js';

export function byKeyboard(stage: Stage): void {
  it('can sign in, consent, call the API, refresh and sign out', async () => {
    const { page, complaints } = await openPage(stage.browser, { viewport: { width: 1280, height: 800 } });
    const enter = () => page.keyboard.press('Enter');
    await page.goto(stage.sample.url);
    await tabTo(page, 'Sign in');
    await enter();
    // The first field of the login form has the focus.
    await page.locator('#username:focus').waitFor();
    await page.keyboard.type('alice');
    await tabTo(page, 'Password');
    await page.keyboard.type('wonderland');
    await enter();
    await page.getByText('Allow access?').waitFor();
    await tabTo(page, 'Allow');
    await enter();
    await page.getByText('You are signed in').waitFor();
    await tabTo(page, 'Read notes');
    await page.keyboard.press('Space');
    await page.getByText('200 OK').waitFor();
    await tabTo(page, 'New note');
    await enter();
    await page.getByText('403 Forbidden').waitFor();
    await tabTo(page, 'Refresh tokens');
    await enter();
    await page.getByText('a new access token').waitFor();
    await tabTo(page, 'Sign out');
    await enter();
    await page.getByText('You are signed out').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
}
