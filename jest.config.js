import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/**
 * The settings of all projects: TypeScript is compiled by SWC to ES modules, and tests import the package by its public
 * names.
 */
const base = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/support/environment/one-context.js',
  setupFiles: [
    '<rootDir>/test/support/environment/forget-async-storages.js',
    '<rootDir>/test/support/environment/cheap-scrypt.js',
  ],
  injectGlobals: false,
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        sourceMaps: 'inline',
        module: { type: 'es6' },
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          // Without `decoratorMetadata`, the tests show that the module works with any compiler.
          transform: { legacyDecorator: true, decoratorMetadata: false },
        },
      },
    ],
  },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'],
    '^nest-oauth2$': '<rootDir>/src/index.ts',
    '^nest-oauth2/server$': '<rootDir>/lib/index.ts',
    '^nest-oauth2/features$': '<rootDir>/lib/features/index.ts',
    '^nest-oauth2/adapter$': '<rootDir>/lib/adapter/index.ts',
    '^nest-oauth2/jose$': '<rootDir>/lib/jose/index.ts',
    '^nest-oauth2/openid$': '<rootDir>/lib/openid/index.ts',
    '^nest-oauth2/mcp$': '<rootDir>/lib/profiles/mcp/index.ts',
    '^nest-oauth2/fapi$': '<rootDir>/lib/profiles/fapi/index.ts',
    '^nest-oauth2-languages/(\\w+)$': '<rootDir>/packages/languages/src/$1/index.ts',
    '^nest-oauth2/accounts$': '<rootDir>/src/accounts/index.ts',
    '^nest-oauth2/pages$': '<rootDir>/src/pages/index.ts',
    '^nest-oauth2/report$': '<rootDir>/src/report/index.ts',
    '^nest-oauth2/upstreams$': '<rootDir>/src/upstreams/index.ts',
    '^nest-oauth2/swagger$': '<rootDir>/src/swagger/index.ts',
    '^nest-oauth2/opentelemetry$': '<rootDir>/lib/opentelemetry/index.ts',
    '^nest-oauth2/(cqrs|event-emitter)$': '<rootDir>/src/operations/bridges/$1.ts',
    '^nest-oauth2/testing$': '<rootDir>/src/testing/index.ts',
    '^nest-oauth2/stores$': '<rootDir>/lib/stores/index.ts',
    '^nest-oauth2/stores/([^/]+)$': '<rootDir>/lib/stores/$1/index.ts',
  },
  modulePathIgnorePatterns: [
    '<rootDir>/test/migrate/fixtures/',
    '<rootDir>/dist/',
    '<rootDir>/sample/',
    '<rootDir>/bench/',
  ],
};

const spec = '**/*.{spec,e2e-spec}.ts';

/** The tests of all stores, on all databases. `npm run test:stores` runs them. */
const STORES = ['stores/**/*', 'processes/*', 'kit/storage-contract', '**/*-on-every-store'];

/**
 * The tests that try many generated inputs, orders and interruptions, and those that depend only on documents, samples,
 * templates, other programs and libraries. `npm run test:slow` runs them.
 */
const SLOW = [
  'attack-lab/*-lab',
  'attack-lab/*faults',
  'attack-lab/repeated-runs',
  'attack-lab/samples',
  'attack-lab/variants',
  'code-blocks',
  'conformance/*',
  'docs/**/*',
  'kit/any-model',
  'kit/broken-*',
  'kit/runners',
  'kit/slow-machine',
  'lib/**/hostile-*',
  'lib/events/secrets',
  'lib/features/introspected-tokens/any-response',
  'lib/interleavings',
  'lib/interruptions',
  'lib/jose/signature-differences',
  'lib/jose/thread-signatures',
  'lib/limits/folded-name',
  'lib/options/editors',
  'migrate/*',
  'project-files',
  'readme',
  'sample/*',
  'search-terms',
  'src/bad-input/non-string',
  'src/hosts/hosts',
  'src/judges/*',
  'src/mcp-clients/mcp-clients',
  'src/proof/*',
  'src/schematics/*',
  'src/upstreams/model',
  'tutorials',
];

const OTHER_PROJECTS = ['browser', 'drills', 'first-contact', 'package'];

/** `npm test -- test/stores` runs all tests of the folder, also those that `npm test` leaves out. */
const isFolderNamed = process.argv.slice(2).some((argument) => argument.startsWith('test/'));

/** Returns the glob of the test files with this name. */
const globOf = (name) => `<rootDir>/test/${name}.{spec,e2e-spec}.ts`;

/** Returns the regular expression of the test files with this name. */
const patternOf = (name) => `<rootDir>/test/${name.replaceAll('**/', '(?:*/)?').replaceAll('*', '.*')}\\.`;

/** The settings of the projects that run in Jest without an installed copy of the package. */
const inSource = {
  ...base,
  moduleNameMapper: {
    ...base.moduleNameMapper,
    // An installed sample has its own copy of Nest, whose exceptions are other classes.
    '^@nestjs/common$': fileURLToPath(import.meta.resolve('@nestjs/common')),
    '^@nestjs/core$': fileURLToPath(import.meta.resolve('@nestjs/core')),
  },
};

export default {
  // Four workers on two cores, because tests wait for databases and deadlines for half of the time. Jest would start one.
  maxWorkers: Math.max(4, availableParallelism() - 1),
  testSequencer: fileURLToPath(new URL('test/sequencer.js', import.meta.url)),
  reporters: ['default', fileURLToPath(new URL('test/not-tested.js', import.meta.url))],
  // Jest keeps the ES modules of every test file in memory, which makes a worker slower with each file.
  workerIdleMemoryLimit: '1.5GB',
  // It ends a test that hangs, and measures nothing: a busy machine may be slow. The scripts of other projects set their
  // own value on the command line.
  testTimeout: 60_000,
  projects: [
    {
      ...inSource,
      displayName: 'suite',
      testMatch: [`<rootDir>/test/${spec}`],
      testPathIgnorePatterns: [
        ...OTHER_PROJECTS.map((name) => `<rootDir>/test/${name}/`),
        ...(isFolderNamed ? [] : [...STORES, ...SLOW].map(patternOf)),
      ],
    },
    { ...inSource, displayName: 'stores', testMatch: STORES.map(globOf) },
    { ...inSource, displayName: 'slow', testMatch: SLOW.map(globOf) },
    { ...base, displayName: 'browser', testMatch: [`<rootDir>/test/browser/${spec}`] },
    {
      ...base,
      displayName: 'package',
      testMatch: [`<rootDir>/test/package/${spec}`],
      globalSetup: '<rootDir>/test/package/pack.js',
    },
    { ...base, displayName: 'drills', testMatch: [`<rootDir>/test/drills/${spec}`] },
    { ...base, displayName: 'first-contact', testMatch: [`<rootDir>/test/first-contact/${spec}`] },
  ],
};
