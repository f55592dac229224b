import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PushedRequest } from 'nest-oauth2/features';
import { OAuth2Server } from 'nest-oauth2/server';

import { later } from '../../support/models/model.js';
import { runOperation, tokenRequest } from '../../support/clients/requests.js';
import { Clock, restoreClocks, skewClocks } from '../../support/environment/skewed-clock.js';
import { type AnyStore, openEveryStore, type OpenStore, WEB } from '../every-store.js';

const PASSWORD = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };

const TOKEN = expect.stringMatching(/^[\w-]{40,}$/);

async function push(store: AnyStore, more: Partial<PushedRequest> = {}): Promise<PushedRequest> {
  const requestUri = `urn:ietf:params:oauth:request_uri:${randomUUID()}`;
  const pushed = {
    requestUri,
    clientId: WEB.id,
    parameters: {},
    openUntil: later(60),
    expiresAt: later(1800),
    ...more,
  };
  await store.savePushedRequest(pushed);
  return pushed;
}

/**
 * Repeats work with a record until it takes less time than the record lives. On a busy machine, the record may end
 * before all calls are made, which proves nothing.
 */
async function within<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const start = performance.now();
    const result = await work();
    if (performance.now() - start < seconds * 1000) return result;
  }
}

/** A store of the tests, and whether `prune()` deletes its expired records. */
type Named = OpenStore & { name: string; isPruned: boolean };

// All stores wait at the same time, and so do most tests. Records live long enough for a busy machine.
describe('the time after which records end in every store', () => {
  let stores: Named[];

  beforeAll(async () => {
    const opened = await openEveryStore();
    stores = opened.map((each) => Object.assign(each, { isPruned: !['memory', 'Redis'].includes(each.name) }));
    skewClocks();
  });
  afterAll(async () => {
    restoreClocks();
    await Promise.all(stores.map((each) => each.close()));
  });

  /** Returns the stores that several processes share. The store in memory has the clock of its only process. */
  const sharedStores = () => stores.filter(({ name }) => name !== 'memory');

  /** Runs the work with each store concurrently. A failure has the name of the store. */
  async function withEach(work: (store: Named) => Promise<void>, those = stores): Promise<void> {
    expect(those).not.toHaveLength(0);
    const failures: Error[] = [];
    const run = (store: Named) =>
      work(store).catch((error: Error) => failures.push(new Error(`${store.name}: ${error.message}`)));
    await Promise.all(those.map(run));
    expect(failures).toEqual([]);
  }

  it.concurrent('deletes a counter after its window, by the database or by prune()', () =>
    withEach(async ({ store, another }) => {
      await store.countWithin('short', 1);
      await sleep(1500);
      await another.prune();
      expect(await another.countWithin('short', 60, 0)).toEqual({ count: 0, expiresIn: 0 });
    }),
  );

  it.concurrent('makes a value of once() available again to one of many concurrent callers', () =>
    withEach(async ({ store, another }) => {
      // Returns how many of several concurrent callers get `true`.
      const count = async (callers: number, value: string, seconds: number) => {
        const from = (index: number) => (index % 2 ? store : another).once(value, seconds);
        return (await Promise.all(Array.from({ length: callers }, (_, index) => from(index)))).filter(Boolean).length;
      };
      const brief = async (value = randomUUID()) => ({ value, first: await count(2, value, 8) });
      const { value, first } = await within(8, brief);
      expect(first).toBe(1);
      await sleep(8200);
      expect(await count(20, value, 600)).toBe(1);
    }),
  );

  it('deletes a pushed authorization request after `openUntil` if it was not opened', () =>
    withEach(async ({ store, another, isPruned }) => {
      const { requestUri } = await push(store, { openUntil: later(0.5) });
      await sleep(700);
      expect(await another.getPushedRequest(requestUri)).toBeUndefined();
      expect(await store.prune()).toBeGreaterThanOrEqual(isPruned ? 1 : 0);
    }));

  it.concurrent('keeps a pushed authorization request after `openUntil` if it was opened, even by two browsers', () =>
    withEach(async ({ store, another }) => {
      const both = [store, another];
      const { requestUri, found } = await within(8, async () => {
        const pushed = await push(store, { openUntil: later(8) });
        const requests = await Promise.all(both.map((each) => each.getPushedRequest(pushed.requestUri)));
        const open = async (each: AnyStore, at: number) => requests[at] && each.openPushedRequest(requests[at]);
        await Promise.all(both.map(open));
        return { requestUri: pushed.requestUri, found: requests };
      });
      expect(found).not.toContain(undefined);
      await sleep(8200);
      await store.prune();
      const { expiresAt, openUntil } = (await another.getPushedRequest(requestUri))!;
      expect(Math.abs(expiresAt.getTime() - later(1792).getTime())).toBeLessThan(60_000);
      expect(openUntil.getTime()).toBeGreaterThan(Date.now());
      expect(await store.revokePushedRequest({ requestUri })).toBe(true);
    }),
  );

  it.concurrent(
    'measures the lifetime of a pushed authorization request by the clock of the store, not of the processes',
    () =>
      withEach(async ({ store, another }) => {
        expect(another).not.toBe(store);
        const pairs = [
          [-300_000, 0],
          [0, 300_000],
          [300_000, 0],
          [0, -300_000],
        ] as const;
        const expire = async ([pusher, browser]: (typeof pairs)[number]) => {
          const { found, now } = await within(60, async () => {
            const { requestUri } = await new Clock(pusher).at(() => push(store));
            const find = async () => ({ found: await another.getPushedRequest(requestUri), now: Date.now() });
            return new Clock(browser).at(find);
          });
          expect(found!.openUntil.getTime()).toBeGreaterThan(now);
          expect(Math.abs(found!.expiresAt.getTime() - now - 1_800_000)).toBeLessThan(60_000);
          const late = await new Clock(pusher).at(() => push(store, { openUntil: new Date(Date.now() + 300) }));
          await sleep(500);
          expect(await new Clock(browser).at(() => another.getPushedRequest(late.requestUri))).toBeUndefined();
        };
        await Promise.all(pairs.map(expire));
      }, sharedStores()),
  );

  it.concurrent(
    'measures the rotation grace period of a refresh token by the clock of the store, not of the process',
    () =>
      withEach(async ({ store, another }) => {
        const pair = [store, another].map((model) => new OAuth2Server({ model, refreshTokenReuseInterval: 8 }));
        const [past, present] = [new Clock(-3_600_000), new Clock()];
        // Returns the refresh token of the response, or else its error.
        const call = async (server: OAuth2Server, clock: Clock, parameters: Record<string, string>) => {
          const { body } = await clock.at(() => runOperation(server, 'token', tokenRequest(parameters)));
          return (body['refresh_token'] ?? body['error']) as string;
        };
        const refresh = (server: OAuth2Server, clock: Clock, refreshToken: string) =>
          call(server, clock, { grant_type: 'refresh_token', refresh_token: refreshToken });
        const { token, rotatedToken, repeated } = await within(8, async () => {
          const issued = await call(pair[0]!, present, PASSWORD);
          const rotated = await refresh(pair[0]!, present, issued);
          return { token: issued, rotatedToken: rotated, repeated: await refresh(pair[1]!, past, issued) };
        });
        expect([token, rotatedToken]).toEqual([TOKEN, TOKEN]);
        expect(repeated).toBe(rotatedToken);
        await sleep(8200);
        expect(await refresh(pair[1]!, past, token)).toBe('invalid_grant');
        expect(await refresh(pair[0]!, present, rotatedToken)).toBe('invalid_grant');
      }),
  );
});
