import type { Outcome } from './report.js';
import { findRunner, type TestRunner } from './runner.js';

/** The options of a contract for the test runner. `R` is the type of the report. */
export interface ContractRun<R> {
  /**
   * The functions `describe` and `it` of the test runner. If omitted, the global functions, or those of `node:test`.
   */
  runner?: TestRunner | undefined;
  /** Called with the report after the last check. Default: prints the text of the report to standard output. */
  onReport?: ((report: R) => void) | undefined;
}

/** The checks of a contract, and the functions that run one of them and report all results. */
interface Contract<C, F extends string, R> {
  name: string;
  checks: readonly C[];
  run: (check: C) => Promise<Outcome<F>>;
  report: (outcomes: readonly Outcome<F>[]) => R;
}

/** Timeout of one contract check in milliseconds. It ends a check that hangs, also on a very slow machine. */
const TIMEOUT = 300_000;

/** Registers one test for each check of a contract. After the last one, reports the results. */
export function describeChecks<C extends { name: string }, F extends string, R extends { text: string }>(
  { name, checks, run, report }: Contract<C, F, R>,
  { runner, onReport = print }: ContractRun<R>,
): void {
  const { describe, it } = findRunner(runner);
  const outcomes: Outcome<F>[] = [];
  describe(name, () => {
    for (const check of checks) {
      const test = async () => {
        const outcome = await run(check);
        outcomes.push(outcome);
        if (outcomes.length === checks.length) onReport(report(outcomes));
        if (outcome.error) throw outcome.error;
      };
      it(check.name, test, TIMEOUT);
    }
  });
}

function print({ text }: { text: string }): void {
  process.stdout.write(`\n${text}`);
}
