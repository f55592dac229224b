import { hash } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { DrizzleStore } from 'nest-oauth2/stores/drizzle';
import type { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

import { describeEach } from '../support/environment/requirements.js';
import { openIntercepted } from './intercepted-drizzle.js';
import { StatementLog } from './statement-log.js';
import { findServers, open, type Opened, ownPrefix, WEB } from './typeorm-databases.js';

const MACHINE = { id: 'service' };
const later = () => new Date(Date.now() + 1e6);
const tokenOf = (accessToken: string, more: object = {}) => ({
  accessToken,
  accessTokenExpiresAt: later(),
  scope: ['read'],
  ...more,
});
const namesOf = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}`);
const foundIn = async (store: TypeOrmStore | DrizzleStore, tokens: readonly string[]) =>
  (await Promise.all(tokens.map((token) => store.getAccessToken(token)))).map((token) => token?.accessToken);

const databases = await findServers();

describeEach(databases)('concurrent saves of tokens on $name', (database) => {
  const log = new StatementLog('all');
  const prefix = ownPrefix('saves');
  let opened: Opened;
  let store: TypeOrmStore;

  beforeAll(async () => {
    opened = await open(database, prefix, { logger: log, logging: true });
    ({ store } = opened);
    await store.saveClient(WEB);
  });
  beforeEach(() => void log.statements.splice(0));
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => opened.close());

  const inserts = () => log.statements.filter((statement) => /^(?:WITH found AS \( ?INSERT|INSERT)/.test(statement));

  it('share statements of at most 64 tokens, and all tokens are valid afterwards', async () => {
    // While the clock stands still, the store never concludes from a slow response that a connection is broken.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const tokens = namesOf('shared', 100);
    await Promise.all(tokens.map((token) => store.saveToken(tokenOf(token), WEB, MACHINE)));
    // One leaves at once. The other 99 wait and leave as 64 and 35. MariaDB needs a statement for the grants and one for
    // the tokens.
    expect(inserts()).toHaveLength(database.name === 'PostgreSQL' ? 3 : 6);
    expect(await foundIn(store, tokens)).toEqual(tokens);
  });

  it('give each grant the time of the database, and each token its own expiry', async () => {
    const tokens = namesOf('timed', 20);
    const expiries = tokens.map((_, index) => new Date(Date.now() + 1e6 + index * 1e6));
    await Promise.all(
      tokens.map((token, index) =>
        store.saveToken(tokenOf(token, { accessTokenExpiresAt: expiries[index] }), WEB, { id: token }),
      ),
    );
    for (const [index, token] of tokens.entries()) {
      const found = await store.getAccessToken(token);
      const difference = found!.accessTokenExpiresAt.getTime() - expiries[index]!.getTime();
      expect(Math.abs(difference)).toBeLessThan(60_000);
      const [grant] = await store.listGrants(token);
      expect(Math.abs(grant!.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
      // The database reads its clock for each column.
      expect(Math.abs(grant!.lastUsedAt.getTime() - grant!.createdAt.getTime())).toBeLessThan(60_000);
    }
  });

  if (database.name === 'PostgreSQL')
    it('prepare few different statements, whatever the number of tokens', async () => {
      for (let amount = 3; amount <= 20; amount++) {
        await Promise.all(
          namesOf(`amount ${amount}`, amount).map((token) => store.saveToken(tokenOf(token), WEB, MACHINE)),
        );
      }
      const texts = new Set(inserts().map((statement) => statement.replace(/ -- PARAMETERS.*/s, '')));
      expect(texts.size).toBeLessThanOrEqual(2);
    });

  it('save several tokens of one grant', async () => {
    const tokens = namesOf('one grant', 30);
    await Promise.all(
      tokens.map((token) => store.saveToken(tokenOf(token, { grantId: 'one grant' }), WEB, { id: 'alice' })),
    );
    expect(await foundIn(store, tokens)).toEqual(tokens);
    expect(await store.listGrants('alice')).toHaveLength(1);
  });

  it('never make tokens of a revoked grant valid', async () => {
    await store.saveToken(tokenOf('revoked', { grantId: 'revoked' }), WEB, { id: 'bob' });
    expect(await store.revokeGrantsOf({ userId: 'bob' })).toBe(1);
    const tokens = namesOf('of a revoked grant', 10);
    await Promise.allSettled([
      ...tokens.map((token) => store.saveToken(tokenOf(token, { grantId: 'revoked' }), WEB, { id: 'bob' })),
      ...namesOf('valid', 10).map((token) => store.saveToken(tokenOf(token), WEB, MACHINE)),
    ]);
    expect(await foundIn(store, tokens)).toEqual(tokens.map(() => undefined));
    expect(await foundIn(store, namesOf('valid', 10))).toEqual(namesOf('valid', 10));
  });

  it('reject only the token that the database rejects', async () => {
    await store.saveToken(tokenOf('known'), WEB, MACHINE);
    const tokens = [...namesOf('before', 10), 'known', ...namesOf('after', 10)];
    const results = await Promise.allSettled(tokens.map((token) => store.saveToken(tokenOf(token), WEB, MACHINE)));
    expect(results.flatMap(({ status }, index) => (status === 'rejected' ? index : []))).toEqual([10]);
    expect(await foundIn(store, tokens)).toEqual(tokens);
  });

  it('never repeat a statement whose response was lost', async () => {
    let lost = 0;
    const { store: drizzle, close } = await openIntercepted(database, { prefix }, async (send, text) => {
      const result = await send();
      const isShared = text.includes(hash('sha256', 'lost 7', 'base64url'));
      if (!isShared) return result;
      lost += 1;
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    });
    const tokens = namesOf('lost', 20);
    const results = await Promise.allSettled(tokens.map((token) => drizzle.saveToken(tokenOf(token), WEB, MACHINE)));
    // The effect of the shared statement is unknown to the process, so each of its calls fails.
    expect(results[7]).toMatchObject({ status: 'rejected', reason: { name: 'temporarily_unavailable' } });
    const rejected = results.filter(({ status }) => status === 'rejected');
    expect(rejected.length).toBeGreaterThan(1);
    expect(rejected).toEqual(rejected.map(() => results[7]));
    expect(lost).toBe(1);
    expect(await foundIn(store, tokens)).toEqual(tokens);
    await close();
  });

  it('never repeat a statement after an error that no database server returned', async () => {
    let sent = 0;
    const { store: drizzle, close } = await openIntercepted(database, { prefix }, async (send, text) => {
      if (!text.includes(hash('sha256', 'unknown 7', 'base64url'))) return send();
      sent += 1;
      await send();
      // The code has the five characters of an SQLSTATE.
      throw Object.assign(new Error('write EBADF'), { code: 'EBADF' });
    });
    const tokens = namesOf('unknown', 20);
    const results = await Promise.allSettled(tokens.map((token) => drizzle.saveToken(tokenOf(token), WEB, MACHINE)));
    expect(results[7]).toMatchObject({ status: 'rejected' });
    expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(1);
    expect(sent).toBe(1);
    await close();
  });

  it('each use their own statement with `batching: false`', async () => {
    const statements = new StatementLog('all');
    const single = await open(database, ownPrefix('alone'), {
      logger: statements,
      logging: true,
      store: { batching: false },
    });
    await single.store.saveClient(WEB);
    statements.statements.splice(0);
    const tokens = namesOf('alone', 10);
    await Promise.all(tokens.map((token) => single.store.saveToken(tokenOf(token), WEB, MACHINE)));
    expect(statements.statements.filter((statement) => /^(?:WITH|INSERT)/.test(statement))).toHaveLength(
      database.name === 'PostgreSQL' ? 10 : 20,
    );
    expect(await foundIn(single.store, tokens)).toEqual(tokens);
    await single.close();
  });
});
