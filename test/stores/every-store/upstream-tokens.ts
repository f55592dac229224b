import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { waitUntil } from '../../support/environment/wait-until.js';
import { findStores, type OpenStore } from '../every-store.js';

const ISSUER = 'https://id.example.com';
const DAY = 86_400_000;

describe.each(await findStores())('the tokens of other providers, with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  }, 60_000);
  afterAll(() => opened.close());

  const newKey = (userId = randomUUID(), issuer = ISSUER) => ({
    id: createHash('sha256').update(randomUUID()).digest('base64url'),
    userId,
    issuer,
  });
  const value = (data: string) => ({ data, lifetime: DAY });

  it('are added once, found, replaced and listed, also by another process', async () => {
    const { store, another } = opened;
    const key = newKey();
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? store : another).addUpstreamTokens(key, value(`${index}`))),
    );
    expect(added.filter(Boolean)).toHaveLength(1);
    const found = (await another.findUpstreamTokens(key.id))!;
    expect(found).toEqual({ ...key, data: String(added.indexOf(true)), expiresIn: expect.any(Number) });
    expect(found.expiresIn).toBeGreaterThan(DAY - 60_000);
    expect(found.expiresIn).toBeLessThanOrEqual(DAY);
    const replaced = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? store : another).replaceUpstreamTokens(found, { data: `new ${index}` }),
      ),
    );
    expect(replaced.filter(Boolean)).toHaveLength(1);
    const next = (await store.findUpstreamTokens(key.id))!;
    expect(next.data).toBe(`new ${replaced.indexOf(true)}`);
    expect(next.expiresIn).toBeLessThanOrEqual(found.expiresIn);
    expect(await another.replaceUpstreamTokens(next, { data: 'later', lifetime: 2 * DAY })).toBe(true);
    expect((await store.findUpstreamTokens(key.id))!.expiresIn).toBeGreaterThan(DAY);

    const elsewhere = newKey(key.userId, 'https://other.example.com');
    await store.addUpstreamTokens(elsewhere, value('elsewhere'));
    await store.addUpstreamTokens(newKey(), value('stranger'));
    expect(await another.listUpstreamTokens(key)).toMatchObject([{ ...key, data: 'later' }]);
    expect(await another.listUpstreamTokens(elsewhere)).toMatchObject([{ ...elsewhere, data: 'elsewhere' }]);
    // They are neither grants of clients nor sessions.
    expect(await another.listGrants(key.userId)).toEqual([]);
    expect((await another.listSessions({ userId: key.userId })).sessions).toEqual([]);
  });

  it('measure their lifetime by the clock of the database', async () => {
    const { store, another } = opened;
    const key = newKey();
    await store.addUpstreamTokens(key, value('a'));
    const before = (await store.findUpstreamTokens(key.id))!.expiresIn;
    await sleep(50);
    const passed = before - (await another.findUpstreamTokens(key.id))!.expiresIn;
    expect(passed).toBeGreaterThanOrEqual(45);
    expect(passed).toBeLessThan(30_000);
    const short = newKey();
    await store.addUpstreamTokens(short, { data: 'short', lifetime: 20 });
    await waitUntil(async () => (await another.findUpstreamTokens(short.id)) === undefined);
    expect(await another.addUpstreamTokens(short, value('again'))).toBe(true);
  });

  it.each([
    ['their removal', ({ store }: OpenStore, key: ReturnType<typeof newKey>) => store.removeUpstreamTokens(key.id)],
    ['revokeGrant()', ({ store }: OpenStore, key: ReturnType<typeof newKey>) => store.revokeGrant(key.id)],
    [
      'revokeGrantsOf({ userId })',
      ({ store }: OpenStore, { userId }: ReturnType<typeof newKey>) => store.revokeGrantsOf({ userId }),
    ],
    [
      'revokeGrantsOf({ userId, grantId })',
      ({ store }: OpenStore, { userId, id }: ReturnType<typeof newKey>) =>
        store.revokeGrantsOf({ userId, grantId: id }),
    ],
    [
      'deleteAccount()',
      ({ store }: OpenStore, { userId }: ReturnType<typeof newKey>) => store.deleteAccount({ realm: '', userId }),
    ],
    [
      'revokeBefore()',
      ({ store }: OpenStore, { issuer }: ReturnType<typeof newKey>) => store.revokeBefore({ issuers: [issuer] }),
    ],
  ])('end with %s, and can be added again', async (_, end) => {
    const { store, another } = opened;
    const key = newKey(undefined, `https://${randomUUID()}.example.com`);
    await store.addUpstreamTokens(key, value('old'));
    const found = (await another.findUpstreamTokens(key.id))!;
    // `revokeBefore()` compares milliseconds.
    await sleep(5);
    await end(opened, key);
    await waitUntil(async () => (await another.findUpstreamTokens(key.id)) === undefined);
    expect(await another.listUpstreamTokens(key)).toEqual([]);
    await sleep(5);
    await another.replaceUpstreamTokens(found, { data: 'late' });
    expect(await store.findUpstreamTokens(key.id)).toBeUndefined();
    expect(await store.addUpstreamTokens(key, value('new'))).toBe(true);
    expect(await another.findUpstreamTokens(key.id)).toMatchObject({ ...key, data: 'new' });
    expect(await another.replaceUpstreamTokens(found, { data: 'late' })).toBe(false);
    expect(await store.removeUpstreamTokens(key.id)).toBe(true);
    expect(await store.removeUpstreamTokens(key.id)).toBe(false);
  });
});
