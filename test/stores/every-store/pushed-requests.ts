import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PushedRequest } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';

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
    expect(Math.abs(expiresAt.getTime() - saved.getTime())).toBeLessThan(60_000);
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
