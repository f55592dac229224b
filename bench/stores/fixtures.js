export const client = { id: 'web', grants: ['authorization_code', 'refresh_token'] };
export const user = { id: 'alice' };

/** Answered from memory: what is measured is the tokens. */
export const clients = { findById: (id) => (id === client.id ? client : undefined) };
export const users = { findById: (id) => (id === user.id ? user : undefined), findByCredentials: () => user };
