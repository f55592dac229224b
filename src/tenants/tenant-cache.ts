import { Deadline, keepRecent } from '../../lib/adapter/index.js';
import type { TenantCacheOptions } from '../interfaces/oauth2-tenants.interface.js';

interface CachedValue<T> {
  readonly value: T;
  readonly until: number;
}

/** What was made for tenants: the latest used, each for a while. Who asks at once is given the same one. */
export class TenantCache<T> {
  private readonly cached = new Map<string, CachedValue<T>>();
  /** Apart from what is kept, so that nobody is pushed out by tenants that there are not. */
  private readonly pending = new Map<string, Promise<T | undefined>>();
  private readonly max: number;
  private readonly timeToLive: number;
  private readonly deadline: Deadline;

  /** @param verify is asked when all is known of what is to be kept, and throws where it may not be */
  constructor(
    { max = 1000, timeToLive = 300, deadline = 10 }: TenantCacheOptions = {},
    private readonly verify: (tenant: string, value: T) => void = () => undefined,
  ) {
    this.max = max;
    this.timeToLive = timeToLive * 1000;
    this.deadline = new Deadline(deadline);
  }

  /** Finds or makes it; undefined and failures are not kept. */
  get(tenant: string, make: () => Promise<T | undefined>): T | Promise<T | undefined> {
    const known = this.peek(tenant);
    if (known !== undefined) {
      const { until } = this.cached.get(tenant)!;
      keepRecent(this.cached, tenant, { value: known, until }, this.max);
      return known;
    }
    const before = this.pending.get(tenant);
    if (before) return before;
    // Once it was forgotten meanwhile it is nothing to keep.
    const isWanted = () => this.pending.get(tenant) === making;
    // Who comes later waits for the same one: one that never ends would be waited for until the end of the process.
    const making = this.deadline
      .within(make)
      .then((value) => {
        if (value === undefined) return value;
        this.verify(tenant, value);
        if (isWanted()) this.keep(tenant, value);
        return value;
      })
      .finally(() => isWanted() && this.pending.delete(tenant));
    this.pending.set(tenant, making);
    return making;
  }

  /** Another tenant, of which something like this is kept. */
  findOtherTenant(tenant: string, matches: (value: T) => boolean): string | undefined {
    const now = performance.now();
    for (const [other, { value, until }] of this.cached) {
      if (other !== tenant && until > now && matches(value)) return other;
    }
    return undefined;
  }

  private peek(tenant: string): T | undefined {
    const known = this.cached.get(tenant);
    if (known && known.until > performance.now()) return known.value;
    this.cached.delete(tenant);
    return undefined;
  }

  /** Of all, without a tenant; what is being made now is not kept either. */
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
