import type { Awaitable } from './model.js';

/** A model that can check its connection to the database, for health checks. */
export interface HealthModel {
  /**
   * Checks with a cheap query that the database can look up access tokens. Rejects if the database does not respond.
   */
  ping(): Awaitable<unknown>;
}

/** A model that deletes expired records. */
export interface PruneModel {
  /**
   * Deletes expired records in small batches.
   * @param options After `signal` is aborted, no further batch is deleted. What remains is deleted by the next call.
   * @returns how many records were deleted
   */
  prune(options?: { signal?: AbortSignal }): Awaitable<number>;
}

/** A model that verifies the database schema of its store. A Nest application calls it at start-up. */
export interface SchemaModel {
  /**
   * Rejects if the database schema differs from the one that the model needs. The error lists the differences and how
   * to fix them.
   * @returns Sentences about settings with which the store works, but not as expected, as a list of texts. A Nest application logs
   * them. Any other value is ignored.
   */
  checkSchema(): Awaitable<unknown>;
}
