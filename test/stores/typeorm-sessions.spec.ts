import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

import { earlier, later } from '../support/models/model.js';
import { findDatabases, open, type Opened, ownPrefix, WEB } from './typeorm-databases.js';

const PREFIX = ownPrefix('sessions');

describe.each(await findDatabases())('the grants of users in a TypeORM store on $name', (database) => {
  let opened: Opened;
  let store: TypeOrmStore;

  beforeAll(async () => {
    opened = await open(database, PREFIX);
    ({ store } = opened);
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of ['grants', 'tokens']) await opened.dataSource.query(`DELETE FROM ${PREFIX}${table}`);
    await store.saveClient(WEB);
  });

  const rows = (table: string) =>
    opened.dataSource.getRepository(PREFIX + table).find() as Promise<Record<string, unknown>[]>;
  const save = (accessToken: string, more: object = {}, user: { id: string | number } = { id: 'alice' }) =>
    store.saveToken({ accessToken, accessTokenExpiresAt: later(), scope: 'read', ...more }, WEB, user);

  it('grants of a user are listed, and revoked one by one or all together', async () => {
    await store.saveAuthorizationCode({ authorizationCode: 'bob', expiresAt: later() }, WEB, { id: 'bob' });
    await save('first', {}, { id: 7 });
    await save('second', { scope: 'read write' }, { id: 7 });
    const listed = await store.listGrants(7);
    expect(new Set(listed.map(({ scope }) => scope))).toEqual(new Set(['read', 'read write']));
    expect(listed[0]).toEqual({
      id: expect.any(String),
      clientId: 'web',
      client: { ...WEB, secretHashes: undefined },
      scope: expect.any(String),
      createdAt: expect.any(Date),
      lastUsedAt: expect.any(Date),
      expiresAt: expect.any(Date),
    });
    const grantId = listed[0]!.id;
    expect(await store.revokeGrantsOf({ userId: 8, grantId })).toBe(0);
    expect(await store.revokeGrantsOf({ userId: 7, grantId })).toBe(1);
    expect(await store.revokeGrantsOf({ userId: 7, grantId })).toBe(0);
    expect((await store.listGrants(7)).map(({ id }) => id)).toEqual([listed[1]!.id]);
    expect(await store.listGrants('bob')).toEqual([]);
    expect(await store.revokeGrantsOf({ clientId: 'web' })).toBe(2);
    expect(await store.listGrants(7)).toEqual([]);
  });

  it('revokeGrantsOf() rejects a filter without a value for user or client, and revokes nothing', async () => {
    await save('kept');
    for (const filter of [{}, { userId: undefined }, { userId: undefined, clientId: 'web' }, { user_id: 'alice' }]) {
      await expect(store.revokeGrantsOf(filter)).rejects.toMatchObject({ name: 'invalid_argument' });
    }
    expect(await store.getAccessToken('kept')).toBeDefined();
  });

  it('expired tokens and grants are pruned in batches', async () => {
    for (let n = 0; n < 25; n++)
      await save(`old ${n}`, { accessTokenExpiresAt: earlier(3600), refreshToken: `r ${n}` });
    for (let n = 0; n < 25; n++) await save(`gone ${n}`, { accessTokenExpiresAt: earlier(3600) });
    await save('new');
    const used = { authorizationCode: 'spent', expiresAt: later() };
    await store.saveAuthorizationCode(used, WEB, { id: 'alice' });
    await store.revokeAuthorizationCode(used);
    expect(await store.prune({ batchSize: 10 })).toBe(25 + 25 + 25);
    expect(await rows('tokens')).toHaveLength(25 + 2);
    expect(await store.getAuthorizationCode('spent')).toMatchObject({ revokedAt: expect.any(Date) });
    expect(await store.prune({ batchSize: 10 })).toBe(0);
  });
});
