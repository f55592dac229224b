import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

/** How long keys are believed, in seconds. */
export interface KeyCacheSettings {
  /** They are not asked for again, unless something names one that is unknown. */
  maxAge: number;
  /** Between two requests for them at least, whatever comes. */
  coolDown: number;
  /** They are used though there is no answer any more. */
  maxStale: number;
  /** Was nobody asked at all, so that the next one may be tried at once? */
  isUnasked?(error: unknown): boolean;
}

/**
 * The keys of somebody else. They are asked for once in a while, while the old ones are used; at once, if something names one
 * that is unknown; and never more often than the cool-down says. RFC 7517
 */
export class KeyCache {
  private keys: JWTVerifyGetKey | undefined;
  private readAt = -Infinity;
  private askedAt = -Infinity;
  private reading: Promise<void> | undefined;
  private failure: unknown;

  constructor(
    private readonly load: () => Promise<JSONWebKeySet>,
    private readonly settings: KeyCacheSettings,
  ) {}

  /** As `jose` asks for a key: by the header of what is signed. Rejects as `load` did where there are no keys at all. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.current();
    try {
      return await keys(header, token);
    } catch (error) {
      const reading = error instanceof errors.JWKSNoMatchingKey && this.newest();
      if (!reading) throw error;
      // They may have been changed a moment ago. That there is no answer now makes an unknown key no better.
      await reading.catch(() => undefined);
      return await this.keys!(header, token);
    }
  };

  private async current(): Promise<JWTVerifyGetKey> {
    const { maxAge, maxStale } = this.settings;
    const age = elapsed(this.readAt);
    if (this.keys && age < maxAge) return this.keys;
    const reading = this.newest();
    if (this.keys && age < maxStale) reading?.catch(() => undefined);
    else if (reading) await reading;
    else throw this.failure;
    return this.keys!;
  }

  /** What is being read now, or is read again; undefined: it was a moment ago. */
  private newest(): Promise<void> | undefined {
    return this.reading ?? (elapsed(this.askedAt) >= this.settings.coolDown ? this.read() : undefined);
  }

  private read(): Promise<void> {
    this.askedAt = performance.now();
    this.reading = this.renew().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async renew(): Promise<void> {
    try {
      this.keys = createLocalJWKSet(await this.load());
      this.readAt = performance.now();
    } catch (error) {
      this.failure = error;
      if (this.settings.isUnasked?.(error)) this.askedAt = -Infinity;
      throw error;
    }
  }
}

/** Seconds since then, by a clock that nobody sets. */
const elapsed = (since: number) => (performance.now() - since) / 1000;
