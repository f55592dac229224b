import { InvalidArgumentError } from '../../errors/index.js';
import { digest } from '../clients/client-secret.js';

/** The prefix of user IDs under which a store saves its own records. No user may have one of these IDs. */
const RESERVED = 'nest-oauth2:';

/**
 * Returns the reserved user ID under which the consents of a user are stored. Since they are separate from the user's
 * tokens, they can be read in one look-up, however many tokens the user has.
 */
export const consentsOf = (userId: string): string => `${RESERVED}consents:${digest(userId)}`;

/**
 * Returns the reserved user ID under which the sign-ins of a user at clients are stored, separate from the user's
 * tokens.
 */
export const sessionClientsOf = (userId: string): string => `${RESERVED}session-clients:${digest(userId)}`;

/** The reserved ID under which messages to clients are stored, as both their user ID and their client ID. */
export const NOTIFICATIONS = `${RESERVED}notifications`;

/** Whether a user ID is reserved for records of the store. */
export const isReserved = (userId: string): boolean => userId.startsWith(RESERVED);

/** @throws {InvalidArgumentError} If the user ID is reserved for records of the store. */
export function verifyUserId(userId: string | undefined): void {
  if (userId !== undefined && isReserved(userId)) {
    throw new InvalidArgumentError(
      'Invalid argument: the `id` of a user must not begin with `nest-oauth2:`, which is reserved',
    );
  }
}
