import { setTimeout as rest } from 'node:timers/promises';

import { DataSource, type DataSourceOptions } from 'typeorm';

import { oauthEntities, TypeOrmStore } from '../../lib/stores/typeorm/index.js';

/**
 * Looks up tokens concurrently. Reports the number of successes and failures once a lookup succeeds after the stop
 * signal.
 */
const { prefix, atOnce, options } = JSON.parse(process.env['WORK']!) as {
  prefix: string;
  atOnce: number;
  options: DataSourceOptions;
};

const source = await new DataSource({ ...options, entities: oauthEntities({ prefix }) }).initialize();
const users = { findById: (id: string) => ({ id }), findByCredentials: () => undefined };
const clients = { findById: (id: string) => ({ id, grants: ['client_credentials'] }) };
const store = new TypeOrmStore(source, { prefix, users, clients });

const stopped = new AbortController();
let isAskedToStop = false;
const counts = { good: 0, unavailable: 0, wrong: 0 };

async function look(): Promise<void> {
  try {
    if (!(await store.getAccessToken('access'))) throw new Error('The token is not found');
    counts.good++;
    if (isAskedToStop) stopped.abort();
  } catch (error) {
    if ((error as Error).name === 'temporarily_unavailable') {
      counts.unavailable++;
    } else {
      counts.wrong++;
      process.stderr.write(`${String(error)}\n`);
    }
    await rest(5);
  }
}

async function work(): Promise<void> {
  while (!stopped.signal.aborted) await look();
}

const all = Promise.all(Array.from({ length: atOnce }, work));
process.on('message', () => {
  isAskedToStop = true;
  void all.then(() => process.send!(counts, () => process.exit()));
});
process.on('disconnect', () => process.exit());
process.send!('ready');
