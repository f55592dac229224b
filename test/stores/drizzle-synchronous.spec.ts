import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DrizzleStore, newClientSecret } from 'nest-oauth2/stores/drizzle';
import { describeModelContract } from 'nest-oauth2/testing';
import libsql from 'libsql';
import { SILENT_RUN } from '../kit/silent-run.js';

import { open, type Opened, ownPrefix, SQLITE_IN_FILE, users, WEB } from './typeorm-databases.js';

// libsql has the interface of better-sqlite3 and prebuilt binaries.
jest.unstable_mockModule('better-sqlite3', () => ({ default: libsql }), { virtual: true });
// The type of this module needs the package better-sqlite3.
const DRIVER: string = 'drizzle-orm/better-sqlite3';
const { drizzle }: { drizzle(client: object): ConstructorParameters<typeof DrizzleStore>[0] } = await import(DRIVER);

const newKnown = (id: string) => ({ id, ...newClientSecret() });

describe('a Drizzle store on a synchronous driver of SQLite', () => {
  const prefix = ownPrefix('synchronous');
  const user = { id: 'alice', username: 'alice', password: 'wonderland' };
  const known = [newKnown('web'), newKnown('other')];
  let opened: Opened;
  let store: DrizzleStore;
  let connection: InstanceType<typeof libsql>;

  beforeAll(async () => {
    const options = SQLITE_IN_FILE.options();
    opened = await open({ name: SQLITE_IN_FILE.name, options: () => options }, prefix);
    connection = new libsql((options as { database: string }).database);
    store = new DrizzleStore(drizzle(connection), { users, prefix });
    for (const { id, secretHash } of known) await store.saveClient({ ...WEB, id, secretHashes: [secretHash] });
  });
  afterAll(async () => {
    connection.close();
    await opened.close();
  });

  const [client, otherClient] = known.map(({ id, secret }) => ({ id, secret }));
  const makeModel = () => ({ model: store, client, otherClient, user, scopes: ['read'] });
  describeModelContract('DrizzleStore on a synchronous driver', makeModel, SILENT_RUN);

  it('makes commits durable', async () => {
    connection.exec('PRAGMA synchronous = NORMAL');
    const another = new DrizzleStore(drizzle(connection), { users, prefix });
    expect(await another.once('value', 60)).toBe(true);
    expect(connection.prepare('PRAGMA synchronous').all()).toMatchObject([{ synchronous: 2 }]);
  });
});
