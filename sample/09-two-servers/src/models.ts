import { MemoryStore } from 'nest-oauth2/stores/memory';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };

/** The model of the default server: the shop's own users and its app. */
export const shop = new MemoryStore({
  clients: [
    {
      id: 'shop-app',
      secret: 'shop-app-secret',
      // The `password` grant keeps the curl commands short. Applications with a browser use `authorization_code`.
      grants: ['password'],
      scopes: ['orders:read'],
    },
  ],
  users: {
    findById: (id) => (id === alice.id ? alice : undefined),
    // In production, hash passwords slowly and compare the hashes in constant time, as in 04-redis.
    findByCredentials: (username, password) =>
      username === alice.username && password === 'wonderland' ? alice : undefined,
  },
});

/** The model of the server `partners`. Its clients use the client credentials grant, so it has no users. */
export const partners = new MemoryStore({
  clients: [{ id: 'acme', secret: 'acme-secret', grants: ['client_credentials'], scopes: ['stock:read'] }],
  users: { findById: () => undefined, findByCredentials: () => undefined },
});
