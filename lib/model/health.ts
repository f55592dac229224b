import type { Awaitable } from './model.js';

/** Says whether what is kept can be reached; for health checks. */
export interface HealthModel {
  /** A look that costs next to nothing and needs all that an access token needs. Rejects where there is no answer. */
  ping(): Awaitable<unknown>;
}

/** A model that verifies the schema of its store. A Nest application calls it at start-up. */
export interface SchemaModel {
  /** Rejects if the schema is not the one that the model needs. The error names what is missing and how to add it. */
  checkSchema(): Awaitable<unknown>;
}
