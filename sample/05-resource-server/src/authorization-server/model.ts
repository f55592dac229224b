import { MemoryStore } from 'nest-oauth2/stores/memory';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };

export const model = new MemoryStore({
  clients: [
    {
      id: 'demo',
      secret: 'demo-secret',
      // `password` keeps the lines to paste short; an application with a browser uses `authorization_code`.
      grants: ['client_credentials', 'password', 'refresh_token'],
      scopes: ['notes:read', 'notes:write'],
    },
    // The API is a client too, which may have no tokens, but ask about those that are meant for it.
    { id: 'notes-api', secret: 'notes-api-secret', grants: [], resources: ['https://notes.example/'] },
  ],
  users: {
    findById: (id) => (id === alice.id ? alice : undefined),
    // In a real system: a slow hash, compared in constant time, as in 04-redis.
    findByCredentials: (username, password) =>
      username === alice.username && password === 'wonderland' ? alice : undefined,
  },
});
