import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';

import { later } from '../support/models/model.js';
import { describeEach } from '../support/environment/requirements.js';
import { findServers, open, type Opened, ownPrefix, WEB } from './typeorm-databases.js';

const POOL = 3;
const ALICE = { id: 'alice' };
const servers = (await findServers()).filter(({ name }) => name === 'PostgreSQL');

describeEach(servers)('a TypeORM store on $name after a column was changed', (database) => {
  const prefix = ownPrefix('altered');
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(database, prefix, { poolSize: POOL });
    await opened.store.saveClient(WEB);
  });
  afterAll(() => opened.close());

  const save = (accessToken: string) =>
    opened.store.saveToken({ accessToken, accessTokenExpiresAt: later(), scope: 'read' }, WEB, ALICE);

  /** Runs one look-up on each connection of the pool, so that each has prepared the statement. */
  const lookUpOnAll = () =>
    Promise.all(Array.from({ length: POOL }, () => opened.store['storage'].find('access', 'none')));

  it('looks up tokens on all connections, which had prepared the statement for another type', async () => {
    await save('before');
    for (const type of ['varchar(9999)', 'text', 'varchar(8888)']) {
      await lookUpOnAll();
      await opened.dataSource.query(`ALTER TABLE ${prefix}tokens ALTER COLUMN scope TYPE ${type}`);
      const found = await Promise.all(Array.from({ length: 4 * POOL }, () => opened.store.getAccessToken('before')));
      expect(found.map((token) => token?.scope)).toEqual(found.map(() => 'read'));
      await save(`after ${type}`);
      expect(await opened.store.getAccessToken(`after ${type}`)).toBeDefined();
    }
  });
});

describeEach(servers)('the log of $name', (database) => {
  it('has no errors after a single-use value was replayed, or a client or text was saved twice', async () => {
    const logQueryError = jest.fn();
    const logger = { logQueryError, logQuery: () => 0, logQuerySlow: () => 0, logSchemaBuild: () => 0 };
    const options = { logger: { ...logger, logMigration: () => 0, log: () => 0 } };
    const { store, close } = await open(database, ownPrefix('quiet'), options);
    for (const isFirst of [true, false]) {
      expect(await store.once('value', 60)).toBe(isFirst);
      expect(await store['storage'].replaceText('text', undefined, 'one')).toBe(isFirst);
    }
    await store.saveClient(WEB);
    await store.saveClient({ ...WEB, name: 'Shop' });
    expect(logQueryError).not.toHaveBeenCalled();
    await close();
  });
});
