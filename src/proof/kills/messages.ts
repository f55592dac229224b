import type { IssuedCode } from '../../../lib/internal.js';
import type { ClientFixture } from '../../../lib/kit/index.js';

/** The first message to a child process: the store to open, and the fixtures of the requests. */
export interface StoreFixtures {
  /** The file that exports `proof`. */
  readonly file: string;
  /** The empty database or key prefix, which `store` of the file opens. */
  readonly place: string;
  readonly client: ClientFixture;
  readonly scopes: readonly string[];
  /** Milliseconds by which the clock of the process is ahead. Negative if it is behind. */
  readonly ahead: number;
}

/** The operations on the store, with their arguments and results. Each is one request of a client or user. */
export interface StoreOperations {
  /** Saves an authorization code, as the authorization endpoint does. */
  authorize: { argument: undefined; result: IssuedCode };
  redeem: { argument: IssuedCode; result: IssuedTokens };
  refresh: { argument: string; result: IssuedTokens };
  /** Presents an access token to a protected resource. */
  call: { argument: string; result: true };
}

export interface IssuedTokens {
  readonly access: string;
  readonly refresh: string;
}

/** A message with an operation to carry out. */
export interface StoreRequest {
  readonly id: number;
  readonly operation: keyof StoreOperations;
  readonly argument: unknown;
}

/**
 * The outcome of an operation. `unknown`: the process was killed, the database did not respond, or the model threw an
 * error, so that the operation may have been carried out or not.
 */
export type StoreOutcome<T = unknown> =
  | { readonly status: 'done'; readonly result: T }
  | { readonly status: 'refused' }
  | { readonly status: 'unknown'; readonly reason: string };

/** A message of a child process: the outcome of an operation, or whether it has opened the store (`id` 0). */
export type StoreResponse = { readonly id: number } & StoreOutcome;
