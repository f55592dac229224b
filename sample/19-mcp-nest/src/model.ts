import { MemoryStore } from 'nest-oauth2/stores/memory';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };

/**
 * The model: users, registered clients and tokens, in the memory of this process. In production, use a store with a
 * database, as in 10-mcp, and hash passwords, as in 03-typeorm-postgres.
 */
export const model = new MemoryStore({
  clients: [],
  users: {
    findById: (id) => (id === alice.id ? alice : undefined),
    findByCredentials: (username, password) =>
      username === alice.username && password === 'wonderland' ? alice : undefined,
  },
});
