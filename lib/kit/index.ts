export { actingAs, type ActingAsOptions, type ActingAsTarget } from './acting-as.js';
export { checkModel } from './check-model.js';
export { withClockOffset } from './clock.js';
export { ContractViolation, type Feature } from './contract.js';
export { describeModelContract, type DescribeOptions } from './describe-model-contract.js';
export type { Guarantee, Outcome, Report } from './report.js';
export type { TestRunner } from './runner.js';
export type {
  ClientFixture,
  ContractFixtures,
  ContractOptions,
  MakeModel,
  TestSubject,
  UserFixture,
} from './test-subject.js';
export { TestingModel, type TestingModelOptions } from './testing-model.js';
export {
  checkStorage,
  type DescribeStorageOptions,
  describeStorageContract,
  type StorageReport,
} from './storage/check-storage.js';
export { StorageContractViolation, type StorageMethod } from './storage/storage-check.js';
export type {
  MakeStorage,
  StorageContractOptions,
  StorageSubject,
  StorageUnderTest,
} from './storage/storage-subject.js';
