import { keepRecent } from '../../crypto/lru.js';

interface CacheEntry {
  /** Until when it may be believed: milliseconds since the epoch. */
  cachedUntil: number;
}

/** Remembers so much and no more: what was not asked for the longest time is forgotten first. */
export class ExpiringCache<V extends CacheEntry> {
  private readonly entries = new Map<string, { value: V; since: number }>();

  constructor(private readonly size: number) {}

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    const now = Date.now();
    // A clock that was put back would make it live for so much longer.
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
