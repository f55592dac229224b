import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { BuiltApp } from './app-process.js';
import { type Family, Load } from './load.js';
import { findDatabaseKinds } from './databases.js';
import { Spa } from './spa.js';

const KILLS = 3;
const USERS = 12;

const app = new BuiltApp();
beforeAll(() => app.build(), 60_000);
afterAll(() => app.remove());

describe.each(await findDatabaseKinds())(
  'a process that is killed while it handles requests, with $name',
  ({ open }) => {
    it('a killed process has lost no issued token, consumed no code twice, and left no family with two valid refresh tokens', async () => {
      const opened = await open();
      const families: Family[] = [];
      try {
        for (let kill = 0; kill < KILLS; kill++) {
          const running = await app.start(opened.place);
          const load = new Load(new Spa(running.url), `round-${kill}`);
          const finished = load.run(USERS);
          // Waits until the load has started, even on a busy machine.
          while (load.settled < 3) await sleep(10);
          await sleep(Math.random() * 400);
          await running.kill();
          await finished;
          families.push(...load.families);
        }
        const running = await app.start(opened.place);
        await expectNothingLost(new Spa(running.url), families);
        const live = [...(await opened.countLiveRefreshTokens()).values()];
        expect(live.length).toBeGreaterThan(KILLS);
        expect(live.filter((count) => count > 1)).toEqual([]);
        await expectNothingTwice(new Spa(running.url), families);
        await running.kill();
      } finally {
        await opened.close();
      }
    }, 300_000);
  },
);

/** Verifies that issued tokens are valid and revoked ones invalid. Tokens in use during the crash may be either. */
async function expectNothingLost(spa: Spa, families: Family[]): Promise<void> {
  const check = async ({ state, accessTokens }: Family) => {
    const statuses = await Promise.all(accessTokens.map(async (token) => (await spa.call(token))?.status));
    const expected = state === 'replaying' ? statuses[0] : state === 'ended' ? 401 : 200;
    expect(statuses).toEqual(accessTokens.map(() => expected));
  };
  await Promise.all(families.map(check));
  expect(families.filter(({ state }) => state === 'idle').length).toBeGreaterThan(KILLS);
}

/**
 * Runs last, because it consumes the codes and tokens that it tries. Used ones issue nothing, and uncertain ones issue
 * tokens once.
 */
async function expectNothingTwice(spa: Spa, families: Family[]): Promise<void> {
  const check = async ({ state, code, refreshTokens }: Family) => {
    const usable = state === 'idle' ? (await spa.refresh(refreshTokens.at(-1)!))?.status : 200;
    expect(usable).toBe(200);
    const inDoubt = state === 'refreshing' ? refreshTokens.at(-1)! : undefined;
    const again = () => (inDoubt === undefined ? spa.redeem(code) : spa.refresh(inDoubt));
    const statuses = [(await again())?.status, (await again())?.status];
    const isOpen = state === 'redeeming' || state === 'refreshing';
    expect(isOpen ? [200, 400] : [400]).toContain(statuses[0]);
    expect(statuses[1]).toBe(400);
    await expect(spa.redeem(code)).resolves.toMatchObject({ status: 400 });
  };
  await Promise.all(families.map(check));
}
