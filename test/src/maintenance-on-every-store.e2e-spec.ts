import { setTimeout as wait } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import { OAuth2Maintenance, type OAuth2Server } from 'nest-oauth2';

import { findStores, openEveryStore, WEB } from '../stores/every-store.js';
import { earlier } from '../support/models/model.js';

/** Returns a server object of which only the model is used. */
const serverWith = (model: object) => ({ options: { model } }) as unknown as OAuth2Server;

const stores = await findStores();

describe('several processes with the same database', () => {
  it('take turns to delete expired records, on every store', async () => {
    const opened = await openEveryStore();
    const rounds = opened.map(({ name, store, another }) => {
      // The interval is long enough for a busy machine.
      const processes = [store, another, store, another].map(
        (model) => new OAuth2Maintenance(serverWith(model), { interval: 6 }),
      );
      return async () => {
        const counts = await Promise.all(processes.map((process) => process.run()));
        return { name, runs: counts.filter((count) => count !== undefined).length };
      };
    });
    const oneRunEach = opened.map(({ name }) => ({ name, runs: 1 }));
    expect(await Promise.all(rounds.map((runAll) => runAll()))).toEqual(oneRunEach);
    await wait(6000);
    expect(await Promise.all(rounds.map((runAll) => runAll()))).toEqual(oneRunEach);
    for (const { close } of opened) await close();
  }, 60_000);
});

describe.each(stores.filter(({ name }) => !['memory', 'Redis'].includes(name)))('a store in $name', ({ open }) => {
  it('begins no statement of prune() after the signal is aborted', async () => {
    const { store, close } = await open();
    await store.saveToken({ accessToken: 'old', accessTokenExpiresAt: earlier(3600) }, WEB, { id: 'alice' });
    expect(await store.prune({ signal: AbortSignal.abort() })).toBe(0);
    expect(await store.prune()).toBeGreaterThan(0);
    await close();
  });
});
