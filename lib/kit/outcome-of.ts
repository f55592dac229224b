import { TemporarilyUnavailableError } from '../errors/index.js';
import { SkippedCheck } from './contract.js';
import type { Outcome } from './report.js';

/** The parts of a check that its outcome repeats. */
interface NamedCheck<F extends string> {
  name: string;
  feature: F;
  race?: boolean;
}

/** Number of attempts to run a check whose calls the database does not answer in time. */
const ATTEMPTS = 3;

/**
 * Runs a check. Runs it again if the database did not respond in time, which on a busy machine says nothing about the
 * contract.
 */
async function whenAvailable<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !isUnavailable(error)) throw error;
    }
  }
}

/** Whether an error is `temporarily_unavailable`, or was caused by it. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { inner, cause } = error as { inner?: unknown; cause?: unknown };
  return error instanceof TemporarilyUnavailableError || isUnavailable(inner) || isUnavailable(cause);
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
    return { ...outcome, result: await whenAvailable(run) };
  } catch (error) {
    if (error instanceof SkippedCheck) return { ...outcome, result: 'skipped', reason: error.message };
    return { ...outcome, result: 'failed', error: toViolation(error) };
  } finally {
    await cleanUp?.();
  }
}
