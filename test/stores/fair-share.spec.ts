import { hash } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { OAuth2Module, OAuth2TenantServers, type TenantRequest } from 'nest-oauth2';
import { Request, Response } from 'nest-oauth2/server';
import type { DrizzleStore } from 'nest-oauth2/stores/drizzle';

import { describeEach } from '../support/environment/requirements.js';
import { openIntercepted } from './intercepted-drizzle.js';
import { findServers, open, type Opened, ownPrefix } from './typeorm-databases.js';

/** Maximum number of look-ups of one statement. */
const SIZE = 64;

const databases = await findServers();

describeEach(databases)('concurrent look-ups of several tenants on $name', (database) => {
  const prefix = ownPrefix('fair');
  const sent: string[] = [];
  /** For each token, the number of statements that had taken a connection before its look-up began. */
  const sentBefore = new Map<string, number>();
  /** The number of connections that statements have taken. */
  let taken = 0;
  const closing: (() => Promise<unknown>)[] = [];
  let opened: Opened;
  let store: DrizzleStore;
  let module: TestingModule;

  const openStore = async () => {
    const intercept = async (send: () => PromiseLike<unknown>, text: string) => {
      sent.push(text);
      return send();
    };
    const { store: made, close } = await openIntercepted(database, { prefix, deadline: 15 }, intercept, () => taken++);
    closing.push(close);
    const getAccessToken = made.getAccessToken.bind(made);
    made.getAccessToken = (token) => {
      sentBefore.set(token, taken);
      return getAccessToken(token);
    };
    return made;
  };

  beforeAll(async () => {
    opened = await open(database, prefix);
    store = await openStore();
    const tenants = {
      findTenant: ({ path }: TenantRequest) => path.split('/')[1],
      createTenantOptions: (tenant: string) => ({ issuer: `https://id.example/${tenant}` }),
    };
    const options = { model: store, tenants, controllers: false, paths: { prefix: ':tenant/oauth' } };
    module = await Test.createTestingModule({ imports: [OAuth2Module.forRoot(options)] }).compile();
  });
  beforeEach(() => {
    sent.splice(0);
    taken = 0;
    // While the clock stands still, the store never concludes from a slow response that a connection is broken.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(async () => {
    await module.close();
    for (const close of closing) await close();
    await opened.close();
  });

  const serverOf = (tenant: string) => module.get(OAuth2TenantServers).get(tenant);

  /** Sends a request with an unknown token to a tenant, and waits for its 401. */
  const request = async (tenant: string, token: string) => {
    const server = await serverOf(tenant);
    const headers = { authorization: `Bearer ${token}` };
    const refused = server.authenticate(new Request({ method: 'GET', headers, query: {} }), new Response());
    await expect(refused).rejects.toMatchObject({ status: 401 });
  };

  /** Returns how many statements were sent since the look-up of a token began, including the one that looks it up. */
  const statementsUntil = (token: string) => {
    const digest = hash('sha256', token, 'base64url');
    return 1 + sent.findIndex((text) => text.includes(digest)) - sentBefore.get(token)!;
  };

  const tokensOf = (tenant: string, amount: number) =>
    Array.from({ length: amount }, (_, index) => `${tenant}-${index}`);

  it('leave with the next statement while 2,000 look-ups of another tenant wait', async () => {
    await Promise.all(['acme', 'globex'].map(serverOf));
    const busy = tokensOf('acme', 2000).map((token) => request('acme', token));
    await Promise.all([...busy, request('globex', 'quiet')]);
    expect(sent.length).toBeGreaterThan(2000 / SIZE);
    expect(statementsUntil('quiet')).toBe(1);
  });

  it('leave in turns if more tenants wait than a statement has space for', async () => {
    const tenants = Array.from({ length: 2 * SIZE }, (_, index) => `tenant-${index}`);
    await Promise.all(tenants.map(serverOf));
    await Promise.all(tenants.flatMap((tenant) => tokensOf(tenant, 4).map((token) => request(tenant, token))));
    // A statement has space for half of the tenants.
    expect(Math.max(...tenants.map((tenant) => statementsUntil(`${tenant}-0`)))).toBe(2);
  });

  it('do not wait for the look-ups of another store on the same database', async () => {
    const other = await openStore();
    const busy = tokensOf('first-store', 1000).map((token) => store.getAccessToken(token));
    await Promise.all([...busy, other.getAccessToken('other-store')]);
    // Each store has at most two statements in flight.
    expect(statementsUntil('other-store')).toBeLessThanOrEqual(3);
  });
});
