import { configurationError } from '../../errors/configuration-error.js';
import { isObject } from '../../http/is-object.js';
import type { Falsy, User } from '../../model/model.js';
import type { Users } from './ports.js';

/**
 * Returns the user that a method of the application has found or created.
 * @param owner the option with the method
 * @throws {InvalidArgumentError} If the result is neither a user with an `id` nor falsy.
 */
export function verifyFoundUser<U extends User>(user: U | Falsy, method: string, owner = 'users'): U | Falsy {
  if (!user) return user;
  if (isObject(user) && user['id'] !== undefined && user['id'] !== null && user['id'] !== '') return user;
  const problem = isObject(user) ? 'an object without `id`' : `\`${JSON.stringify(user)}\``;
  throw configurationError(
    `\`${method}()\` of \`${owner}\` returned ${problem}: return the user as an object with an \`id\`, or \`undefined\` if there is none`,
  );
}

/**
 * Verifies that the ID of a user who has just signed in leads back to the user. Otherwise each request would find nobody
 * signed in, and show the login page again.
 * @throws {InvalidArgumentError} If `findById()` finds no user.
 */
export async function verifyFindable(users: Users, user: User): Promise<void> {
  const id = String(user['id']);
  const found = verifyFoundUser(await users.findById(id), 'findById');
  if (found && String(found['id']) === id) return;
  const problem = found ? 'finds another user than the one who' : 'finds no user right after the user with this ID';
  throw configurationError(
    `\`findById(${JSON.stringify(id)})\` of \`users\` ${problem} has signed in: the ID is passed as text, so convert it to the type of your column, and read the table that the sign-in reads`,
  );
}
