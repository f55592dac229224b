import { EventEmitter } from 'node:events';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { hasCounts } from '../../../lib/internal.js';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { findStores, type OpenStore } from '../every-store.js';
import { users } from '../typeorm-databases.js';

/** Numbers of concurrent calls. */
const UP_TO_200 = Array.from({ length: 200 }, (_, index) => index + 1);

/**
 * Returns the counts that concurrent calls returned, in order. mongo-java-server adds atomically, but may return the
 * result of a concurrent call, so that only the sum can be tested there.
 */
const countsOf = (name: string, states: { count: number }[], zero: 0 | 1) =>
  name === 'Mongoose' && !process.env['MONGODB_URL']
    ? UP_TO_200
    : states.map(({ count }) => count + zero).toSorted((a, b) => a - b);

describe.each(await findStores())('the counters of a store: $name', ({ name, open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  it('return each number from 1 to 200 to one of 200 concurrent callers', async () => {
    const { store, another } = opened;
    const call = (index: number) => (index % 2 ? store : another).countWithin('attacked', 60);
    const states = await Promise.all(UP_TO_200.map(call));
    expect(countsOf(name, states, 0)).toEqual(UP_TO_200);
    expect(await another.countWithin('attacked', 60, 0)).toMatchObject({ count: 200 });
  });

  it('take each of 200 additions back once', async () => {
    const { store, another } = opened;
    await store.countWithin('successes', 60, 200);
    const call = (index: number) => (index % 2 ? store : another).countWithin('successes', 60, -1);
    const states = await Promise.all(UP_TO_200.map(call));
    expect(countsOf(name, states, 1)).toEqual(UP_TO_200);
    expect(await another.countWithin('successes', 60, 1)).toMatchObject({ count: 1 });
  });

  it('distinguish keys of any length and with any characters', async () => {
    const { store, another } = opened;
    const keys = ['alice', 'Alice', 'alice ', 'alice\0', 'älice', 'x'.repeat(5000), `${'x'.repeat(5000)}y`];
    for (const key of keys) expect(await store.countWithin(key, 60)).toMatchObject({ count: 1 });
    for (const key of keys) expect(await another.countWithin(key, 60)).toMatchObject({ count: 2 });
  });

  it.each([
    [0.5, 60],
    [NaN, 60],
    [1, 0],
    [1, -1],
    [1, Infinity],
  ])('rejects an addition of %s within %s seconds', async (by, seconds) => {
    await expect(opened.store.countWithin('invalid', seconds, by)).rejects.toThrow('`by` must be an integer');
  });
});

describe('the counters in memory', () => {
  const makeStore = (limit: number) => new MemoryStore({ users, limit });
  const read = async (store: MemoryStore, key: string) => (await store.countWithin(key, 60, 0)).count;

  it('remove the lowest counts if they reach the limit, so that new counters displace no attacked account', async () => {
    const store = makeStore(200);
    await store.countWithin('attacked', 60, 10);
    for (let index = 0; index < 5000; index += 1) await store.countWithin(`stranger ${index}`, 60);
    expect(await read(store, 'attacked')).toBe(10);
    const known = await Promise.all(Array.from({ length: 5000 }, (_, index) => read(store, `stranger ${index}`)));
    expect(known.filter((count) => count > 0).length).toBeLessThanOrEqual(199);
    expect(known.at(-1)).toBe(1);
  });

  it('remove the counter that was not added to for the longest time among equal counts', async () => {
    const store = makeStore(3);
    for (const key of ['a', 'b', 'c']) await store.countWithin(key, 60, 1);
    await store.countWithin('a', 60, 1);
    await store.countWithin('b', 60, 1);
    await store.countWithin('c', 60, 1);
    await store.countWithin('d', 60, 2);
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => read(store, key)))).toEqual([0, 2, 2, 2]);
  });

  it('remove counters whose window has ended before any other', async () => {
    const store = makeStore(2);
    await store.countWithin('ended', 0.001, 50);
    await store.countWithin('open', 60);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await store.countWithin('new', 60);
    expect(await Promise.all(['ended', 'open', 'new'].map((key) => read(store, key)))).toEqual([0, 1, 1]);
  });
});

describe('hasCounts()', () => {
  it('returns true only for a model with `countWithin()`', () => {
    expect(hasCounts(new MemoryStore({ users }))).toBe(true);
    expect(hasCounts(Object.assign(new EventEmitter(), { count: () => 1 }))).toBe(false);
  });
});
