import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { findStores, type OpenStore } from '../every-store.js';

const later = (seconds: number) => new Date(Date.now() + seconds * 1000);

describe.each(await findStores())('a remembered session with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const user = { id: '1' };

  /** Saves a session that can be continued. */
  async function save(expiresAt = later(60)) {
    const [sessionId, token] = [randomUUID(), randomUUID()];
    const session = { sessionId, user, authTime: new Date(1000), expiresAt, acr: 'a', amr: ['pwd'], sid: 'sid' };
    await opened.store.saveSession({ ...session, remembered: { token, expiresAt: later(600) } });
    return { session, token };
  }

  const next = () => {
    const [sessionId, token] = [randomUUID(), randomUUID()];
    const session = { sessionId, user, authTime: new Date(1000), expiresAt: later(60), amr: ['pwd'], sid: 'sid' };
    return { ...session, remembered: { token, expiresAt: later(600) } };
  };

  it('a remembered session is found by its token, with the details of the login', async () => {
    const { token } = await save();
    const found = await opened.another.findRememberedSession(token);
    expect(found).toMatchObject({
      sessionId: token,
      user,
      authTime: new Date(1000),
      acr: 'a',
      amr: ['pwd'],
      sid: 'sid',
    });
    expect(found).not.toHaveProperty('replacedAgo');
    expect(await opened.store.findRememberedSession(randomUUID())).toBeFalsy();
  });

  it('a remembered session is continued by one of several concurrent requests, which gets the next token', async () => {
    const { token, session } = await save();
    const tries = Array.from({ length: 4 }, next);
    const done = await Promise.all(
      tries.map((one, index) => (index % 2 ? opened.store : opened.another).continueSession(token, one)),
    );
    expect(done.filter(Boolean)).toHaveLength(1);
    const winner = tries[done.indexOf(true)]!;
    expect(await opened.another.getSession(winner.sessionId)).toMatchObject({ user, authTime: new Date(1000) });
    expect(await opened.another.findRememberedSession(winner.remembered.token)).toMatchObject({ user });
    const replaced = await opened.store.findRememberedSession(token);
    expect(replaced!.replacedAgo).toBeLessThan(20);
    expect(replaced!.replacedAgo).toBeGreaterThanOrEqual(0);
    for (const loser of tries.filter((one) => one !== winner)) {
      expect(await opened.store.getSession(loser.sessionId)).toBeFalsy();
      expect(await opened.store.findRememberedSession(loser.remembered.token)).toBeFalsy();
    }
    expect(await opened.store.getSession(session.sessionId)).toBeTruthy();
  });

  it.each(['session', 'token', 'replaced token'] as const)(
    'a remembered session ends with all of its tokens if the %s is revoked',
    async (by) => {
      const { token, session } = await save();
      const continued = next();
      await opened.store.continueSession(token, continued);
      const sessionId = { session: continued.sessionId, token: continued.remembered.token, 'replaced token': token }[
        by
      ];
      await opened.another.revokeSession({ sessionId });
      for (const one of [session.sessionId, continued.sessionId])
        expect(await opened.store.getSession(one)).toBeFalsy();
      for (const one of [token, continued.remembered.token]) {
        expect(await opened.store.findRememberedSession(one)).toBeFalsy();
        expect(await opened.store.continueSession(one, next())).toBe(false);
      }
    },
  );

  it('a remembered session ends with all grants of the user', async () => {
    const { token } = await save();
    await opened.another.revokeGrantsOf({ userId: '1' });
    expect(await opened.store.findRememberedSession(token)).toBeFalsy();
    expect(await opened.store.continueSession(token, next())).toBe(false);
  });

  it('a remembered session is not listed as an application, and is not found after its token has expired', async () => {
    const [sessionId, token] = [randomUUID(), randomUUID()];
    const session = { sessionId, user, authTime: new Date(), expiresAt: later(-1) };
    await opened.store.saveSession({ ...session, remembered: { token, expiresAt: later(-1) } });
    expect(await opened.store.findRememberedSession(token)).toBeFalsy();
    await save();
    expect(await opened.store.listApplications('1')).toEqual([]);
  });
});
