import { type Awaitable, TemporarilyUnavailableError } from '../../lib/index.js';
import type { PageRequest } from './site.js';

/** What a host answers, or that it cannot now; when to come again stands in the answer then. */
export async function unlessBusy<T>(ask: () => Awaitable<T>, { response }: PageRequest): Promise<T | 'busy'> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof TemporarilyUnavailableError)) throw error;
    response.set('retry-after', String(Math.ceil(error.retryAfter ?? 5)));
    return 'busy';
  }
}
