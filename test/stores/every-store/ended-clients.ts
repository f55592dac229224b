import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MemoryStore } from 'nest-oauth2/stores/memory';
import type { RedisStore } from 'nest-oauth2/stores/redis';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

import { ALICE, later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';
import { StatementLog } from '../statement-log.js';
import { findDatabases, open as openDatabase, ownPrefix, users } from '../typeorm-databases.js';

type Keeping = Exclude<OpenStore['store'], MemoryStore>;

describe.each(await findStores())('revoking all grants of a client with a store in $name', ({ name, open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const save = async (more: object = {}, client = WEB, user: object = ALICE) => {
    const token = {
      accessToken: randomUUID(),
      accessTokenExpiresAt: later(),
      refreshToken: randomUUID(),
      scope: 'read',
    };
    const moments = { refreshTokenExpiresAt: later(), grantId: randomUUID() };
    return opened.store.saveToken({ ...token, ...moments, ...more }, client, user);
  };
  const isAlive = async (accessToken: string) => (await opened.another.getAccessToken(accessToken)) !== undefined;

  it('revoking all grants of a client revokes tokens and codes in every process, but none issued later', async () => {
    await opened.store.revokeGrantsOf({ clientId: 'web' });
    const [one, other] = [await save(), await save()];
    const code = { authorizationCode: randomUUID(), expiresAt: later() };
    await opened.store.saveAuthorizationCode(code, WEB, ALICE);
    expect(await isAlive(one.accessToken)).toBe(true);
    expect(await opened.another.revokeGrantsOf({ clientId: 'web' })).toBe(3);
    const after = await save();
    expect([await isAlive(one.accessToken), await isAlive(other.accessToken)]).toEqual([false, false]);
    expect(await opened.store.getRefreshToken(one.refreshToken!)).toBeUndefined();
    expect(await opened.store.getAuthorizationCode(code.authorizationCode)).toBeUndefined();
    expect(await isAlive(after.accessToken)).toBe(true);
    expect(await opened.another.revokeGrantsOf({ clientId: 'web' })).toBe(1);
  });

  it('revoking all grants of a client removes them from lists, so that they cannot be revoked again', async () => {
    const user = { id: `lister ${randomUUID()}` };
    const { grantId } = await save({}, WEB, user);
    await opened.store.revokeGrantsOf({ clientId: 'web' });
    expect(await opened.another.listGrants(user.id)).toEqual([]);
    expect(await opened.store.revokeGrantsOf({ userId: user.id, clientId: 'web' })).toBe(0);
    expect(await opened.store.revokeGrant(grantId!)).toBe(false);
  });

  it('a grant revoked with its client is counted again by a later revocation for the user only on Redis', async () => {
    const user = { id: `counted ${randomUUID()}` };
    await save({}, WEB, user);
    await opened.store.revokeGrantsOf({ clientId: 'web' });
    // Redis revokes the grants of a user without reading each of them.
    expect(await opened.store.revokeGrantsOf({ userId: user.id })).toBe(name.startsWith('Redis') ? 1 : 0);
  });

  it('revoking all grants of a client also revokes tokens that are saved into these grants later', async () => {
    const { grantId } = await save();
    await opened.store.revokeGrantsOf({ clientId: 'web' });
    expect(await isAlive((await save({ grantId })).accessToken)).toBe(false);
  });

  it('revoking all grants of a client does not affect other clients', async () => {
    const { accessToken } = await save();
    await opened.store.revokeGrantsOf({ clientId: 'somebody else' });
    expect(await isAlive(accessToken)).toBe(true);
  });

  if (name !== 'memory')
    it('grants of a removed client stay revoked, even if the client is created again', async () => {
      const store = opened.store as Keeping;
      const { accessToken } = await save();
      expect(await isAlive(accessToken)).toBe(true);
      expect(await store.removeClient('web')).toBe(true);
      expect(await store.getClient('web', null)).toBeUndefined();
      expect(await store.removeClient('web')).toBe(false);
      // A request that was in progress when the client was removed.
      const late = await save();
      await (opened.another as RedisStore).saveClient(WEB);
      expect([await isAlive(accessToken), await isAlive(late.accessToken)]).toEqual([false, false]);
      const next = await save();
      await store.saveClient(WEB);
      expect(await isAlive(next.accessToken)).toBe(true);
    });
});

describe.each(await findDatabases())(
  'revoking all grants of a client that the application stores, on $name',
  (database) => {
    it('revoking all grants of a client that the application stores is recorded in a row of the store', async () => {
      const clients = { findById: (id: string) => ({ ...WEB, id }) };
      const opened = await openDatabase(database, ownPrefix('hosted'), { store: { clients } });
      const { store, dataSource } = opened;
      const save = (accessToken: string) => store.saveToken({ accessToken, accessTokenExpiresAt: later() }, WEB, ALICE);
      await save('before');
      expect(await store.revokeGrantsOf({ clientId: 'web' })).toBe(1);
      await save('after');
      expect(await store.getAccessToken('before')).toBeUndefined();
      expect(await store.getAccessToken('after')).toMatchObject({ client: { id: 'web' } });
      // This row is not a client.
      const keeping = new TypeOrmStore(dataSource, { users, prefix: ownPrefix('hosted') });
      expect(await keeping.getClient('web', null)).toBeUndefined();
      await opened.close();
    });

    it('revoking all grants of a client takes one small statement for any number of grants', async () => {
      const prefix = ownPrefix('many');
      const log = new StatementLog('all');
      const opened = await openDatabase(database, prefix, { logger: log, logging: true });
      const { store, dataSource } = opened;
      await store.saveClient(WEB);
      const { accessToken } = await store.saveToken({ accessToken: 'one', accessTokenExpiresAt: later() }, WEB, ALICE);
      const isLarge = database.name === 'PostgreSQL';
      if (isLarge) {
        await dataSource.query(`INSERT INTO ${prefix}grants (id, kind, client_id, created_at, expires_at, expires_on, client_generation)
        SELECT 'made ' || n, 'tokens', 'web', 0, 9999999999999, 1, 0 FROM generate_series(1, 100100) n`);
      }
      const versions = async () =>
        isLarge && dataSource.query<object[]>(`SELECT xmin, COUNT(*) AS n FROM ${prefix}grants GROUP BY xmin`);
      const before = await versions();
      log.statements.splice(0);
      expect(await store.revokeGrantsOf({ clientId: 'web' })).toBe(isLarge ? 100_000 : 1);
      // The grants are revoked before they are counted.
      expect(log.statements).toEqual([
        expect.stringMatching(/^UPDATE \S+clients/),
        expect.stringMatching(/^SELECT COUNT/),
      ]);
      expect(await store.getAccessToken(accessToken)).toBeUndefined();
      expect(await versions()).toEqual(before);
      await opened.close();
    });
  },
);
