import { keepRecent } from '../crypto/lru.js';

/** A maximum number of requests in a number of seconds. */
export interface RequestRate {
  requests: number;
  /** The length of the time window in seconds. The window starts with its first request. */
  per: number;
}

/** Maximum number of keys that are counted. If it is exceeded, the key whose window started first is dropped. */
const MAX_COUNTS = 20_000;

/** A fixed-window rate limiter by key, in the memory of this process. */
export class WindowCounts {
  private readonly counts = new Map<string, { count: number; until: number }>();

  constructor(private readonly rate: RequestRate) {}

  /**
   * Counts a request of a key.
   * @returns Seconds until the window ends, if the key has exceeded the rate. Otherwise `0`.
   */
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

  /** Removes one counted request of a key. The count never falls below 0. */
  subtract(key: string): void {
    const known = this.counts.get(key);
    if (known && known.count > 0) known.count -= 1;
  }

  forget(key: string): void {
    this.counts.delete(key);
  }
}
