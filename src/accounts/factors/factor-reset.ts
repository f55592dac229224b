import { capability } from '../../../lib/internal.js';

/** Removes the second factors of users who have lost all of them. Only operators may do this. */
export interface FactorReset {
  /**
   * Removes the authenticator app, the recovery codes and the passkeys of a user, ends all sessions of the user, and
   * informs the user by e-mail.
   * @returns the kinds of credentials that were removed. `undefined` if the user does not exist.
   */
  reset(userId: string): Promise<readonly string[] | undefined>;
}

/** The capability key by which the command `nest-oauth2 accounts reset` finds the accounts of a server. */
export const FACTOR_RESET = capability<FactorReset>('reset of second factors', 'accounts');
