import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { inspect } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PushedRequest } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { RedisStore } from 'nest-oauth2/stores/redis';

import { later } from '../support/model.js';
import { Clock, restoreClocks, skewClocks } from '../support/skewed-clock.js';
import { findStores, type OpenStore, WEB } from './every-store.js';

describe.each(await findStores())('a pushed authorization request with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  async function push(more: Partial<PushedRequest> = {}): Promise<PushedRequest> {
    const pushed = {
      requestUri: `urn:ietf:params:oauth:request_uri:${randomUUID()}`,
      clientId: WEB.id,
      issuer: 'https://as.example',
      parameters: { scope: 'read', resource: ['https://a.example/', 'urn:b'], login_hint: 'ä 🙂 \u0000 \ud800 " \\' },
      openUntil: later(60),
      expiresAt: later(1800),
      ...more,
    };
    await opened.store.savePushedRequest(pushed);
    return pushed;
  }

  it('a pushed authorization request is found unchanged in every process', async () => {
    const pushed = await push();
    const { expiresAt, ...found } = (await opened.another.getPushedRequest(pushed.requestUri))!;
    const { expiresAt: saved, ...wanted } = pushed;
    expect(found).toEqual(wanted);
    // Redis returns the remaining lifetime.
    expect(Math.abs(expiresAt.getTime() - saved.getTime())).toBeLessThan(2000);
  });

  it('a pushed authorization request is found only by its exact request_uri', async () => {
    const { requestUri } = await push();
    for (const other of [requestUri.toUpperCase(), `${requestUri} `, requestUri.slice(0, -1), '', '%', 'constructor']) {
      expect(await opened.store.getPushedRequest(other)).toBeUndefined();
    }
  });

  it('a pushed authorization request with 16,000 three-byte characters is stored and returned unchanged', async () => {
    const claims = '€'.repeat(16_000);
    const { requestUri } = await push({ parameters: { claims } });
    expect(await opened.store.getPushedRequest(requestUri)).toMatchObject({ parameters: { claims } });
  });

  it('a pushed authorization request is consumed by one of many concurrent requests, and not found afterwards', async () => {
    const pushed = await push();
    const attempts = Array.from({ length: 100 }, (_, index) =>
      (index % 2 ? opened.store : opened.another).revokePushedRequest(pushed),
    );
    expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1);
    for (const store of [opened.store, opened.another]) {
      expect(await store.getPushedRequest(pushed.requestUri)).toBeUndefined();
      expect(await store.revokePushedRequest(pushed)).toBe(false);
    }
  });

  it('a pushed authorization request is not accepted as a code or token, and is not listed for the user', async () => {
    const { requestUri } = await push();
    expect(await opened.store.getAuthorizationCode(requestUri)).toBeUndefined();
    expect(await opened.store.getRefreshToken(requestUri)).toBeUndefined();
    expect(await opened.store.getAccessToken(requestUri)).toBeUndefined();
    expect(await opened.store.revokeAuthorizationCode({ authorizationCode: requestUri })).toBe(false);
    expect(await opened.store.listGrants(WEB.id)).toEqual([]);
    expect(await opened.store.getPushedRequest(requestUri)).toBeDefined();
  });

  it('a pushed authorization request is deleted with all grants of its client', async () => {
    const { requestUri } = await push();
    await opened.store.revokeGrantsOf({ clientId: WEB.id });
    expect(await opened.another.getPushedRequest(requestUri)).toBeUndefined();
  });

  it('a pushed authorization request is deleted after `openUntil` if it was not opened', async () => {
    const { requestUri } = await push({ openUntil: later(0.5) });
    await rest(700);
    expect(await opened.another.getPushedRequest(requestUri)).toBeUndefined();
    const isDatabase = !(opened.store instanceof MemoryStore || opened.store instanceof RedisStore);
    expect(await opened.store.prune()).toBeGreaterThanOrEqual(isDatabase ? 1 : 0);
  });

  it('a pushed authorization request remains available after `openUntil` if it was opened, even by two browsers', async () => {
    const { requestUri } = await push({ openUntil: later(0.5) });
    const both = [opened.store, opened.another];
    const found = await Promise.all(both.map((store) => store.getPushedRequest(requestUri)));
    await Promise.all(both.map((store, index) => store.openPushedRequest(found[index]!)));
    await rest(700);
    await opened.store.prune();
    const { expiresAt, openUntil } = (await opened.another.getPushedRequest(requestUri))!;
    expect(Math.abs(expiresAt.getTime() - later(1799.3).getTime())).toBeLessThan(2000);
    expect(openUntil.getTime()).toBeGreaterThan(Date.now());
    expect(await opened.store.revokePushedRequest({ requestUri })).toBe(true);
  });

  it('a pushed authorization request expires by the clock of the store, regardless of the clocks of the processes', async () => {
    if (opened.store === opened.another) return;
    skewClocks();
    try {
      const pairs = [
        [-300_000, 0],
        [0, 300_000],
        [300_000, 0],
        [0, -300_000],
      ] as const;
      const expire = async ([pusher, browser]: (typeof pairs)[number]) => {
        const { requestUri } = await new Clock(pusher).at(() => push());
        const find = async () => ({ found: await opened.another.getPushedRequest(requestUri), now: Date.now() });
        const { found, now } = await new Clock(browser).at(find);
        expect(found!.openUntil.getTime()).toBeGreaterThan(now);
        expect(Math.abs(found!.expiresAt.getTime() - now - 1_800_000)).toBeLessThan(3000);
        const late = await new Clock(pusher).at(() => push({ openUntil: new Date(Date.now() + 300) }));
        await rest(500);
        expect(await new Clock(browser).at(() => opened.another.getPushedRequest(late.requestUri))).toBeUndefined();
      };
      // The pairs wait for the same moment, not for each other.
      await Promise.all(pairs.map(expire));
    } finally {
      restoreClocks();
    }
  });

  it('a pushed authorization request is pruned after it has expired', async () => {
    const over = await push({ openUntil: later(-7200), expiresAt: later(-3600) });
    const { requestUri } = await push();
    await opened.store.prune();
    expect(await opened.store.getPushedRequest(over.requestUri)).toBeUndefined();
    expect(await opened.store.getPushedRequest(requestUri)).toBeDefined();
  });
});

describe('a pushed authorization request in memory', () => {
  it('is stored under a hash of its request_uri', async () => {
    const store = new MemoryStore({ clients: [WEB], users: { findByCredentials: () => null, findById: () => null } });
    const requestUri = `urn:ietf:params:oauth:request_uri:${randomUUID()}`;
    const parameters = { scope: 'canary' };
    const [openUntil, expiresAt] = [later(60), later(1800)];
    await store.savePushedRequest({ requestUri, clientId: WEB.id, parameters, openUntil, expiresAt });
    const kept = inspect(store, { depth: Infinity, showHidden: true, maxArrayLength: null });
    expect(kept).toContain('canary');
    expect(kept).not.toContain(requestUri);
  });
});
