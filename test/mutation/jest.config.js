import { join } from 'node:path';

import config from '../../jest.config.js';

const { displayName: _, testPathIgnorePatterns: __, ...suite } = config.projects[0];

/** The project `suite` with the tests that judge one folder. StrykerJS runs it in copies of the repository. */
export default {
  ...suite,
  rootDir: process.cwd(),
  // StrykerJS wraps this environment, and does not replace `<rootDir>` in its path.
  testEnvironment: join(process.cwd(), 'test/support/environment/one-context.js'),
  testMatch: process.env.MUTATION_TESTS.split(',').map((tests) => `<rootDir>/${tests}{,/**/*}.{spec,e2e-spec}.ts`),
  maxWorkers: 1,
  // A mutant can make many tests hang, one after the other.
  testTimeout: 20_000,
};
