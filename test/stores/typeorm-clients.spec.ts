import { scryptSync } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';
import { hashSecret, TypeOrmStore } from 'nest-oauth2/stores/typeorm';

import { ALICE, later, SECRET } from '../support/models/model.js';
import { runOperation, tokenRequest } from '../support/clients/requests.js';
import { findDatabases, open, type Opened, ownPrefix, users, WEB } from './typeorm-databases.js';

const PREFIX = ownPrefix('clients');

describe.each(await findDatabases())('the clients of a TypeORM store on $name', (database) => {
  let opened: Opened;
  let store: TypeOrmStore;

  beforeAll(async () => {
    opened = await open(database, PREFIX);
    ({ store } = opened);
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of ['clients', 'tokens']) await opened.dataSource.query(`DELETE FROM ${PREFIX}${table}`);
    await store.saveClient(WEB);
  });

  const rows = (table: string) =>
    opened.dataSource.getRepository(PREFIX + table).find() as Promise<Record<string, unknown>[]>;
  const save = (accessToken: string) => store.saveToken({ accessToken, accessTokenExpiresAt: later() }, WEB, ALICE);

  it('the hash of a client secret is replaced when the secret is used, if the cost of the hash was too low', async () => {
    // Scrypt of the library has this N in tests.
    const key = scryptSync('cheap', 'salt', 32, { N: 2 }).toString('base64').replaceAll('=', '');
    const other = await hashSecret('other');
    const client = { ...WEB, secret: undefined, secretHashes: [other, `$scrypt$ln=4,r=8,p=1$c2FsdA$${key}`] };
    await store.saveClient(client);
    expect(await store.getClient('web', 'cheap')).toBeDefined();
    const [{ secretHashes }] = (await rows('clients')) as [{ secretHashes: string[] }];
    expect(secretHashes).toEqual([other, expect.stringContaining('$scrypt$ln=14,')]);
    expect(await store.getClient('web', 'cheap')).toBeDefined();
  });

  it('saveClient() without a secret changes other properties of a client, and keeps its secrets', async () => {
    await store.saveClient({ id: 'web', grants: ['password'], scopes: ['read'], accessTokenLifetime: 60 });
    const client = await store.getClient('web', SECRET);
    expect(client).toEqual({ id: 'web', grants: ['password'], scopes: ['read'], accessTokenLifetime: 60 });
  });

  // A column of MariaDB cannot hold 70 kB.
  it('a client may request the longest possible scope, and gets invalid_scope for a longer one', async () => {
    const scopes = Array.from({ length: 128 }, (_, index) => `${index}`.padEnd(256, 'x'));
    await store.saveClient({ ...WEB, scopes });
    const server = new OAuth2Server({ model: store });
    const ask = (scope: string) =>
      runOperation(server, 'token', tokenRequest({ grant_type: 'client_credentials', scope }));
    const { status, body } = await ask(scopes.join(' '));
    expect(status).toBe(200);
    const found = await store.getAccessToken(body['access_token'] as string);
    expect(found?.scope).toBe(scopes.join(' '));
    for (const scope of ['y'.repeat(70_000), `${scopes.join(' ')} y`, 'y '.repeat(35_000)]) {
      expect(await ask(scope)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    }
  });

  it('a client of a TypeORM store loses all grants when it is removed', async () => {
    await save('orphan');
    expect(await store.removeClient('web')).toBe(true);
    expect(await store.removeClient('web')).toBe(false);
    expect(await store.getAccessToken('orphan')).toBeUndefined();
    await store.saveClient(WEB);
    expect(await store.getAccessToken('orphan')).toBeUndefined();
  });

  it('the application can store the clients of a TypeORM store itself', async () => {
    const clients = { findById: (id: string) => id === 'own' && { ...WEB, id } };
    const hosted = new TypeOrmStore(opened.dataSource, { users, prefix: PREFIX, clients });
    expect(await hosted.getClient('own', SECRET)).toMatchObject({ id: 'own' });
    expect(await hosted.getClient('web', SECRET)).toBeUndefined();
    await hosted.saveToken({ accessToken: 'hosted', accessTokenExpiresAt: later() }, { ...WEB, id: 'own' }, ALICE);
    expect(await hosted.getAccessToken('hosted')).toMatchObject({ client: { id: 'own' }, user: ALICE });
    expect(await store.getAccessToken('hosted')).toBeUndefined();
    await expect(hosted.saveClient(WEB)).rejects.toMatchObject({ name: 'invalid_argument' });
  });
});
