import { scryptSync, timingSafeEqual } from 'node:crypto';
import type { Users } from 'nest-oauth2/stores/redis';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };
const salt = 'a random one for each user, in a real system';
const hash = scryptSync('wonderland', salt, 32);

/** The users stay where they are in your system; here that is this file. */
export const users: Users = {
  findById: (id) => (id === alice.id ? alice : undefined),

  findByCredentials(username, password) {
    // Hashed for unknown names too: the time an answer takes does not tell which names exist.
    const isRight = timingSafeEqual(hash, scryptSync(password, salt, 32));
    return isRight && username === alice.username ? alice : undefined;
  },
};
