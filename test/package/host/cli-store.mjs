import { MemoryStore } from 'nest-oauth2/stores/memory';

const users = { findByCredentials: () => undefined, findById: () => undefined };
export default new MemoryStore({ clients: [{ id: 'web', grants: ['password'] }], users });
export const lacking = { getClient: () => undefined };
