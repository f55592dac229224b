import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

import { later } from '../support/models/model.js';
import {
  findDatabasesOfLibraries,
  LIBRARIES,
  open,
  type Opened,
  ownPrefix,
  type TestDatabase,
  users,
  WEB,
} from './typeorm-databases.js';

type WithLibrary = TestDatabase & { library: keyof typeof LIBRARIES };
const databases = (await findDatabasesOfLibraries()).filter((each): each is WithLibrary => each.library !== undefined);
const ALICE = { id: 'alice' };
const tokens = (name: string, grantId: string) => ({
  accessToken: `access ${name}`,
  accessTokenExpiresAt: later(),
  refreshToken: `refresh ${name}`,
  refreshTokenExpiresAt: later(),
  scope: 'read',
  grantId,
});

describe.each(databases)('a store on $name', (database) => {
  const prefix = ownPrefix('library');
  const { dispose, ...options } = database.options();
  const statements: string[] = [];
  let opened: Opened;
  let typeorm: TypeOrmStore;
  let store: TypeOrmStore;
  let close: () => Promise<unknown>;

  beforeAll(async () => {
    opened = await open({ name: database.name, options: () => options }, prefix);
    typeorm = opened.store;
    const log = (text: string) => /^(INSERT|UPDATE|DELETE|SELECT|WITH)/.test(text.trim()) && statements.push(text);
    const given = { users, prefix, deadline: 15 };
    ({ store, close } = await LIBRARIES[database.library](options, given, log));
    await store.saveClient(WEB);
  });
  afterAll(async () => {
    await close();
    await opened.close();
    dispose?.();
  });

  /** Returns the number of statements that an operation sends. */
  const count = async (act: () => Promise<unknown>) => {
    const before = statements.length;
    expect(await act()).toBeTruthy();
    return statements.length - before;
  };

  it('sends one statement for each operation, and at most two to redeem a token', async () => {
    const isPostgres = database.name.startsWith('PostgreSQL');
    expect(await count(() => store.saveToken(tokens('counted', 'counted'), WEB, ALICE))).toBe(isPostgres ? 1 : 2);
    expect(await count(async () => store.getAccessToken('access counted'))).toBe(1);
    const used = (await store.getRefreshToken('refresh counted'))!;
    const redeemed = tokens('redeemed', 'counted');
    expect(await count(() => store.redeem(used, redeemed, WEB, ALICE))).toBe(isPostgres ? 1 : 2);
    expect(await count(() => store.revokeGrant('counted').then(() => true))).toBe(1);
  });

  it('reads what TypeORM wrote, and the reverse', async () => {
    for (const [index, [writer, reader]] of [
      [store, typeorm],
      [typeorm, store],
    ].entries()) {
      const [name, client] = [`Zoë 漢字 ${index}`, { ...WEB, id: `client ${index}`, name: `Shop ${index}` }];
      await writer!.saveClient(client);
      expect(await reader!.getClient(client.id, null)).toMatchObject({ name: client.name, scopes: WEB.scopes });
      await writer!.saveToken(tokens(name, name), client, { id: name });
      expect(await reader!.getAccessToken(`access ${name}`)).toMatchObject({ scope: 'read', user: { id: name } });
      const used = (await reader!.getRefreshToken(`refresh ${name}`))!;
      expect(await reader!.redeem(used, tokens(`next ${name}`, name), client, { id: name })).toBeTruthy();
      expect(await writer!.getRefreshToken(`refresh ${name}`)).toMatchObject({ revokedAt: expect.any(Date) });
      expect(await writer!.listGrants(name)).toEqual(await reader!.listGrants(name));
      expect(await writer!.listGrants(name)).toHaveLength(1);
      expect(await writer!.once(`single-use ${index}`, 60)).toBe(true);
      expect(await reader!.once(`single-use ${index}`, 60)).toBe(false);
      expect(await reader!.revokeGrantsOf({ userId: name })).toBe(1);
      expect(await writer!.getAccessToken(`access next ${name}`)).toBeUndefined();
    }
  });

  if (!database.name.startsWith('SQLite'))
    it('fails only the one of several concurrent calls that the database rejects', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `shared ${index}`);
      // The column of the grant has space for 255 characters.
      const grantOf = (name: string) => (name === 'shared 7' ? 'g'.repeat(300) : name);
      const results = await Promise.allSettled(
        names.map((name) => store.saveToken(tokens(name, grantOf(name)), WEB, ALICE)),
      );
      expect(results.flatMap(({ status }, index) => (status === 'rejected' ? index : []))).toEqual([7]);
    });

  it('names the missing tables at start-up, and when it is used', async () => {
    const given = { users, prefix: `${prefix}none_`, deadline: 15 };
    const missing = await LIBRARIES[database.library](options, given);
    const message = `lacks tables or columns of ${database.library}Store (\`${prefix}none_clients\``;
    await expect(missing.store.checkSchema()).rejects.toThrow(message);
    await expect(missing.store.getAccessToken('x')).rejects.toThrow(message);
    await expect(store.checkSchema()).resolves.toEqual([]);
    await missing.close();
  });

  it('warns in production if the database lets a statement run after the deadline', async () => {
    const before = process.env['NODE_ENV'];
    process.env['NODE_ENV'] = 'production';
    try {
      const setting = { P: 'statement_timeout', M: 'max_statement_time', S: undefined }[database.name[0] as 'P'];
      const warnings = await store.checkSchema();
      const isWarned = setting !== undefined && !database.name.startsWith('MySQL');
      const warning = expect.stringContaining(`set \`${setting}\` of the database user to about 15 seconds`);
      expect(warnings).toEqual(isWarned ? [warning] : []);
    } finally {
      process.env['NODE_ENV'] = before;
    }
  });

  if (!database.name.startsWith('SQLite'))
    it('rejects with 503 after its deadline', async () => {
      const given = { users, prefix, deadline: 0.3 };
      const slow = await LIBRARIES[database.library](options, given);
      await store.saveToken(tokens('locked', 'locked'), WEB, ALICE);
      const used = (await store.getRefreshToken('refresh locked'))!;
      const runner = opened.dataSource.createQueryRunner();
      await runner.startTransaction();
      await runner.query(`UPDATE ${prefix}tokens SET scope = 'read' WHERE kind = 'refresh'`);
      await expect(slow.store.redeem(used, tokens('late', 'locked'), WEB, ALICE)).rejects.toMatchObject({ code: 503 });
      await runner.commitTransaction();
      await runner.release();
      await slow.close();
    });
});
