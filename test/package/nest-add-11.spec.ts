import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasMongo } from '../support/environment/mongo-server.js';
import {
  addTo,
  applicationFor,
  type Case,
  copyOf,
  DRIZZLE,
  dropDatabase,
  emptyDatabase,
  PRISMA,
  runProgram,
  SEEDED,
  TYPEORM,
  WITH_MATRIX,
} from './nest-add.js';

const postgres = await emptyDatabase();

/**
 * Each application is compiled once with checks of its types, by another script. `oauth:seed` does so with Drizzle, and
 * `oauth:migrate` with Prisma.
 */
const CASES: Case[] = [
  { ...DRIZZLE, scripts: ['oauth:migrate', 'oauth:seed'], twice: true },
  { ...PRISMA, features: 'accounts', scripts: ['oauth:migrate'] },
  // A CommonJS application with TypeORM, which creates its tables when it starts.
  ...(postgres === undefined
    ? []
    : [{ store: 'typeorm/postgres', features: 'accounts', scripts: ['build'] } satisfies Case]),
];

/** Further cases, which run if `NEST_ADD_MATRIX` is set. */
const MATRIX: Case[] = [
  PRISMA,
  TYPEORM,
  { ...TYPEORM, scripts: ['oauth:migrate', 'build', 'oauth:seed'], esm: true },
  ...(hasMongo() ? [{ store: 'mongoose', features: 'openid' }] : []),
];
if (WITH_MATRIX) CASES.push(...MATRIX);

/** Applications created by `nest new` and `nest add nest-oauth2`. They share the installed packages. */
describe('nest add nest-oauth2 with the packed package on Nest 11', () => {
  let installed: string;

  beforeAll(async () => {
    installed = await applicationFor('11', CASES);
  });

  afterAll(async () => {
    if (postgres !== undefined) await dropDatabase(postgres);
  });

  it.each(CASES)('writes an application that builds and signs in, with %j', async (options) => {
    expect(await addTo(installed, options, postgres)).toMatch(SEEDED);
  });

  it('generates a feature, a storage and a grant that pass their tests and the linter', async () => {
    const application = await copyOf(installed, 'generate');
    const kinds = ['feature', 'storage', 'grant'];
    for (const kind of kinds)
      await runProgram(application, 'nest', 'generate', '-c', 'nest-oauth2', kind, 'audit-log', 'own');
    await runProgram(application, 'jest', 'src/own', '--json', '--outputFile=report.json', '--silent');
    const report = JSON.parse(await readFile(join(application, 'report.json'), 'utf8')) as object;
    expect(report).toMatchObject({ success: true, numPassedTestSuites: kinds.length });
    await runProgram(application, 'tsc', '--noEmit', '-p', 'tsconfig.json');
    expect(await runProgram(application, 'eslint', '--max-warnings', '0', 'src/own/**/*.ts')).toBe('');
  });
});
