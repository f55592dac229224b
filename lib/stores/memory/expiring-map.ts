interface Expiring {
  /** When the entry expires, in milliseconds since the epoch. */
  expiresAt: number;
}

/**
 * A map that removes expired entries as it grows, and its oldest entries when it reaches its maximum size. It uses no
 * timer, which would keep the process alive.
 */
export class ExpiringMap<V extends Expiring> {
  private readonly entries = new Map<string, V>();
  private pruneAt = 1024;
  private fullAt = -Infinity;

  /**
   * @param limit maximum number of entries
   * @param gracePeriod Milliseconds for which an entry stays after its expiry. Default: `0`.
   */
  constructor(
    private readonly limit: number,
    private readonly gracePeriod = 0,
  ) {}

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  get size(): number {
    return this.entries.size;
  }

  delete(key: string): boolean {
    return this.entries.delete(key);
  }

  values(): Iterable<V> {
    return this.entries.values();
  }

  set(key: string, value: V): void {
    this.entries.set(key, value);
    if (this.entries.size >= this.pruneAt) this.prune(Date.now());
    if (this.entries.size > this.limit) this.evict();
  }

  /**
   * Whether the map has reached its maximum size, although expired entries were removed. They are removed at most once
   * a second, since that is expensive for a large map.
   */
  isFull(now: number): boolean {
    if (this.entries.size < this.limit) return false;
    if (Math.abs(now - this.fullAt) >= 1000) {
      this.fullAt = now;
      this.prune(now);
    }
    return this.entries.size >= this.limit;
  }

  /**
   * Removes expired entries. Returns how many were removed. The map calls this itself whenever its size has doubled.
   */
  prune(now: number): number {
    const before = this.entries.size;
    for (const [key, { expiresAt }] of this.entries) if (expiresAt < now - this.gracePeriod) this.entries.delete(key);
    this.pruneAt = Math.max(1024, this.entries.size * 2);
    return before - this.entries.size;
  }

  /** Removes the oldest 1 % of the entries at once, since searching for the oldest entry each time is expensive. */
  private evict(): void {
    let room = Math.ceil(this.limit / 100);
    for (const key of this.entries.keys()) {
      if (room-- === 0) break;
      this.entries.delete(key);
    }
  }
}
