import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hashPassword, MemoryStore, type Users, verifyPassword } from 'nest-oauth2/stores/memory';

import { ScryptCount } from './scrypt-count.js';

describe('hashPassword() and verifyPassword()', () => {
  let scrypt: ScryptCount;
  beforeEach(() => {
    scrypt = new ScryptCount();
  });
  afterEach(() => scrypt.stop());

  it('accepts only the password that was hashed, however its accents are encoded', async () => {
    const stored = await hashPassword('caf\u00e9');
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    expect(
      await Promise.all(['café', 'cafe\u0301', 'cafe', ''].map((password) => verifyPassword(password, stored))),
    ).toEqual([true, true, false, false]);
  });

  it('computes a hash of the same cost for a user without one, and accepts no password', async () => {
    for (const stored of [undefined, null]) {
      expect(await scrypt.during(async () => expect(await verifyPassword('', stored)).toBe(false))).toBe(1);
    }
    expect(await verifyPassword('any', 'not a hash')).toBe(false);
  });

  it('runs two hashes at a time and rejects the eighteenth of one network, but none of another', async () => {
    const attack = Array.from({ length: 30 }, () => verifyPassword('wrong', undefined, { network: '192.0.2.1' }));
    const others = ['192.0.2.2', '192.0.2.3'].map((network) => verifyPassword('wrong', undefined, { network }));
    const results = await Promise.allSettled(attack);
    expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(13);
    expect(await Promise.all(others)).toEqual([false, false]);
    expect(scrypt.atOnce).toBe(2);
  }, 30_000);

  it('never waits for itself, also if verifying a password hashes another one', async () => {
    const users: Users = {
      findById: () => undefined,
      findByUsername: (name) => ({ id: name }),
      verifyPassword: async (_user, password) =>
        (await hashPassword(password)) !== '' && verifyPassword(password, null),
    };
    const store = new MemoryStore({ clients: [], users });
    const names = ['a', 'b', 'c', 'd'];
    expect(await Promise.all(names.map((name) => store.getUser(name, 'x')))).toEqual(Array(4).fill(undefined));
    expect(scrypt.atOnce).toBe(1);
  }, 30_000);
});
