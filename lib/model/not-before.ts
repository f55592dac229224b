import type { Awaitable } from './model.js';

/** Selects grants by the moment at which they began. */
export interface NotBefore {
  /** Everything issued before this moment ends. If omitted, everything issued until now. */
  before?: Date;
  /** Issuers whose grants end; `null` stands for grants without an issuer. If omitted, the grants of all issuers. */
  issuers?: readonly (string | null)[];
  /** Whether remembered consents end too. Default: `false`. */
  consents?: boolean;
}

/** A model that can end everything that was issued before a moment. */
export interface NotBeforeModel {
  /**
   * Ends every authorization code, access token, refresh token, session, device code and pushed request whose grant began
   * before a moment, in one write. A token that was refreshed later belongs to the older grant, and ends as well. An earlier
   * moment never replaces a later one.
   * @returns the moment that was applied, by the clock of the store if none was given
   * @throws {InvalidArgumentError} If the moment is invalid or in the future.
   */
  revokeBefore(which?: NotBefore): Awaitable<Date>;
}
