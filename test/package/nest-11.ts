import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { install, root, workspace } from './applications.js';

/** The result of one test. */
export interface Outcome {
  ancestorTitles: string[];
  title: string;
  status: string;
  failureMessages: string[];
}

/** The part of the Jest configuration that these tests use. */
interface JestConfig {
  default: {
    testTimeout: number;
    projects: readonly { transform: Record<string, [name: string, options: object]> }[];
  };
}

/** The Nest packages of the tests. The NATS client has another name there. */
const NEST_11 = [
  'common',
  'core',
  'microservices',
  'platform-express',
  'platform-fastify',
  'platform-socket.io',
  'platform-ws',
  'testing',
  'websockets',
].map((name) => `@nestjs/${name}@11`);
const OF_OTHER_NUMBERS = ['@nestjs/apollo@13', '@nestjs/graphql@13', '@nestjs/mercurius@13', '@nestjs/throttler@6'];
const NATS_CLIENT = '@nats-io/transport-node';

/** Other packages of the tests, in the versions used with Nest 12. */
const BESIDE =
  /^(@apollo\/server|@as-integrations\/.*|@fastify\/.*|@grpc\/.*|class-.*|compression|express|fastify|graphql.*|helmet|ioredis|jose|mercurius|oauth4webapi|openid-client|redis|reflect-metadata|rxjs|socket.io-client|ws)$/;

/** Creates a project with the tarball, Nest 11 and these tests of the repository. */
export async function applicationOnNest11(...tests: string[]): Promise<string> {
  const folder = await mkdtemp(join(workspace, 'nest-11-'));
  const { devDependencies, overrides } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
    overrides: Record<string, unknown>;
  };
  const beside = Object.entries(devDependencies).filter(([name]) => BESIDE.test(name));
  for (const name of ['@nestjs/graphql', '@nestjs/swagger']) delete overrides[name];
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'host', type: 'module', overrides }));
  await install(
    folder,
    ...NEST_11,
    ...OF_OTHER_NUMBERS,
    ...beside.map(([name, range]) => `${name}@${range}`),
    'nats@2',
  );
  for (const path of ['support', 'stores/redis-server.ts', ...tests]) {
    await cp(join(root, 'test', path), join(folder, 'test', path), { recursive: true });
  }
  return folder;
}

/** Runs the end-to-end tests of this project with the repository’s Jest and the packed package. */
export async function runTests(folder: string): Promise<Outcome[]> {
  const { default: config } = (await import(new URL('../../jest.config.js', import.meta.url).href)) as JestConfig;
  const [suite] = config.projects;
  const [[pattern, [, swc]]] = Object.entries(suite!.transform) as [[string, [string, object]]];
  const settings = {
    ...suite,
    rootDir: folder,
    // `one-context.js` loads the packages of this repository, and this application has its own.
    testEnvironment: 'node',
    // Timers that outlive a test file read the clock. By default, Jest warns of each one, and frees no memory.
    testEnvironmentOptions: { globalsCleanup: 'off' },
    testMatch: ['<rootDir>/test/src/**/*.e2e-spec.ts'],
    testPathIgnorePatterns: [],
    moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'], [`^${NATS_CLIENT}$`]: 'nats' },
    transform: { [pattern]: [join(root, 'node_modules/@swc/jest/index.js'), swc] },
    testTimeout: config.testTimeout,
  };
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const flags = [
    '--config',
    JSON.stringify(settings),
    '--ci',
    '--json',
    '--forceExit',
    '--maxWorkers',
    '2',
    '-t',
    '^(?!.*\\[Nest 12\\])',
  ];
  const modules = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const printed = await new Promise<string>((resolve) => {
    // The command fails if a test fails. The report names it.
    const options = { cwd: folder, maxBuffer: 1 << 26 };
    execFile(process.execPath, [...modules, jest, ...flags], options, (error, stdout, stderr) =>
      resolve(stdout || `${String(error)}\n${stderr}`),
    );
  });
  if (!printed.startsWith('{')) throw new Error(printed);
  const { testResults } = JSON.parse(printed) as {
    testResults: { assertionResults: Outcome[]; message: string; name: string }[];
  };
  for (const { assertionResults, message, name } of testResults) {
    if (assertionResults.length === 0) throw new Error(`${name}\n${message}`);
  }
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}
