import { isUserName } from '../../lib/internal.js';
import type { User } from '../../lib/index.js';

/** One address, without a display name, quotes or a list. Control characters would add headers to an e-mail. */
const ADDRESS = /^[^\s@"'<>(),:;\\[\]]{1,64}@[^\s@"'<>(),:;\\[\]]+\.[^\s@"'<>(),:;\\[\].]{2,}$/u;

/** Returns a typed e-mail address in lower case. `undefined` if it is invalid. RFC 5321 §4.5.3.1 */
export function readEmail(typed: string | undefined): string | undefined {
  if (typed === undefined || typed.length > 254) return undefined;
  const email = typed.trim().toLowerCase();
  return isUserName(email) && ADDRESS.test(email) && !email.includes('..') ? email : undefined;
}

/** Returns the stored address of a user. `undefined` if it has none. */
export function emailOf(user: User): string | undefined {
  const email: unknown = user['email'];
  return typeof email === 'string' && email !== '' ? email : undefined;
}

/** Whether a typed address is the stored address of a user, whatever the database treats as equal. */
export function isAddressOf(user: User, typed: string): boolean {
  const stored = emailOf(user)?.trim().toLowerCase();
  return stored?.normalize() === typed.normalize();
}

/** Returns the name of a user. `undefined` if it has none. */
export function nameOf(user: User): string | undefined {
  const name: unknown = user['name'];
  return typeof name === 'string' ? name : undefined;
}
