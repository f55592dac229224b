import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { OAuth2Server } from 'nest-oauth2/server';
import { type IoRedisClient, RedisStore } from 'nest-oauth2/stores/redis';

import { ALICE, earlier, later, SECRET, WEB } from '../support/models/model.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { useRealScrypt } from '../support/environment/real-scrypt.js';
import {
  runOperation,
  authorizeRequest,
  CHALLENGE,
  resourceRequest,
  signedIn,
  tokenRequest,
  VERIFIER,
} from '../support/clients/requests.js';
import { BOB, makeStore, OTHER, users } from './redis-fixtures.js';
import { type Connected, DRIVERS, findRedis, Keys } from './redis-server.js';

const servers = await findRedis();

it('a Redis store needs only a client and the users', () => {
  const client = { evalsha: async () => null, eval: async () => null };
  expect(new RedisStore({ client, users })).toBeInstanceOf(RedisStore);
});

for (const [name, connect] of servers.length > 0 ? DRIVERS : []) {
  describe(`a Redis store with ${name}`, () => {
    let connected: Connected;
    let keys: Keys;
    let store: RedisStore;
    let server: OAuth2Server;

    beforeEach(async () => {
      connected = await connect(servers);
      keys = new Keys(servers);
      store = await makeStore(connected.client, { prefix: keys.prefix });
      server = new OAuth2Server({ model: store });
    });
    afterEach(async () => {
      await keys.remove();
      await connected.close();
    });

    const issue = async (changes: object = {}, client = WEB, user = ALICE) => {
      const secrets = { accessToken: randomUUID(), refreshToken: randomUUID(), grantId: randomUUID() };
      const moments = { accessTokenExpiresAt: later(), refreshTokenExpiresAt: later(7200) };
      return store.saveToken({ ...secrets, ...moments, scope: 'read', ...changes }, client, user);
    };
    const isAlive = async (accessToken: string) => (await store.getAccessToken(accessToken)) !== undefined;

    async function obtainCode() {
      const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
      const { redirected } = await runOperation(server, 'authorize', authorizeRequest(challenge), signedIn);
      return { grant_type: 'authorization_code', code: redirected['code'], redirect_uri: WEB.redirectUris![0] };
    }

    it('supports the code flow, refresh and authentication', async () => {
      const redemption = { ...(await obtainCode()), code_verifier: VERIFIER };
      const { body: first } = await runOperation(server, 'token', tokenRequest(redemption));
      const refresh = { grant_type: 'refresh_token', refresh_token: first['refresh_token'] };
      const { body: second } = await runOperation(server, 'token', tokenRequest(refresh));
      const { result } = await runOperation(
        server,
        'authenticate',
        resourceRequest(`Bearer ${String(second['access_token'])}`),
      );
      expect(result).toMatchObject({ user: ALICE, client: { id: 'web' }, scope: 'read' });

      const { body: replay } = await runOperation(server, 'token', tokenRequest(refresh));
      expect(replay).toMatchObject({ error: 'invalid_grant' });
      expect(await isAlive(String(second['access_token']))).toBe(false);
    });

    it('contains no readable token, code or secret', async () => {
      const redemption = { ...(await obtainCode()), code_verifier: VERIFIER };
      const { body } = await runOperation(server, 'token', tokenRequest(redemption));
      const kept = JSON.stringify([...(await keys.contents())]);
      expect(kept).toContain('"clientId');
      for (const hidden of [redemption.code, body['access_token'], body['refresh_token'], SECRET, VERIFIER]) {
        expect(hidden).toEqual(expect.any(String));
        expect(kept).not.toContain(hidden);
      }
    });

    it('lets everything but clients expire, and a grant one minute after its last token', async () => {
      await obtainCode();
      const token = await issue({ scope: undefined });
      const entries = [...(await keys.contents())];
      const forever = entries.filter(([, each]) => each.expiresAt === -1).map(([key]) => key);
      expect(forever.toSorted()).toEqual(['client:other', 'client:spa', 'client:web', 'clients']);
      expect(entries.length).toBe(4 + 2 + 3 + 2);
      const { expiresAt } = (await keys.contents()).get(`grant:${token.grantId}`)!;
      // The expiry is relative to the clock of Redis, with the lifetime that the process computed.
      const late = expiresAt - token.refreshTokenExpiresAt!.getTime() - 60_000;
      expect(Math.abs(late)).toBeLessThan(30_000);
    });

    it('deletes tokens when they expire', async () => {
      const { accessToken } = await issue({ accessTokenExpiresAt: later(60) });
      const brief = await issue({ accessTokenExpiresAt: later(0.3) });
      const old = await issue({ accessTokenExpiresAt: earlier() });
      expect([await isAlive(accessToken), await isAlive(old.accessToken)]).toEqual([true, false]);
      await waitUntil(async () => !(await isAlive(brief.accessToken)));
      await expect(store.getRefreshToken(brief.refreshToken!)).resolves.toBeDefined();
    });

    it('keeps tokens without an expiry', async () => {
      const forever = { accessTokenExpiresAt: undefined, refreshTokenExpiresAt: undefined };
      const { accessToken } = await issue(forever);
      expect(await isAlive(accessToken)).toBe(true);
      await expect(store.listGrants('alice')).resolves.toHaveLength(1);
    });

    it('continues after the server has lost its scripts', async () => {
      const { accessToken } = await issue();
      await keys.forgetScripts();
      expect(await isAlive(accessToken)).toBe(true);
    });

    it('rejects a token as soon as another process has revoked its grant', async () => {
      const other = await connect(servers);
      const elsewhere = await makeStore(other.client, { prefix: keys.prefix });
      const { accessToken, refreshToken, grantId } = await issue();
      expect([await isAlive(accessToken), await isAlive(accessToken)]).toEqual([true, true]);
      await expect(elsewhere.revokeGrant(grantId!)).resolves.toBe(true);
      expect(await isAlive(accessToken)).toBe(false);
      await expect(store.getRefreshToken(refreshToken!)).resolves.toBeUndefined();
      await expect(elsewhere.revokeGrant(grantId!)).resolves.toBe(false);
      await other.close();
    });

    it('rejects tokens of a revoked grant, even if they are saved concurrently', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, async () => {
          const { grantId } = await issue();
          const [during] = await Promise.all([issue({ grantId }), store.revokeGrant(grantId!)]);
          const after = await issue({ grantId });
          return [await isAlive(during.accessToken), await isAlive(after.accessToken)];
        }),
      );
      for (const outcome of outcomes) expect(outcome).toEqual([false, false]);
    });

    it('does not mistake a command that a driver sends twice after a lost connection for a replay', async () => {
      const once = new Redis(servers[0]!);
      const twice: IoRedisClient = {
        evalsha: async (...command) => {
          await once.evalsha(...command).catch(() => undefined);
          return once.evalsha(...command);
        },
        eval: (...command) => once.eval(...command),
      };
      server = new OAuth2Server({ model: await makeStore(twice, { prefix: keys.prefix }) });
      const redemption = { ...(await obtainCode()), code_verifier: VERIFIER };
      const { status, body } = await runOperation(server, 'token', tokenRequest(redemption));
      expect({ status, body }).toMatchObject({ status: 200 });
      const refresh = { grant_type: 'refresh_token', refresh_token: body['refresh_token'] };
      await expect(runOperation(server, 'token', tokenRequest(refresh))).resolves.toMatchObject({ status: 200 });
      expect((await runOperation(server, 'token', tokenRequest(refresh))).body).toMatchObject({
        error: 'invalid_grant',
      });
      await once.quit();
    });

    it('lists the applications with access to an account, the last used first', async () => {
      const first = await issue();
      const second = await issue({ scope: 'write' }, OTHER);
      await issue({}, WEB, BOB);
      await issue({}, WEB, await store.getUserFromClient(WEB));
      await obtainCode();
      await sleep(5);
      await issue({ grantId: first.grantId });
      const grants = await store.listGrants('alice');
      expect(grants.map(({ id, clientId, scope }) => ({ id, clientId, scope }))).toEqual([
        { id: first.grantId, clientId: 'web', scope: 'read' },
        { id: second.grantId, clientId: 'other', scope: 'write' },
      ]);
      expect(grants[0]!.lastUsedAt.getTime()).toBeGreaterThan(grants[0]!.createdAt.getTime());
      expect(grants[0]!.client).toMatchObject({ id: 'web', redirectUris: WEB.redirectUris });
      await store.revokeGrant(first.grantId!);
      await expect(store.listGrants('alice')).resolves.toMatchObject([{ id: second.grantId }]);
    });

    it('revokes the grants of a user, of a client, or a single one', async () => {
      const mine = await issue();
      const mineAtOther = await issue({}, OTHER);
      const bobs = await issue({}, WEB, BOB);
      const clientsOwn = await issue({}, WEB, await store.getUserFromClient(WEB));
      const validity = async () => {
        const tokens = [mine, mineAtOther, bobs, clientsOwn];
        return (await Promise.all(tokens.map(({ accessToken }) => isAlive(accessToken)))).map(Number).join('');
      };
      await expect(store.revokeGrantsOf({ userId: 'bob', grantId: mine.grantId })).resolves.toBe(0);
      expect(await validity()).toBe('1111');
      await expect(store.revokeGrantsOf({ userId: 'alice', clientId: 'other' })).resolves.toBe(1);
      expect(await validity()).toBe('1011');
      await expect(store.revokeGrantsOf({ userId: 'alice', grantId: mine.grantId })).resolves.toBe(1);
      expect(await validity()).toBe('0011');
      await expect(store.revokeGrantsOf({ clientId: 'web' })).resolves.toBe(2);
      expect(await validity()).toBe('0000');
    });

    it('revokes a code with the grants of its user', async () => {
      const redemption = { ...(await obtainCode()), code_verifier: VERIFIER };
      await expect(store.revokeGrantsOf({ userId: 'alice' })).resolves.toBe(1);
      const { body } = await runOperation(server, 'token', tokenRequest(redemption));
      expect(body).toMatchObject({ error: 'invalid_grant' });
    });

    it('revokes all of thousands of grants while more are created', async () => {
      await Promise.all(Array.from({ length: 2000 }, () => issue()));
      await expect(store.listGrants('alice')).resolves.toHaveLength(2000);
      const [revoked] = await Promise.all([
        store.revokeGrantsOf({ userId: 'alice' }),
        Promise.all(Array.from({ length: 500 }, () => issue())),
      ]);
      expect(revoked).toBeGreaterThanOrEqual(2000);
      await expect(store.listGrants('alice')).resolves.toHaveLength(2500 - revoked);
    });

    it('removes expired entries from its lists as they grow', async () => {
      const over = Array.from({ length: 150 }, (_, index) => [String(Date.now() - 1), `over ${index}`]).flat();
      await keys.addToList('grants-of-user:tokens:alice', over);
      for (let more = 0; more < 3; more++) await issue();
      const { content } = (await keys.contents()).get('grants-of-user:tokens:alice')!;
      const listed = (JSON.parse(content) as string[]).filter((_, index) => index % 2 === 0);
      expect(listed.filter((id) => !id.startsWith('\0'))).toHaveLength(3);
      await expect(store.prune()).resolves.toBe(0);
    });

    it('replaces the hash of a secret if its cost was too low', async () => {
      const cheap = '$scrypt$ln=10,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$IUSmUocGdg0I+tmFLqBZylWZXaN0QF/OgmFPEh177VQ';
      await store.saveClient({ ...WEB, secretHashes: [cheap] });
      const before = (await keys.contents()).get('client:web')!.content;
      useRealScrypt();
      await store.getClient('web', SECRET).finally(() => useRealScrypt(false));
      const after = (await keys.contents()).get('client:web')!.content;
      expect([before.includes('ln=10,'), after.includes('ln=14,')]).toEqual([true, true]);
    });

    it('revokes everything of a removed client', async () => {
      const { accessToken } = await issue();
      expect(await isAlive(accessToken)).toBe(true);
      await expect(store.removeClient('web')).resolves.toBe(true);
      expect(await isAlive(accessToken)).toBe(false);
      await store.saveClient(WEB);
      expect(await isAlive(accessToken)).toBe(false);
      await expect(store.removeClient('unknown')).resolves.toBe(false);
    });

    it('keeps grants of a client revoked if Redis evicts the client', async () => {
      const { accessToken } = await issue();
      await store.revokeGrantsOf({ clientId: 'web' });
      const next = await issue();
      expect([await isAlive(accessToken), await isAlive(next.accessToken)]).toEqual([false, true]);
      await keys.evict('client:web');
      await store.saveClient(WEB);
      const last = await issue();
      const tokens = [accessToken, next.accessToken, last.accessToken];
      expect(await Promise.all(tokens.map(isAlive))).toEqual([false, false, true]);
    });

    it('keeps the grants of a user revoked if Redis evicts the list that contains their generation', async () => {
      const { accessToken } = await issue();
      await store.revokeGrantsOf({ userId: 'alice', clientId: 'web' });
      await keys.evict('grants-of-user:tokens:alice');
      const next = await issue();
      expect([await isAlive(accessToken), await isAlive(next.accessToken)]).toEqual([false, true]);
      await keys.evict('grants-of-user:tokens:alice');
      expect(await isAlive(next.accessToken)).toBe(false);
    });

    it('keeps grants revoked for a client that the application stores, even if Redis evicts the key of the client', async () => {
      const clients = { findById: () => ({ ...WEB, redirectUris: [...WEB.redirectUris!] }) };
      store = await makeStore(connected.client, { prefix: keys.prefix, clients });
      const { accessToken } = await issue();
      expect(await isAlive(accessToken)).toBe(true);
      await store.revokeGrantsOf({ clientId: 'web' });
      await keys.evict('client:web');
      expect(await isAlive(accessToken)).toBe(false);
      expect(await isAlive((await issue()).accessToken)).toBe(true);
      expect(await isAlive(accessToken)).toBe(false);
    });
  });
}
