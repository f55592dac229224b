import { MemoryStore } from 'nest-oauth2/stores/memory';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };

export const model = new MemoryStore({
  clients: [
    {
      id: 'demo',
      secret: 'demo-secret',
      // The `password` grant keeps the curl commands short. Applications with a browser use `authorization_code`.
      grants: ['client_credentials', 'password', 'refresh_token'],
      scopes: ['notes:read', 'notes:write'],
    },
    // The API is a client without grants. It may introspect the tokens that are issued for its `resources`.
    { id: 'notes-api', secret: 'notes-api-secret', grants: [], resources: ['https://notes.example/'] },
  ],
  users: {
    findById: (id) => (id === alice.id ? alice : undefined),
    // In production, hash passwords slowly and compare the hashes in constant time, as in 04-redis.
    findByCredentials: (username, password) =>
      username === alice.username && password === 'wonderland' ? alice : undefined,
  },
});
