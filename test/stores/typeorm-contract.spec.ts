import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { hashSecret, type StoredClient } from 'nest-oauth2/stores/typeorm';
import { describeModelContract } from 'nest-oauth2/testing';

import { findDatabases, open, type Opened, ownPrefix } from './typeorm-databases.js';

const user = { id: 'u1', username: 'Zoë 漢字', password: 'correct horse', name: 'Zoë' };
const users = {
  findByCredentials: (username: string, password: string) =>
    username === user.username && password === user.password && user,
  findById: (id: string) => id === user.id && user,
};
const client = { id: 'Web-App', secret: 's3cret-Of-The-App' };
const otherClient = { id: 'other', secret: 'another-secret' };
const scopes = ['read'];
const grants = ['authorization_code', 'refresh_token', 'password', 'client_credentials'];
const stored: StoredClient[] = await Promise.all(
  [client, otherClient].map(async ({ id, secret }) => {
    const redirectUris = [`https://${id.toLowerCase()}.example/cb`];
    return { id, grants, redirectUris, scopes, secretHashes: [await hashSecret(secret)] };
  }),
);

describe.each(await findDatabases())('the contract on $name', (database) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(database, ownPrefix('kit'), { store: { users } });
    for (const each of stored) await opened.store.saveClient(each);
  });
  afterAll(() => opened.close());

  const makeModel = () => ({ model: opened.store, client, otherClient, user, scopes });
  describeModelContract(`TypeOrmStore on ${database.name}`, makeModel, { runner: { describe, it } });
});
