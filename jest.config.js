import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** What all three projects share: TypeScript through SWC, as ES modules, the package under its public names. */
const base = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/test/support/forget-async-storages.js'],
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
          // Without decoratorMetadata: what the tests prove holds for hosts built by any compiler.
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
    '^nest-oauth2/pages$': '<rootDir>/src/pages/index.ts',
    '^nest-oauth2/swagger$': '<rootDir>/src/swagger/index.ts',
    '^nest-oauth2/opentelemetry$': '<rootDir>/lib/opentelemetry/index.ts',
    '^nest-oauth2/(cqrs|event-emitter)$': '<rootDir>/src/operations/bridges/$1.ts',
    '^nest-oauth2/testing$': '<rootDir>/src/testing/index.ts',
    '^nest-oauth2/stores$': '<rootDir>/lib/stores/index.ts',
    '^nest-oauth2/stores/([^/]+)$': '<rootDir>/lib/stores/$1/index.ts',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/sample/', '<rootDir>/bench/'],
};

const spec = '**/*.{spec,e2e-spec}.ts';

export default {
  // Three workers on two cores, where Jest would start one: a third of the time is spent waiting for databases and deadlines.
  maxWorkers: Math.max(3, availableParallelism() - 1),
  testSequencer: fileURLToPath(new URL('test/sequencer.js', import.meta.url)),
  // Jest keeps the ES modules of every file that it has run: after a hundred files a worker does little but look through its memory.
  workerIdleMemoryLimit: '1GB',
  // Jest hears of it here alone, so that the scripts of the other projects say theirs themselves.
  testTimeout: 15_000,
  projects: [
    {
      ...base,
      displayName: 'suite',
      moduleNameMapper: {
        ...base.moduleNameMapper,
        // A sample that is installed has a Nest of its own, whose exceptions are none to ours.
        '^@nestjs/common$': fileURLToPath(import.meta.resolve('@nestjs/common')),
        '^@nestjs/core$': fileURLToPath(import.meta.resolve('@nestjs/core')),
      },
      testMatch: [`<rootDir>/test/${spec}`],
      testPathIgnorePatterns: ['<rootDir>/test/browser/', '<rootDir>/test/package/', '<rootDir>/test/first-contact/'],
    },
    { ...base, displayName: 'browser', testMatch: [`<rootDir>/test/browser/${spec}`] },
    {
      ...base,
      displayName: 'package',
      testMatch: [`<rootDir>/test/package/${spec}`],
      globalSetup: '<rootDir>/test/package/pack.js',
    },
    { ...base, displayName: 'first-contact', testMatch: [`<rootDir>/test/first-contact/${spec}`] },
  ],
};
