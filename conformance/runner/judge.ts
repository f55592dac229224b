import type { ModuleOutcome } from './run-plan.js';

/** A result other than `PASSED` that is correct, with the reason. A `WARNING` or a `FAILED` result is never correct. */
export interface Expectation {
  /** The names of the plans. If omitted, all plans. */
  plans?: readonly string[];
  module: string;
  result: 'REVIEW' | 'SKIPPED';
  /** The exact set of conditions that do not hold. Default: none. */
  conditions?: readonly string[];
  why: string;
}

/** An outcome with its verdict. */
export interface Judged extends ModuleOutcome {
  isGood: boolean;
  /** The reason why a result other than `PASSED` is correct. */
  why?: string;
}

const EXPECTED: readonly string[] = ['REVIEW', 'SKIPPED'];

/**
 * Accepts a module that finished and either passed or ended exactly as expected. A module that passes although another
 * result is expected is not accepted, so that outdated expectations are noticed.
 */
export function judge(outcome: ModuleOutcome, plan: string, expectations: readonly Expectation[]): Judged {
  const isFinished = outcome.ending === 'FINISHED';
  const expected = expectations.find(
    ({ plans, module }) => module === outcome.module && (plans === undefined || plans.includes(plan)),
  );
  if (!expected) return { ...outcome, isGood: isFinished && outcome.result === 'PASSED' };
  const { result, conditions = [], why } = expected;
  const isExpected = EXPECTED.includes(result) && outcome.result === result;
  const isGood = isFinished && isExpected && areSame(outcome.conditions, conditions);
  return { ...outcome, isGood, ...(isGood && { why }) };
}

const areSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one) => others.includes(one));
