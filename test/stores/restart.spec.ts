import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { ALICE, later, WEB } from '../support/models/model.js';
import { describeEach } from '../support/environment/requirements.js';
import { findServers, open, type Opened, ownPrefix } from './typeorm-databases.js';

const PREFIX = ownPrefix('restart');
/** The application name of the processes' connections, so that the server ends only these. */
const APPLICATION = `nest-oauth2-restart-${process.pid}`;
const PROCESSES = 4;
const TERMINATIONS = 25;

const folder = import.meta.dirname;
const postgres = (await findServers()).filter(({ name }) => name === 'PostgreSQL');

/**
 * Ends every connection of the processes, as a restarting server does.
 * @returns the number of connections
 */
async function terminate({ dataSource }: Opened): Promise<number> {
  const backends = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1';
  return (await dataSource.query<unknown[]>(backends, [APPLICATION])).length;
}

describeEach(postgres)('a process under load whose database connections are closed by $name', (database) => {
  let opened: Opened;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    opened = await open(database, PREFIX, { store: { clients: { findById: () => WEB } } });
    await opened.store.saveToken({ accessToken: 'access', accessTokenExpiresAt: later() }, { ...WEB }, ALICE);
    const options = { ...database.options(), extra: { application_name: APPLICATION, max: 8 } };
    const work = JSON.stringify({ prefix: PREFIX, atOnce: 16, options });
    const { JEST_WORKER_ID: _jest, NODE_OPTIONS: _options, ...env } = process.env;
    const execArgv = ['--import', join(folder, '../kit/node-test/hooks.mjs')];
    for (let n = 0; n < PROCESSES; n++) {
      children.push(fork(join(folder, 'restart-process.ts'), { execArgv, env: { ...env, WORK: work } }));
    }
    await Promise.all(children.map((child) => once(child, 'message')));
  }, 60_000);
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await opened.close();
  });

  it('keeps running, rejects lookups with temporarily_unavailable while disconnected, and recovers', async () => {
    let ended = 0;
    // On a busy machine, fewer connections are opened between two restarts.
    for (let n = 0; n < TERMINATIONS || ended <= PROCESSES * TERMINATIONS; n++) {
      ended += await terminate(opened);
      await rest(20 + Math.random() * 80);
    }
    const alive = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    expect(alive).toHaveLength(PROCESSES);
    const counts = await Promise.all(children.map((child) => (child.send('stop'), once(child, 'message'))));
    for (const [{ good, unavailable, wrong }] of counts) {
      expect({ good: good > 0, unavailable: unavailable > 0, wrong }).toEqual({
        good: true,
        unavailable: true,
        wrong: 0,
      });
    }
  }, 60_000);
});
