interface Expiring {
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** A bounded map that forgets what has expired, as it grows: it needs no timer, which would keep a process alive. */
export class ExpiringMap<V extends Expiring> {
  private readonly entries = new Map<string, V>();
  private pruneAt = 1024;
  private fullAt = -Infinity;

  constructor(private readonly limit: number) {}

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  get size(): number {
    return this.entries.size;
  }

  values(): Iterable<V> {
    return this.entries.values();
  }

  set(key: string, value: V): void {
    this.entries.set(key, value);
    if (this.entries.size >= this.pruneAt) this.prune(Date.now());
    if (this.entries.size > this.limit) this.evict();
  }

  /** Is there no place but that of something that has not expired? Looked at once a second: that costs more the more there is. */
  isFull(now: number): boolean {
    if (this.entries.size < this.limit) return false;
    if (Math.abs(now - this.fullAt) >= 1000) {
      this.fullAt = now;
      this.prune(now);
    }
    return this.entries.size >= this.limit;
  }

  /** Forgets what has expired; called by itself each time the map has doubled, which costs little per entry. */
  prune(now: number): number {
    const before = this.entries.size;
    for (const [key, { expiresAt }] of this.entries) if (expiresAt < now) this.entries.delete(key);
    this.pruneAt = Math.max(1024, this.entries.size * 2);
    return before - this.entries.size;
  }

  /** Makes room by the hundred: to look for the oldest each time would cost more the more there are. */
  private evict(): void {
    let room = Math.ceil(this.limit / 100);
    for (const key of this.entries.keys()) {
      if (room-- === 0) break;
      this.entries.delete(key);
    }
  }
}
