import { SkippedCheck } from './contract.js';
import type { Outcome } from './report.js';

/** The parts of a check that its outcome repeats. */
interface NamedCheck<F extends string> {
  name: string;
  feature: F;
  race?: boolean;
}

/**
 * Runs a check and returns its outcome, also if the check fails. Calls `cleanUp()` afterwards.
 * @param run Runs the check. Returns `absent` if the tested object lacks the methods.
 * @param toViolation Returns the error to report for an error of `run`.
 */
export async function outcomeOf<F extends string>(
  { name, feature, race = false }: NamedCheck<F>,
  run: () => Promise<'passed' | 'absent'>,
  toViolation: (error: unknown) => Error,
  cleanUp: (() => unknown) | undefined,
): Promise<Outcome<F>> {
  const outcome = { name, feature, race };
  try {
    return { ...outcome, result: await run() };
  } catch (error) {
    if (error instanceof SkippedCheck) return { ...outcome, result: 'skipped', reason: error.message };
    return { ...outcome, result: 'failed', error: toViolation(error) };
  } finally {
    await cleanUp?.();
  }
}
