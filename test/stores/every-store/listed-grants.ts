import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from 'nest-oauth2/server';

import { ALICE, later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';

const ISSUER = 'https://id.example';

for (const kind of await findStores()) {
  describe(`lists of grants and sessions with a store in ${kind.name}`, () => {
    let opened: OpenStore;
    beforeAll(async () => {
      opened = await kind.open();
    });
    afterAll(() => opened.close());

    async function issue(user: { id: string } | undefined, clientId: string, issuer = ISSUER): Promise<string> {
      const { store } = opened;
      const client = { ...WEB, id: clientId };
      const secrets = { accessToken: randomUUID(), refreshToken: randomUUID(), grantId: randomUUID() };
      const moments = { accessTokenExpiresAt: later(), refreshTokenExpiresAt: later(7200) };
      const whose = user ?? (await store.getUserFromClient(client));
      await store.saveToken({ ...secrets, ...moments, scope: 'read', issuer }, client, whose);
      return secrets.grantId;
    }

    async function signIn(userId: string, more: object = {}) {
      const session = {
        sessionId: randomUUID(),
        user: { ...ALICE, id: userId },
        authTime: new Date(),
        expiresAt: later(),
      };
      await opened.store.saveSession({ ...session, issuer: ISSUER, sid: randomUUID(), amr: ['pwd'], ...more });
      return session.sessionId;
    }

    /** Returns all items of a list, read in pages of this size. */
    async function all<T>(read: (after?: string) => Promise<{ items: T[]; next?: string | undefined }>): Promise<T[]> {
      const page = await read();
      const items = [...page.items];
      for (let { next } = page; next !== undefined;) {
        const another = await read(next);
        items.push(...another.items);
        ({ next } = another);
      }
      return items;
    }

    it('return the active grants of a user, optionally at one issuer, or of a client, in pages', async () => {
      const { store } = opened;
      const [user, client] = [{ id: randomUUID() }, randomUUID()];
      const mine = await Promise.all(Array.from({ length: 7 }, () => issue(user, client)));
      const elsewhere = await issue(user, client, 'https://elsewhere.example');
      const others = [await issue({ id: randomUUID() }, client), await issue(undefined, client)];
      await signIn(user.id);
      await store.saveConsent(user, {
        client: WEB,
        redirectUri: 'https://app.example/cb',
        scope: 'read',
        issuer: ISSUER,
      });
      const ids = (selection: object) =>
        all(async (after) => {
          const page = await store.pageGrants({ ...selection, limit: 3, ...(after !== undefined && { after }) });
          expect(page.grants.length).toBeLessThanOrEqual(3);
          return { items: page.grants.map(({ id }) => id), next: page.next };
        });
      const sorted = (list: string[]) => list.toSorted((a, b) => (a < b ? -1 : 1));
      expect(sorted(await ids({ userId: user.id }))).toEqual(sorted([...mine, elsewhere]));
      expect(sorted(await ids({ userId: user.id, issuer: ISSUER }))).toEqual(sorted(mine));
      expect(sorted(await ids({ clientId: client }))).toEqual(sorted([...mine, elsewhere, ...others]));
      expect(await store.listGrants(user.id)).toContainEqual(expect.objectContaining({ id: mine[0], scope: 'read' }));
      await store.revokeGrant(mine[0]!);
      await store.revokeGrantsOf({ userId: user.id, issuer: 'https://elsewhere.example' });
      expect(sorted(await ids({ userId: user.id, clientId: client }))).toEqual(sorted(mine.slice(1)));
      const { grants } = await store.pageGrants({ userId: user.id, limit: 1 });
      expect(grants).toEqual([
        {
          id: expect.any(String),
          clientId: client,
          userId: user.id,
          issuer: ISSUER,
          scope: 'read',
          createdAt: expect.any(Date),
          lastUsedAt: expect.any(Date),
          expiresAt: expect.any(Date),
        },
      ]);
    });

    it('continue after a grant that was revoked meanwhile', async () => {
      const { store } = opened;
      const user = { id: randomUUID() };
      for (let count = 0; count < 5; count += 1) await issue(user, 'web');
      const first = await store.pageGrants({ userId: user.id, limit: 2 });
      for (const { id } of first.grants) await store.revokeGrant(id);
      const rest = await store.pageGrants({ userId: user.id, after: first.next!, limit: 10 });
      expect(rest.grants).toHaveLength(3);
      expect(rest.next).toBeUndefined();
    });

    it('contain the sessions of a user except for pending logins, and let them be ended', async () => {
      const { store } = opened;
      const user = { id: 'alice' };
      await store.revokeGrantsOf({ userId: user.id });
      const [one, other] = [await signIn(user.id), await signIn(user.id, { acr: 'high' })];
      await signIn(user.id, { isPending: true });
      const { sessions } = await store.listSessions({ userId: user.id });
      expect(sessions).toHaveLength(2);
      const { id } = (await store.getSession(one))!;
      expect(sessions.find((session) => session.id === id)).toEqual({
        id,
        userId: 'alice',
        issuer: ISSUER,
        authTime: expect.any(Date),
        amr: ['pwd'],
        sid: expect.any(String),
        createdAt: expect.any(Date),
        expiresAt: expect.any(Date),
      });
      await expect(store.endSession({ userId: 'bob', id: id! })).resolves.toBe(false);
      await expect(store.endSession({ userId: 'alice', id: await issue(user, 'web') })).resolves.toBe(false);
      await expect(store.endSession({ userId: 'alice', id: id! })).resolves.toBe(true);
      await expect(store.endSession({ userId: 'alice', id: id! })).resolves.toBe(false);
      await expect(store.getSession(one)).resolves.toBeUndefined();
      await expect(store.getSession(other)).resolves.toBeDefined();
      await signIn(user.id);
      const stays = (await store.getSession(other))!.id!;
      await expect(store.endSessions({ userId: 'alice', except: stays })).resolves.toBe(1);
      await expect(store.listSessions({ userId: 'alice' })).resolves.toMatchObject({ sessions: [{ id: stays }] });
      await store.revokeSession({ sessionId: other });
      await expect(store.listSessions({ userId: 'alice' })).resolves.toEqual({ sessions: [] });
    });

    it('contain the sessions in which users signed in at a client, and let them be ended', async () => {
      const { store } = opened;
      const clientId = randomUUID();
      const users = Array.from({ length: 3 }, () => randomUUID());
      for (const userId of users) {
        const sid = randomUUID();
        await signIn(userId, { sid });
        await signIn(userId);
        await store.saveSessionClient({ userId, sid, clientId, sub: userId, issuer: ISSUER }, later());
      }
      const listed = await all(async (after) => {
        const page = await store.listSessions({ clientId, limit: 2, ...(after !== undefined && { after }) });
        return { items: page.sessions.map(({ userId }) => userId), next: page.next };
      });
      expect(new Set(listed)).toEqual(new Set(users));
      expect(listed).toHaveLength(3);
      const narrowed = await store.listSessions({ clientId, userId: users[0]! });
      expect(narrowed.sessions).toHaveLength(1);
      await expect(store.endSessions({ clientId })).resolves.toBe(3);
      await expect(store.listSessions({ clientId })).resolves.toEqual({ sessions: [] });
      await expect(store.listSessions({ userId: users[0]! })).resolves.toMatchObject({ sessions: [{}] });
    });

    it('omit everything revoked by revokeBefore()', async () => {
      const { store } = opened;
      const user = { id: randomUUID() };
      await issue(user, 'web');
      await signIn(user.id);
      await store.revokeBefore({ issuers: [ISSUER] });
      await expect(store.pageGrants({ userId: user.id })).resolves.toEqual({ grants: [] });
      await expect(store.listSessions({ userId: user.id })).resolves.toEqual({ sessions: [] });
    });

    it('require a filter and a valid page size', async () => {
      const { store } = opened;
      await expect(store.pageGrants({})).rejects.toThrow(InvalidArgumentError);
      await expect(store.pageGrants({ issuer: ISSUER })).rejects.toThrow(InvalidArgumentError);
      await expect(store.pageGrants({ userId: 'alice', limit: 0 })).rejects.toThrow(InvalidArgumentError);
      await expect(store.listSessions({ userId: 'alice', limit: 1001 })).rejects.toThrow(InvalidArgumentError);
    });
  });
}
