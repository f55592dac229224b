import { InvalidArgumentError } from '../errors/index.js';
import { digest } from './client-secret.js';

/** How the ids begin under which a store keeps its own records. No user may have such an id. */
const RESERVED = 'nest-oauth2:';

/**
 * Returns the user id under which the consents of a user are stored. They are apart from the user's tokens, so that one look-up by the
 * index of users reads the consents only, however many tokens the user has.
 */
export const consentsOf = (userId: string): string => `${RESERVED}consents:${digest(userId)}`;

/** Returns the user id under which the clients are stored at which a user has signed in. See `consentsOf()`. */
export const sessionClientsOf = (userId: string): string => `${RESERVED}session-clients:${digest(userId)}`;

/** The user id, and the client id, under which messages to clients are stored. */
export const NOTIFICATIONS = `${RESERVED}notifications`;

/** Whether a store uses the user id for records of its own. */
export const isReserved = (userId: string): boolean => userId.startsWith(RESERVED);

/** @throws {InvalidArgumentError} If the user id is reserved for records of the store. */
export function verifyUserId(userId: string | undefined): void {
  if (userId !== undefined && isReserved(userId)) {
    throw new InvalidArgumentError('Invalid argument: the `id` of a user is reserved');
  }
}
