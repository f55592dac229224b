/** A maximum number of requests in a number of seconds. */
export interface RequestRate {
  requests: number;
  /** The length of the time window in seconds. The window starts with its first request. */
  per: number;
}

/** Maximum number of keys that one limit counts in the memory of a process. */
const MAX_COUNTS = 20_000;

interface OpenWindow {
  count: number;
  /** When the window ends, in milliseconds since the epoch. */
  until: number;
}

/**
 * A fixed-window rate limiter by key, in the memory of this process. Its size is bounded, and it never drops a count
 * that has reached the limit.
 */
export class MemoryCounts {
  /** The windows by key. All have the same length, so the first ones end first. */
  private readonly windows = new Map<string, OpenWindow>();

  /** @param size Maximum number of keys. */
  constructor(
    private readonly rate: RequestRate,
    private readonly size = MAX_COUNTS,
  ) {}

  /**
   * Counts a request of a key.
   * @returns Seconds until the window ends, if the key has exceeded the rate. Otherwise `0`. A new key has to wait too,
   * if all counts of a full memory have reached the limit.
   */
  add(key: string): number {
    const now = Date.now();
    let open = this.windows.get(key);
    if (!open || open.until <= now) {
      this.windows.delete(key);
      const wait = this.makeRoom(now);
      if (wait > 0) return wait;
      open = { count: 0, until: now + this.rate.per * 1000 };
      this.windows.set(key, open);
    }
    open.count += 1;
    return open.count > this.rate.requests ? secondsUntil(open, now) : 0;
  }

  /** Removes one counted request of a key. The count never falls below 0. */
  subtract(key: string): void {
    const open = this.windows.get(key);
    if (open && open.count > 0) open.count -= 1;
  }

  /**
   * Removes windows that have ended and, if the memory is full, the oldest count below the limit. Returns the seconds
   * until there is room, or `0` if there is.
   */
  private makeRoom(now: number): number {
    for (const [key, { until }] of this.windows) {
      if (until > now) break;
      this.windows.delete(key);
    }
    if (this.windows.size < this.size) return 0;
    for (const [key, { count }] of this.windows) {
      if (count >= this.rate.requests) continue;
      this.windows.delete(key);
      return 0;
    }
    return secondsUntil(this.windows.values().next().value!, now);
  }
}

const secondsUntil = ({ until }: OpenWindow, now: number) => Math.max(1, Math.ceil((until - now) / 1000));
