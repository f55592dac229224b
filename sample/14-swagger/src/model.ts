import { MemoryStore } from 'nest-oauth2/stores/memory';
import { scopes } from './scopes.js';

const alice = { id: '1', name: 'Alice', username: 'alice' };

export const model = new MemoryStore({
  clients: [
    {
      // Swagger UI runs in the browser: a client without a secret, which proves itself by PKCE.
      id: 'swagger-ui',
      name: 'Swagger UI',
      tokenEndpointAuthMethod: 'none',
      grants: ['authorization_code', 'refresh_token'],
      // Its page for answers, on this computer at any port. Of a server elsewhere it is the whole URL, with https.
      redirectUris: ['http://127.0.0.1/docs/oauth2-redirect.html'],
      scopes: [...scopes.names],
    },
  ],
  users: {
    findById: (id) => id === alice.id && alice,
    // In a real system passwords are hashed: the quick start shows how.
    findByCredentials: (name, password) => name === alice.username && password === 'wonderland' && alice,
  },
});
