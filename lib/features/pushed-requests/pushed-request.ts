import type { Awaitable, Falsy } from '../../model/model.js';

/** The parameters of a pushed authorization request, without client credentials. */
export type PushedParameters = Readonly<Record<string, string | readonly string[]>>;

/** A pushed authorization request. RFC 9126 §2 */
export interface PushedRequest {
  /**
   * The `request_uri` of the request. It suffices, together with the client ID, to open the request. Store only its
   * hash, as for a code.
   */
  requestUri: string;
  /** The ID of the client that pushed the request. */
  clientId: string;
  /** The issuer that received the request. Omitted if the option `issuer` is not set. */
  issuer?: string;
  parameters: PushedParameters;
  /** Until when a browser must first open the request. */
  openUntil: Date;
  /** When the request expires, even if it was opened. The model need not find it after that. */
  expiresAt: Date;
}

/** A model that stores pushed authorization requests. The feature also requires `once()`. */
export interface PushedRequestModel {
  savePushedRequest(request: PushedRequest): Awaitable<unknown>;
  /** Finds a pushed request. Must return a falsy value if the request is unknown or was consumed. */
  getPushedRequest(requestUri: string): Awaitable<PushedRequest | Falsy>;
  /**
   * Records that a browser has opened the request. A model with this method must not find an unopened request after
   * `openUntil`, by the clock of its database. If omitted, the feature calls `once()` and compares `openUntil` with the
   * clock of the process.
   */
  openPushedRequest?(request: PushedRequest): Awaitable<unknown>;
  /**
   * Consumes a pushed request. Must return a truthy value to exactly one of several concurrent callers. RFC 9126 §7.3
   */
  revokePushedRequest(request: PushedRequest): Awaitable<boolean>;
}
