import { type Awaitable, TemporarilyUnavailableError } from '../../../lib/index.js';
import type { AllowedAttempt } from './attempts.js';
import type { PageRequest } from '../site.js';

/** Returns the result of a function, or `'busy'` if it is temporarily unavailable. Sets `Retry-After` in that case. */
export async function unlessBusy<T>(ask: () => Awaitable<T>, { response }: PageRequest): Promise<T | 'busy'> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof TemporarilyUnavailableError)) throw error;
    response.set('retry-after', String(Math.ceil(error.retryAfter ?? 5)));
    return 'busy';
  }
}

/**
 * Returns the result of verifying an allowed attempt. If the verification is temporarily unavailable, the attempt is
 * taken back, so that it does not count.
 */
export async function unlessUnavailable<T>(verify: () => Promise<T>, allowed: AllowedAttempt): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    if (error instanceof TemporarilyUnavailableError) await allowed.giveBack();
    throw error;
  }
}
