import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Server, Response } from 'nest-oauth2/server';
import type { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import type { DataSource } from 'typeorm';

import { CALLBACK, later, SECRET } from '../support/models/model.js';
import { authorizeRequest, CHALLENGE, resourceRequest, tokenRequest, VERIFIER } from '../support/clients/requests.js';
import { findDatabases, open, type Opened, ownPrefix, WEB } from './typeorm-databases.js';

const PREFIX = ownPrefix('spec');

describe.each(await findDatabases())('a TypeORM store on $name', (database) => {
  let opened: Opened;
  let dataSource: DataSource;
  let store: TypeOrmStore;
  let server: OAuth2Server;

  beforeAll(async () => {
    opened = await open(database, PREFIX);
    ({ dataSource, store } = opened);
    server = new OAuth2Server({ model: store });
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of ['clients', 'grants', 'tokens']) await dataSource.query(`DELETE FROM ${PREFIX}${table}`);
    await store.saveClient(WEB);
  });

  const rows = (table: string) => dataSource.getRepository(PREFIX + table).find() as Promise<Record<string, unknown>[]>;
  const token = (body: object) => server.token(tokenRequest({ ...body }), new Response());
  const save = (accessToken: string, more: object = {}, user: { id: string | number } = { id: 'alice' }) =>
    store.saveToken({ accessToken, accessTokenExpiresAt: later(), scope: 'read', ...more }, WEB, user);

  async function code(user = 'alice'): Promise<string> {
    const request = authorizeRequest({ code_challenge: CHALLENGE, code_challenge_method: 'S256' });
    const options = { authenticateHandler: { handle: () => ({ id: user }) } };
    return (await server.authorize(request, new Response(), options)).authorizationCode;
  }
  const redeem = (value: string) =>
    token({ grant_type: 'authorization_code', code: value, redirect_uri: CALLBACK, code_verifier: VERIFIER });
  const refresh = (value: string) => token({ grant_type: 'refresh_token', refresh_token: value });

  it('a TypeORM store supports the code flow, refresh and authentication', async () => {
    const first = await redeem(await code());
    const second = await refresh(first.refreshToken!);
    const found = await server.authenticate(resourceRequest(`Bearer ${second.accessToken}`), new Response());
    expect(found).toMatchObject({ user: { id: 'alice' }, client: { id: 'web' }, scope: 'read' });
    expect(found.accessTokenExpiresAt).toEqual(second.accessTokenExpiresAt);
    expect(found.client).toEqual({ ...WEB, secret: undefined, secretHashes: undefined });
  });

  it('a TypeORM store revokes the token family when a code is replayed', async () => {
    const stolen = await code();
    const { accessToken, refreshToken } = await redeem(stolen);
    await expect(redeem(stolen)).rejects.toMatchObject({ name: 'invalid_grant' });
    expect(await store.getAccessToken(accessToken)).toBeUndefined();
    expect(await store.getRefreshToken(refreshToken!)).toBeUndefined();
  });

  it('a TypeORM store revokes the token family of a replayed refresh token, and saves no later token in it', async () => {
    const { refreshToken, grantId } = await redeem(await code());
    const { accessToken } = await refresh(refreshToken!);
    await expect(refresh(refreshToken!)).rejects.toMatchObject({ name: 'invalid_grant' });
    expect(await store.getAccessToken(accessToken)).toBeUndefined();
    const before = (await rows('tokens')).length;
    await save('late', { grantId });
    expect(await store.getAccessToken('late')).toBeUndefined();
    expect((await rows('tokens')).length).toBe(before);
  });

  it('a TypeORM store contains no token, code or secret in plain text', async () => {
    const redeemed = await code();
    const { accessToken, refreshToken } = await redeem(redeemed);
    const everything = JSON.stringify(await Promise.all(['clients', 'grants', 'tokens'].map(rows)));
    for (const secret of [redeemed, accessToken, refreshToken!, SECRET]) expect(everything).not.toContain(secret);
    expect(everything).toContain('$scrypt$ln=14,r=8,p=1$');
  });

  it('a TypeORM store distinguishes ids by case, spaces and accents', async () => {
    const ids = ['Alice', 'alice', 'alice ', ' alice', 'álice', 'a\u0301lice', '😀'.repeat(127), 'ß'.repeat(255)];
    const clientIds = ids.filter((id) => /^[ -~]+$/.test(id));
    for (const id of clientIds) await store.saveClient({ id, grants: ['password'], secret: `${id} secret` });
    expect(await rows('clients')).toHaveLength(clientIds.length + 1);
    for (const id of clientIds) expect(await store.getClient(id, `${id} secret`)).toMatchObject({ id });
    for (const id of ids) await save(`token of ${id}`, {}, { id });
    expect(await store.getClient('ALICE', null)).toBeUndefined();
    expect(await store.getClient('web ', null)).toBeUndefined();
    expect(await store.getClient('web\0', null)).toBeUndefined();
    expect(await store.listGrants('alice')).toHaveLength(1);
    expect(await store.listGrants('ALICE')).toEqual([]);
    expect(await store.revokeGrantsOf({ userId: 'alice' })).toBe(1);
    expect(await store.getAccessToken('token of alice')).toBeUndefined();
    for (const id of ids.filter((each) => each !== 'alice')) {
      expect(await store.getAccessToken(`token of ${id}`)).toMatchObject({ user: { id } });
    }
    await expect(save('too long', {}, { id: 'x'.repeat(256) })).rejects.toThrow(RangeError);
  });

  it('a TypeORM store rejects a user without an id', async () => {
    await expect(store.saveToken({ accessToken: 'x', accessTokenExpiresAt: later() }, WEB, {})).rejects.toMatchObject({
      name: 'invalid_argument',
    });
  });

  it('a TypeORM store finds a token with one query', async () => {
    await save('counted');
    const queries = jest.spyOn(dataSource, 'createQueryRunner');
    await store.getAccessToken('counted');
    expect(queries).toHaveBeenCalledTimes(1);
    queries.mockRestore();
  });
});
