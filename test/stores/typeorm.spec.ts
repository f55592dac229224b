import { scryptSync } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Server, Response } from 'nest-oauth2/server';
import { hashSecret, oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';

import { ALICE, CALLBACK, earlier, later, SECRET } from '../support/model.js';
import { authorizeRequest, CHALLENGE, resourceRequest, tokenRequest, VERIFIER } from '../support/requests.js';
import { findDatabases, open, type Opened, ownPrefix, users, WEB } from './typeorm-databases.js';

const PREFIX = ownPrefix('spec');

const databases = await findDatabases();

describe.each(databases)('TypeORM store on $name', (database) => {
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
    for (const table of ['clients', 'grants', 'codes', 'tokens'])
      await dataSource.query(`DELETE FROM ${PREFIX}${table}`);
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

  it('leads from a code to tokens, and from those to new ones', async () => {
    const first = await redeem(await code());
    const second = await refresh(first.refreshToken!);
    const found = await server.authenticate(resourceRequest(`Bearer ${second.accessToken}`), new Response());
    expect(found).toMatchObject({ user: { id: 'alice' }, client: { id: 'web' }, scope: 'read' });
    expect(found.accessTokenExpiresAt).toEqual(second.accessTokenExpiresAt);
    expect(found.client).toEqual({ ...WEB, secret: undefined, secretHashes: undefined });
  });

  it('ends the family when a code is replayed', async () => {
    const stolen = await code();
    const { accessToken, refreshToken } = await redeem(stolen);
    await expect(redeem(stolen)).rejects.toMatchObject({ name: 'invalid_grant' });
    expect(await store.getAccessToken(accessToken)).toBeUndefined();
    expect(await store.getRefreshToken(refreshToken!)).toBeUndefined();
  });

  it('ends the family when a refresh token is replayed, and saves nothing more in it', async () => {
    const { refreshToken, grantId } = await redeem(await code());
    const { accessToken } = await refresh(refreshToken!);
    await expect(refresh(refreshToken!)).rejects.toMatchObject({ name: 'invalid_grant' });
    expect(await store.getAccessToken(accessToken)).toBeUndefined();
    const before = (await rows('tokens')).length;
    await expect(save('late', { grantId })).rejects.toMatchObject({ name: 'invalid_grant' });
    expect((await rows('tokens')).length).toBe(before);
  });

  it('keeps no token, code or secret as it is', async () => {
    const redeemed = await code();
    const { accessToken, refreshToken } = await redeem(redeemed);
    const everything = JSON.stringify(await Promise.all(['clients', 'grants', 'codes', 'tokens'].map(rows)));
    for (const secret of [redeemed, accessToken, refreshToken!, SECRET]) expect(everything).not.toContain(secret);
    expect(everything).toContain('$scrypt$ln=14,r=8,p=1$');
  });

  it('takes no id for another: case, spaces, accents', async () => {
    const ids = ['Alice', 'alice', 'alice ', ' alice', 'álice', 'a\u0301lice', '😀'.repeat(127), 'ß'.repeat(255)];
    for (const id of ids) await store.saveClient({ id, grants: ['password'], secret: `${id} secret` });
    expect(await rows('clients')).toHaveLength(ids.length + 1);
    for (const id of ids) {
      expect(await store.getClient(id, `${id} secret`)).toMatchObject({ id });
      await save(`token of ${id}`, {}, { id });
    }
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
    await expect(store.saveClient({ id: 'x'.repeat(256), grants: [] })).rejects.toThrow(RangeError);
    await expect(save('too long', {}, { id: 'x'.repeat(256) })).rejects.toThrow(RangeError);
  });

  it('refuses a user without an id', async () => {
    await expect(store.saveToken({ accessToken: 'x' }, WEB, {})).rejects.toMatchObject({ name: 'invalid_argument' });
  });

  it('lists what has access to an account, and ends one or all of it', async () => {
    await code('bob');
    await save('first', {}, { id: 7 });
    await save('second', { scope: 'read write' }, { id: 7 });
    const listed = await store.listGrants(7);
    expect(new Set(listed.map(({ scope }) => scope))).toEqual(new Set(['read', 'read write']));
    expect(listed[0]).toEqual({
      id: expect.any(String),
      clientId: 'web',
      client: expect.objectContaining({ id: 'web', secretHashes: undefined }),
      scope: expect.any(String),
      createdAt: expect.any(Date),
      lastUsedAt: expect.any(Date),
      expiresAt: expect.any(Date),
    });
    const grantId = listed[0]!.id;
    expect(await store.revokeGrantsOf({ userId: 8, grantId })).toBe(0);
    expect(await store.revokeGrantsOf({ userId: 7, grantId })).toBe(1);
    expect(await store.revokeGrantsOf({ userId: 7, grantId })).toBe(0);
    expect((await store.listGrants(7)).map(({ id }) => id)).toEqual([listed[1]!.id]);
    expect(await store.listGrants('bob')).toEqual([]);
    expect(await store.revokeGrantsOf({ clientId: 'web' })).toBe(2);
    expect(await store.listGrants(7)).toEqual([]);
  });

  it('refuses to end the grants of nobody in particular', async () => {
    await save('kept');
    for (const filter of [{}, { userId: undefined }, { userId: undefined, clientId: 'web' }, { user_id: 'alice' }]) {
      await expect(store.revokeGrantsOf(filter)).rejects.toMatchObject({ name: 'invalid_argument' });
    }
    expect(await store.getAccessToken('kept')).toBeDefined();
  });

  it('finds a token with one query', async () => {
    await save('counted');
    const queries = jest.spyOn(dataSource, 'createQueryRunner');
    await store.getAccessToken('counted');
    expect(queries).toHaveBeenCalledTimes(1);
    queries.mockRestore();
  });

  it('forgets in batches what has expired, and nothing else', async () => {
    for (let n = 0; n < 25; n++)
      await save(`old ${n}`, { accessTokenExpiresAt: earlier(3600), refreshToken: `r ${n}` });
    for (let n = 0; n < 25; n++) await save(`gone ${n}`, { accessTokenExpiresAt: earlier(3600) });
    await save('new');
    const spent = await code();
    await redeem(spent);
    expect(await store.prune({ batchSize: 10 })).toBe(25 + 25 + 25);
    expect(await rows('tokens')).toHaveLength(25 + 1 + 2);
    expect(await store.getAuthorizationCode(spent)).toMatchObject({ revokedAt: expect.any(Date) });
    expect(await store.prune({ batchSize: 10 })).toBe(0);
  });

  it('keeps two live secrets while one is being replaced', async () => {
    const second = await store.addClientSecret('web');
    expect(await store.getClient('web', SECRET)).toMatchObject({ id: 'web' });
    expect(await store.getClient('web', second)).toMatchObject({ id: 'web' });
    const third = await store.addClientSecret('web', 'a third secret');
    expect(await store.getClient('web', SECRET)).toBeUndefined();
    expect(await store.getClient('web', second)).toBeDefined();
    await store.retireClientSecrets('web');
    expect(await store.getClient('web', second)).toBeUndefined();
    expect(await store.getClient('web', third)).toBeDefined();
    await expect(store.addClientSecret('nobody')).rejects.toMatchObject({ name: 'invalid_argument' });
  });

  it('loses no secret of two that are added at once', async () => {
    const [one, two] = await Promise.all([store.addClientSecret('web'), store.addClientSecret('web')]);
    expect(await store.getClient('web', one)).toBeDefined();
    expect(await store.getClient('web', two)).toBeDefined();
  });

  it('replaces a cheap hash when its secret is used', async () => {
    const key = scryptSync('cheap', 'salt', 32, { N: 16 }).toString('base64').replaceAll('=', '');
    const other = await hashSecret('other');
    const client = { ...WEB, secret: undefined, secretHashes: [other, `$scrypt$ln=4,r=8,p=1$c2FsdA$${key}`] };
    await store.saveClient(client);
    expect(await store.getClient('web', 'cheap')).toBeDefined();
    const [{ secretHashes }] = (await rows('clients')) as [{ secretHashes: string[] }];
    expect(secretHashes).toEqual([other, expect.stringContaining('$scrypt$ln=14,')]);
    expect(await store.getClient('web', 'cheap')).toBeDefined();
  });

  it('changes a client without touching its secrets', async () => {
    await store.saveClient({ id: 'web', grants: ['password'], scopes: ['read'], accessTokenLifetime: 60 });
    const client = await store.getClient('web', SECRET);
    expect(client).toEqual({ id: 'web', grants: ['password'], scopes: ['read'], accessTokenLifetime: 60 });
  });

  it('ends everything of a client that is removed', async () => {
    await save('orphan');
    expect(await store.removeClient('web')).toBe(true);
    expect(await store.removeClient('web')).toBe(false);
    expect(await store.getAccessToken('orphan')).toBeUndefined();
    await store.saveClient(WEB);
    expect(await store.getAccessToken('orphan')).toBeUndefined();
  });

  it('leaves the clients to the host', async () => {
    const clients = { findById: (id: string) => id === 'own' && { ...WEB, id } };
    const hosted = new TypeOrmStore(dataSource, { users, prefix: PREFIX, clients });
    expect(await hosted.getClient('own', SECRET)).toMatchObject({ id: 'own' });
    expect(await hosted.getClient('web', SECRET)).toBeUndefined();
    await hosted.saveToken({ accessToken: 'hosted' }, { ...WEB, id: 'own' }, ALICE);
    expect(await hosted.getAccessToken('hosted')).toMatchObject({ client: { id: 'own' }, user: ALICE });
    expect(await store.getAccessToken('hosted')).toBeUndefined();
    await expect(hosted.saveClient(WEB)).rejects.toMatchObject({ name: 'invalid_argument' });
  });

  it('has migrations that make the very tables of its entities', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query).filter((query) => query.includes(PREFIX))).toEqual([]);
  });

  it('says what is missing when its entities are', async () => {
    const other = new TypeOrmStore(dataSource, { users, prefix: 'absent_' });
    await expect(other.getAccessToken('x')).rejects.toThrow('lacks `absent_');
  });
});

describe.each(databases)('TypeORM store in tables of a host on $name', ({ options }) => {
  const { dispose, ...given } = options();
  const names = { entities: oauthEntities(), migrations: oauthMigrations() };
  const host = ownPrefix('host');
  let dataSource: DataSource;
  let store: TypeOrmStore;

  async function connect(more: object): Promise<void> {
    dataSource = await new DataSource({ ...given, ...names, ...more }).initialize();
    store = new TypeOrmStore(dataSource, { users });
  }
  afterEach(async () => {
    for (const { tablePath } of dataSource.entityMetadatas) await dataSource.query(`DROP TABLE IF EXISTS ${tablePath}`);
    await dataSource.destroy();
  });
  afterAll(() => dispose?.());

  it('follows the options of its DataSource: a prefix of all tables, and a schema', async () => {
    await connect({ entityPrefix: host, migrationsTableName: `${host}migrations`, schema: `${host}schema` });
    const isPostgres = dataSource.options.type === 'postgres';
    if (isPostgres) await dataSource.query(`CREATE SCHEMA ${host}schema`);
    await dataSource.runMigrations();
    await store.saveClient(WEB);
    await store.saveToken({ accessToken: 'hosted', accessTokenExpiresAt: later() }, WEB, ALICE);
    expect(await store.getAccessToken('hosted')).toMatchObject({ client: { id: 'web' }, user: ALICE });
    const table = `${isPostgres ? `${host}schema.` : ''}${host}oauth_tokens`;
    expect(await dataSource.query(`SELECT grant_id FROM ${table}`)).toHaveLength(1);
    await dataSource.undoLastMigration();
    await dataSource.query(isPostgres ? `DROP SCHEMA ${host}schema CASCADE` : `DROP TABLE ${host}migrations`);
  });

  it('takes no client for another in tables that were made without its migrations', async () => {
    await connect({ entityPrefix: ownPrefix('synchronized'), synchronize: true });
    await store.saveClient(WEB);
    for (const id of ['WEB', 'web ', 'wéb']) expect(await store.getClient(id, null)).toBeUndefined();
  });
});

it('refuses a database it does not know', () => {
  const dataSource = { options: { type: 'mongodb' } } as DataSource;
  expect(() => new TypeOrmStore(dataSource, { users })).toThrow('`mongodb` is none of postgres,');
});
