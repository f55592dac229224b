import { describe, expect, it } from '@jest/globals';

import { RateLimit } from 'nest-oauth2/features';

import { findStores } from '../every-store.js';

const limit = new RateLimit('a limit of the test', { requests: 3, per: 300 });

describe.each(await findStores())('a rate limit of two processes that share a store: $name', ({ name, open }) => {
  it('counts the events of both, also concurrent ones, and takes back events of either', async () => {
    const { store, another, close } = await open();
    const key = `alice ${Math.random()}`;
    const waits = await Promise.all(
      Array.from({ length: 8 }, (_, index) => limit.add(key, index % 2 ? store : another)),
    );
    const allowed = waits.filter((wait) => wait === 0).length;
    // mongo-java-server returns the document before a concurrent change, so it may refuse one event too many.
    const isExact = name !== 'Mongoose' || process.env['MONGODB_URL'] !== undefined;
    expect(allowed).toBeLessThanOrEqual(3);
    expect(allowed).toBeGreaterThanOrEqual(isExact ? 3 : 0);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(300);
    for (let times = 0; times < 10; times += 1) await limit.giveBack(key, times % 2 ? store : another);
    for (let times = 0; times < 3; times += 1) expect(await limit.add(key, times % 2 ? store : another)).toBe(0);
    expect(await limit.add(key, another)).toBeGreaterThan(0);
    expect(await limit.add(`another ${key}`, another)).toBe(0);
    await close();
  }, 60_000);
});
