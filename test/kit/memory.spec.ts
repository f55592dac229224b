import { describe, expect, it } from '@jest/globals';
import { hashPassword, MemoryStore, verifyPassword } from 'nest-oauth2/stores/memory';
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

describe('a store with hashed passwords', () => {
  it('passes the model contract, although a password may be typed in other forms of the same characters', async () => {
    const { model, ...fixtures } = makeModel();
    const hash = await hashPassword(user.password);
    model.getUser = async (name: string, password: string) =>
      (await verifyPassword(password, hash)) && name === user.username && user;
    const { outcomes } = await checkModel(() => ({ model, ...fixtures }), { parallel: 2 });
    expect(outcomes.filter(({ result }) => result === 'failed')).toEqual([]);
  });
});
