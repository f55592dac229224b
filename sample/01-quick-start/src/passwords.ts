import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { TemporarilyUnavailableError } from 'nest-oauth2';

const hashSlowly = promisify<string, string, number, Buffer>(scrypt);

/** Maximum number of queued password checks: about two seconds of work. */
const MAX_WAITING = 40;

let waiting = 0;
let lastHash: Promise<unknown> = Promise.resolve();

/**
 * Hashes a password with scrypt. It hashes one password at a time and off the event loop, so that password guessing
 * slows down only sign-ins.
 *
 * @throws {TemporarilyUnavailableError} If the queue is full.
 */
export async function hashPassword(password: string, salt: string): Promise<Buffer> {
  if (waiting >= MAX_WAITING) throw new TemporarilyUnavailableError('Too many concurrent sign-ins', { retryAfter: 5 });
  waiting++;
  const hash = lastHash.then(() => hashSlowly(password, salt, 32));
  lastHash = hash.catch(() => undefined).finally(() => waiting--);
  return hash;
}
