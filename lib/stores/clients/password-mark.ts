import type { User } from '../../model/model.js';
import { digest } from './client-secret.js';
import type { Users } from '../contract/ports.js';

/**
 * An object with a password mark, a short digest of the password that its user had when it was saved. See
 * `passwordMark()`.
 */
export interface PasswordMarked {
  credential?: string | undefined;
}

/**
 * Returns the password mark of a user: a short digest that identifies the current password and cannot be used to sign
 * in. Returns `undefined` if the application has no `credentialOf()`.
 */
export function passwordMark(users: Users, user: User): string | undefined {
  return users.credentialOf && digest(`${String(user['id'])}\n${users.credentialOf(user) ?? ''}`).slice(0, 22);
}

/**
 * Whether a user still has the password from the time when a record was saved. Always `true` for records without a
 * password mark.
 */
export function hasCurrentPassword(
  users: Users,
  user: User,
  { userId, data }: { userId: string | null; data: string | null },
) {
  if (!users.credentialOf || userId === null || data === null) return true;
  const { credential } = JSON.parse(data) as PasswordMarked;
  return credential === undefined || credential === passwordMark(users, user);
}
