import type { Awaitable } from './model.js';

/** Says whether what is kept can be reached; for health checks. */
export interface HealthModel {
  /** A look that costs next to nothing and needs all that an access token needs. Rejects where there is no answer. */
  ping(): Awaitable<unknown>;
}
