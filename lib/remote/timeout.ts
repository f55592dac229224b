import { OAuthError } from '../errors/index.js';
import { unavailable } from './unavailable.js';

/**
 * Runs `work` with a time limit. Its signal is aborted after the time limit.
 * @param peer The name of the other server for the error message.
 * @throws {TemporarilyUnavailableError} If `work` fails after the time limit.
 */
export async function withTimeout<T>(
  seconds: number,
  peer: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const clock = new AbortController();
  const end = () => clock.abort(new Error('The request timed out'));
  // After a pause of the process, a response may already be waiting. Timers run before responses are read, so the abort
  // is deferred once.
  const timer = setTimeout(() => setImmediate(end), seconds * 1000);
  try {
    return await work(clock.signal);
  } catch (error) {
    if (error instanceof OAuthError || !clock.signal.aborted) throw error;
    throw unavailable(`${peer} did not respond within ${seconds} s`, seconds);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a running promise. Rejects as soon as the signal is aborted, while the work itself continues. */
export function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason as Error);
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
