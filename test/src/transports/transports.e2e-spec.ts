import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MemoryStore } from 'nest-oauth2/stores/memory';
import { findRedis } from '../../stores/redis-server.js';
import { hasProgram } from '../../support/environment/requirements.js';
import { waitUntil } from '../../support/environment/wait-until.js';
import { type Driver, personalTokens, saveToken, storeWithTokens } from './driver.js';
import { DRIVERS, NATS_PORT, type Row, TRANSPORTS } from './specification.js';

const SERVERS: Readonly<Record<string, boolean>> = {
  nats: hasProgram('nats-server', 'NATS'),
  redis: (await findRedis()).length > 0,
};
const runnable = TRANSPORTS.filter(({ driver }) => SERVERS[driver] !== false);

/** Connections whose token expires, of all transports. They wait together. */
const closing: { row: Row; expiresAt: number; ended: Promise<{ how: string; at: number }> }[] = [];
const openDrivers: Driver[] = [];
afterAll(() => Promise.all(openDrivers.map((driver) => driver.stop())));

describe.each(runnable)('OAuthGuard over $transport, $token', (row) => {
  let store: MemoryStore;
  let driver: Driver | undefined;
  let nats: ChildProcess | undefined;
  beforeAll(async () => {
    store = await storeWithTokens();
    if (row.driver === 'nats') nats = await startNats();
    driver = await DRIVERS[row.driver]!(store);
  });
  afterAll(async () => {
    if (driver?.open) openDrivers.push(driver);
    else await driver?.stop();
    nats?.kill();
  });

  it('passes the user, the client and the token to the handler for a valid token', async () => {
    expect(await driver!.ask('good')).toBe(row.valid);
  });

  it.each(['missing', 'expired', 'insufficient'] as const)('rejects a token as documented: %s', async (which) => {
    const token = { missing: undefined, expired: 'expired', insufficient: 'other' }[which];
    expect(await driver!.ask(token)).toBe(row[which]);
  });

  it('rejects a token without a user, because the handler reads the user', async () => {
    // A gateway accepts the connection, which has no handler, and rejects the message.
    const [refusal] = row.insufficient.split(/, (?:closed with|io server)/);
    expect(await driver!.ask('machine', true)).toBe(refusal);
  });

  it('accepts a personal access token with the scope until it is revoked', async () => {
    const { create, revoke } = personalTokens(store);
    const { token, id } = await create('notes:read');
    expect(await driver!.ask(token)).toBe(row.valid.replace('by app', 'by undefined'));
    expect(await driver!.ask((await create('other')).token)).toBe(row.insufficient);
    const open = await driver!.open?.(token);
    await revoke(id);
    expect(await (open ? open.ended : driver!.ask(token))).toBe(row.revoked);
  });

  it('keeps a connection open whose token has not expired', async () => {
    if (!driver!.open) return;
    // Long enough to open the connection on a busy machine.
    const expiresIn = 6000;
    const expiresAt = Date.now() + expiresIn;
    await saveToken(store, 'brief', { expiresIn });
    const { ended } = await driver!.open('brief');
    expect(await Promise.race([ended, setImmediate('open')])).toBe('open');
    closing.push({ row, expiresAt, ended: ended.then((how) => ({ how, at: Date.now() })) });
  });

  it('closes a connection whose token is revoked, or rejects the next request', async () => {
    const open = await driver!.open?.('good');
    await store.revokeAccessToken({ accessToken: 'good' });
    expect(await (open ? open.ended : driver!.ask('good'))).toBe(row.revoked);
  });
});

describe('OAuthGuard', () => {
  it('closes a connection when its token expires, and not before, on each transport with connections', async () => {
    expect(closing.map(({ row }) => row.driver)).toEqual(expect.arrayContaining(['sse express', 'ws', 'socket.io']));
    for (const { row, expiresAt, ended } of closing) {
      const { how, at } = await ended;
      expect([row.driver, how]).toEqual([row.driver, row.revoked]);
      expect(at).toBeGreaterThanOrEqual(expiresAt);
    }
  });
});

async function startNats(): Promise<ChildProcess> {
  const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(NATS_PORT)], { stdio: 'ignore' });
  await waitUntil(async () => {
    const socket = connect(NATS_PORT, '127.0.0.1');
    const found = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return found;
  });
  return server;
}
