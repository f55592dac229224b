/**
 * Runs `work` with a time limit. Its signal is aborted after the time limit, and also when `work` has ended earlier.
 * @param seconds The time limit in seconds.
 * @param late The error with which the returned promise rejects after the time limit.
 */
export async function withDeadline<T>(
  seconds: number,
  late: Error,
  work: (signal: AbortSignal) => PromiseLike<T>,
): Promise<T> {
  const clock = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late);
      clock.abort(late);
    }, seconds * 1000);
  });
  try {
    return await Promise.race([work(clock.signal), end]);
  } finally {
    clearTimeout(timer);
    clock.abort(late);
  }
}
