import { timingSafeEqual } from 'node:crypto';
import type { Users } from 'nest-oauth2/stores/redis';
import { hashPassword } from './passwords.js';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };
const salt = 'a random one for each user, in a real system';
const passwordHash = hashPassword('wonderland', salt);

/** The users stay where they are in your system; here that is this file. */
export const users: Users = {
  findById: (id) => (id === alice.id ? alice : undefined),

  async findByCredentials(username, password) {
    // Hashed for unknown names too: the time an answer takes does not tell which names exist.
    const isRight = timingSafeEqual(await hashPassword(password, salt), await passwordHash);
    return isRight && username === alice.username ? alice : undefined;
  },
};
