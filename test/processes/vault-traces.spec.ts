import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';

import { waitUntil } from '../support/environment/wait-until.js';
import { findDatabaseKinds } from './databases.js';
import { RotatingProvider } from './rotating-provider.js';
import { app } from './shared-app.js';
import { findBrokenRule, type Step, stepsByUser } from './trace-rules.js';
import { post } from './vault-races.js';

const kinds = await findDatabaseKinds();
const USERS = Array.from({ length: 8 }, (_, index) => `user${index}`);

describe('the steps of processes that refresh upstream tokens and are killed', () => {
  it.concurrent.each(kinds)(
    'follow the model, with $name',
    async ({ open }) => {
      const [opened, provider] = [await open(), new RotatingProvider()];
      const folder = await mkdtemp(join(tmpdir(), 'nest-oauth2-trace-'));
      const place = { ...opened.place, provider: await provider.start() };
      const start = async (name: string) => app.start({ ...place, trace: join(folder, name) }, 'vault-app.js');
      // Each call refreshes the token, because it is valid for less than a minute.
      provider.lifetime = 1;
      try {
        const running = await Promise.all(['first', 'second'].map(start));
        await Promise.all(USERS.map((user) => post(running[0]!, 'seed', { user })));
        await Promise.all(running.map((one) => post(one, 'load', { users: USERS.join(',') })));
        await waitUntil(() => provider.accepted > 5 * USERS.length);
        for (const one of running) {
          await sleep(Math.random() * 100);
          await one.kill();
        }
        // The requests of the killed processes end.
        await sleep(200);
        const survivor = await start('survivor');
        await Promise.all(USERS.map((user) => post(survivor, 'token', { user, count: '3' })));
        await survivor.kill();
        const traces = stepsByUser(await readTraces(folder));
        const broken = USERS.map((user) => findBrokenRule(traces.get(user)!, provider.usedBy(user)));
        expect(broken).toEqual(USERS.map(() => undefined));
        const writes = [...traces.values()].flat().filter(({ step }) => step === 'write');
        // Each refresh begins with a lease.
        expect(writes.length).toBeGreaterThan(5 * USERS.length);
      } finally {
        await provider.stop();
        await opened.close();
        await rm(folder, { recursive: true });
      }
    },
    300_000,
  );
});

async function readTraces(folder: string): Promise<Step[]> {
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  return files.flatMap((text) => text.split('\n').filter(Boolean)).map((line) => JSON.parse(line) as Step);
}
