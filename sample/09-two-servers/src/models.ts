import { MemoryStore } from 'nest-oauth2/stores/memory';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };

/** The shop's own users, and its own app. */
export const shop = new MemoryStore({
  clients: [
    {
      id: 'shop-app',
      secret: 'shop-app-secret',
      // `password` keeps the lines to paste short; an application with a browser uses `authorization_code`.
      grants: ['password'],
      scopes: ['orders:read'],
    },
  ],
  users: {
    findById: (id) => (id === alice.id ? alice : undefined),
    // In a real system: a slow hash, compared in constant time, as in 04-redis.
    findByCredentials: (username, password) =>
      username === alice.username && password === 'wonderland' ? alice : undefined,
  },
});

/** Partners are machines: they have no users. */
export const partners = new MemoryStore({
  clients: [{ id: 'acme', secret: 'acme-secret', grants: ['client_credentials'], scopes: ['stock:read'] }],
  users: { findById: () => undefined, findByCredentials: () => undefined },
});
