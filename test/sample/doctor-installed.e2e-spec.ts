import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Report } from 'nest-oauth2/report';
import { findFolders } from '../first-contact/folders.js';
import { INSTALLED } from './explained-findings.js';

const run = promisify(execFile);
const SAMPLES = join(import.meta.dirname, '../../sample');
const places = await findFolders();

/** The variables of the samples that need no database. */
const NONE: Readonly<Record<string, Record<string, string>>> = { '06-graphql': {}, '19-mcp-nest': {} };

describe('npx nest-oauth2 doctor', () => {
  afterAll(() => places.remove());

  it.each(Object.entries(INSTALLED))(
    'has no unexplained findings in the built sample/%s',
    async (name, explained) => {
      const settings = NONE[name] ?? places.settingsOf(name);
      if (!settings) return;
      const options = { cwd: join(SAMPLES, name), env: { ...process.env, ...settings }, maxBuffer: 1 << 26 };
      await run(process.execPath, ['../build.js'], options);
      // `npm start` runs the migrations of the sample before it starts.
      if (name === '03-typeorm-postgres') await run('npm', ['run', 'migrate'], options);
      const command = ['node_modules/nest-oauth2/dist/esm/cli.js', 'doctor', '--json', '--fail-on', 'never'];
      const { findings } = JSON.parse((await run(process.execPath, command, options)).stdout) as Report;
      const found = findings.filter(({ severity }) => severity !== 'info');
      expect(found.map(({ rule, subject }) => `${rule} ${subject}`)).toEqual(Object.keys(explained));
    },
    180_000,
  );
});
