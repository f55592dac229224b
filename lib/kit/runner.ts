import { InvalidArgumentError } from '../errors/index.js';

/** A test runner, as far as the kit uses it: Jest, Vitest and `node:test` have these two. */
export interface TestRunner {
  describe: (name: string, define: () => void) => unknown;
  it: (name: string, test: () => Promise<void>, milliseconds?: number) => unknown;
}

/** The runner that was given, the one that made itself global, or that of Node. */
export function findRunner(given: TestRunner | undefined): TestRunner {
  const { describe, it } = given ?? (globalThis as Partial<TestRunner>);
  if (typeof describe === 'function' && typeof it === 'function') return { describe, it };
  const { JEST_WORKER_ID, VITEST } = process.env;
  const known = JEST_WORKER_ID ? '@jest/globals' : VITEST ? 'vitest' : undefined;
  if (!known && !given) return process.getBuiltinModule('node:test') as TestRunner;
  throw new InvalidArgumentError(
    'Invalid argument: the test runner has no globals here: ' +
      `import { describe, it } from '${known ?? '…'}' and give the option \`runner: { describe, it }\``,
  );
}
