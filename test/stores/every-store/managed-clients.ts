import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newClientSecret } from 'nest-oauth2/stores/memory';

import { ALICE, later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';

const SECRETLESS = { grants: ['client_credentials', 'authorization_code'], scopes: ['read'] };

describe.each(await findStores())('administered clients with a store in $name', ({ name, open }) => {
  let opened: OpenStore;
  let store: OpenStore['store'];
  let another: OpenStore['store'];
  let id: string;
  beforeAll(async () => {
    opened = await open();
    ({ store, another } = opened);
  });
  afterAll(() => opened.close());
  beforeEach(() => {
    id = `client ${randomUUID()}`;
  });
  afterEach(() => store.removeClient(id));

  const create = (more: object = {}) => store.createClient({ id, ...SECRETLESS, ...more });
  const knows = async (secret: string) => (await another.getClient(id, secret)) !== undefined;
  const save = async () => {
    const client = (await store.getClient(id, null))!;
    return store.saveToken({ accessToken: randomUUID(), accessTokenExpiresAt: later() }, client, ALICE);
  };
  const isAlive = async (accessToken: string) => (await another.getAccessToken(accessToken)) !== undefined;

  it('an administered client is created by one of several concurrent callers, with a hash of its secret', async () => {
    const created = await Promise.all([
      create({ secret: 'one' }),
      another.createClient({ id, ...SECRETLESS, secret: 'two' }),
      create({ secret: 'three' }),
    ]);
    expect(created.filter(Boolean)).toHaveLength(1);
    const winner = ['one', 'two', 'three'][created.indexOf(true)]!;
    expect(await Promise.all(['one', 'two', 'three'].map(knows))).toEqual(created);
    expect(await knows(winner)).toBe(true);
    expect(JSON.stringify(await another.findClient(id))).not.toContain(winner);
  });

  it('administered clients are returned without their secrets, but with the creation time of each secret', async () => {
    const before = Date.now() - 60_000;
    await create({ secret: ['one', 'two'], name: 'Web' });
    expect(await knows('one')).toBe(true);
    expect(await knows('two')).toBe(true);
    const found = (await another.findClient(id))!;
    const made = { createdAt: expect.any(Date) };
    expect(found).toEqual({ id, ...SECRETLESS, name: 'Web', ...made, secrets: [made, made] });
    expect(found.createdAt!.getTime()).toBeGreaterThan(before);
    expect(found.secrets[0]!.createdAt!.getTime()).toBeGreaterThan(before);
    expect(await store.findClient(`no ${id}`)).toBeUndefined();
  });

  it('administered clients are changed field by field without repeating the secret', async () => {
    await create({ secret: 's3cret', name: 'Web', accessTokenLifetime: 60 });
    const changed = await another.changeClient(id, { name: 'Shop', accessTokenLifetime: null });
    expect(changed).toMatchObject({ id, name: 'Shop', scopes: ['read'] });
    expect(await store.findClient(id)).toEqual(changed);
    expect(changed).not.toHaveProperty('accessTokenLifetime');
    expect(await knows('s3cret')).toBe(true);
    expect(await store.changeClient(`no ${id}`, { name: 'x' })).toBeUndefined();
    await expect(store.changeClient(id, { scopes: ['two words'] })).rejects.toThrow('`scopes` must be');
    await expect(store.changeClient(id, { secret: 'x' })).rejects.toThrow('`secret` cannot be changed here');
    await expect(store.changeClient(id, { id: 'x' })).rejects.toThrow('the `id` of a client cannot be changed');
  });

  it('concurrent changes of an administered client are all kept', async () => {
    await create({ redirectUris: [] });
    const add = (by: OpenStore['store'], uri: string) =>
      by.changeClient(id, ({ redirectUris = [] }) => ({ redirectUris: [...redirectUris, uri] }));
    const uris = Array.from({ length: 8 }, (_, index) => `https://app.example/${index}`);
    const [rotated] = await Promise.all([
      another.rotateClientSecret(id),
      store.changeClient(id, { name: 'Web' }),
      ...uris.map((uri, index) => add(index % 2 ? store : another, uri)),
    ]);
    const found = (await store.findClient(id))!;
    expect(found.redirectUris!.toSorted()).toEqual(uris);
    expect(found).toMatchObject({ name: 'Web' });
    expect(await knows(rotated!.secret)).toBe(true);
  });

  it('an administered client can be saved as it was returned', async () => {
    await create({ secret: 's3cret', name: 'Web' });
    const { name: _, ...found } = (await store.findClient(id))!;
    await another.saveClient(found);
    expect(await store.findClient(id)).toEqual(found);
    expect(await knows('s3cret')).toBe(true);
  });

  it('the previous secret of an administered client stays valid for the overlap, or not at all without one', async () => {
    await create({ secret: 'chosen' });
    const second = (await store.rotateClientSecret(id))!;
    expect(second).toEqual({ secret: expect.stringMatching(/^[\w-]{43}$/) });
    expect([await knows('chosen'), await knows(second.secret)]).toEqual([true, true]);
    const { secrets } = (await another.findClient(id))!;
    expect(secrets).toEqual([
      { createdAt: expect.any(Date) },
      { createdAt: expect.any(Date), expiresAt: expect.any(Date) },
    ]);
    const overlap = secrets[1]!.expiresAt!.getTime() - secrets[0]!.createdAt!.getTime();
    expect(overlap).toBe(86_400_000);
    // The overlap cannot be extended later.
    const third = (await another.rotateClientSecret(id, { overlap: 1e6, secret: 'third' }))!;
    expect((await store.findClient(id))!.secrets[2]!.expiresAt).toEqual(secrets[1]!.expiresAt);
    expect(await Promise.all(['chosen', second.secret, third.secret].map(knows))).toEqual([true, true, true]);
    const last = (await store.rotateClientSecret(id, { overlap: 0 }))!;
    expect(await Promise.all(['chosen', second.secret, 'third', last.secret].map(knows))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(await store.rotateClientSecret(`no ${id}`)).toBeUndefined();
  });

  it('a secret of an administered client has only the times that are stored with its hash', async () => {
    const { secretHash } = newClientSecret();
    await create({ secretHashes: [secretHash] });
    await store.rotateClientSecret(id);
    expect((await another.findClient(id))!.secrets[1]).toEqual({ expiresAt: expect.any(Date) });
  });

  it('concurrent rotations of a client secret are all kept, up to five secrets', async () => {
    await create();
    const rotate = (by: OpenStore['store']) => by.rotateClientSecret(id, { overlap: Infinity });
    const made = await Promise.all([store, another, store, another, store].map(rotate));
    expect(await Promise.all(made.map((each) => knows(each!.secret)))).toEqual(Array(5).fill(true));
    const { secret } = (await rotate(store))!;
    expect(await Promise.all(made.map((each) => knows(each!.secret)))).toEqual(
      expect.arrayContaining([false, true, true, true, true]),
    );
    await another.revokeOldClientSecrets(id);
    expect((await store.findClient(id))!.secrets).toHaveLength(1);
    expect(await knows(secret)).toBe(true);
    await expect(store.revokeOldClientSecrets(`no ${id}`)).rejects.toMatchObject({ name: 'invalid_argument' });
  });

  it('an administered client cannot authenticate with a secret after its `secretLifetime`', async () => {
    await store.createClient({ id, ...SECRETLESS, secret: 'brief' }, { secretLifetime: 0.001 });
    const { secret, expiresAt } = (await store.rotateClientSecret(id, { secretLifetime: 60 }))!;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([await knows('brief'), await knows(secret)]).toEqual([false, true]);
    expect((await store.findClient(id))!.secrets).toEqual([{ createdAt: expect.any(Date), expiresAt }]);
    await expect(store.rotateClientSecret(id, { secretLifetime: -1 })).rejects.toThrow('`secretLifetime` must be');
    await expect(store.rotateClientSecret(id, { overlap: Number.NaN })).rejects.toThrow('`overlap` must be 0,');
  });

  it('a disabled client is not found by getClient() and its tokens are invalid, but it remains stored and can be enabled again', async () => {
    await create({ secret: 's3cret', name: 'Web' });
    const { accessToken } = await save();
    expect(await isAlive(accessToken)).toBe(true);
    const client = (await store.getClient(id, null))!;
    expect(await another.disableClient(id)).toBe(true);
    expect(await isAlive(accessToken)).toBe(false);
    expect([await store.getClient(id, null), await store.getClient(id, 's3cret')]).toEqual([undefined, undefined]);
    const found = (await store.findClient(id))!;
    expect(found).toMatchObject({ name: 'Web', disabledAt: expect.any(Date) });
    // A request that was in progress.
    const late = { accessToken: randomUUID(), accessTokenExpiresAt: later() };
    await store.saveToken(late, client, ALICE);
    expect(await isAlive(late.accessToken)).toBe(false);
    await store.saveClient({ ...found, name: 'Shop' });
    await store.saveClient({ id, ...SECRETLESS });
    expect(await store.getClient(id, null)).toBeUndefined();
    expect(await another.enableClient(id)).toBe(true);
    expect(await knows('s3cret')).toBe(true);
    expect([await isAlive(accessToken), await isAlive(late.accessToken)]).toEqual([false, false]);
    const next = await save();
    expect(await store.enableClient(id)).toBe(true);
    expect(await isAlive(next.accessToken)).toBe(true);
    expect([await store.disableClient(`no ${id}`), await store.enableClient(`no ${id}`)]).toEqual([false, false]);
  });

  it('an administered client is removed with its grants, and can be created again', async () => {
    await create({ secret: 's3cret' });
    const { accessToken } = await save();
    expect(await another.removeClient(id)).toBe(true);
    expect(await another.removeClient(id)).toBe(false);
    expect([await store.findClient(id), await store.changeClient(id, {})]).toEqual([undefined, undefined]);
    const listed = await store.listClients({ search: id });
    expect(listed).toEqual({ clients: [] });
    expect(await create()).toBe(true);
    expect([await knows('s3cret'), await isAlive(accessToken)]).toEqual([false, false]);
    expect(await isAlive((await save()).accessToken)).toBe(true);
  });

  it('administered clients are listed in pages in the order of their ids, and can be filtered', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'].map((letter) => `list ${id} ${letter}`);
    for (const each of ids) await store.createClient({ id: each, ...SECRETLESS, name: `Nr. ${each.at(-1)!}` });
    await store.disableClient(ids[1]!);
    const listed = async (options: object) => {
      const { clients, next } = await another.listClients({ search: `LIST ${id}`, ...options });
      return [clients.map((client) => ids.indexOf(client.id)), next === undefined ? next : ids.indexOf(next)];
    };
    expect(await listed({})).toEqual([[0, 1, 2, 3, 4], undefined]);
    expect(await listed({ limit: 2 })).toEqual([[0, 1], 1]);
    expect(await listed({ limit: 2, after: ids[1] })).toEqual([[2, 3], 3]);
    expect(await listed({ limit: 2, after: ids[3] })).toEqual([[4], undefined]);
    expect(await listed({ disabled: true })).toEqual([[1], undefined]);
    expect(await listed({ disabled: false, limit: 3 })).toEqual([[0, 2, 3], 3]);
    expect((await store.listClients({ search: 'nr. e' })).clients).toHaveLength(1);
    await expect(store.listClients({ limit: 0 })).rejects.toThrow('`limit` must be an integer from 1 to 1000');
    for (const each of ids) await store.removeClient(each);
    expect(await listed({})).toEqual([[], undefined]);
  });

  it('lists of administered clients include those that existed from the start', async () => {
    const { clients } = await store.listClients();
    expect(clients.map((client) => client.id)).toContain(WEB.id);
    expect(name).toBeTruthy();
  });
});
