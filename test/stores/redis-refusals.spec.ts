import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { RedisStore } from 'nest-oauth2/stores/redis';
import { createClient } from 'redis';

import { freePort } from '../support/environment/free-port.js';
import { ALICE, later, WEB } from '../support/models/model.js';
import { describeEach, hasProgram } from '../support/environment/requirements.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { type Connected, DRIVERS } from './redis-server.js';
import { users } from './redis-fixtures.js';

it('a Redis store whose client of node-redis is not connected rejects calls with the remedy', async () => {
  const store = new RedisStore({ client: createClient(), users });
  const inner = { message: expect.stringContaining('is closed: call `await client.connect()`') };
  await expect(store.getClient('web', null)).rejects.toMatchObject({
    name: 'temporarily_unavailable',
    status: 503,
    inner,
  });
});

describeEach(hasProgram('redis-server', 'redis-server') ? DRIVERS : [])('a Redis store with %s', (_, connect) => {
  let process: ChildProcess;
  let operator: Redis;
  let connected: Connected;
  let store: RedisStore;
  beforeAll(async () => {
    const port = await freePort();
    const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', tmpdir()];
    const server = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no']);
    process = server;
    for await (const line of server.stdout) if (String(line).includes('Ready to accept connections')) break;
    server.stdout.resume();
    const url = `redis://127.0.0.1:${port}`;
    operator = new Redis(url);
    connected = await connect([url]);
    store = new RedisStore({ ...connected, users, clients: { findById: () => WEB }, deadline: 4 });
  });
  afterAll(async () => {
    await connected.close();
    await operator.quit();
    process.kill('SIGKILL');
    await once(process, 'exit');
  });

  const save = (accessToken: string) =>
    store.saveToken({ accessToken, accessTokenExpiresAt: later() }, { ...WEB }, ALICE);
  const unavailable = { status: 503, name: 'temporarily_unavailable' };

  it('rejects calls with temporarily_unavailable while the memory of the server is full', async () => {
    await save('before');
    await operator.config('SET', 'maxmemory', '1');
    await expect(save('full')).rejects.toMatchObject(unavailable);
    await operator.config('SET', 'maxmemory', '0');
    await save('after');
    expect(await store.getAccessToken('after')).toBeDefined();
  });

  it('rejects calls with temporarily_unavailable while the server is a replica', async () => {
    await operator.replicaof('127.0.0.1', '1');
    await expect(save('replica')).rejects.toMatchObject(unavailable);
    await operator.replicaof('NO', 'ONE');
    await save('primary');
    expect(await store.getAccessToken('primary')).toBeDefined();
  });

  it('rejects calls with temporarily_unavailable while another script is running', async () => {
    await operator
      .config('SET', 'busy-reply-threshold', '50')
      .catch(() => operator.config('SET', 'lua-time-limit', '50'));
    const endless = operator.duplicate();
    const running = endless.eval('while true do end', 0).catch(String);
    const isBusy = () =>
      operator.ping().then(
        () => false,
        () => true,
      );
    await waitUntil(isBusy);
    const outcome = await store.getAccessToken('x').catch((error: unknown) => error);
    await operator.script('KILL');
    expect(await running).toContain('killed');
    await endless.quit();
    expect(outcome).toMatchObject(unavailable);
  });
});
