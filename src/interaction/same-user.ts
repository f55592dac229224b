import type { Falsy, User } from '../../lib/index.js';

/** Returns whether a user was found who is the other one. Databases return an ID as a number or as text. */
export const isSameUser = (found: User | Falsy, other: User): boolean =>
  Boolean(found) && String((found as User)['id']) === String(other['id']);
