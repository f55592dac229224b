import type { DataSource } from 'typeorm';

/** Minimum milliseconds between two generations: a server that does not recover must not cause a reconnect per request. */
const PAUSE = 1000;

/** A pool of `pg` or `mysql2`. */
interface EmittingPool {
  on(event: string, listener: (connection: object) => void): unknown;
}

/**
 * The generations of a pool's connections. After a failover, a pool still has connections to the old primary, which
 * returns old data or does not respond. A new generation makes all earlier connections obsolete.
 */
class ConnectionGenerations {
  /** The time of the last response to any statement of the pool. */
  respondedAt = performance.now();
  private current = 0;
  private renewedAt = -Infinity;
  private readonly known = new WeakMap<object, number>();

  /** @param pool If omitted, a connection joins the generation in which it is first used. */
  constructor(private readonly pool?: EmittingPool) {
    // The events of pg-pool and mysql2 for a new connection.
    for (const event of ['connect', 'connection']) pool?.on(event, (connection) => this.join(connection));
  }

  /**
   * Begins a new generation if the pool got no response during the second half of a statement's wait: its idle
   * connections are probably dead too.
   * @param since the time at which the statement was sent
   */
  renewIfSilent(since: number): void {
    const now = performance.now();
    if (now - this.respondedAt > (now - since) / 2) this.renew();
  }

  /** Begins a new generation, at most once a second. */
  renew(): void {
    const now = performance.now();
    if (now - this.renewedAt < PAUSE) return;
    this.renewedAt = now;
    this.current++;
  }

  /** Whether a connection belongs to the current generation. */
  isCurrent(connection: object): boolean {
    const generation = this.known.get(connection) ?? (this.pool ? 0 : this.join(connection));
    return generation === this.current;
  }

  private join(connection: object): number {
    this.known.set(connection, this.current);
    return this.current;
  }
}

const generations = new WeakMap<object, ConnectionGenerations>();

/** Returns the generations of the pool that a DataSource has now. All stores of a DataSource share them. */
export function generationsOf({ driver }: DataSource): ConnectionGenerations {
  const { master, pool = master } = driver as { master?: EmittingPool; pool?: EmittingPool };
  const key = pool ?? driver;
  let existing = generations.get(key);
  if (!existing) generations.set(key, (existing = new ConnectionGenerations(pool?.on ? pool : undefined)));
  return existing;
}
