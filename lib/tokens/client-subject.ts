import type { CoreClient, User } from '../model/model.js';

/**
 * The prefix of the IDs of synthetic users of the client credentials grant. Stores reject real users with such an ID.
 */
const PREFIX = 'oauth2:client:';

/**
 * The objects created by `clientItself()`. An ID with the prefix alone is no proof, because a user may have chosen it.
 */
const genuineUsers = new WeakSet<User>();

/**
 * Returns the synthetic user of a client credentials grant. It can never collide with a user ID. RFC 6749 §4.4,
 * RFC 9700 §4.15
 */
export function clientItself({ id }: Pick<CoreClient, 'id'>): User {
  const user = { id: PREFIX + id };
  genuineUsers.add(user);
  return user;
}

/** Whether a user has the ID of a synthetic user of a client credentials grant. RFC 9700 §4.15 */
export function isClientItself(user: User | null | undefined): boolean {
  const id: unknown = user?.['id'];
  return typeof id === 'string' && id.startsWith(PREFIX);
}

/**
 * Whether `clientItself()` created this object. Use it before saving, because a user could have chosen an ID with the
 * same prefix.
 */
export const isGenuineClientItself = (user: User): boolean => genuineUsers.has(user);

/** Returns the client ID of the synthetic user of a client credentials grant. */
export const clientIdOf = (user: User): string => String(user['id']).slice(PREFIX.length);
