import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jwtAccessTokens, JwtTokens, keys } from 'nest-oauth2/jose';
import { OAuth2Server } from 'nest-oauth2/server';

import { oauthEntities, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';

import { EC } from '../support/servers/openid-server.js';
import { resourceRequest, runOperation, tokenRequest } from '../support/clients/requests.js';
import { describeEach } from '../support/environment/requirements.js';
import { findServers, open, type Opened, ownPrefix, SQLITE_IN_FILE, users, WEB } from './typeorm-databases.js';

// docs/explanation/multi-region.md: each section of that page has its test here.

const ISSUER = 'https://id.example.com';
const AUDIENCE = 'https://api.example.com';

const databases = [SQLITE_IN_FILE, ...(await findServers())];

describe.each(databases)('two regions with a database each, on $name', (database) => {
  const prefixes = { home: ownPrefix('home'), far: ownPrefix('far') };
  let home: Opened;
  let far: Opened;

  beforeAll(async () => {
    // Both regions are tables of one database, so that a statement can copy one region to the other.
    const { dispose, ...options } = database.options();
    home = await open({ ...database, options: () => ({ ...options, dispose }) }, prefixes.home);
    far = await open({ ...database, options: () => options }, prefixes.far);
    await home.store.saveClient(WEB);
    await replicate();
  });
  afterAll(async () => {
    await far.close();
    await home.close();
  });

  /** Makes the far region equal to the home region at this moment, as asynchronous replication does after its delay. */
  async function replicate(): Promise<void> {
    const names = home.dataSource.entityMetadatas.map(({ tableName }) => tableName.slice(prefixes.home.length));
    await far.dataSource.transaction(async (manager) => {
      for (const name of names) {
        await manager.query(`DELETE FROM ${prefixes.far}${name}`);
        await manager.query(`INSERT INTO ${prefixes.far}${name} SELECT * FROM ${prefixes.home}${name}`);
      }
    });
  }

  const serverOn = ({ store }: Opened, issuer = ISSUER) => new OAuth2Server({ model: store, issuer });
  const tokens = async (region: Opened, body: Record<string, string>) => {
    const { response, error } = await runOperation(serverOn(region), 'token', tokenRequest(body));
    if (error) throw error;
    return response.body as { access_token: string; refresh_token: string };
  };
  const signIn = () =>
    tokens(home, { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' });
  const refresh = (region: Opened, token: string) =>
    tokens(region, { grant_type: 'refresh_token', refresh_token: token });
  const accepts = async (server: OAuth2Server, token: string) => {
    const { error } = await runOperation(server, 'authenticate', resourceRequest(`Bearer ${token}`));
    return error === undefined;
  };

  it('accepts in the far region exactly the tokens that were active at the last replication', async () => {
    const issued: { token: string; isActive: boolean; wasActive: boolean }[] = [];
    const steps = [
      async () => void issued.push({ token: (await signIn()).access_token, isActive: true, wasActive: false }),
      async () => {
        const one = issued.find(({ isActive }) => isActive);
        if (!one) return;
        await home.store.revokeGrant((await home.store.getAccessToken(one.token))!.grantId!);
        one.isActive = false;
      },
      async () => {
        await replicate();
        for (const one of issued) one.wasActive = one.isActive;
      },
    ];
    // Each of three steps, in each order of pairs: issue, revoke and replicate before and after each other.
    for (const step of [0, 0, 2, 0, 1, 1, 2, 1, 0, 2, 2, 0, 1, 2, 0, 0, 1, 2]) {
      await steps[step]!();
      for (const { token, isActive, wasActive } of issued) {
        expect(await accepts(serverOn(home), token)).toBe(isActive);
        expect(await accepts(serverOn(far), token)).toBe(wasActive);
      }
    }
  });

  it('rejects in the far region a token of another issuer, also after replication', async () => {
    const { access_token: token } = await signIn();
    await replicate();
    expect(await accepts(serverOn(far, 'https://eu.id.example.com'), token)).toBe(false);
    expect(await accepts(serverOn(far), token)).toBe(true);
  });

  it('redeems a refresh token once if both regions write to the home database', async () => {
    const { refresh_token: token } = await signIn();
    const { store } = await home.another();
    const regions = [home, { ...home, store }];
    const attempts = Array.from({ length: 8 }, (_, index) => refresh(regions[index % 2]!, token));
    const settled = await Promise.allSettled(attempts);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('redeems a refresh token twice if each region writes to its own database', async () => {
    const { refresh_token: token } = await signIn();
    await replicate();
    // This is why a server in the far region must never write to a copy of its own.
    await expect(refresh(home, token)).resolves.toBeDefined();
    await expect(refresh(far, token)).resolves.toBeDefined();
  });

  it('loses the writes since the last replication if the replica is promoted', async () => {
    const before = await signIn();
    await replicate();
    const lost = await signIn();
    const rotated = await refresh(home, before.refresh_token);

    // The home region is gone. What it did after the replication never happened, for the promoted region.
    expect(await accepts(serverOn(far), before.access_token)).toBe(true);
    expect(await accepts(serverOn(far), lost.access_token)).toBe(false);
    await expect(refresh(far, rotated.refresh_token)).rejects.toMatchObject({ name: 'invalid_grant' });
    // The previous refresh token works once more, for whoever has it.
    await expect(refresh(far, before.refresh_token)).resolves.toBeDefined();
  });

  it('ends everything that was issued before the promotion with revokeBefore()', async () => {
    const { access_token: token, refresh_token: refreshToken } = await signIn();
    await replicate();
    await far.store.revokeBefore();
    expect(await accepts(serverOn(far), token)).toBe(false);
    await expect(refresh(far, refreshToken)).rejects.toMatchObject({ name: 'invalid_grant' });
  });

  it('accepts a signed token in every region before replication, and until it expires after revocation', async () => {
    const { store } = home;
    const features = [keys({ from: [EC] }), jwtAccessTokens({ audience: AUDIENCE })];
    const server = new OAuth2Server({ model: store, issuer: ISSUER, features });
    const body = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };
    const { response } = await runOperation(server, 'token', tokenRequest(body));
    const { access_token: token } = response.body as { access_token: string };
    const { d: _, ...publicKey } = EC as Record<string, unknown>;
    const jwks = { keys: [publicKey] } as never;
    const api = new OAuth2Server({ model: new JwtTokens({ issuer: ISSUER, audience: AUDIENCE, jwks }) });
    expect(await accepts(api, token)).toBe(true);
    await store.revokeGrant((await store.getAccessToken(token))!.grantId!);
    expect(await accepts(api, token)).toBe(true);
  });
});

const postgres = databases.filter(({ name }) => name === 'PostgreSQL');

describeEach(postgres)('a guard in a region that can only read, on $name', (database) => {
  it('accepts active tokens and rejects revoked ones', async () => {
    const prefix = ownPrefix('readonly');
    const home = await open(database, prefix);
    await home.store.saveClient(WEB);
    const replica = await new DataSource({
      ...(database.options() as Extract<DataSourceOptions, { type: 'postgres' }>),
      extra: { options: '-c default_transaction_read_only=on' },
      entities: oauthEntities({ prefix }),
    }).initialize();
    const guard = new OAuth2Server({ model: new TypeOrmStore(replica, { users, prefix }), issuer: ISSUER });
    const login = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };
    const { body } = await runOperation(
      new OAuth2Server({ model: home.store, issuer: ISSUER }),
      'token',
      tokenRequest(login),
    );
    const use = () => runOperation(guard, 'authenticate', resourceRequest(`Bearer ${String(body['access_token'])}`));
    expect((await use()).result).toMatchObject({ user: { id: 'alice' } });
    await home.store.revokeGrant((await home.store.getAccessToken(String(body['access_token'])))!.grantId!);
    expect((await use()).error).toMatchObject({ name: 'invalid_token' });
    await replica.destroy();
    await home.close();
  });
});
