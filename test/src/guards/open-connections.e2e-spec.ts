import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { type ExecutionContext, Injectable, type Type, UseGuards } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CurrentUser, type Model, OAuth2Module, OAuthGuard, Scopes, type Token } from 'nest-oauth2';
import { notifyTokensRevoked } from 'nest-oauth2/features';
import { GatewayClient } from '../../support/clients/gateway-client.js';
import { startApplication, stopApplications } from '../../support/servers/test-application.js';

/** A model of an application that emits no events when a token is revoked. */
const tokens = new Map<string, Token>();
const lookups: string[] = [];
const attached: string[] = [];
let heard: (() => void) | undefined;
let isAway = false;
let isHanging = false;
let release: (() => void) | undefined;
let left: (() => void) | undefined;
const model = {
  getAccessToken(value: string) {
    lookups.push(value);
    heard?.();
    if (isHanging) return new Promise((resolve) => (release = () => resolve(tokens.get(value))));
    if (isAway) throw new Error('the database is away');
    return tokens.get(value);
  },
} as unknown as Model;

const issue = (accessToken: string, grantId: string) =>
  tokens.set(accessToken, {
    accessToken,
    grantId,
    accessTokenExpiresAt: new Date(Date.now() + 3_600_000),
    client: { id: 'app', grants: [] },
    scope: 'read',
    user: { id: accessToken },
  });

@Injectable()
class QuickGuard extends OAuthGuard {
  protected override readonly recheck = 0.05;
}

@Injectable()
class NeverGuard extends OAuthGuard {
  protected override readonly recheck = 0;

  protected override attach(context: ExecutionContext, token: Token): void {
    attached.push(token.accessToken);
    super.attach(context, token);
  }
}

function gateway(guard: Type) {
  @WebSocketGateway()
  @UseGuards(guard)
  class Gateway {
    @SubscribeMessage('who')
    who(@CurrentUser('id') data: string) {
      return { event: 'who', data };
    }

    @SubscribeMessage('read')
    @Scopes(() => ['read'])
    read() {
      return { event: 'read' };
    }

    handleDisconnect() {
      left?.();
    }
  }
  return Gateway;
}

describe('an open WebSocket connection', () => {
  beforeEach(() => {
    tokens.clear();
    issue('good', 'g');
    issue('other', 'o');
    isAway = false;
    isHanging = false;
  });
  afterEach(async () => {
    heard = undefined;
    jest.restoreAllMocks();
    await stopApplications();
  });

  const start = async (guard: Type) => {
    const module = { imports: [OAuth2Module.forRoot({ model, controllers: false })], providers: [gateway(guard)] };
    return (
      await startApplication('express', module, { prepare: (app) => app.useWebSocketAdapter(new WsAdapter(app)) })
    ).url;
  };
  const open = async (url: string, token: string) => {
    const client = new GatewayClient(url, token);
    expect(await client.request('who')).toEqual({ event: 'who', data: token });
    return client;
  };

  it('is closed when its token is revoked elsewhere, after one lookup for all connections with that token', async () => {
    const url = await start(QuickGuard);
    const clients = [await open(url, 'good'), await open(url, 'good'), await open(url, 'good')];
    const other = await open(url, 'other');
    lookups.length = 0;
    tokens.delete('good');
    expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual([4401, 4401, 4401]);
    expect(lookups.filter((value) => value === 'good')).toHaveLength(1);
    expect(await other.request('who')).toEqual({ event: 'who', data: 'other' });
  });

  it('stays open while the database is unavailable', async () => {
    const client = await open(await start(QuickGuard), 'good');
    isAway = true;
    await new Promise<void>((resolve) => (heard = resolve));
    await new Promise<void>((resolve) => (heard = resolve));
    isAway = false;
    expect(await client.request('who')).toEqual({ event: 'who', data: 'good' });
  });

  it('is checked again after a lookup that did not complete', async () => {
    const client = await open(await start(QuickGuard), 'good');
    isHanging = true;
    await new Promise<void>((resolve) => (heard = resolve));
    isHanging = false;
    tokens.delete('good');
    expect(await client.closed).toBe(4401);
  });

  it.each(['a message', 'its handshake'])('is forgotten if it closed during the lookup for %s', async (what) => {
    const url = await start(NeverGuard);
    const opened = what === 'a message' ? await open(url, 'good') : undefined;
    isHanging = true;
    const waiting = new Promise<void>((resolve) => (heard = resolve));
    const client = opened ?? new GatewayClient(url, 'good');
    opened?.socket.send(JSON.stringify({ event: 'who' }));
    await waiting;
    if (!opened) await once(client.socket, 'open');
    const disconnected = new Promise<void>((resolve) => (left = resolve));
    client.socket.terminate();
    await disconnected;
    isHanging = false;
    release!();
    await setImmediate();
    lookups.length = 0;
    notifyTokensRevoked({ grantId: 'g' });
    expect(lookups).toEqual([]);
  });

  it('is closed immediately by notifyTokensRevoked(), without checking other connections', async () => {
    const url = await start(NeverGuard);
    const [client, other] = [await open(url, 'good'), await open(url, 'other')];
    lookups.length = 0;
    tokens.clear();
    issue('other', 'o');
    notifyTokensRevoked({ grantId: 'g' });
    expect(await client.closed).toBe(4401);
    expect(lookups).toEqual(['good']);
    expect(await other.request('who')).toEqual({ event: 'who', data: 'other' });
  });

  it('is closed by notifyTokensRevoked() for a user and a client', async () => {
    const client = await open(await start(NeverGuard), 'good');
    tokens.delete('good');
    notifyTokensRevoked({ userId: 'nobody' });
    notifyTokensRevoked({ userId: 'good', clientId: 'app' });
    expect(await client.closed).toBe(4401);
  });

  it('stays open if notifyTokensRevoked() names a token that is still valid', async () => {
    const client = await open(await start(NeverGuard), 'good');
    lookups.length = 0;
    const looked = new Promise<void>((resolve) => (heard = resolve));
    notifyTokensRevoked({ grantId: 'g' });
    await looked;
    expect(await client.request('who')).toEqual({ event: 'who', data: 'good' });
  });

  it('is verified once for each set of requirements, also if a function returns the scopes', async () => {
    const client = await open(await start(NeverGuard), 'good');
    for (let message = 0; message < 3; message++) expect(await client.request('read')).toEqual({ event: 'read' });
    attached.length = 0;
    notifyTokensRevoked({ grantId: 'g' });
    await setImmediate();
    // The handshake, `who`, whose parameter requires a user, and `read`.
    expect(attached).toEqual(['good', 'good', 'good']);
  });

  it('neither keeps the process alive nor leaves a timer behind', async () => {
    const [intervals, timeouts] = [jest.spyOn(globalThis, 'setInterval'), jest.spyOn(globalThis, 'setTimeout')];
    const cleared = jest.spyOn(globalThis, 'clearInterval');
    const released = jest.spyOn(globalThis, 'clearTimeout');
    const client = await open(await start(QuickGuard), 'good');
    const ours = (spy: typeof intervals | typeof timeouts, wait: (ms: number) => boolean) =>
      spy.mock.calls.flatMap(([, ms], index) =>
        wait(Number(ms)) ? [spy.mock.results[index]!.value as NodeJS.Timeout] : [],
      );
    const interval = ours(intervals, (ms) => ms === 50);
    const timeout = ours(timeouts, (ms) => ms > 3_500_000);
    expect([...interval, ...timeout].map((timer) => timer.hasRef())).not.toContain(true);
    expect(interval).toHaveLength(1);
    expect(timeout.length).toBeGreaterThan(0);

    client.socket.close();
    await client.closed;
    await stopApplications();
    expect(cleared.mock.calls.flat()).toContain(interval[0]);
    expect(released.mock.calls.flat()).toContain(ours(timeouts, (ms) => ms > 3_500_000).at(-1));
  });
});
