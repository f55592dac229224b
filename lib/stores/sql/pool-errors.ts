/** A pool of `pg`, or one of its clients. */
export interface EmittingPool {
  on(event: string, listener: (client: EmittingPool) => void): unknown;
}

const seen = new WeakSet<EmittingPool>();

/**
 * Keeps the process alive when PostgreSQL restarts or fails over. An unhandled `error` event of an idle connection, or
 * of a connection that a transaction uses between two statements, would end the process. A statement fails in any case.
 */
export function handlePoolErrors(pool: EmittingPool): void {
  if (seen.has(pool)) return;
  seen.add(pool);
  pool.on('error', () => undefined);
  pool.on('acquire', handlePoolErrors);
}
