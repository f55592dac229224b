import { keepRecent } from '../crypto/lru.js';

/** A number of requests in a number of seconds. */
export interface RequestRate {
  requests: number;
  /** Seconds. */
  per: number;
}

/** Maximum number of counts that a process remembers of each kind. The oldest is dropped first. */
const MAX_COUNTS = 20_000;

/** Fixed-window counts by key, in the memory of this process. */
export class WindowCounts {
  private readonly counts = new Map<string, { count: number; until: number }>();

  constructor(private readonly rate: RequestRate) {}

  /** Counts a request. @returns seconds until the window ends, if the rate is exceeded; otherwise 0 */
  add(key: string): number {
    const now = Date.now();
    let known = this.counts.get(key);
    if (!known || known.until <= now) {
      known = { count: 0, until: now + this.rate.per * 1000 };
      keepRecent(this.counts, key, known, MAX_COUNTS);
    }
    known.count += 1;
    return known.count > this.rate.requests ? Math.ceil((known.until - now) / 1000) : 0;
  }

  /** Takes one request back. */
  subtract(key: string): void {
    const known = this.counts.get(key);
    if (known && known.count > 0) known.count -= 1;
  }

  forget(key: string): void {
    this.counts.delete(key);
  }
}
