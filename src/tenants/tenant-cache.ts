import { Deadline, keepRecent } from '../../lib/internal.js';
import type { TenantCacheOptions } from '../interfaces/oauth2-tenants.interface.js';

interface CachedValue<T> {
  readonly value: T;
  readonly until: number;
}

/**
 * A cache for the servers of tenants. It removes the least recently used ones and those that have expired. Concurrent
 * requests for one tenant share one result.
 */
export class TenantCache<T> {
  private readonly cached = new Map<string, CachedValue<T>>();
  /** Results being loaded. They are kept apart from the cache, so that unknown tenants cannot evict known ones. */
  private readonly pending = new Map<string, Promise<T | undefined>>();
  private readonly max: number;
  private readonly timeToLive: number;
  private readonly deadline: Deadline;

  /** @param verify is called with a loaded value before it is cached, and throws if the value must not be used */
  constructor(
    { max = 1000, timeToLive = 300, deadline = 10 }: TenantCacheOptions = {},
    private readonly verify: (tenant: string, value: T) => void = () => undefined,
  ) {
    this.max = max;
    this.timeToLive = timeToLive * 1000;
    this.deadline = new Deadline(deadline);
  }

  /** Returns the cached value of a tenant, or loads it. `undefined` and errors are not cached. */
  get(tenant: string, make: () => Promise<T | undefined>): T | Promise<T | undefined> {
    const cached = this.peek(tenant);
    if (cached !== undefined) {
      const { until } = this.cached.get(tenant)!;
      keepRecent(this.cached, tenant, { value: cached, until }, this.max);
      return cached;
    }
    const running = this.pending.get(tenant);
    if (running) return running;
    // Do not cache the value if the tenant was forgotten in the meantime.
    const isStillRequested = () => this.pending.get(tenant) === making;
    // Concurrent requests wait for the same promise, so its time must be limited.
    const making = this.deadline
      .within(make)
      .then((value) => {
        if (value === undefined) return value;
        this.verify(tenant, value);
        if (isStillRequested()) this.keep(tenant, value);
        return value;
      })
      .finally(() => isStillRequested() && this.pending.delete(tenant));
    this.pending.set(tenant, making);
    return making;
  }

  /** Returns another tenant whose cached value matches. `undefined` if there is none. */
  findOtherTenant(tenant: string, matches: (value: T) => boolean): string | undefined {
    const now = performance.now();
    for (const [other, { value, until }] of this.cached) {
      if (other !== tenant && until > now && matches(value)) return other;
    }
    return undefined;
  }

  private peek(tenant: string): T | undefined {
    const entry = this.cached.get(tenant);
    if (entry && entry.until > performance.now()) return entry.value;
    this.cached.delete(tenant);
    return undefined;
  }

  /** Removes a tenant from the cache, also if it is being loaded. If omitted, all tenants. */
  forget(tenant?: string): void {
    for (const one of tenant === undefined ? [...this.cached.keys(), ...this.pending.keys()] : [tenant]) {
      this.cached.delete(one);
      this.pending.delete(one);
    }
  }

  private keep(tenant: string, value: T): void {
    keepRecent(this.cached, tenant, { value, until: performance.now() + this.timeToLive }, this.max);
  }
}
