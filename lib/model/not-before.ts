import type { Awaitable } from './model.js';

/** Selects grants by the time at which they began. */
export interface NotBefore {
  /** Grants that began before this time are revoked. If omitted, all grants that began until now. */
  before?: Date;
  /**
   * Issuers whose grants are revoked. `null` selects grants without an issuer. If omitted, the grants of all issuers.
   */
  issuers?: readonly (string | null)[];
  /** Whether remembered consents are deleted too. Default: `false`. */
  consents?: boolean;
}

/** A model that can revoke everything that was issued before a point in time. */
export interface NotBeforeModel {
  /**
   * Revokes every authorization code, access token, refresh token, session, device code and pushed request whose grant
   * began before a point in time, in one write. A token that was refreshed later belongs to its original grant, so it
   * is revoked too. An earlier time never replaces a later one.
   * @returns The time that was applied. If none was given, it is the current time of the store.
   * @throws {InvalidArgumentError} If the time is invalid or in the future.
   */
  revokeBefore(which?: NotBefore): Awaitable<Date>;
}
