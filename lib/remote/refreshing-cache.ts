/** How long a value of another server is cached. All times are in seconds. */
export interface RefreshingCacheSettings {
  /** How long the value is used before it is loaded again. */
  maxAge: number;
  /** Minimum time between two attempts to load the value. */
  coolDown: number;
  /** How long an old value may be used while loading fails, counted from when it was loaded. */
  maxStale: number;
  /**
   * Whether an error of `load` means that no request was sent, so that the next attempt need not wait for `coolDown`.
   * If omitted, every attempt waits.
   */
  skipsCoolDown?(error: unknown): boolean;
}

/**
 * A cached value of another server, such as its keys. After `maxAge`, it is loaded again, while the old value is still
 * returned until `maxStale`. `refresh()` loads it earlier, but not more often than `coolDown` allows.
 */
export class RefreshingCache<T> {
  private value: T | undefined;
  private loadedAt = -Infinity;
  private requestedAt = -Infinity;
  private loading: Promise<T> | undefined;
  private failure: unknown;

  constructor(
    private readonly load: () => Promise<T>,
    private readonly settings: RefreshingCacheSettings,
  ) {}

  /**
   * Returns the cached value, or loads it if there is none or it is too old. If no value is usable, it rejects with the
   * error of the latest attempt to load one.
   */
  async current(): Promise<T> {
    const { maxAge, maxStale } = this.settings;
    const age = elapsed(this.loadedAt);
    if (this.value !== undefined && age < maxAge) return this.value;
    const reading = this.refresh();
    if (this.value !== undefined && age < maxStale) {
      reading?.catch(() => undefined);
      return this.value;
    }
    if (reading) return await reading;
    throw this.failure;
  }

  /**
   * Loads the value again, or joins a running attempt. Returns `undefined` if the last attempt began less than
   * `coolDown` seconds ago.
   */
  refresh(): Promise<T> | undefined {
    return this.loading ?? (elapsed(this.requestedAt) >= this.settings.coolDown ? this.startLoading() : undefined);
  }

  private startLoading(): Promise<T> {
    this.requestedAt = performance.now();
    this.loading = this.loadValue().finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async loadValue(): Promise<T> {
    try {
      this.value = await this.load();
      this.loadedAt = performance.now();
      return this.value;
    } catch (error) {
      this.failure = error;
      if (this.settings.skipsCoolDown?.(error)) this.requestedAt = -Infinity;
      throw error;
    }
  }
}

/** Returns the seconds since a time, by the monotonic clock. */
const elapsed = (since: number) => (performance.now() - since) / 1000;
