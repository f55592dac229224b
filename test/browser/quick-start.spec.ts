import { afterAll, beforeAll, describe } from '@jest/globals';
import { afterARestart } from './after-a-restart.js';
import { anotherClient } from './another-client.js';
import { byKeyboard } from './by-keyboard.js';
import { outsideTheBrowser } from './outside-the-browser.js';
import { makeDatabase, startSample, type Stage } from './sample.js';
import { throughTheFlow } from './through-the-flow.js';
import { unusualRequests } from './unusual-requests.js';
import { describeInBrowser, openBrowser } from './browser.js';

describeInBrowser('sample/01-quick-start', () => {
  const stage = {} as Stage;
  const database = makeDatabase();

  // Allows time to install the sample in a clean clone.
  beforeAll(async () => {
    stage.browser = await openBrowser();
    stage.sample = await startSample(database.file);
  }, 600_000);

  afterAll(async () => {
    await stage.browser?.close();
    await stage.sample?.stop();
    database.remove();
  });

  const desktop = { width: 1280, height: 800 };
  const phone = { width: 390, height: 844 };

  describe.each([
    { place: 'desktop-light', viewport: desktop, colorScheme: 'light' },
    { place: 'desktop-dark', viewport: desktop, colorScheme: 'dark' },
    { place: 'phone-light', viewport: phone, colorScheme: 'light' },
    { place: 'phone-dark', viewport: phone, colorScheme: 'dark' },
  ] as const)('in a browser, $place', (look) => throughTheFlow(stage, look));

  describe('by keyboard alone', () => byKeyboard(stage));
  describe('with another client', () => anotherClient(stage));
  describe('with unusual requests', () => unusualRequests(stage));
  describe('requested without a browser', () => outsideTheBrowser(stage));
  describe('after a restart', () => afterARestart(stage));
});
