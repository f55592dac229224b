import { runCheck } from './check-model.js';
import { CHECKS } from './checks/index.js';
import type { ContractOptions, MakeModel } from './test-subject.js';
import { makeReport, type Outcome, type Report } from './report.js';
import { findRunner, type TestRunner } from './runner.js';

/** Options of `describeModelContract()`. */
export interface DescribeOptions extends ContractOptions {
  /** `{ describe, it }` of the test runner; left out: the global ones, or those of `node:test`. */
  runner?: TestRunner;
  /** Is told the report when all checks are made. Default: prints its text */
  onReport?: (report: Report) => void;
}

/** A race of hundreds on a slow machine, behind a slow hash. */
const TIMEOUT = 60_000;

/** Proves a model in the test suite of its host: one test for each obligation, and what the model guarantees at the end. */
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
