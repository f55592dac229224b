import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Server, Response, type Token } from 'nest-oauth2/server';
import type { Clients, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import type { DataSource } from 'typeorm';

import { CALLBACK, later, SECRET } from '../support/models/model.js';
import { authorizeRequest, CHALLENGE, signedIn, tokenRequest, VERIFIER } from '../support/clients/requests.js';
import {
  findDatabasesOfLibraries,
  open,
  type Opened,
  ownPrefix,
  SQLITE_IN_MEMORY,
  type TestDatabase,
  WEB,
} from './typeorm-databases.js';

const PREFIX = ownPrefix('race');
const MANY = 200;

// SQLite runs two hundred concurrent calls one after the other. On a busy machine, this takes longer than 5 s.
jest.setTimeout(120_000);

/** A secret that is verified quickly, because a slow hash would serialize the requests. */
const clients: Clients = { findById: () => ({ ...WEB, secret: SECRET, secretHashes: undefined }) };

/** Session settings of new connections. */
interface Setting {
  session?: string;
}

/** Returns databases whose transactions fail instead of waiting, so that statements must be repeated. */
function strict({ name, options }: TestDatabase): (TestDatabase & Setting)[] {
  if (name === 'PostgreSQL') {
    const extra = { options: '-c synchronous_commit=off -c default_transaction_isolation=serializable' };
    return [{ name: `${name}, serializable`, options: () => ({ ...options(), extra }) }];
  }
  if (name !== 'MariaDB') return [];
  return [
    { name: `${name}, serializable`, options, session: 'TRANSACTION ISOLATION LEVEL SERIALIZABLE' },
    // The default of MariaDB 11.8 and later.
    { name: `${name}, snapshots`, options, session: 'innodb_snapshot_isolation = ON' },
  ];
}

interface Pool {
  on(event: 'connection', listener: (connection: { query(text: string): void }) => void): void;
}

function tellConnections({ dataSource }: { dataSource: DataSource }, { session }: Setting): void {
  const { pool } = dataSource.driver as unknown as { pool: Pool };
  if (session) pool.on('connection', (connection) => connection.query(`SET SESSION ${session}`));
}

const ofLibraries = await findDatabasesOfLibraries();
const databases: (TestDatabase & Setting)[] = [SQLITE_IN_MEMORY, ...ofLibraries, ...ofLibraries.flatMap(strict)];

describe.each(databases)('two servers with one SQL store, $name,', (database) => {
  let opened: Opened;
  let stores: TypeOrmStore[];
  let servers: OAuth2Server[];

  beforeAll(async () => {
    opened = await open(database, PREFIX, { store: { clients } });
    const connections = [opened];
    // A database in memory allows one connection only.
    if (database.name !== 'SQLite in memory') connections.push({ ...opened, ...(await opened.another()) });
    for (const each of connections) tellConnections(each, database);
    stores = connections.map(({ store }) => store);
    servers = stores.map((model) => new OAuth2Server({ model }));
  });
  afterAll(() => opened.close());

  const at = <T>(all: T[], index: number): T => all[index % all.length]!;
  const parallel = <T>(act: (index: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> =>
    Promise.allSettled(Array.from({ length: MANY }, (_, index) => act(index)));
  const won = <T>(results: PromiseSettledResult<T>[]): T[] =>
    results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const lost = (results: PromiseSettledResult<unknown>[]): string[] => [
    ...new Set(results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as Error).name] : []))),
  ];
  const token = (index: number, body: object) => at(servers, index).token(tokenRequest({ ...body }), new Response());

  async function code(): Promise<string> {
    const request = authorizeRequest({ code_challenge: CHALLENGE, code_challenge_method: 'S256' });
    return (await at(servers, 0).authorize(request, new Response(), signedIn)).authorizationCode;
  }
  const redeem = (index: number, value: string) =>
    token(index, { grant_type: 'authorization_code', code: value, redirect_uri: CALLBACK, code_verifier: VERIFIER });

  it(`let one of ${MANY} concurrent requests consume a code`, async () => {
    const authorizationCode = await code();
    const results = await parallel((index) => at(stores, index).revokeAuthorizationCode({ authorizationCode }));
    expect(lost(results)).toEqual([]);
    expect(won(results).filter(Boolean)).toHaveLength(1);
  });

  it(`issue tokens to at most one of ${MANY} concurrent redemptions of a code, and revoke them`, async () => {
    const value = await code();
    const results = await parallel((index) => redeem(index, value));
    expect(lost(results)).toEqual(['invalid_grant']);
    expect(won(results).length).toBeLessThanOrEqual(1);
    for (const { accessToken } of won(results)) expect(await at(stores, 1).getAccessToken(accessToken)).toBeUndefined();
  });

  it(`leave at most one refresh token valid after ${MANY} concurrent refreshes`, async () => {
    const { refreshToken } = await redeem(0, await code());
    const body = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const results = await parallel((index) => token(index, body));
    expect(lost(results)).toEqual(['invalid_grant']);
    const found = await Promise.all(won(results).map((each) => at(stores, 0).getRefreshToken(each.refreshToken!)));
    expect(found.filter((each) => each && !each.revokedAt).length).toBeLessThanOrEqual(1);
  });

  it(`never leave a token valid in a grant that is revoked concurrently, ${MANY} times`, async () => {
    const results = await parallel(async (index) => {
      const grantId = `${database.name} ${index}`;
      const names = ['first', 'second', 'third'].map((name) => `${name} of ${grantId}`);
      const save = (accessToken: string) =>
        at(stores, index).saveToken(
          { accessToken, accessTokenExpiresAt: later(), refreshToken: `refresh ${accessToken}`, grantId },
          WEB,
          { id: 'alice' },
        );
      await save(names[0]!);
      const revoke = () => at(stores, index + 1).revokeGrant(grantId);
      const [second, , third] = await Promise.allSettled([save(names[1]!), revoke(), save(names[2]!)]);
      for (const name of names) {
        expect(await at(stores, index).getAccessToken(name)).toBeUndefined();
        expect(await at(stores, index).getRefreshToken(`refresh ${name}`)).toBeUndefined();
      }
      return [second, third];
    });
    expect(lost(results)).toEqual([]);
    expect(lost(won(results).flat()).filter((name) => name !== 'invalid_grant')).toEqual([]);
  });

  it(`keep all of ${MANY} tokens that are saved concurrently on one new grant`, async () => {
    const grantId = `shared ${database.name}`;
    const results = await parallel<Token>((index) =>
      at(stores, index).saveToken({ accessToken: `shared ${index}`, accessTokenExpiresAt: later(), grantId }, WEB, {
        id: 'bob',
      }),
    );
    expect(lost(results)).toEqual([]);
    const found = await Promise.all(won(results).map((each) => at(stores, 0).getAccessToken(each.accessToken)));
    expect(found.filter(Boolean)).toHaveLength(MANY);
    expect(await at(stores, 0).listGrants('bob')).toHaveLength(1);
  });

  it('prune from both sides while tokens are saved and grants are revoked', async () => {
    const results = await parallel(async (index) => {
      const accessTokenExpiresAt = later(index % 2 ? -3600 : 3600);
      const saved = at(stores, index).saveToken({ accessToken: `prune ${index}`, accessTokenExpiresAt }, WEB, {
        id: 'carol',
      });
      if (index % 20 === 0) await at(stores, index).revokeGrantsOf({ userId: 'carol' });
      if (index % 10 === 1) await at(stores, (index - 1) / 10).prune({ batchSize: 7 });
      return saved;
    });
    expect(lost(results)).toEqual([]);
    await at(stores, 0).prune();
    expect(await at(stores, 1).prune()).toBe(0);
    expect(await at(stores, 0).getAccessToken('prune 1')).toBeUndefined();
  });
});
