/**
 * Runs a function while `Date` is shifted by a number of milliseconds. This simulates another process with a clock that
 * is ahead, or behind if the number is negative. Clocks outside JavaScript, such as the clock of a database, are not
 * shifted.
 */
export async function withClockOffset<T>(ahead: number, act: () => Promise<T>): Promise<T> {
  const Clock = globalThis.Date;
  const now = () => Clock.now() + ahead;
  globalThis.Date = new Proxy(Clock, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new Clock(now()).toString(),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  });
  try {
    return await act();
  } finally {
    globalThis.Date = Clock;
  }
}
