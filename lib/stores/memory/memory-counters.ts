import type { Count } from '../../model/counts.js';

interface Counter {
  count: number;
  /** When the window of the counter ends, in milliseconds since the epoch. */
  expiresAt: number;
}

/**
 * Counters in memory. If there are more than the limit, the lowest ones are removed first, and among equal ones those
 * that were not added to for the longest time. So a caller that opens many new counters removes its own ones before a
 * counter with a higher count.
 */
export class MemoryCounters {
  /** The counters, in the order of their last addition. */
  private readonly counters = new Map<string, Counter>();

  /** @param limit maximum number of counters */
  constructor(private readonly limit: number) {}

  add(digest: string, milliseconds: number, by: number): Count {
    const now = Date.now();
    let counter = this.counters.get(digest);
    if (!counter || counter.expiresAt <= now) {
      if (by <= 0) return { count: 0, expiresIn: 0 };
      counter = { count: 0, expiresAt: now + milliseconds };
    }
    if (by !== 0) {
      counter.count = Math.max(0, counter.count + by);
      this.counters.delete(digest);
      if (this.counters.size >= this.limit) this.makeRoom(now);
      this.counters.set(digest, counter);
    }
    return { count: counter.count, expiresIn: counter.expiresAt - now };
  }

  /** Removes the counters whose window has ended. Returns how many were removed. */
  prune(now: number): number {
    const before = this.counters.size;
    for (const [digest, { expiresAt }] of this.counters) if (expiresAt <= now) this.counters.delete(digest);
    return before - this.counters.size;
  }

  /** Removes expired counters, or else 1 % of all counters at once, because each search for the lowest one is expensive. */
  private makeRoom(now: number): void {
    let surplus = Math.ceil(this.limit / 100) - this.prune(now);
    if (surplus <= 0) return;
    const highest = this.countOfRank(surplus);
    for (const isEqual of [false, true]) {
      for (const [digest, { count }] of this.counters) {
        if (surplus === 0) return;
        if (isEqual ? count > highest : count >= highest) continue;
        this.counters.delete(digest);
        surplus -= 1;
      }
    }
  }

  /** Returns the count of the counter with this rank, from the lowest count on. */
  private countOfRank(rank: number): number {
    return [...this.counters.values()].map(({ count }) => count).toSorted((a, b) => a - b)[rank - 1]!;
  }
}
