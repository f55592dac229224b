import { timingSafeEqual } from 'node:crypto';
import type { Users } from 'nest-oauth2/stores/redis';
import { hashPassword } from './passwords.js';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };
const salt = 'in production, a random salt for each user';
const passwordHash = hashPassword('wonderland', salt);

/** Looks up the users of this demo. In your application, read them from your own database. */
export const users: Users = {
  findById: (id) => (id === alice.id ? alice : undefined),

  async findByCredentials(username, password) {
    // Hash the password for unknown usernames too, so that the response time does not reveal which usernames exist.
    const isRight = timingSafeEqual(await hashPassword(password, salt), await passwordHash);
    return isRight && username === alice.username ? alice : undefined;
  },
};
