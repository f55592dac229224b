import { scryptSync } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { hashSecret, MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';
import { withoutWarnings } from '../support/environment/quiet.js';
import { useRealScrypt } from '../support/environment/real-scrypt.js';

useRealScrypt();

const WEB: StoredClient = { id: 'web', secret: 's3cret', grants: ['password'] };
/** A user record of an application in which `client` has another meaning. */
const customer = { id: 'u9', client: true };
const users = { findByCredentials: () => customer, findById: (id: string) => id === customer.id && customer };
const token = () => ({ accessToken: `${Math.random()}`, accessTokenExpiresAt: new Date(Date.now() + 60_000) });

withoutWarnings();

describe('MemoryStore', () => {
  it('starts without clients if the option `clients` is omitted', async () => {
    const store = new MemoryStore({ users });
    expect(await store.getClient('web', null)).toBeFalsy();
    await store.saveClient(WEB);
    expect(await store.getClient('web', 's3cret')).toMatchObject({ id: 'web' });
  });

  it('treats a user with a property `client` as a user', async () => {
    const store = new MemoryStore({ clients: [WEB], users });
    const { accessToken } = await store.saveToken(token(), WEB, customer);
    expect((await store.getAccessToken(accessToken))?.user).toBe(customer);
    expect(await store.listGrants('u9')).toHaveLength(1);
    expect(await store.revokeGrantsOf({ userId: 'u9' })).toBe(1);
    expect(await store.getAccessToken(accessToken)).toBeUndefined();
  });

  it('distinguishes a client credentials client from a user with the same id', async () => {
    const store = new MemoryStore({ clients: [{ ...WEB, id: 'u9' }], users });
    const service = await store.getUserFromClient({ ...WEB, id: 'u9' });
    const { accessToken } = await store.saveToken(token(), { ...WEB, id: 'u9' }, service);
    expect((await store.getAccessToken(accessToken))?.user).toEqual({ id: 'oauth2:client:u9' });
    expect(await store.listGrants('u9')).toEqual([]);
  });

  it('rejects a user whose id is reserved for a client', async () => {
    const store = new MemoryStore({ clients: [WEB], users });
    const { id } = await store.getUserFromClient(WEB);
    await expect(store.saveToken(token(), WEB, { id })).rejects.toThrow(
      'the `id` of a user must not begin with `oauth2:client:`',
    );
  });

  it('keeps single-use values until they expire, even if its limit is reached', async () => {
    const store = new MemoryStore({ clients: [WEB], users, limit: 100 });
    expect(await store.once('mine', 600)).toBe(true);
    for (let at = 0; at < 99; at++) await store.once(`flood ${at}`, 60);
    await expect(store.once('one more', 60)).rejects.toMatchObject({ name: 'temporarily_unavailable', code: 503 });
    expect(await store.once('mine', 600)).toBe(false);
    const later = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
    expect(await store.once('one more', 60)).toBe(true);
    expect(await store.once('mine', 600)).toBe(false);
    later.mockRestore();
  });

  it.each([[''], [Number.NaN], [undefined]])('rejects a user with the id %j', async (id) => {
    const store = new MemoryStore({ clients: [WEB], users });
    await expect(store.saveToken(token(), WEB, { id })).rejects.toThrow('the `id` of a user');
  });
});

const SALT = 'c2FsdA';
const keyOf = (length: number) => {
  const key = scryptSync('s3cret', 'salt', length, { N: 16 });
  return `$scrypt$ln=4,r=8,p=1$${SALT}$${key.toString('base64').replaceAll('=', '')}`;
};

describe('a client secret in MemoryStore', () => {
  const cheap = (secret: string, { ln, r, p }: Record<'ln' | 'r' | 'p', number>) => {
    const salt = Buffer.alloc(16, 7);
    const key = scryptSync(secret, salt, 32, { N: 2 ** ln, r, p });
    const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
    return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(key)}`;
  };
  const storeOf = (hash: string, replaceSecretHash?: (...given: string[]) => unknown) =>
    new MemoryStore({
      clients: { findById: () => ({ id: 'web', grants: [], secretHashes: [hash] }), replaceSecretHash },
      users,
    });

  it.each([
    [{ ln: 4, r: 8, p: 8 }, true],
    [{ ln: 10, r: 8, p: 2 }, true],
    [{ ln: 1, r: 1, p: 1 }, true],
    [{ ln: 15, r: 4, p: 1 }, false],
  ])('whose hash has the cost %j is accepted; hashed again with the current cost: %j', async (cost, isReplaced) => {
    const replaced: string[][] = [];
    const store = storeOf(cheap('s3cret', cost), (...given) => replaced.push(given));
    expect(await store.getClient('web', 's3cret')).toMatchObject({ id: 'web' });
    expect(replaced.map(([id]) => id)).toEqual(isReplaced ? ['web'] : []);
  });

  it('is accepted even if its hash cannot be replaced', async () => {
    const store = storeOf(cheap('s3cret', { ln: 4, r: 8, p: 1 }), () => {
      throw new Error('a replica is read-only');
    });
    expect(await store.getClient('web', 's3cret')).toMatchObject({ id: 'web' });
    expect(await store.getClient('web', 'wrong')).toBeUndefined();
  });

  it('is accepted if the store has its hash from `hashSecret()`, and any other secret is rejected', async () => {
    const store = storeOf(await hashSecret('s3cret'));
    expect(await store.getClient('web', 's3cret')).toEqual({ id: 'web', grants: [] });
    expect(await store.getClient('web', 's3cret ')).toBeUndefined();
  });

  // A truncated hash would match other secrets, an empty one any secret. Expensive hashes would block the server.
  it.each([
    ['with another algorithm', '$2b$10$notscryptatall'],
    ['truncated to 15 bytes', keyOf(15)],
    ['truncated to one byte', keyOf(1)],
    ['truncated to less than a byte', '$scrypt$ln=4,r=8,p=1$c2FsdA$A'],
    ['longer than allowed', keyOf(65)],
    ['with cost zero', `$scrypt$ln=0,r=8,p=1$${SALT}$${'A'.repeat(43)}`],
    ['with memory cost zero', `$scrypt$ln=4,r=0,p=1$${SALT}$${'A'.repeat(43)}`],
    ['with an absurdly high cost', `$scrypt$ln=20,r=99,p=99$${SALT}$${'A'.repeat(43)}`],
    ['with twice the maximum cost', `$scrypt$ln=14,r=8,p=9$${SALT}$${'A'.repeat(43)}`],
    ['with a truncated SHA-256 hash', '$sha256$AAAA'],
  ])('is rejected if its hash is invalid: %s', async (_, hash) => {
    expect(await storeOf(hash).getClient('web', 's3cret')).toBeUndefined();
  });

  it.each([16, 32, 64])('is accepted if its scrypt hash has a key of %d bytes', async (length) => {
    expect(await storeOf(keyOf(length)).getClient('web', 's3cret')).toMatchObject({ id: 'web' });
  });
});
