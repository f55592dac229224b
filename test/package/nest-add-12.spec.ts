import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installTools } from '../matrix/tools.js';
import { workspace } from './applications.js';
import {
  addTo,
  applicationFor,
  type Case,
  copyOf,
  DRIZZLE,
  PRISMA,
  runProgram,
  SEEDED,
  TYPEORM,
  WITH_MATRIX,
} from './nest-add.js';

// Other systems have another `script`. The second run shows that prompts and flags write the same files.
const PROMPTED: Case = { ...TYPEORM, prompts: process.platform === 'linux', twice: true };

/** The last cases run if `NEST_ADD_MATRIX` is set. */
const CASES = [PROMPTED, ...(WITH_MATRIX ? [DRIZZLE, PRISMA] : [])];

/** Nest 12 creates ES modules that are tested by Vitest. */
describe('nest add nest-oauth2 with the packed package on Nest 12', () => {
  const { PATH } = process.env;
  let installed: string;

  beforeAll(async () => {
    // The Nest CLI 12 needs Node.js 22.
    const tools = await installTools(join(workspace, 'nest-add-tools'), [{ node: '22', pm: 'npm' }]);
    process.env['PATH'] = `${dirname(tools.node('22'))}${delimiter}${PATH}`;
    installed = await applicationFor('12', CASES);
  });

  afterAll(() => {
    process.env['PATH'] = PATH;
  });

  it.each(CASES)('writes an application that builds and signs in, with %j', async (options) => {
    expect(await addTo(installed, options)).toMatch(SEEDED);
  });

  it('writes files that the linter and the formatter of a new application accept', async () => {
    const application = await copyOf(installed, 'linted');
    await runProgram(
      application,
      'nest',
      'add',
      'nest-oauth2',
      '--skip-install',
      '--store=memory',
      '--features=openid',
    );
    const lint = runProgram(application, 'oxlint', '--type-aware', '--deny-warnings', 'src/', 'test/');
    await expect(lint).resolves.toContain('Found 0 warnings and 0 errors.');
    await expect(runProgram(application, 'prettier', '--check', 'src', 'test')).resolves.toContain('All matched files');
  });
});
