import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { TemporarilyUnavailableError } from 'nest-oauth2';

const hashSlowly = promisify<string, string, number, Buffer>(scrypt);

/** How many may wait for their turn: some two seconds of work. */
const MOST_WAITING = 40;

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Hashes a password, one at a time and not on the event loop, so that whoever guesses many slows down nobody but those
 * who sign in; and who would wait too long is told to come again.
 */
export async function hashPassword(password: string, salt: string): Promise<Buffer> {
  if (waiting >= MOST_WAITING) throw new TemporarilyUnavailableError('Too many sign-ins at once', { retryAfter: 5 });
  waiting++;
  const hash = last.then(() => hashSlowly(password, salt, 32));
  last = hash.catch(() => undefined).finally(() => waiting--);
  return hash;
}
