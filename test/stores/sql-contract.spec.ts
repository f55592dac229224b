import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { hashSecret, newClientSecret, type StoredClient } from 'nest-oauth2/stores/typeorm';
import { describeModelContract } from 'nest-oauth2/testing';

import { onlyRaces } from '../kit/only-races.js';
import { SILENT_RUN } from '../kit/silent-run.js';
import { findDatabasesOfLibraries, open, type Opened, ownPrefix, SQLITE_IN_MEMORY } from './typeorm-databases.js';

const user = { id: 'u1', username: 'Zoë 漢字', password: 'correct horse', name: 'Zoë' };
const users = {
  findByCredentials: (username: string, password: string) =>
    username === user.username && password === user.password && user,
  findById: (id: string) => id === user.id && user,
};
const scopes = ['read'];
const grants = ['authorization_code', 'refresh_token', 'password', 'client_credentials'];
interface Known {
  id: string;
  secret: string;
  secretHash: string;
}
const random = (id: string): Known => ({ id, ...newClientSecret() });
const chosen = async (id: string, secret: string): Promise<Known> => ({
  id,
  secret,
  secretHash: await hashSecret(secret),
});
const RANDOM = [random('Web-App'), random('other')] as const;
// Verifying a chosen secret is slow and independent of the database, so only one database is tested with those.
const CHOSEN = [await chosen('Web-App', 's3cret-Of-The-App'), await chosen('other', 'another-secret')] as const;

const stored = ({ id, secretHash }: Known): StoredClient => {
  const redirectUris = [`https://${id.toLowerCase()}.example/cb`];
  return { id, grants, redirectUris, scopes, secretHashes: [secretHash] };
};

describe.each([SQLITE_IN_MEMORY, ...(await findDatabasesOfLibraries())])('the model contract on $name', (database) => {
  let opened: Opened;
  const known = database.name === 'SQLite in memory' ? CHOSEN : RANDOM;
  const [client, otherClient] = known.map(({ id, secret }) => ({ id, secret }));
  beforeAll(async () => {
    opened = await open(database, ownPrefix('kit'), { store: { users } });
    for (const each of known) await opened.store.saveClient(stored(each));
  });
  afterAll(() => opened.close());

  const makeModel = () => ({ model: opened.store, client, otherClient, user, scopes });
  // Their statements come from the same generator, and the storage contract runs each statement with each library.
  const run = { ...SILENT_RUN, runner: { describe, it: database.library ? onlyRaces : it } };
  describeModelContract(`${database.library ?? 'TypeOrm'}Store on ${database.name}`, makeModel, run);
});
