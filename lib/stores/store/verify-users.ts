import { InvalidArgumentError } from '../../errors/index.js';
import type { Users } from '../contract/ports.js';

/** @throws {InvalidArgumentError} If `users` has no method `findById()`. */
export function verifyUsers(users: Partial<Users> | undefined): void {
  if (typeof users?.findById === 'function') return;
  const error =
    '`users` must be an object with a method `findById(id)` that returns the user or `undefined`: pass an instance, not a class';
  throw new InvalidArgumentError(`Invalid argument: ${error}`);
}
