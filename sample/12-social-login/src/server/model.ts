import { MemoryStore } from 'nest-oauth2/stores/memory';
import { issuer } from '../addresses.js';
import { accounts } from './accounts.js';

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
  users: accounts,
});
