import { FEATURES, type Feature } from './contract.js';

/**
 * How far a model fulfils the checks of a feature. `atomic`: all checks that ran passed, including at least one of
 * concurrent calls. `kept`: all checks that ran passed, but none of them tests concurrent calls. `best effort`: only
 * checks of concurrent calls failed. `broken`: another check failed. `absent`: no check ran, since the model lacks the
 * methods or the fixtures do not suffice.
 */
export type Guarantee = 'atomic' | 'kept' | 'best effort' | 'broken' | 'absent';

/** The result of one contract check. */
export interface Outcome<F extends string = Feature> {
  name: string;
  feature: F;
  race: boolean;
  result: 'passed' | 'failed' | 'skipped' | 'absent';
  /** The error of a failed check. Otherwise `undefined`. */
  error?: Error;
  /** Why the check was skipped. `undefined` if it was not skipped. */
  reason?: string;
}

/** The results of all contract checks of one model or storage. */
export interface Report<F extends string = Feature> {
  /** Whether no check failed. Skipped checks do not count as failures. */
  ok: boolean;
  guarantees: Record<F, Guarantee>;
  outcomes: readonly Outcome<F>[];
  /** The names of the checks that failed, with the messages of their errors. */
  failures: readonly { name: string; message: string }[];
  /** The guarantees as a table for the console, with the number of checks and the reasons for skipped ones. */
  text: string;
}

/**
 * Returns the report of a contract.
 * @param features The features or methods that have a line each. Default: the features of a model.
 */
export function makeReport<F extends string = Feature>(
  name: string,
  outcomes: readonly Outcome<F>[],
  features: readonly F[] = FEATURES as readonly string[] as readonly F[],
): Report<F> {
  const guarantees = Object.fromEntries(
    features.map((feature) => [feature, guarantee(outcomes.filter((outcome) => outcome.feature === feature))]),
  ) as Record<F, Guarantee>;
  const failures = outcomes.flatMap(({ name: check, error }) =>
    error ? [{ name: check, message: error.message }] : [],
  );
  return { ok: failures.length === 0, guarantees, outcomes, failures, text: text(name, guarantees, outcomes) };
}

function guarantee(outcomes: readonly Outcome<string>[]): Guarantee {
  const made = outcomes.filter(({ result }) => result === 'passed' || result === 'failed');
  if (made.length === 0) return 'absent';
  const failed = made.filter(({ result }) => result === 'failed');
  if (failed.some(({ race }) => !race)) return 'broken';
  if (failed.length > 0) return 'best effort';
  return made.some(({ race }) => race) ? 'atomic' : 'kept';
}

function text(
  name: string,
  guarantees: Readonly<Record<string, Guarantee>>,
  outcomes: readonly Outcome<string>[],
): string {
  const count = (expected: Outcome['result']) => outcomes.filter(({ result }) => result === expected).length;
  const rows = Object.entries(guarantees).map(([feature, reached]) => `  ${feature.padEnd(24)}${reached}`);
  const skipped = outcomes
    .filter(({ reason }) => reason)
    .map((outcome) => `  skipped: ${outcome.name}: ${outcome.reason}`);
  const sum = `  ${count('passed')} checks passed, ${count('failed')} failed, ${count('skipped')} skipped`;
  return [`Guarantees of ${name}`, ...rows, sum, ...skipped, ''].join('\n');
}
