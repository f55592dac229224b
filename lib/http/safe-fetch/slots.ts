import { FetchError } from './fetch-error.js';

/** A key that is counted, for example a host name, with the maximum number of simultaneous tasks that have it. */
export type Limit = readonly [key: string, most: number];

/** A concurrency limiter without a queue. It limits the tasks in total and by key. Keys of running tasks only are stored. */
export class Slots {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();

  /** @param places Maximum number of simultaneous tasks in total. */
  constructor(private readonly places: number) {}

  /**
   * Runs `work`, unless the total or one of the limits is reached.
   * @param reserved The number of slots in total that this task must leave free.
   * @throws {FetchError} `busy`, if a limit is reached.
   */
  async within<T>(limits: readonly Limit[], reserved: number, work: () => PromiseLike<T>): Promise<T> {
    if (this.taken >= this.places - reserved) throw new FetchError('busy', `${this.taken} fetches are in progress`);
    const full = limits.find(([key, most]) => (this.takenBy.get(key) ?? 0) >= most);
    if (full) throw new FetchError('busy', `too many fetches are in progress for the ${full[0]}`);
    this.taken += 1;
    for (const [key] of limits) this.takenBy.set(key, (this.takenBy.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      this.taken -= 1;
      for (const [key] of limits) this.release(key);
    }
  }

  private release(key: string): void {
    const left = this.takenBy.get(key)! - 1;
    if (left > 0) this.takenBy.set(key, left);
    else this.takenBy.delete(key);
  }
}
