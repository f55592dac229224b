import { OAuthError } from '../errors/index.js';
import { unavailable } from './unavailable.js';

/**
 * Does what listens to the signal, within so many seconds. The timer goes with the work: a flood leaves none behind.
 * @throws TemporarilyUnavailableError when it took longer
 */
export async function withTimeout<T>(
  seconds: number,
  peer: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const clock = new AbortController();
  const end = () => clock.abort(new Error('It took too long'));
  // After a pause of the whole process the answer may lie there unread: timers come first.
  const timer = setTimeout(() => setImmediate(end), seconds * 1000);
  try {
    return await work(clock.signal);
  } catch (error) {
    if (error instanceof OAuthError || !clock.signal.aborted) throw error;
    throw unavailable(`${peer} did not answer within ${seconds} s`, seconds);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for what goes on by itself, and no longer than the signal lets. */
export function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason as Error);
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
