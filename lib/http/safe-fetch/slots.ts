import { FetchError } from './fetch-error.js';

/**
 * A key under which tasks are counted, such as a host name, with the maximum number of simultaneous tasks of that key.
 */
export type Limit = readonly [key: string, limit: number];

/**
 * A concurrency limiter that rejects tasks instead of queuing them. It limits tasks in total and by key. Only the keys
 * of running tasks are stored.
 */
export class Slots {
  private used = 0;
  private readonly usedByKey = new Map<string, number>();

  /** @param maximum Maximum number of simultaneous tasks in total. */
  constructor(private readonly maximum: number) {}

  /**
   * Runs `work`, unless the total maximum or one of the limits is reached.
   * @param reserved The number of slots of the total maximum that must stay free for other tasks.
   * @throws {FetchError} With kind `busy`, if a limit is reached.
   */
  async run<T>(limits: readonly Limit[], reserved: number, work: () => PromiseLike<T>): Promise<T> {
    if (this.used >= this.maximum - reserved) throw new FetchError('busy', `${this.used} fetches are in progress`);
    const full = limits.find(([key, limit]) => (this.usedByKey.get(key) ?? 0) >= limit);
    if (full) throw new FetchError('busy', `too many fetches are in progress for the ${full[0]}`);
    this.used += 1;
    for (const [key] of limits) this.usedByKey.set(key, (this.usedByKey.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      this.used -= 1;
      for (const [key] of limits) this.release(key);
    }
  }

  private release(key: string): void {
    const left = this.usedByKey.get(key)! - 1;
    if (left > 0) this.usedByKey.set(key, left);
    else this.usedByKey.delete(key);
  }
}
