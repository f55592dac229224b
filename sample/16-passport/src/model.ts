import { MemoryStore } from 'nest-oauth2/stores/memory';
import { issuer } from './address.js';
import type { Users } from './users.js';

export const openStore = (users: Users) =>
  new MemoryStore({
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
    users,
  });
