import { InvalidArgumentError } from '../errors/index.js';

/** The functions of a test runner that the contract kit uses. Jest, Vitest and `node:test` have them. */
export interface TestRunner {
  describe: (name: string, define: () => void) => unknown;
  it: (name: string, test: () => Promise<void>, milliseconds?: number) => unknown;
}

/**
 * Returns the configured test runner. If none is configured, returns the global functions `describe` and `it`, or those
 * of `node:test`.
 * @throws {InvalidArgumentError} If Jest or Vitest runs without global functions and none are configured, or if the
 * configured test runner lacks `describe` or `it`.
 */
export function findRunner(configured: TestRunner | undefined): TestRunner {
  const { describe, it } = configured ?? (globalThis as Partial<TestRunner>);
  if (typeof describe === 'function' && typeof it === 'function') return { describe, it };
  const { JEST_WORKER_ID, VITEST } = process.env;
  const known = JEST_WORKER_ID ? '@jest/globals' : VITEST ? 'vitest' : undefined;
  if (!known && !configured) return process.getBuiltinModule('node:test') as TestRunner;
  throw new InvalidArgumentError(
    'Invalid argument: this test runner does not define `describe` and `it` as global functions. ' +
      `Add import { describe, it } from '${known ?? '…'}' and pass the option \`runner: { describe, it }\`.`,
  );
}
