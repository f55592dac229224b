import { runCheck } from './check-model.js';
import { CHECKS } from './checks/index.js';
import { type ContractRun, describeChecks } from './describe-checks.js';
import type { ContractOptions, MakeModel } from './test-subject.js';
import { makeReport, type Report } from './report.js';

/** The options of `describeModelContract()`. */
export interface DescribeOptions extends ContractOptions, ContractRun<Report> {}

/**
 * Registers the contract checks of a model as tests of the running test runner: one test for each check. After the last
 * one, reports which guarantees the model gives.
 */
export function describeModelContract(name: string, makeModel: MakeModel, options: DescribeOptions = {}): void {
  const { runner, onReport, ...contract } = options;
  const run = (check: (typeof CHECKS)[number]) => runCheck(check, makeModel, contract);
  describeChecks({ name, checks: CHECKS, run, report: (outcomes) => makeReport(name, outcomes) }, { runner, onReport });
}
