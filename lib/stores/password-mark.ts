import type { User } from '../model/model.js';
import { digest } from './client-secret.js';
import type { Users } from './ports.js';

/** What is kept of the password that somebody had, in a mark by which it is known again and nothing else. */
export interface PasswordMarked {
  credential?: string | undefined;
}

/** The mark of the password that a user has now, where the host says what changes with it. */
export function passwordMark(users: Users, user: User): string | undefined {
  return users.credentialOf && digest(`${String(user['id'])}\n${users.credentialOf(user) ?? ''}`).slice(0, 22);
}

/** Has the user the password still that they had then? Of what was kept without a mark, nobody can tell. */
export function hasCurrentPassword(
  users: Users,
  user: User,
  { userId, data }: { userId: string | null; data: string | null },
) {
  if (!users.credentialOf || userId === null || data === null) return true;
  const { credential } = JSON.parse(data) as PasswordMarked;
  return credential === undefined || credential === passwordMark(users, user);
}
