import { FEATURES, type Feature } from './contract.js';

/**
 * `atomic`: it holds under races too. `kept`: it holds, and there is nothing to race for. `best effort`: it holds for one
 * caller at a time. `broken`: not even that. `absent`: the model does not implement it.
 */
export type Guarantee = 'atomic' | 'kept' | 'best effort' | 'broken' | 'absent';

/** How one check went. */
export interface Outcome {
  name: string;
  feature: Feature;
  race: boolean;
  result: 'passed' | 'failed' | 'left out' | 'absent';
  /** Of a failed check. */
  error?: Error;
  /** Of a check that was left out. */
  reason?: string;
}

/** What a model was found to guarantee. */
export interface Report {
  /** Did no check fail? */
  ok: boolean;
  guarantees: Record<Feature, Guarantee>;
  outcomes: readonly Outcome[];
  /** The messages of the checks that failed. */
  failures: readonly { name: string; message: string }[];
  /** The guarantees as a table to print. */
  text: string;
}

export function makeReport(name: string, outcomes: readonly Outcome[]): Report {
  const guarantees = Object.fromEntries(
    FEATURES.map((feature) => [feature, guarantee(outcomes.filter((outcome) => outcome.feature === feature))]),
  ) as Record<Feature, Guarantee>;
  const failures = outcomes.flatMap(({ name: check, error }) =>
    error ? [{ name: check, message: error.message }] : [],
  );
  return { ok: failures.length === 0, guarantees, outcomes, failures, text: text(name, guarantees, outcomes) };
}

function guarantee(outcomes: readonly Outcome[]): Guarantee {
  const made = outcomes.filter(({ result }) => result === 'passed' || result === 'failed');
  if (made.length === 0) return 'absent';
  const failed = made.filter(({ result }) => result === 'failed');
  if (failed.some(({ race }) => !race)) return 'broken';
  if (failed.length > 0) return 'best effort';
  return made.some(({ race }) => race) ? 'atomic' : 'kept';
}

function text(name: string, guarantees: Report['guarantees'], outcomes: readonly Outcome[]): string {
  const count = (wanted: Outcome['result']) => outcomes.filter(({ result }) => result === wanted).length;
  const rows = Object.entries(guarantees).map(([feature, reached]) => `  ${feature.padEnd(24)}${reached}`);
  const leftOut = outcomes
    .filter(({ reason }) => reason)
    .map((outcome) => `  left out: ${outcome.name}: ${outcome.reason}`);
  const sum = `  ${count('passed')} checks passed, ${count('failed')} failed, ${count('left out')} left out`;
  return [`Guarantees of ${name}`, ...rows, sum, ...leftOut, ''].join('\n');
}
