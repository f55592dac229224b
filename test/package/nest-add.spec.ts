import { appendFile, cp, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { installTools } from '../matrix/tools.js';
import { hasMongo, mongoUrl } from '../support/environment/mongo-server.js';
import { reportMissing, START_SERVERS } from '../support/environment/requirements.js';
import { generatedApplication, root, run, workspace } from './applications.js';
import { type Answer, DOWN, ENTER, runInTerminal } from './terminal.js';

interface Case {
  store: string;
  http?: string;
  features?: string;
  /** Whether the tables are created by a command. */
  migrate?: boolean;
  /** Whether the application is converted to ES modules first. */
  esm?: boolean;
  /** Whether the options are typed when `nest add` asks for them. Otherwise they are flags. */
  prompts?: boolean;
}

const postgres = await emptyDatabase();
const WITH_MATRIX = Boolean(process.env['NEST_ADD_MATRIX']);

const TYPEORM: Case = { store: 'typeorm/sqlite', features: 'openid' };
const DRIZZLE: Case = { store: 'drizzle', http: 'fastify', features: 'mcp', migrate: true };
const PRISMA: Case = { store: 'prisma', migrate: true };
/** A CommonJS application with TypeORM, which creates its tables when it starts. */
const POSTGRES: Case = { store: 'typeorm/postgres', features: 'accounts' };
const ACCOUNTS: Case = { ...PRISMA, features: 'accounts' };

/** Selects SQLite with TypeORM, then OpenID Connect. */
const ANSWERS: Answer[] = [
  ['Where does the server store its data?', DOWN.repeat(3) + ENTER],
  ['What else does the server need?', ` ${ENTER}`],
];
// Other systems have another `script`.
const PROMPTED: Case = { ...TYPEORM, prompts: process.platform === 'linux' };

/** Further cases, which run if `NEST_ADD_MATRIX` is set. */
const MATRIX_11: Case[] = [
  TYPEORM,
  { ...TYPEORM, migrate: true, esm: true },
  ...(hasMongo() ? [{ store: 'mongoose', features: 'openid' }] : []),
];
const CASES_11 = [
  DRIZZLE,
  PRISMA,
  ACCOUNTS,
  ...(postgres === undefined ? [] : [POSTGRES]),
  ...(WITH_MATRIX ? MATRIX_11 : []),
];
const CASES_12 = [PROMPTED, ...(WITH_MATRIX ? [DRIZZLE, PRISMA] : [])];

/** The packages that the command adds for these stores, and that this repository also uses. */
const PACKAGES: Record<string, string[]> = {
  drizzle: ['drizzle-orm', '@libsql/client', '@modelcontextprotocol/node', '@modelcontextprotocol/server', 'jose'],
  mongoose: ['mongoose', 'jose'],
  prisma: ['prisma', '@prisma/client', '@prisma/adapter-libsql'],
  'typeorm/postgres': ['typeorm', 'pg'],
  'typeorm/sqlite': ['typeorm', 'libsql', 'jose'],
};

const ACCOUNT_PACKAGES = ['@simplewebauthn/server', 'otplib', 'uqr'];

/** Creates an application with the packages of these cases. */
async function applicationFor(nest: string, cases: Case[]): Promise<string> {
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const names = new Set(
    cases.flatMap(({ store, features }) => [...PACKAGES[store]!, ...(features === 'accounts' ? ACCOUNT_PACKAGES : [])]),
  );
  const versions = [...names].map((name) => `${name}@${devDependencies[name]!}`);
  const others = names.has('drizzle-orm') ? [`@nestjs/platform-fastify@${nest}`, 'drizzle-kit@^0.31.11'] : [];
  // The tests of a Nest 12 application import vite, which only Vitest depends on. npm may install it below Vitest.
  if (nest === '12') others.push('vite@^8');
  return generatedApplication(nest, `nest-add-${nest}`, ...others, ...versions);
}

// `prisma generate` looks for the schema engine, and does not run it.
const WITH_ENGINE = ['env', `PRISMA_SCHEMA_ENGINE_BINARY=${process.execPath}`, 'CHECKPOINT_DISABLE=1'] as const;

const permissions = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** Copies the application without its packages, and links them. */
async function copyOf(installed: string, name: string): Promise<string> {
  const application = `${installed}-${name.replace('/', '-')}`;
  const isSource = (path: string) => basename(path) !== 'node_modules';
  await cp(installed, application, { recursive: true, filter: isSource });
  await symlink(join(installed, 'node_modules'), join(application, 'node_modules'));
  return application;
}

/** Converts an application of `nest new` to ES modules. */
async function convertToEsm(application: string): Promise<void> {
  const edit = async (path: string, change: (text: string) => string) => {
    const file = join(application, path);
    await writeFile(file, change(await readFile(file, 'utf8')));
  };
  const jest = {
    extensionsToTreatAsEsm: ['.ts'],
    moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
    transform: { '^.+\\.ts$': ['ts-jest', { useESM: true }] },
  };
  await edit('package.json', (text) => {
    const { scripts, ...manifest } = JSON.parse(text) as { scripts: Record<string, string> };
    const e2e = 'node --experimental-vm-modules node_modules/jest/bin/jest.js --config ./test/jest-e2e.json';
    return JSON.stringify({ ...manifest, type: 'module', scripts: { ...scripts, 'test:e2e': e2e } });
  });
  await edit('test/jest-e2e.json', (text) => JSON.stringify({ ...(JSON.parse(text) as object), ...jest }));
  for (const path of ['src/main.ts', 'src/app.module.ts', 'src/app.controller.ts', 'src/app.controller.spec.ts']) {
    await edit(path, (text) => text.replaceAll(/from '(\.[^']*)'/g, "from '$1.js'"));
  }
}

/** Runs the tests that `nest add` has written, in Jest or Vitest. Both write the same report. */
async function runTests(application: string): Promise<void> {
  const manifest = await readFile(join(application, 'package.json'), 'utf8');
  const reporter = manifest.includes('"vitest ') ? ['--reporter=json'] : ['--json'];
  const file = ['--outputFile=e2e.json', 'oauth'];
  await run(application, 'npm', 'run', 'test:e2e', '--', ...reporter, ...file);
  const { testResults } = JSON.parse(await readFile(join(application, 'e2e.json'), 'utf8')) as {
    testResults: { name: string; assertionResults: { title: string; status: string }[] }[];
  };
  const lab = testResults.find(({ name }) => name.endsWith('oauth-attack-lab.e2e-spec.ts'));
  expect(lab?.assertionResults).toMatchObject([{ title: 'resists all attacks', status: 'passed' }]);
}

/** Creates an empty database, and returns its URL. `undefined` without a PostgreSQL server. */
async function emptyDatabase(): Promise<string | undefined> {
  const url = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  const client = new Client(url);
  try {
    await client.connect();
    const name = `nest_add_${Date.now()}`;
    await client.query(`CREATE DATABASE ${name}`);
    return Object.assign(new URL(url), { pathname: `/${name}` }).href;
  } catch {
    reportMissing('PostgreSQL', START_SERVERS);
    return undefined;
  } finally {
    await client.end();
  }
}

/** Drops a database that `emptyDatabase()` has created. */
async function dropDatabase(url: string): Promise<void> {
  const client = new Client(process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres');
  await client.connect();
  await client.query(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
  await client.end();
}

/** Runs `nest add` in a copy of the application, then its build, its test and its seed. Returns the output of the seed. */
async function addTo(installed: string, options: Case): Promise<string> {
  const { store, http = 'express', features = 'pages', migrate, esm, prompts } = options;
  const application = await copyOf(installed, `${store}-${features}${esm ? '-esm' : ''}`);
  if (esm) await convertToEsm(application);
  const add = ['npx', 'nest', 'add', 'nest-oauth2', '--skip-install'] as const;
  const flags = [`--store=${store}`, `--http=${http}`, `--features=${features}`];
  const addByFlags = () => run(application, ...add, ...flags);
  const addByPrompts = () => runInTerminal(application, add.join(' '), ANSWERS);

  const first = stripVTControlCharacters(await (prompts ? addByPrompts() : addByFlags()));
  expect(first).toContain('CREATE src/oauth/oauth.module.ts');
  expect(await permissions(join(application, '.env'))).toBe('600');
  // This also shows that prompts and flags write the same files.
  expect(stripVTControlCharacters(await addByFlags())).not.toMatch(/CREATE|UPDATE|Nothing was written/);
  if (store === 'typeorm/postgres') await appendFile(join(application, '.env'), `DATABASE_URL=${postgres}\n`);
  if (store === 'mongoose') await appendFile(join(application, '.env'), `MONGODB_URL=${await mongoUrl()}nest-add\n`);
  if (migrate) await run(application, ...WITH_ENGINE, 'npm', 'run', 'oauth:migrate');
  await run(application, ...WITH_ENGINE, 'npm', 'run', 'build');
  await runTests(application);
  const secret = /mongoose|postgres/.test(store) ? '.env' : 'oauth.sqlite';
  expect(await permissions(join(application, secret))).toBe('600');
  return run(application, 'npm', 'run', 'oauth:seed');
}

const SEEDED = /^Client web: its secret is [\w-]{43}\./m;

/** Applications created by `nest new` and `nest add nest-oauth2`. They share the installed packages. */
describe('nest add nest-oauth2 with the packed package on Nest 11', () => {
  let installed: string;

  beforeAll(async () => {
    installed = await applicationFor('11', CASES_11);
  });

  afterAll(async () => {
    if (postgres !== undefined) await dropDatabase(postgres);
  });

  it.each(CASES_11)('writes an application that builds and signs in, with %j', async (options) => {
    expect(await addTo(installed, options)).toMatch(SEEDED);
  });

  it('generates a feature, a storage and a grant that pass their tests and the linter', async () => {
    const application = await copyOf(installed, 'generate');
    const kinds = ['feature', 'storage', 'grant'];
    for (const kind of kinds) {
      await run(application, 'npx', 'nest', 'generate', '-c', 'nest-oauth2', kind, 'audit-log', 'own');
    }
    await run(application, 'npx', 'jest', 'src/own', '--json', '--outputFile=report.json', '--silent');
    const report = JSON.parse(await readFile(join(application, 'report.json'), 'utf8')) as object;
    expect(report).toMatchObject({ success: true, numPassedTestSuites: kinds.length });
    await run(application, 'npx', 'tsc', '--noEmit', '-p', 'tsconfig.json');
    expect(await run(application, 'npx', 'eslint', '--max-warnings', '0', 'src/own/**/*.ts')).toBe('');
  });
});

/** Nest 12 creates ES modules that are tested by Vitest. */
describe('nest add nest-oauth2 with the packed package on Nest 12', () => {
  const { PATH } = process.env;
  let installed: string;

  beforeAll(async () => {
    // The Nest CLI 12 needs Node.js 22.
    const tools = await installTools(join(workspace, 'nest-add-tools'), [{ node: '22', pm: 'npm' }]);
    process.env['PATH'] = `${dirname(tools.node('22'))}${delimiter}${PATH}`;
    installed = await applicationFor('12', CASES_12);
  });

  afterAll(() => {
    process.env['PATH'] = PATH;
  });

  it.each(CASES_12)('writes an application that builds and signs in, with %j', async (options) => {
    expect(await addTo(installed, options)).toMatch(SEEDED);
  });

  it('writes files that the linter and the formatter of a new application accept', async () => {
    const application = await copyOf(installed, 'linted');
    await run(
      application,
      'npx',
      'nest',
      'add',
      'nest-oauth2',
      '--skip-install',
      '--store=memory',
      '--features=openid',
    );
    const lint = run(application, 'npx', 'oxlint', '--type-aware', '--deny-warnings', 'src/', 'test/');
    await expect(lint).resolves.toContain('Found 0 warnings and 0 errors.');
    await expect(run(application, 'npx', 'prettier', '--check', 'src', 'test')).resolves.toContain('All matched files');
  });
});
