import type { CoreClient, User } from '../model/model.js';

/** No user has an id that begins so: stores see to it. */
const PREFIX = 'oauth2:client:';

/** Those that were made here: an id alone could be that of a user who chose it. */
const genuineUsers = new WeakSet<User>();

/** The user of a client that acts for itself: nobody whom it could be taken for. RFC 6749 §4.4, RFC 9700 §4.15 */
export function clientItself({ id }: Pick<CoreClient, 'id'>): User {
  const user = { id: PREFIX + id };
  genuineUsers.add(user);
  return user;
}

/** Is this no user, but a client that acts for itself? RFC 9700 §4.15 */
export function isClientItself(user: User | null | undefined): boolean {
  const id: unknown = user?.['id'];
  return typeof id === 'string' && id.startsWith(PREFIX);
}

/** The same for one that is to be saved: who only says so is nobody. */
export const isGenuineClientItself = (user: User): boolean => genuineUsers.has(user);

/** The id of the client that acts for itself. */
export const clientIdOf = (user: User): string => String(user['id']).slice(PREFIX.length);
