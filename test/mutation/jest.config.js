import config from '../../jest.config.js';

const { displayName: _, testPathIgnorePatterns: __, ...suite } = config.projects[0];

/** The project `suite` with the tests that judge one folder. StrykerJS runs it in copies of the repository. */
export default {
  ...suite,
  rootDir: process.cwd(),
  testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
  testMatch: process.env.MUTATION_TESTS.split(',').map((tests) => `<rootDir>/${tests}{,/**/*}.{spec,e2e-spec}.ts`),
  maxWorkers: 1,
  // A mutant can make many tests hang, one after the other.
  testTimeout: 20_000,
};
