import { runCheck } from './check-model.js';
import { CHECKS } from './checks/index.js';
import type { ContractOptions, MakeModel } from './test-subject.js';
import { makeReport, type Outcome, type Report } from './report.js';
import { findRunner, type TestRunner } from './runner.js';

/** The options of `describeModelContract()`. */
export interface DescribeOptions extends ContractOptions {
  /**
   * The functions `describe` and `it` of the test runner. If omitted, the global functions, or those of `node:test`.
   */
  runner?: TestRunner;
  /** Called with the report after the last check. Default: prints the text of the report to standard output. */
  onReport?: (report: Report) => void;
}

/**
 * Timeout of one contract check in milliseconds. It suffices for hundreds of concurrent calls with a slow hash on a
 * slow machine.
 */
const TIMEOUT = 60_000;

/**
 * Registers the contract checks of a model as tests of the running test runner: one test for each check. After the last
 * one, reports which guarantees the model gives.
 */
export function describeModelContract(name: string, makeModel: MakeModel, options: DescribeOptions = {}): void {
  const { runner, onReport = print, ...contract } = options;
  const { describe, it } = findRunner(runner);
  const outcomes: Outcome[] = [];
  describe(name, () => {
    for (const check of CHECKS) {
      const test = async () => {
        const outcome = await runCheck(check, makeModel, contract);
        outcomes.push(outcome);
        if (outcomes.length === CHECKS.length) onReport(makeReport(name, outcomes));
        if (outcome.error) throw outcome.error;
      };
      it(check.name, test, TIMEOUT);
    }
  });
}

function print({ text }: Report): void {
  process.stdout.write(`\n${text}`);
}
