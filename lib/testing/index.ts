export { actingAs, type ActingAsOptions, type ActingAsTarget } from './acting-as.js';
export { checkModel } from './check-model.js';
export {
  type ClientFixture,
  type ContractFixtures,
  type ContractOptions,
  ContractViolation,
  type Feature,
  type MakeModel,
  type Subject,
  type UserFixture,
} from './contract.js';
export { describeModelContract, type DescribeOptions } from './describe-model-contract.js';
export type { Guarantee, Outcome, Report } from './report.js';
export type { TestRunner } from './runner.js';
export { TestingModel, type TestingModelOptions } from './testing-model.js';
