import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { checkModel, describeModelContract } from 'nest-oauth2/testing';

import { SILENT_RUN } from './silent-run.js';

const user = { id: 'u1', username: 'Zoë 漢字', password: 'correct horse', name: 'Zoë' };
const grants = ['authorization_code', 'refresh_token', 'password', 'client_credentials'];
const scopes = ['read'];

function makeModel() {
  const model = new MemoryStore({
    clients: [
      { id: 'Web-App', secret: 's3cret-Of-The-App', grants, redirectUris: ['https://app.example/cb'], scopes },
      { id: 'other', secret: 'another-secret', grants, redirectUris: ['https://other.example/cb'], scopes },
    ],
    users: {
      findByCredentials: (username, password) =>
        username === user.username && password === user.password ? user : undefined,
      findById: (id) => (id === user.id ? user : undefined),
    },
  });
  return {
    model,
    client: { id: 'Web-App', secret: 's3cret-Of-The-App' },
    otherClient: { id: 'other', secret: 'another-secret' },
    user,
    scopes,
  };
}

describeModelContract('MemoryStore', makeModel, SILENT_RUN);

describe('a store with a client that may use no scope', () => {
  it('passes the model contract, and saves its tokens without a scope', async () => {
    const client = { id: 'plain', secret: 'plain-secret' };
    const known = { ...client, grants, redirectUris: ['https://app.example/cb'] };
    const users = { findByCredentials: () => undefined, findById: (id: string) => ({ id }) };
    const { outcomes } = await checkModel(() => ({ model: new MemoryStore({ clients: [known], users }), client }));
    expect(outcomes.filter(({ result }) => result === 'failed')).toEqual([]);
  });
});
