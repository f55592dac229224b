import { describe, it } from '@jest/globals';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { describeModelContract } from 'nest-oauth2/testing';

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

describeModelContract('MemoryStore', makeModel, { runner: { describe, it } });
