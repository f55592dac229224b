interface Expiring {
  /** Until when it may be believed: milliseconds since the epoch. */
  until: number;
}

/** Remembers so much and no more: what was not asked for the longest time is forgotten first. */
export class Remembered<V extends Expiring> {
  private readonly entries = new Map<string, V>();

  constructor(private readonly size: number) {}

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    if (entry.until <= Date.now()) return undefined;
    this.entries.set(key, entry);
    return entry;
  }

  set(key: string, entry: V): void {
    if (entry.until <= Date.now()) return;
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (this.entries.size > this.size) this.entries.delete(this.entries.keys().next().value!);
  }
}
