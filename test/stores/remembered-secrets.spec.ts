import { scryptSync } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  hashSecret,
  MemoryStore,
  type MemoryStoreOptions,
  newClientSecret,
  type StoredClient,
} from 'nest-oauth2/stores/memory';

import { useRealScrypt } from '../support/environment/real-scrypt.js';
import { ScryptCount } from './scrypt-count.js';

useRealScrypt();

const users = { findByCredentials: () => undefined, findById: () => undefined };
const chosen = await hashSecret('s3cret');

/** Returns a store with one client, which the test can change. */
function storeOf(client: Partial<StoredClient>, options: Partial<MemoryStoreOptions> = {}) {
  return new MemoryStore({
    clients: { findById: () => ({ id: 'web', grants: [], ...client }) },
    users,
    ...options,
  });
}

describe('the verification of a correct client secret', () => {
  let scrypt: ScryptCount;
  beforeEach(() => {
    scrypt = new ScryptCount();
  });
  afterEach(() => scrypt.stop());

  it('runs no scrypt if the library generated the secret', async () => {
    const { secret, secretHash } = newClientSecret();
    const store = storeOf({ secretHashes: [chosen, secretHash] });
    expect(await scrypt.during(() => store.getClient('web', secret))).toBe(0);
    expect(await store.getClient('web', secret)).toEqual({ id: 'web', grants: [] });
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(secretHash).toMatch(/^\$sha256\$[A-Za-z\d+/]{43}$/);
    expect(await store.getClient('web', secretHash)).toBeUndefined();
  });

  it('runs scrypt once for any number of repeated or concurrent requests', async () => {
    const store = storeOf({ secretHashes: [chosen] });
    const bring = () => Promise.all(Array.from({ length: 100 }, () => store.getClient('web', 's3cret')));
    expect(await scrypt.during(bring)).toBe(1);
    expect(await scrypt.during(bring)).toBe(0);
    for (const found of await bring()) expect(found).toEqual({ id: 'web', grants: [] });
  });

  it('runs scrypt for each request if `rememberSecretsFor` is 0', async () => {
    const store = storeOf({ secretHashes: [chosen] }, { rememberSecretsFor: 0 });
    await store.getClient('web', 's3cret');
    expect(await scrypt.during(() => store.getClient('web', 's3cret'))).toBe(1);
  });

  it('runs scrypt again after `rememberSecretsFor` has passed', async () => {
    const store = storeOf({ secretHashes: [chosen] }, { rememberSecretsFor: 60 });
    await store.getClient('web', 's3cret');
    expect(await scrypt.during(() => store.getClient('web', 's3cret'))).toBe(0);
    const later = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001);
    expect(await scrypt.during(() => store.getClient('web', 's3cret'))).toBe(1);
    later.mockRestore();
  });

  it('fails immediately after the secret was replaced or its client was removed', async () => {
    let client: StoredClient | undefined = { id: 'web', grants: [], secretHashes: [chosen] };
    const store = new MemoryStore({ clients: { findById: () => client }, users });
    expect(await store.getClient('web', 's3cret')).toBeDefined();
    client = { ...client, secretHashes: [await hashSecret('another')] };
    expect(await store.getClient('web', 's3cret')).toBeUndefined();
    expect(await store.getClient('web', 'another')).toBeDefined();
    client = undefined;
    expect(await store.getClient('web', 'another')).toBeUndefined();
  });

  it('replaces an outdated hash once, and runs no scrypt afterwards', async () => {
    const salt = Buffer.from('salt');
    const key = scryptSync('s3cret', salt, 32, { N: 16 }).toString('base64').replaceAll('=', '');
    let secretHashes = [`$scrypt$ln=4,r=8,p=1$c2FsdA$${key}`];
    const replaceSecretHash = (_id: string, old: string, made: string) => {
      secretHashes = secretHashes.map((hash) => (hash === old ? made : hash));
    };
    const store = new MemoryStore({
      clients: { findById: (id) => ({ id, grants: [], secretHashes }), replaceSecretHash },
      users,
    });
    const bring = () => Promise.all([1, 2, 3].map(() => store.getClient('web', 's3cret')));
    expect(await scrypt.during(bring)).toBe(2);
    expect(secretHashes).toEqual([expect.stringContaining('$scrypt$ln=14,')]);
    expect(await scrypt.during(bring)).toBe(0);
    for (const found of await bring()) expect(found).toEqual({ id: 'web', grants: [] });
  });

  it.each([-1, Number.NaN, Infinity])('rejects the value %p of `rememberSecretsFor`', (rememberSecretsFor) => {
    expect(() => storeOf({}, { rememberSecretsFor })).toThrow('`rememberSecretsFor` must be a number of seconds');
  });
});
