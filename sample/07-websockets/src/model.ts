import { MemoryStore } from 'nest-oauth2/stores/memory';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };

export const model = new MemoryStore({
  clients: [
    {
      id: 'demo',
      secret: 'demo-secret',
      // `password` keeps this short; an application with a browser uses `authorization_code`.
      grants: ['password'],
      scopes: ['notes:read', 'notes:write'],
    },
  ],
  users: {
    findById: (id) => (id === alice.id ? alice : undefined),
    // In a real system: a slow hash, compared in constant time, as in 04-redis.
    findByCredentials: (username, password) =>
      username === alice.username && password === 'wonderland' ? alice : undefined,
  },
});
