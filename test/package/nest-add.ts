import { appendFile, cp, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect } from '@jest/globals';
import { Client } from 'pg';
import { mongoUrl } from '../support/environment/mongo-server.js';
import { reportMissing, START_SERVERS } from '../support/environment/requirements.js';
import { generatedApplication, root, run } from './applications.js';
import { type Answer, DOWN, ENTER, runInTerminal } from './terminal.js';

/** An application of `nest add`. */
export interface Case {
  store: string;
  http?: string;
  features?: string;
  /**
   * The scripts of the application to run. `oauth:seed`, and `oauth:migrate` of Prisma, compile it as `build` does. If
   * `oauth:seed` is omitted, the compiled file of the seed is run. Default: `build` and `oauth:seed`.
   */
  scripts?: Script[];
  /** Whether the application is converted to ES modules first. */
  esm?: boolean;
  /** Whether the options are typed when `nest add` asks for them. Otherwise they are flags. */
  prompts?: boolean;
  /** Whether the command is run a second time, by flags. It must not write anything. */
  twice?: boolean;
}

const SERVER = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
// In an application, the variable takes precedence over `.env`.
delete process.env['DATABASE_URL'];

type Script = 'oauth:migrate' | 'build' | 'oauth:seed';

const SEED = 'oauth:seed';
const ALL: Script[] = ['oauth:migrate', 'build', SEED];

export const WITH_MATRIX = Boolean(process.env['NEST_ADD_MATRIX']);

export const TYPEORM: Case = { store: 'typeorm/sqlite', features: 'openid' };
export const DRIZZLE: Case = { store: 'drizzle', http: 'fastify', features: 'mcp', scripts: ALL };
export const PRISMA: Case = { store: 'prisma', scripts: ALL };

/** Selects SQLite with TypeORM, then OpenID Connect. */
const ANSWERS: Answer[] = [
  ['Where does the server store its data?', DOWN.repeat(3) + ENTER],
  ['What else does the server need?', ` ${ENTER}`],
];

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
export async function applicationFor(nest: string, cases: Case[]): Promise<string> {
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
  return generatedApplication(nest, `nest-add-${nest}`, '--ignore-scripts', ...others, ...versions);
}

// `prisma generate` looks for the schema engine, and does not run it.
const WITH_ENGINE = ['env', `PRISMA_SCHEMA_ENGINE_BINARY=${process.execPath}`, 'CHECKPOINT_DISABLE=1'] as const;

const permissions = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** Copies the application without its packages, and links them. */
export async function copyOf(installed: string, name: string): Promise<string> {
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
export async function emptyDatabase(): Promise<string | undefined> {
  const client = new Client(SERVER);
  try {
    await client.connect();
    const name = `nest_add_${Date.now()}`;
    await client.query(`CREATE DATABASE ${name}`);
    return Object.assign(new URL(SERVER), { pathname: `/${name}` }).href;
  } catch {
    reportMissing('PostgreSQL', START_SERVERS);
    return undefined;
  } finally {
    await client.end();
  }
}

/** Drops a database that `emptyDatabase()` has created. */
export async function dropDatabase(url: string): Promise<void> {
  const client = new Client(SERVER);
  await client.connect();
  await client.query(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
  await client.end();
}

/** Runs a program of the packages of an application, and returns its output. */
export const runProgram = (application: string, name: string, ...args: string[]) =>
  run(application, join(application, 'node_modules/.bin', name), ...args);

/**
 * Runs `nest add` in a copy of the application, then its scripts, its test and its seed. Returns the output of the seed.
 * @param postgres URL of the database of an application that uses PostgreSQL
 */
export async function addTo(installed: string, options: Case, postgres?: string): Promise<string> {
  const { store, http = 'express', features = 'pages', scripts = ['build', SEED], esm, prompts, twice } = options;
  const application = await copyOf(installed, `${store}-${features}${esm ? '-esm' : ''}`);
  if (esm) await convertToEsm(application);
  const add = ['add', 'nest-oauth2', '--skip-install'] as const;
  const flags = [`--store=${store}`, `--http=${http}`, `--features=${features}`];
  const addByFlags = () => runProgram(application, 'nest', ...add, ...flags);
  const addByPrompts = () => runInTerminal(application, `npx nest ${add.join(' ')}`, ANSWERS);

  const first = stripVTControlCharacters(await (prompts ? addByPrompts() : addByFlags()));
  expect(first).toContain('CREATE src/oauth/oauth.module.ts');
  expect(await permissions(join(application, '.env'))).toBe('600');
  if (twice) expect(stripVTControlCharacters(await addByFlags())).not.toMatch(/CREATE|UPDATE|Nothing was written/);
  if (store === 'typeorm/postgres') await appendFile(join(application, '.env'), `DATABASE_URL=${postgres}\n`);
  if (store === 'mongoose') await appendFile(join(application, '.env'), `MONGODB_URL=${await mongoUrl()}nest-add\n`);
  const runScript = (script: Script) => run(application, ...WITH_ENGINE, 'npm', 'run', script);
  for (const script of scripts) if (script !== SEED) await runScript(script);
  await runTests(application);
  const secret = /mongoose|postgres/.test(store) ? '.env' : 'oauth.sqlite';
  expect(await permissions(join(application, secret))).toBe('600');
  return scripts.includes(SEED) ? runScript(SEED) : run(application, 'node', 'dist/oauth/seed.js');
}

/** The output of the seed. */
export const SEEDED = /^Client web: its secret is [\w-]{43}\./m;
