import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { findStores, type OpenStore } from '../every-store.js';

describe.each(await findStores())('identities at other providers with a store in $name', ({ name, open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  let linkedAt = Date.now();
  const newOne = (more: object = {}) => ({
    realm: '',
    iss: 'https://acme.example',
    sub: randomUUID(),
    userId: randomUUID(),
    provider: 'acme',
    name: 'Erin',
    linkedAt: (linkedAt += 1),
    ...more,
  });
  const listed = ({ realm, userId }: ReturnType<typeof newOne>) => opened.another.listIdentities({ realm, userId });

  it('finds an added identity in every process, until it is removed', async () => {
    const { store, another } = opened;
    const one = newOne();
    const two = newOne({ userId: one.userId });
    expect([await store.addIdentity(one), await store.addIdentity(two)]).toEqual([true, true]);
    expect(await another.findIdentity(one)).toEqual(one);
    expect(await listed(one)).toEqual([one, two]);
    expect([await another.removeIdentity(one), await store.removeIdentity(one)]).toEqual([true, false]);
    expect([await store.findIdentity(one), await listed(one)]).toEqual([undefined, [two]]);
    expect(await store.addIdentity(newOne({ sub: one.sub }))).toBe(true);
  });

  it('keeps realms, issuers with and without a trailing slash, and spellings apart', async () => {
    const { store, another } = opened;
    const one = newOne({ sub: 'Erin', iss: `https://${randomUUID()}.example` });
    const others = [
      { ...one, realm: 'other' },
      { ...one, iss: `${one.iss}/`, linkedAt: one.linkedAt + 1 },
      { ...one, sub: 'erin', linkedAt: one.linkedAt + 2 },
      { ...one, sub: 'Erin ', linkedAt: one.linkedAt + 3 },
    ];
    for (const each of [one, ...others]) expect(await store.addIdentity(each)).toBe(true);
    for (const each of [one, ...others]) expect(await another.findIdentity(each)).toEqual(each);
    expect(await listed(one)).toEqual([one, ...others.slice(1)]);
  });

  it('never gives an identity to a second user, and lets no other user remove it', async () => {
    const { store, another } = opened;
    const one = newOne();
    const thief = { ...one, userId: randomUUID() };
    await store.addIdentity(one);
    expect([await another.addIdentity(thief), await another.removeIdentity(thief)]).toEqual([false, false]);
    expect([await store.findIdentity(one), await listed(thief)]).toEqual([one, []]);
  });

  it('gives an identity to one of 200 concurrent users', async () => {
    const { store, another } = opened;
    const { sub } = newOne();
    const all = Array.from({ length: 200 }, () => newOne({ sub }));
    const added = await Promise.all(all.map((one, at) => (at % 2 ? store : another).addIdentity(one)));
    expect(added.filter(Boolean)).toHaveLength(1);
    const owner = all[added.indexOf(true)]!;
    expect(await another.findIdentity(owner)).toEqual(owner);
    expect(await listed(owner)).toEqual([owner]);
  });

  it('removes an identity for one of several concurrent calls, and lists it if it was added again', async () => {
    const { store } = opened;
    // Two connections of one thread would wait for each other's lock of the file for seconds.
    const another = name.startsWith('SQLite') ? store : opened.another;
    const one = newOne();
    for (let round = 0; round < 10; round += 1) {
      await store.addIdentity(one);
      const calls = [
        store.removeIdentity(one),
        another.removeIdentity(one),
        another.addIdentity(one),
        store.addIdentity(one),
      ];
      const [removed, removedToo, added, addedToo] = await Promise.all(calls);
      const isLeft = (await another.findIdentity(one)) !== undefined;
      const changes = [removed, removedToo].filter(Boolean).length - [added, addedToo].filter(Boolean).length;
      expect({ isLeft, changes }).toEqual({ isLeft: changes === 0, changes: isLeft ? 0 : 1 });
      expect(await listed(one)).toEqual(isLeft ? [one] : []);
      if (isLeft) await store.removeIdentity(one);
    }
  });
});
