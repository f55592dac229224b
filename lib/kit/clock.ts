/**
 * Does something by a clock that is so many milliseconds ahead, or behind where that is negative: as another process
 * would, or this one before its clock was set. Clocks that are not of JavaScript, such as a database's, go on as they are.
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
