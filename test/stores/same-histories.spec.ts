import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import * as fc from '../support/environment/fast-check.js';
import { findStores, type OpenStore } from './every-store.js';
import { type History, history } from './histories/history.js';
import { Player } from './histories/player.js';
import { findDatabasesOfLibraries, users } from './typeorm-databases.js';

let count = 0;

/** Plays histories at the same time on a store and on a store in memory. Expects the same result of each call. */
async function playBoth({ store, another }: OpenStore, histories: readonly History[]): Promise<void> {
  const memory = new MemoryStore({ users });
  const play = async (each: History) => {
    const prefix = `${process.pid}-${10_000_000 + count++}-`;
    const model = new Player(each, prefix, memory, memory);
    const player = new Player(each, prefix, store, another);
    for (const calls of each.steps) {
      const expected = await Promise.all(calls.map((call) => model.play(call)));
      const actual = await Promise.all(calls.map((call) => player.play(call)));
      expect(actual).toEqual(expected);
    }
  };
  await Promise.all(histories.map(play));
}

const others = (await findStores(findDatabasesOfLibraries)).filter(({ name }) => name !== 'memory');

describe.each(others)('generated histories on $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  }, 60_000);
  afterAll(() => opened.close());

  it('have the same results as in memory, while several are played at the same time', async () => {
    const several = fc.array(history, { minLength: 1, maxLength: 4, size: 'max' });
    const property = fc.asyncProperty(several, (histories) => playBoth(opened, histories));
    await expect(fc.assert(property, { numRuns: 12 })).resolves.toBeUndefined();
  }, 120_000);
});
