import { type Awaitable, TemporarilyUnavailableError } from '../../lib/index.js';
import type { PageRequest } from './site.js';

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
