import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';

import { later } from '../../support/models/model.js';
import { findStores, WEB } from '../every-store.js';
import { StatementLog } from '../statement-log.js';
import { findDatabases, open, type Opened, ownPrefix, users } from '../typeorm-databases.js';

const ISSUER = 'https://one.example';
const user = { id: 'u1' };

/** More grants than one page of keys has. */
const GRANTS = 20_500;

/** Inserts grants of one client. Every tenth one belongs to another issuer. */
async function fill(source: DataSource, table: string): Promise<void> {
  const now = Date.now();
  const values = Array.from({ length: GRANTS }, (_, index) => {
    const issuer = index % 10 === 0 ? 'https://two.example' : ISSUER;
    return `('g${String(index).padStart(6, '0')}', 'web', 'tokens', '${issuer}', ${now}, ${now}, ${now + 1e9}, ${Math.floor((now + 1e9) / 86_400_000)}, 0)`;
  });
  const columns = 'id, client_id, kind, issuer, created_at, last_used_at, expires_at, expires_on, client_generation';
  for (let start = 0; start < GRANTS; start += 500) {
    await source.query(`INSERT INTO ${table} (${columns}) VALUES ${values.slice(start, start + 500).join(', ')}`);
  }
}

describe.each(await findDatabases())('revoking the grants of a client at one issuer on $name', (database) => {
  const log = new StatementLog('all');
  const changes = () => log.statements.filter((statement) => statement.startsWith('UPDATE'));
  let opened: Opened;
  let table: string;

  beforeAll(async () => {
    const prefix = ownPrefix('large');
    table = `${prefix}grants`;
    opened = await open(database, prefix, { logger: log, logging: true, store: { users } });
    await opened.store.saveClient(WEB);
  }, 60_000);
  beforeEach(async () => {
    await opened.dataSource.query(`DELETE FROM ${table}`);
    await fill(opened.dataSource, table);
    log.statements.splice(0);
  }, 60_000);
  afterAll(() => opened.close());

  it('changes at most 1000 grants with each statement', async () => {
    expect(await opened.store.revokeGrantsOf({ clientId: 'web', issuer: ISSUER })).toBe(GRANTS * 0.9);
    const keys = changes().map((statement) => /id IN \(([^)]*)\)/.exec(statement)![1]!.split(',').length);
    expect(keys.length).toBeGreaterThanOrEqual(GRANTS * 0.9 * 0.001);
    expect(Math.max(...keys)).toBeLessThanOrEqual(1000);
    const reads = log.statements.filter((statement) => statement.startsWith('SELECT id FROM'));
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.every((statement) => / LIMIT \S+$/.test(statement))).toBe(true);
    const [left] = await opened.dataSource.query(`SELECT COUNT(*) AS n FROM ${table} WHERE revoked_at IS NULL`);
    expect(Number(left.n)).toBe(GRANTS * 0.1);
  }, 60_000);
});

describe.each(await findStores())('revoking the grants of a client at one issuer: $name', ({ open: openStore }) => {
  it('revokes every grant that was saved before, while others are saved', async () => {
    const { store, another, close } = await openStore();
    const save = (name: string, issuer = ISSUER) => {
      const token = { accessToken: name, accessTokenExpiresAt: later(), grantId: name, issuer };
      return another.saveToken(token, WEB, user);
    };
    const before = Array.from({ length: 60 }, (_, index) => `before ${index}`);
    for (const name of before) await save(name);
    await save('elsewhere', 'https://two.example');
    const meanwhile = Array.from({ length: 60 }, (_, index) => `during ${index}`);
    const [count] = await Promise.all([
      store.revokeGrantsOf({ clientId: WEB.id, issuer: ISSUER }),
      ...meanwhile.map((name) => save(name)),
    ]);
    expect(count).toBeGreaterThanOrEqual(60);
    for (const name of before) expect(await another.getAccessToken(name)).toBeUndefined();
    expect(await another.getAccessToken('elsewhere')).toBeDefined();
    await save('after');
    expect(await store.getAccessToken('after')).toBeDefined();
    await close();
  }, 60_000);
});
