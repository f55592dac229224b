/**
 * Runs a function while `Date` of this process is ahead by a number of milliseconds, or behind if the number is
 * negative. Simulates a process with another clock. Clocks outside JavaScript, such as that of a database, do not
 * change.
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
