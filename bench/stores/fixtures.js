import { requiredScope } from '../fixtures.js';

export const client = { id: 'web', grants: ['authorization_code', 'refresh_token'] };
export const user = { id: 'alice' };

/** Clients in memory, because only tokens are measured. */
export const clients = { findById: (id) => (id === client.id ? client : undefined) };
export const users = { findById: (id) => (id === user.id ? user : undefined), findByCredentials: () => user };

/** Returns a stored confidential client with this hash of its secret. */
export function keptClient(id, hash) {
  return {
    id,
    grants: ['authorization_code', 'client_credentials', 'refresh_token'],
    redirectUris: ['https://client.example.com/callback'],
    scopes: [requiredScope, 'profile'],
    secretHashes: [hash],
  };
}
