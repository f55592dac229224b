import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OAuth2Module } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import type { Browser, Page } from 'playwright-core';

import { describeInBrowser, openBrowser, openPage, signIn } from './browser.js';

const folder = join(import.meta.dirname, '../../docs/public');

/** Maximum size of a picture in bytes. */
const LARGEST = 60 * 1024;

const alice = { id: '1', name: 'Alice' };

@Module({
  imports: [
    OAuth2Module.forRoot({
      model: new MemoryStore({
        clients: [
          {
            id: 'web',
            name: 'Notes in the browser',
            tokenEndpointAuthMethod: 'none',
            grants: ['authorization_code'],
            redirectUris: ['https://notes.example/callback'],
            scopes: ['profile', 'notes:read'],
          },
        ],
        users: {
          findByCredentials: (name, password) => name === 'alice' && password === 'wonderland' && alice,
          findById: (id) => id === alice.id && alice,
        },
      }),
      secret: 'of 32 characters at the very least',
      features: [pages({ site: 'Notes', scopes: { profile: 'See your name', 'notes:read': 'Read your notes' } })],
    }),
  ],
})
class AppModule {}

/** The pictures of the README and of the tutorials. `UPDATE_SCREENSHOTS=1` writes them into docs/public. */
describeInBrowser('the pictures of the login and consent pages', () => {
  let browser: Browser;
  let app: INestApplication;

  beforeAll(async () => {
    browser = await openBrowser();
    app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  it.each(['light', 'dark'] as const)(
    'are small and show both pages in a %s color scheme',
    async (colorScheme) => {
      const { page, complaints } = await openPage(browser, { viewport: { width: 440, height: 460 }, colorScheme });
      const pictures: Buffer[] = [];
      const parameters = new URLSearchParams({
        response_type: 'code',
        client_id: 'web',
        redirect_uri: 'https://notes.example/callback',
        scope: 'profile notes:read',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      });
      await page.goto(`${await app.getUrl()}/oauth/authorize?${parameters.toString()}`);
      await page.getByLabel('Password').waitFor();
      pictures.push(await page.screenshot());
      await signIn(page);
      await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
      pictures.push(await page.screenshot());
      expect(complaints).toEqual([]);

      const path = join(folder, `sign-in-${colorScheme}.png`);
      if (process.env['UPDATE_SCREENSHOTS']) await joinPictures(page, pictures, path);
      expect(statSync(path).size).toBeLessThanOrEqual(LARGEST);
      await page.context().close();
    },
    60_000,
  );
});

/** Writes pictures side by side into one file. */
async function joinPictures(page: Page, pictures: readonly Buffer[], path: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.goto('about:blank');
  await page.setViewportSize({ width: 440 * pictures.length, height: 460 });
  const images = pictures.map((picture) => `<img src="data:image/png;base64,${picture.toString('base64')}" />`);
  await page.setContent(`<body style="margin:0;display:flex">${images.join('')}</body>`);
  await page.locator('img').last().waitFor();
  await page.screenshot({ path });
}
