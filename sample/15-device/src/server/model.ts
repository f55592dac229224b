import { MemoryStore } from 'nest-oauth2/stores/memory';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };

export const model = new MemoryStore({
  clients: [
    {
      id: 'notes-cli',
      name: 'Notes in a terminal',
      // A public client: every user has a copy of the program, so it has no secret.
      tokenEndpointAuthMethod: 'none',
      grants: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      scopes: ['notes:read'],
    },
  ],
  users: {
    findById: (id) => (id === alice.id ? alice : undefined),
    // In production, hash passwords slowly and compare the hashes in constant time, as in 04-redis.
    findByCredentials: (username, password) =>
      username === alice.username && password === 'wonderland' ? alice : undefined,
  },
});
