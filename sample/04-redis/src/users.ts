import { hashPassword, type Users, verifyPassword } from 'nest-oauth2/stores/redis';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };
const passwordHash = hashPassword('wonderland');

/** Looks up the users of this demo. In your application, read them from your own database. */
export const users: Users = {
  findById: (id) => (id === alice.id ? alice : undefined),
  findByUsername: (username) => (username === alice.username ? alice : undefined),

  async verifyPassword(user, password) {
    // Without a hash, this takes as long, so that the response time does not reveal which usernames exist.
    return verifyPassword(password, user && (await passwordHash));
  },
};
