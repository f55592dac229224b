import type { ModuleOutcome } from './run-plan.js';

/** A result other than `PASSED` that is right, and why it is. */
export interface Expectation {
  /** The names of the plans it is of; left out: all. */
  plans?: readonly string[];
  module: string;
  result: string;
  /** The conditions that do not hold: these, all of them, and no others. */
  conditions?: readonly string[];
  why: string;
}

/** A result, and whether it is as it should be. */
export interface Judged extends ModuleOutcome {
  isGood: boolean;
  /** Why a result that is not `PASSED` is right. */
  why?: string;
}

/** A module has passed, or has come out otherwise exactly as somebody has explained; what is expected has to come, too. */
export function judge(outcome: ModuleOutcome, plan: string, expectations: readonly Expectation[]): Judged {
  const expected = expectations.find(
    ({ plans, module }) => module === outcome.module && (plans === undefined || plans.includes(plan)),
  );
  if (!expected) return { ...outcome, isGood: outcome.result === 'PASSED' };
  const { result, conditions = [], why } = expected;
  const isGood = outcome.result === result && areSame(outcome.conditions, conditions);
  return { ...outcome, isGood, ...(isGood && { why }) };
}

const areSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one) => others.includes(one));
