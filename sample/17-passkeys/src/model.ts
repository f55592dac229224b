import { MemoryStore } from 'nest-oauth2/stores/memory';
import { accounts } from './accounts.js';
import { issuer } from './address.js';

export const model = new MemoryStore({
  clients: [
    {
      id: 'notes',
      secret: 'notes-secret',
      name: 'Notes on the web',
      grants: ['authorization_code', 'refresh_token'],
      redirectUris: [`${issuer}/client/callback`],
      scopes: ['notes:read'],
    },
  ],
  users: {
    findById: (id) => accounts.findById(id),
    // Accounts have no passwords, so the password grant and password login always fail.
    findByCredentials: () => undefined,
  },
});
