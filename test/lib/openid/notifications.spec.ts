import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { logout, signOutAtClients } from 'nest-oauth2/openid';
import type { MemoryStore } from 'nest-oauth2/stores/memory';

import { later } from '../../support/models/model.js';
import { ISSUER, openIdServer } from '../../support/servers/openid-server.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';
import { waitUntil } from '../../support/environment/wait-until.js';

const clients = new TlsServer();
/** Ends the requests to `silent.client.example`, so that they do not outlive the tests. */
let endSilence: (reason: Error) => void;
beforeAll(() => clients.start());
afterAll(async () => {
  endSilence(new Error('the tests have ended'));
  await clients.stop();
});
afterEach(() => {
  jest.useRealTimers();
  clients.reset();
});

/** The name servers of `silent.client.example` do not respond during the tests. */
const silence = new Promise<never>((_, reject) => (endSilence = reject));
silence.catch(() => undefined);
const lookup = (name: string) => (name.startsWith('silent') ? silence : Promise.resolve(['127.0.0.1']));
const fetch = { lookup, allow: ['127.0.0.1'], ca: CERTIFICATE };

/** Returns a client that registered itself and names the host of the client `web`. */
const strangerAt = (id: string) =>
  isStranger(id) ? { id, grants: [], backchannelLogoutUri: clients.url('/stranger') } : undefined;
const isStranger = (id: string) => id.startsWith('dcr_') || id.startsWith('https://');

/**
 * Opens a process of a provider with two clients. Several processes can share a store.
 *
 * @param timeout Seconds. A request that exceeds it is sent again, although the client has received it. So it is long.
 */
async function openProcess(store?: MemoryStore, model: object = {}, timeout = 60) {
  const events: [string, Record<string, unknown>][] = [];
  const options = { events: { emit: (name: string, payload: object) => events.push([name, { ...payload }]) } };
  const uri = clients.url('/web');
  const silent = clients.url('/silent', 'silent.client.example');
  const known: Record<string, object> = {
    web: { id: 'web', grants: [], backchannelLogoutUri: uri },
    silent: { id: 'silent', grants: [], backchannelLogoutUri: silent },
  };
  const shared = store && {
    saveNotification: store.saveNotification.bind(store),
    listNotifications: store.listNotifications.bind(store),
    claimNotification: store.claimNotification.bind(store),
    removeNotification: store.removeNotification.bind(store),
    once: store.once.bind(store),
  };
  const found = { getClient: (id: string) => known[id] ?? strangerAt(id), ...shared, ...model };
  const host = await openIdServer({ more: [logout({ fetch: { ...fetch, timeout } })], model: found, options });
  /** Signs Alice out of `count` sessions that the client takes part in. */
  const signOut = async (clientId: string, count = 1) => {
    const userId = randomUUID();
    for (let at = 0; at < count; at += 1) {
      const one = { userId, sid: `${at}`, clientId, sub: 'alice', issuer: ISSUER };
      await host.store.saveSessionClient(one, later(60));
    }
    await signOutAtClients(host.server, { userId });
  };
  return { ...host, events, signOut };
}

const tick = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1000);
/** Fakes the clock and the intervals. Requests take their real time. */
const fakeTimers = () => {
  const doNotFake = [
    'nextTick',
    'setImmediate',
    'queueMicrotask',
    'setTimeout',
    'clearTimeout',
    'performance',
  ] as const;
  jest.useFakeTimers({ doNotFake: [...doNotFake] });
};
const ok = json({});

/** Returns the claims of the logout token in a request body. */
function claimsOf(body: string): { iat: number; exp: number; jti: string; sid: string } {
  const [, payload] = new URLSearchParams(body).get('logout_token')!.split('.');
  return JSON.parse(Buffer.from(payload!, 'base64url').toString()) as ReturnType<typeof claimsOf>;
}

describe('back-channel logout tokens', () => {
  it('are removed from the store after they were delivered', async () => {
    clients.replies['/web'] = ok;
    const { store, signOut, events } = await openProcess();
    await signOut('web', 3);
    await waitUntil(() => events.filter(([name]) => name === 'logout.delivered').length === 3);
    await waitUntil(async () => (await store.listNotifications()).length === 0);
    expect(clients.count('/web')).toBe(3);
  });

  it('are delivered by another process if one ends before the delivery', async () => {
    fakeTimers();
    clients.replies['/web'] = ok;
    const killed = await openProcess(undefined, { claimNotification: () => new Promise(() => undefined) });
    await killed.signOut('web');
    expect(clients.count('/web')).toBe(0);
    const other = await openProcess(killed.store, {
      claimNotification: (id: string, seconds: number) => killed.store.once(`claim ${id}`, seconds),
    });
    await waitUntil(() => other.events.some(([name]) => name === 'logout.delivered'));
    expect(clients.count('/web')).toBe(1);
    await waitUntil(async () => (await killed.store.listNotifications()).length === 0);
  });

  it('are delivered by another process after the claim of a process that ended has expired', async () => {
    fakeTimers();
    const first = await openProcess();
    await first.store.saveNotification(
      {
        id: 'one',
        kind: 'logout',
        issuer: ISSUER,
        clientId: 'web',
        host: 'x',
        data: { sub: 'a', sid: 's' },
        createdAt: Date.now(),
      },
      later(3600),
    );
    expect(await first.store.claimNotification('one', 60)).toBe(true);
    clients.replies['/web'] = ok;
    const other = await openProcess(first.store);
    await tick(45);
    expect(clients.count('/web')).toBe(0);
    await tick(60);
    await waitUntil(() => [...first.events, ...other.events].some(([name]) => name === 'logout.delivered'));
    expect(clients.count('/web')).toBe(1);
  });

  it('are delivered once even if two processes look for them', async () => {
    fakeTimers();
    const bodies: Promise<Buffer[]>[] = [];
    clients.replies['/web'] = (response, request) => {
      bodies.push(request.toArray() as Promise<Buffer[]>);
      ok(response, request);
    };
    const first = await openProcess();
    for (let at = 0; at < 20; at += 1) {
      const one = { kind: 'logout', issuer: ISSUER, clientId: 'web', host: 'client.example' } as const;
      const data = { userId: 'alice', sub: 'alice', sid: `${at}` };
      await first.store.saveNotification({ ...one, id: `${at}`, data, createdAt: Date.now() }, later(3600));
    }
    const second = await openProcess(first.store);
    await waitUntil(() => clients.count('/web') >= 20);
    await waitUntil(async () => (await first.store.listNotifications()).length === 0);
    const tokens = (await Promise.all(bodies)).map((body) => claimsOf(Buffer.concat(body).toString()));
    expect(tokens.map(({ sid }) => Number(sid)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, at) => at),
    );
    expect(new Set(tokens.map(({ jti }) => jti)).size).toBe(20);
    const delivered = [...first.events, ...second.events].filter(([name]) => name === 'logout.delivered');
    expect(delivered).toHaveLength(20);
  });

  it('reach a client immediately while another client never responds', async () => {
    clients.replies['/web'] = ok;
    const { signOut, events, store } = await openProcess();
    await signOut('silent', 150);
    await signOut('web', 2);
    await waitUntil(() => events.filter(([name]) => name === 'logout.delivered').length === 2);
    // The attempts to reach the silent client have not ended.
    expect((await store.listNotifications()).every(({ clientId }) => clientId === 'silent')).toBe(true);
  });

  it.each(['dcr_', 'https://stranger.example/'])(
    'are stored and reach a client while clients such as %s fill the limits of its host',
    async (stranger) => {
      clients.replies['/web'] = ok;
      clients.replies['/stranger'] = () => undefined;
      const { signOut, events, store } = await openProcess(undefined, {}, 60);
      for (let at = 0; at < 12; at += 1) await signOut(`${stranger}${at}`, 60);
      const saved = jest.spyOn(store, 'saveNotification');
      await signOut('web', 2);
      await waitUntil(() => events.filter(([name]) => name === 'logout.delivered').length === 2);
      expect(saved.mock.calls.map(([{ clientId }]) => clientId)).toEqual(['web', 'web']);
      expect(clients.count('/stranger')).toBeGreaterThan(0);
      const failed = events.filter(([name]) => name === 'logout.failed').map(([, { clientId }]) => String(clientId));
      expect(failed.filter((id) => !isStranger(id))).toEqual([]);
    },
  );

  it('are kept for a client that responds with 503, and signed again for the next attempt', async () => {
    fakeTimers();
    clients.replies['/web'] = json({}, {}, 503);
    const { signOut, store, events } = await openProcess();
    await signOut('web');
    await waitUntil(() => events.some(([name]) => name === 'logout.failed'));
    expect(await store.listNotifications()).toHaveLength(1);
    const failedAt = Date.now();
    const bodies: string[] = [];
    clients.replies['/web'] = (response, request) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      request.on('end', () => response.writeHead(200).end());
    };
    await tick(120);
    await waitUntil(async () => (await store.listNotifications()).length === 0);
    const { iat, exp } = claimsOf(bodies[0]!);
    expect(exp - iat).toBe(120);
    expect(iat).toBeGreaterThan(failedAt / 1000 + 30);
  });

  it('are removed if the client rejects them', async () => {
    clients.replies['/web'] = json({}, {}, 400);
    const { signOut, store, events } = await openProcess();
    await signOut('web');
    await waitUntil(() => events.some(([name]) => name === 'logout.failed'));
    await waitUntil(async () => (await store.listNotifications()).length === 0);
    expect(clients.count('/web')).toBe(1);
  });

  it.each([
    ['new', 0, 60],
    ['from the future', 86_400_000, 60],
    ['ten minutes old', -600_000, 300],
    ['a year old', -31_536_000_000, 1800],
  ])('are claimed for a limited time if they are %s by the clock of another process', async (_, skew, seconds) => {
    clients.replies['/web'] = ok;
    const claims: number[] = [];
    const claimNotification = (id: string, claimed: number) => {
      claims.push(claimed);
      return Promise.resolve(id !== '');
    };
    const first = await openProcess(undefined, { claimNotification });
    const one = { kind: 'logout', issuer: ISSUER, clientId: 'web', host: 'client.example' } as const;
    const data = { userId: 'alice', sub: 'alice', sid: '1' };
    await first.store.saveNotification({ ...one, id: 'one', data, createdAt: Date.now() + skew }, later(3600));
    // A notification that is not delivered is sent again, also to the clients of the next test.
    await waitUntil(() => first.events.some(([name]) => name === 'logout.delivered'));
    expect(claims[0]).toBe(seconds);
  });

  it('are delivered by the process itself if the model does not store them', async () => {
    clients.replies['/web'] = ok;
    const { signOut, events, store } = await openProcess(undefined, { saveNotification: undefined });
    await signOut('web');
    await waitUntil(() => events.some(([name]) => name === 'logout.delivered'));
    expect(await store.listNotifications()).toEqual([]);
  });

  it('are delivered even if they cannot be stored', async () => {
    clients.replies['/web'] = ok;
    const saveNotification = () => Promise.reject(new Error('disk full'));
    const { signOut, events } = await openProcess(undefined, { saveNotification });
    await signOut('web');
    await waitUntil(() => events.some(([name]) => name === 'logout.delivered'));
    expect(clients.count('/web')).toBe(1);
    expect(events.filter(([name]) => name === 'logout.delivered')).toHaveLength(1);
  });
});
