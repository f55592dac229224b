import { MemoryStore } from 'nest-oauth2/stores/memory';
import { scopes } from './scopes.js';

const alice = { id: '1', name: 'Alice', username: 'alice' };

export const model = new MemoryStore({
  clients: [
    {
      // Swagger UI runs in the browser, so it is a public client and uses PKCE.
      id: 'swagger-ui',
      name: 'Swagger UI',
      tokenEndpointAuthMethod: 'none',
      grants: ['authorization_code', 'refresh_token'],
      // The loopback address matches any port. For a server elsewhere, register the full https URL.
      redirectUris: ['http://127.0.0.1/docs/oauth2-redirect.html'],
      scopes: [...scopes.names],
    },
  ],
  users: {
    findById: (id) => id === alice.id && alice,
    // In production, hash passwords, as in 01-quick-start.
    findByCredentials: (name, password) => name === alice.username && password === 'wonderland' && alice,
  },
});
