import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';

import { newGrant } from '../../lib/stores/contract/new-grant.js';
import type { GrantKinds, Row } from '../../lib/stores/contract/storage.js';
import type { SqlStorage } from '../../lib/stores/sql/sql-storage.js';
import { kindOf, type Recorded, Recorder } from './published-versions.js';
import { FIND_SCANS, NUMBERS } from './query-plans.js';
import { findServers, open, type Opened, ownPrefix, SQLITE_IN_FILE } from './typeorm-databases.js';

const ROWS = 100_000;
const FUTURE = Date.UTC(2100, 0, 1);
const TABLES = ['clients', 'grants', 'tokens'];

const databases = [SQLITE_IN_FILE, ...(await findServers())];

describe.each(databases)(`the plans of all statements at ${ROWS} rows on $name`, (database) => {
  const prefix = ownPrefix('plans');
  const log = new Recorder('all');
  let opened: Opened;
  let source: DataSource;
  let storage: SqlStorage;

  beforeAll(async () => {
    opened = await open(database, prefix, { logger: log, logging: true, store: { deadline: 60 } });
    source = opened.dataSource;
    storage = opened.store['storage'];
    await fill();
  }, 120_000);
  afterAll(async () => {
    // libsql keeps tables locked until the connection is closed.
    await source.destroy();
    await source.initialize();
    await opened.close();
  });

  /** Creates 1,000 users and 100 clients with grants of one token each. A thousandth of the rows has expired. */
  async function fill(): Promise<void> {
    const expiry = `CASE WHEN n <= ${ROWS / 1000} THEN 1000 ELSE ${FUTURE} END`;
    const day = `CASE WHEN n <= ${ROWS / 1000} THEN 0 ELSE 47482 END`;
    const text = (start: string, number: string) =>
      database.name === 'MariaDB' ? `CONCAT('${start}', ${number})` : `'${start}' || (${number})`;
    const rows: [table: string, columns: string, values: string][] = [
      ['clients', 'id, secret_hashes, metadata, generation, created_at', `${text('c', 'n')}, '[]', '{}', 0, 0`],
      [
        'grants',
        'id, kind, client_id, user_id, created_at, last_used_at, expires_at, expires_on, client_generation',
        `${text('g', 'n')}, 'tokens', ${text('c', 'n % 100')}, ${text('u', 'n % 1000')}, 0, 0, ${expiry}, ${day}, 0`,
      ],
      [
        'tokens',
        'digest, kind, grant_id, client_id, user_id, data, expires_at',
        `${text('t', 'n')}, 'access', ${text('g', 'n')}, ${text('c', 'n % 100')}, ${text('u', 'n % 1000')}, '{}', ${expiry}`,
      ],
    ];
    for (const [table, columns, values] of rows) {
      const numbers = `(${NUMBERS[kindOf(database)]!(ROWS)}) AS numbers`;
      await source.query(`INSERT INTO ${prefix}${table} (${columns}) SELECT ${values} FROM ${numbers}`);
      const analyze = { PostgreSQL: 'VACUUM ANALYZE', MariaDB: 'ANALYZE TABLE', SQLite: 'ANALYZE' };
      await source.query(`${analyze[kindOf(database) as keyof typeof analyze]} ${prefix}${table}`);
    }
  }

  const grant = (id: string) =>
    newGrant({
      id,
      kind: 'tokens',
      clientId: 'c5',
      userId: 'u5',
      issuer: 'https://issuer.example',
      scope: 'read',
      createdAt: 0,
      lastUsedAt: 1,
      expiresAt: FUTURE,
    });
  const row = (digest: string, grantId: string): Row => {
    const { clientId, userId, issuer, scope } = grant(grantId);
    return { kind: 'refresh', digest, grantId, clientId, userId, issuer, scope, data: '{}', expiresAt: FUTURE };
  };

  /** Calls every method of the storage, so that it sends every statement. */
  async function exercise(): Promise<void> {
    await storage.save(grant('new'), [row('a', 'new'), row('b', 'new')]);
    await storage.save(grant('new'), []);
    await storage.save(undefined, [row('c', 'new')]);
    await storage.consumeAndSave({ kind: 'refresh', digest: 'a', data: '{}' }, grant('new'), [row('d', 'new')]);
    await storage.find('refresh', 'b');
    // Concurrent calls share statements.
    const names = Array.from({ length: 5 }, (_, at) => `shared ${at}`);
    await Promise.all(names.map((name) => storage.save(grant(name), [row(name, name)])));
    await Promise.all(names.map((name) => storage.find('refresh', name)));
    await Promise.all(names.map((name) => storage.findClient(name)));
    await storage.update(row('b', 'new'), { ...row('b', 'new'), data: '{"changed":1}' });
    await storage.consume('refresh', 'b');
    await storage.save({ ...grant('account'), kind: 'account' }, []);
    const passkey = { ...row('passkey', 'account'), kind: 'passkey' } as const;
    await storage.insertRow(passkey);
    await storage.insertRow(passkey);
    await storage.listRows('account', ['passkey', 'totp']);
    await storage.removeRow(passkey);
    await storage.removeRow({ ...passkey, data: null });
    await storage.insertRow({ ...passkey, expiresAt: 1 });
    await storage.insertRow(passkey);
    await storage.insertRow({ ...passkey, grantId: 'unknown' });
    await storage.eraseGrants({ kinds: ['account'], grantId: 'account' }, 10);
    await storage.eraseGrants({ kinds: ['tokens'], userId: 'u7' }, 50);
    await storage.once('once', -1);
    await storage.once('once', 60);
    for (const by of [1, 1, -1, 0]) await storage.count('count', 60, by);
    await storage.replaceText('name', undefined, 'one');
    await storage.replaceText('name', 'one', 'two');
    await storage.readText('name');
    await storage.hasGrant('g5');
    const kinds: GrantKinds = ['tokens'];
    const clientKinds: GrantKinds = ['consent', 'tokens', 'sign_in', 'personal_token'];
    for (const some of [kinds, clientKinds]) await storage.listGrants('u5', some);
    for (const after of [undefined, 'g5']) {
      await storage.pageGrants({ kinds, userId: 'u5' }, after, 500);
      await storage.pageGrants({ kinds, userId: 'u5', clientId: 'c5', issuer: 'https://issuer.example' }, after, 500);
      await storage.pageGrants({ kinds, clientId: 'c5' }, after, 500);
      await storage.pageGrants({ kinds, clientId: 'c5', issuer: 'https://issuer.example' }, after, 500);
      await storage.pageGrants({ kinds, userId: 'u5', grantId: 'g5' }, after, 1);
    }
    await storage.saveClient({ id: 'new', grants: [] }, undefined, false);
    const found = (await storage.findClient('new'))!;
    await storage.saveClient({ id: 'new', grants: ['password'] }, found, true);
    await storage.listClients('c5', 100);
    await storage.readClock();
    await storage.removeClient('new');
    await storage.removeClient('unknown');
    await storage.addNewClient({ id: 'added', grants: [] });
    await storage.addNewClient({ id: 'added', grants: [] });
    await storage.saveClient({ id: 'new', grants: [] }, undefined, false);
    const users = ['u6', undefined];
    for (const userId of users) {
      for (const clientId of ['c6', undefined]) {
        for (const issuer of ['https://issuer.example', undefined]) {
          for (const some of [kinds, clientKinds]) {
            await storage.revokeGrants({ kinds: some, userId, clientId, issuer, grantId: 'g6' });
            if (userId ?? clientId) await storage.revokeGrants({ kinds: some, userId, clientId, issuer });
          }
        }
      }
    }
    await storage.prune(50);
  }

  it('use an index for every table', async () => {
    const prototypes = prototypesOf(storage);
    const methods = new Set(prototypes.flatMap((one) => Object.getOwnPropertyNames(one)).filter(isPublic));
    const spies = [...methods].map((name) => ({ name, spy: jest.spyOn(storage, name as 'find') }));
    log.recorded = [];
    await exercise();
    const unused = spies.filter(({ spy }) => spy.mock.calls.length === 0).map(({ name }) => name);
    for (const { spy } of spies) spy.mockRestore();
    expect(unused).toEqual([]);

    // With libsql, an explained statement locks the tables of its connection.
    const explaining = await new DataSource({ ...source.options, logging: false }).initialize();
    const statements = new Map(log.recorded.map((each): [string, Recorded] => [each.text, each]));
    expect(statements.size).toBeGreaterThan(25);
    const found: Record<string, string[]> = {};
    for (const statement of statements.values()) {
      const scans = await FIND_SCANS[kindOf(database)]!(
        source,
        statement,
        TABLES.map((table) => prefix + table),
      );
      if (scans.length > 0) found[statement.text] = scans;
    }
    await explaining.destroy();
    expect(found).toEqual({});
  }, 120_000);

  it('are reported as scans if no index supports the condition', async () => {
    const statement = { text: `DELETE FROM ${prefix}tokens WHERE scope = 'none'`, values: [] };
    const explaining = await new DataSource({ ...source.options, logging: false }).initialize();
    const scans = await FIND_SCANS[kindOf(database)]!(explaining, statement, [`${prefix}tokens`]);
    await explaining.destroy();
    expect(scans).not.toEqual([]);
  });
});

function prototypesOf(value: object): object[] {
  const prototype = Object.getPrototypeOf(value) as object;
  return prototype === Object.prototype ? [] : [prototype, ...prototypesOf(prototype)];
}

/** The private and protected members of the storage. The public methods call them. */
const INTERNAL = new Set([
  'constructor',
  'active',
  'addClient',
  'counters',
  'endGeneration',
  'generationOf',
  'grantValues',
  'insert',
  'insertIfFound',
  'insertRows',
  'pruneRemovedClients',
  'readActive',
  'revokeAllOf',
  'rowsOf',
  'saveMany',
  'saveOne',
  'upsertGrant',
  'valuesOf',
]);
const isPublic = (name: string) => !INTERNAL.has(name);
