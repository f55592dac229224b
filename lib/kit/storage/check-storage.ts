import { type Outcome, type Report, makeReport } from '../report.js';
import { CheckFailure } from '../contract.js';
import { type ContractRun, describeChecks } from '../describe-checks.js';
import { outcomeOf } from '../outcome-of.js';
import { CLIENTS } from './clients.js';
import { CONDITIONS } from './conditions.js';
import { COUNTING } from './counting.js';
import { CONSUMING } from './consuming.js';
import { CREDENTIALS } from './credentials.js';
import { ERASING } from './erasing.js';
import { FINDING } from './finding.js';
import { INSERTING } from './inserting.js';
import { LISTING } from './listing.js';
import { LOOKING_UP } from './looking-up.js';
import { REVOKING } from './revoking.js';
import { SAVING } from './saving.js';
import { SINGLE_VALUES } from './single-values.js';
import { STORAGE_METHODS, type StorageCheck, StorageContractViolation, type StorageMethod } from './storage-check.js';
import { StorageContext } from './storage-context.js';
import type { MakeStorage, StorageContractOptions, StorageSubject } from './storage-subject.js';

/** All checks of the storage contract. */
export const STORAGE_CHECKS: readonly StorageCheck[] = [
  ...SAVING,
  ...CONSUMING,
  ...FINDING,
  ...INSERTING,
  ...CREDENTIALS,
  ...ERASING,
  ...LOOKING_UP,
  ...SINGLE_VALUES,
  ...COUNTING,
  ...REVOKING,
  ...LISTING,
  ...CLIENTS,
  ...CONDITIONS,
];

/** The results of all checks of one storage. */
export type StorageReport = Report<StorageMethod>;

/** The options of `describeStorageContract()`. */
export interface DescribeStorageOptions extends StorageContractOptions, ContractRun<StorageReport> {}

/**
 * Registers the contract checks of a storage as tests of the running test runner: one test for each rule of `Storage`
 * and `ClientStorage`. After the last one, reports which guarantees each method gives.
 */
export function describeStorageContract(
  name: string,
  makeStorage: MakeStorage,
  options: DescribeStorageOptions = {},
): void {
  const { runner, onReport, ...contract } = options;
  const run = (check: StorageCheck) => runStorageCheck(check, makeStorage, contract);
  describeChecks({ name, checks: STORAGE_CHECKS, run, report: report(name) }, { runner, onReport });
}

/**
 * Runs all contract checks on a storage, without a test runner.
 * @returns The report, also if checks fail. The promise rejects only if `makeStorage` or `cleanUp()` fails.
 */
export async function checkStorage(
  makeStorage: MakeStorage,
  options: StorageContractOptions = {},
  name = 'the storage',
): Promise<StorageReport> {
  const outcomes: Outcome<StorageMethod>[] = [];
  for (const check of STORAGE_CHECKS) outcomes.push(await runStorageCheck(check, makeStorage, options));
  return report(name)(outcomes);
}

const report = (name: string) => (outcomes: readonly Outcome<StorageMethod>[]) =>
  makeReport(name, outcomes, STORAGE_METHODS);

/** Runs one contract check on a storage and closes it afterwards. Returns the outcome, also if the check fails. */
export async function runStorageCheck(
  check: StorageCheck,
  makeStorage: MakeStorage,
  options: StorageContractOptions,
): Promise<Outcome<StorageMethod>> {
  const made = await makeStorage();
  const subject: StorageSubject = 'storage' in made && !('consumeAndSave' in made) ? made : { storage: made as never };
  const run = async () => {
    if (check.clients && typeof subject.storage.findClient !== 'function') return 'absent';
    await check.run(new StorageContext(subject, options));
    return 'passed';
  };
  return outcomeOf(check, run, (error) => violation(check, error), subject.cleanUp?.bind(subject));
}

/** Returns the error to report for a failed check. An exception of the storage counts as a violation of the contract. */
function violation(check: StorageCheck, error: unknown): StorageContractViolation {
  if (error instanceof CheckFailure) return new StorageContractViolation(check, error);
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  const finding = new Error(`The storage threw an error: ${stack ?? message}`, { cause: error });
  return new StorageContractViolation(check, finding);
}
