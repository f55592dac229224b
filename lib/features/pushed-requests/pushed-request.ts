import type { Awaitable, Falsy } from '../../model/model.js';

/** The parameters of an authorization request, as a client pushed them: without what proved who it is. */
export type PushedParameters = Readonly<Record<string, string | readonly string[]>>;

/** An authorization request that a client has pushed. RFC 9126 §2 */
export interface PushedRequest {
  /** How the client refers to it. Whoever knows it and the client's id can open it: keep its hash, as with a code. */
  requestUri: string;
  /** Whose it is: the `client_id` it was pushed with. */
  clientId: string;
  /** The issuer it was pushed to; left out where the host has named none. */
  issuer?: string;
  parameters: PushedParameters;
  /** Until when it must be opened for the first time. */
  openUntil: Date;
  /** When it is over, opened or not: from then on it need not be found. */
  expiresAt: Date;
}

/** Keeps pushed authorization requests; beside it the feature asks `once`. */
export interface PushedRequestModel {
  savePushedRequest(request: PushedRequest): Awaitable<unknown>;
  /** @returns falsy when there is none, or it was revoked */
  getPushedRequest(requestUri: string): Awaitable<PushedRequest | Falsy>;
  /**
   * Optional. Keeps a request, as it was found, for the time of the interaction: a browser of its client has opened it. A model
   * that implements this does not find a request after `openUntil` unless it was opened, by the clock of its database. If omitted,
   * the feature asks `once` and compares `openUntil` with the clock of the process.
   */
  openPushedRequest?(request: PushedRequest): Awaitable<unknown>;
  /** Spends it, as it was found: truthy for exactly one caller, however many try at once. RFC 9126 §7.3 */
  revokePushedRequest(request: PushedRequest): Awaitable<boolean>;
}
