/** How long something is believed that somebody else keeps, in seconds. */
export interface RefreshingCacheSettings {
  /** It is not asked for again, unless something is missing in it. */
  maxAge: number;
  /** Between two requests for it at least, whatever comes. */
  coolDown: number;
  /** It is used though there is no answer any more. */
  maxStale: number;
  /** Was nobody asked at all, so that the next one may be tried at once? */
  skipsCoolDown?(error: unknown): boolean;
}

/**
 * What somebody else keeps. It is asked for once in a while, while the old one is used; at once, if something is missing in that;
 * and never more often than the cool-down says.
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

  /** Rejects as `load` did where there is nothing at all. */
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

  /** What is being read now, or is read again; undefined: it was a moment ago. */
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

/** Seconds since then, by a clock that nobody sets. */
const elapsed = (since: number) => (performance.now() - since) / 1000;
