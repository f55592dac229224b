import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { ALICE, later } from '../support/models/model.js';
import { open, type Opened, ownPrefix, SQLITE_IN_FILE, SQLITE_IN_MEMORY, users, WEB } from './typeorm-databases.js';

const PREFIX = ownPrefix('alone');
const sqlite = [SQLITE_IN_MEMORY, SQLITE_IN_FILE];

describe.each(sqlite)('a TypeORM store on the single connection of $name', (database) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(database, PREFIX, { store: { clients: { findById: () => WEB } } });
    await opened.dataSource.query('CREATE TABLE notes (text varchar)');
  });
  afterAll(() => opened.close());

  const rest = (milliseconds: number) => new Promise((resolve) => void setTimeout(resolve, milliseconds));

  it('stays outside of a transaction of the application, so that its rollback does not restore a used code', async () => {
    const { store, dataSource } = opened;
    await store.saveAuthorizationCode({ authorizationCode: 'once', expiresAt: later(), grantId: 'g' }, WEB, ALICE);
    const transaction = dataSource.transaction(async (manager) => {
      await manager.query(`INSERT INTO notes VALUES ('draft')`);
      await rest(100);
      throw new Error('rolled back');
    });
    const used = store.revokeAuthorizationCode({ authorizationCode: 'once' });
    const saved = store.saveToken({ accessToken: 'access', accessTokenExpiresAt: later() }, WEB, ALICE);
    await expect(transaction).rejects.toThrow('rolled back');
    expect(await used).toBe(true);
    await saved;
    expect(await store.revokeAuthorizationCode({ authorizationCode: 'once' })).toBe(false);
    expect(await store.getAccessToken('access')).toBeDefined();
    expect(await dataSource.query(`SELECT * FROM notes WHERE text = 'draft'`)).toEqual([]);
  });

  it('works between the transactions of a busy application, and in none of them', async () => {
    const { store, dataSource } = opened;
    const saving = new AbortController();
    const host = (async () => {
      for (let n = 0; !saving.signal.aborted; n++) {
        const work = dataSource.transaction(async (manager) => {
          await manager.query(`INSERT INTO notes VALUES ('n')`);
          await rest(n % 3);
          if (n % 2) throw new Error('rolled back');
        });
        await work.catch(() => undefined);
        await rest(0);
      }
    })();
    const names = Array.from({ length: 50 }, (_, n) => `busy ${n}`);
    const save = (accessToken: string) => store.saveToken({ accessToken, accessTokenExpiresAt: later() }, WEB, ALICE);
    await Promise.all(names.map(save));
    saving.abort();
    await host;
    for (const name of names) expect(await store.getAccessToken(name)).toBeDefined();
  });

  it('saves a grant and its tokens together or not at all', async () => {
    const { store } = opened;
    const user = { id: 'bob' };
    const save = (grantId: string) =>
      store.saveToken({ accessToken: 'taken', accessTokenExpiresAt: later(), grantId }, WEB, user);
    await save('first');
    await expect(save('second')).rejects.toThrow('UNIQUE');
    expect((await store.listGrants('bob')).map(({ id }) => id)).toEqual(['first']);
  });

  it('reports that it is used inside of a transaction', async () => {
    const { dataSource } = opened;
    const store = new TypeOrmStore(dataSource, { users, prefix: PREFIX, deadline: 0.5 });
    const inside = dataSource.transaction(() => store.revokeGrant('g'));
    await expect(inside).rejects.toThrow('the store cannot save anything during a transaction of the application');
  });
});
