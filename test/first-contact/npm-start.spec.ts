import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type Clone, makeClone } from './clone.js';
import { expectToWork, INSTALLED, isOurs, packagesOf, report } from './quick-start.js';
import { type Started, withStarted } from './start.js';

const BANNER = /^nest-oauth2 quick start is running\./;

/** Returns the lines before the banner of the sample. */
function before({ lines }: Started): string[] {
  const said = lines.filter(isOurs);
  const banner = said.findIndex((line) => BANNER.test(line));
  return said.slice(0, banner);
}

describe.each([
  { npm: '10', how: 'with default settings', settings: {} },
  { npm: '11', how: 'with --ignore-scripts', settings: { npm_config_ignore_scripts: 'true' } },
  { npm: '12', how: 'in production mode, without devDependencies,', settings: { NODE_ENV: 'production' } },
])('npm start on a machine without compiler and Python, npm $npm $how', ({ npm, settings }) => {
  let clone: Clone;

  beforeAll(async () => {
    clone = await makeClone(npm, settings);
  });
  afterAll(() => clone?.remove());

  it('installs once and serves a working page without further output', async () => {
    await withStarted(clone, '.', {}, async (first) => {
      await expectToWork(first);
      expect(before(first)).toEqual([
        'Installing the packages of the sample (first start only) …',
        expect.stringMatching(INSTALLED),
        expect.stringMatching(/^Compiled nest-oauth2 in /),
        expect.stringMatching(/^Compiled the sample in /),
      ]);
      expect(await clone.countInstalls()).toBe(1);
      const packages = packagesOf(first);
      // The README mentions about 130. Platforms differ by optional binaries.
      expect(packages).toBeLessThan(140);
      report(`npm ${npm}, clean clone: ${packages} packages, 1 install, ${first.milliseconds} ms`);
    });
  });

  it('starts again without installing or compiling anything', async () => {
    await withStarted(clone, '.', {}, async (second) => {
      await expectToWork(second);
      expect(before(second)).toEqual([]);
      expect(await clone.countInstalls()).toBe(1);
      report(`npm ${npm}, second start: 0 installs, ${second.milliseconds} ms`);
    });
  });

  if (!settings.npm_config_ignore_scripts) return;

  it('runs npm ci and the SQLite tests, and compiles the sample next to the packages of the repository', async () => {
    const installed = await clone.npm('ci');
    expect(installed.filter((line) => line.startsWith('npm ') && isOurs(line))).toEqual([]);
    const tested = await clone.npm('test', '--', 'test/stores/typeorm-sqlite.spec.ts');
    expect(tested).toContainEqual(expect.stringMatching(/^Tests: +\d+ passed, \d+ total$/));
    report(`npm ci at the root: ${installed.join().match(/added (\d+) packages/)?.[1]} packages`);

    for (const compiled of ['dist', 'node_modules/nest-oauth2/dist']) {
      await rm(join(clone.folder, 'sample/01-quick-start', compiled), { recursive: true });
    }
    await withStarted(clone, '.', {}, async (third) => {
      await expectToWork(third);
      expect(before(third)).toEqual([
        expect.stringMatching(/^Compiled nest-oauth2 in /),
        expect.stringMatching(/^Compiled the sample in /),
      ]);
    });
    // A busy machine takes several minutes to install all packages of the repository.
  }, 600_000);
});
