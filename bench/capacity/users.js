import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

// Users with a password hash as in docs/guides/users-and-passwords.md. All have the same password. Only this user signs in
// without a hash, because hashes need memory, and the sessions of code flows are not measured.
export const quickUser = 'alice';

export const password = 'correct-horse-battery-staple';
const hashSlowly = promisify(scrypt);
const salt = randomBytes(16).toString('base64');
const hashOf = (text) => hashSlowly(text.normalize('NFKC'), salt, 32, { N: 2 ** 14, r: 8, p: 5 });
let stored;

export const users = {
  findById: (id) => ({ id }),
  async findByCredentials(name, given) {
    if (name === quickUser) return { id: name };
    stored ??= await hashOf(password);
    return timingSafeEqual(await hashOf(given), stored) ? { id: name } : undefined;
  },
};

/** Returns the CPU microseconds of one hash. */
export async function hashingTime(count) {
  await hashOf(password);
  const before = process.cpuUsage();
  for (let done = 0; done < count; done++) await hashOf(password);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
