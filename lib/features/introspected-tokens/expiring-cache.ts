import { keepRecent } from '../../crypto/lru.js';

interface CacheEntry {
  /** Until when the entry may be used, in milliseconds since the epoch. */
  cachedUntil: number;
}

/** A cache of limited size, whose entries expire. If it is full, the least recently used entry is removed. */
export class ExpiringCache<V extends CacheEntry> {
  private readonly entries = new Map<string, { value: V; since: number }>();

  constructor(private readonly size: number) {}

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    const now = Date.now();
    // Without this check, setting the clock back would extend the lifetime of the entry.
    if (entry.value.cachedUntil <= now || now < entry.since) return undefined;
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V): void {
    const since = Date.now();
    if (value.cachedUntil <= since) return;
    keepRecent(this.entries, key, { value, since }, this.size);
  }
}
