import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';

import { describeEach } from '../support/environment/requirements.js';
import type { DatabaseKind, OpenDatabase } from './databases.js';
import { type Identity, IdentityLoad } from './identity-load.js';
import { type Family, Load } from './load.js';
import { app } from './shared-app.js';
import { Spa } from './spa.js';

const USERS = 12;
const LINKERS = 4;

/**
 * Registers a test for each database that kills a process with SIGKILL at random moments while it handles requests.
 * Every second process repeats the response to a refresh request until the new token is used.
 * @param kills the number of kills for each database
 */
export function describeCrashes(kinds: readonly DatabaseKind[], kills: number): void {
  describeEach(kinds)('a process that is killed while it handles requests, with $name', ({ open }) => {
    it(`loses no acknowledged token or identity in ${kills} kills, and doubles none`, async () => {
      const opened = await open();
      const families: Family[] = [];
      const identities: Identity[] = [];
      const start = (isRepeatable: boolean) =>
        app.start({ ...opened.place, ...(isRepeatable && { refreshTokenReuseInterval: 'until-used' as const }) });
      try {
        for (let kill = 0; kill < kills; kill++) {
          const isRepeatable = kill % 2 === 1;
          const running = await start(isRepeatable);
          const load = new Load(new Spa(running.url), `round-${kill}`, isRepeatable);
          const linkers = new IdentityLoad(new Spa(running.url), `round-${kill}`);
          const finished = Promise.all([load.run(USERS), linkers.run(LINKERS)]);
          // Waits until the load has started, even on a busy machine.
          while (load.settled < 3 || linkers.kept.length < 1) await Promise.race([sleep(10), finished]);
          await sleep(Math.random() * 400);
          await running.kill();
          await finished;
          families.push(...load.families);
          identities.push(...linkers.identities);
        }
        for (const isRepeatable of [false, true]) {
          const running = await start(isRepeatable);
          const own = families.filter((family) => family.isRepeatable === isRepeatable);
          await expectFamilies(new Spa(running.url), own, opened);
          if (!isRepeatable) await expectIdentities(new Spa(running.url), identities);
          await running.kill();
        }
      } finally {
        await opened.close();
      }
    }, 1_200_000);
  });
}

async function expectFamilies(spa: Spa, families: readonly Family[], opened: OpenDatabase): Promise<void> {
  await inParts(families, (family) => expectNothingLost(spa, family));
  expect(families.filter(({ state }) => state === 'idle').length).toBeGreaterThan(1);
  const live = [...(await opened.countLiveRefreshTokens()).values()];
  expect(live.length).toBeGreaterThan(1);
  expect(live.filter((count) => count > 1)).toEqual([]);
  await inParts(families, (family) => (family.isRepeatable ? expectOneSuccessor : expectNothingTwice)(spa, family));
}

/** Calls `check` for each item, for a hundred items at a time. */
async function inParts<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += 100) await Promise.all(items.slice(from, from + 100).map(check));
}

/** Verifies that issued tokens are valid and revoked ones invalid. Tokens in use during the crash may be either. */
async function expectNothingLost(spa: Spa, { state, accessTokens }: Family): Promise<void> {
  const statuses = await Promise.all(accessTokens.map(async (token) => (await spa.call(token))?.status));
  const expected = state === 'replaying' ? statuses[0] : state === 'ended' ? 401 : 200;
  expect(statuses).toEqual(accessTokens.map(() => expected));
}

/**
 * Runs last, because it consumes the codes and tokens that it tries. Used ones issue nothing, and uncertain ones issue
 * tokens once.
 */
async function expectNothingTwice(spa: Spa, { state, code, refreshTokens }: Family): Promise<void> {
  const usable = state === 'idle' ? (await spa.refresh(refreshTokens.at(-1)!))?.status : 200;
  expect(usable).toBe(200);
  const inDoubt = state === 'refreshing' ? refreshTokens.at(-1)! : undefined;
  const again = () => (inDoubt === undefined ? spa.redeem(code) : spa.refresh(inDoubt));
  const statuses = [(await again())?.status, (await again())?.status];
  const isOpen = state === 'redeeming' || state === 'refreshing';
  expect(isOpen ? [200, 400] : [400]).toContain(statuses[0]);
  expect(statuses[1]).toBe(400);
  await expect(spa.redeem(code)).resolves.toMatchObject({ status: 400 });
}

/**
 * Verifies that retries of a refresh request return one refresh token until it is used, whether or not the process had
 * saved it when it was killed. Afterwards, a retry is a replay.
 */
async function expectOneSuccessor(spa: Spa, { state, code, refreshTokens }: Family): Promise<void> {
  if (state === 'idle' || state === 'refreshing') {
    const current = refreshTokens.at(-1)!;
    const [first, second] = [await spa.refresh(current), await spa.refresh(current)];
    expect([first?.status, second?.status]).toEqual([200, 200]);
    expect(second!.body.refresh_token).toBe(first!.body.refresh_token);
    const next = await spa.refresh(first!.body.refresh_token);
    expect(next?.status).toBe(200);
    expect((await spa.refresh(current))?.status).toBe(400);
    expect((await spa.refresh(next!.body.refresh_token))?.status).toBe(400);
  }
  if (state !== 'redeeming') await expect(spa.redeem(code)).resolves.toMatchObject({ status: 400 });
}

/** Verifies that each identity belongs to the user whose request was answered, and to one account at most. */
async function expectIdentities(spa: Spa, identities: readonly Identity[]): Promise<void> {
  await inParts(identities, async ({ key, users, owner: known, deletedUser }) => {
    // A deletion that failed midway is repeated. Until then, the account gets no credentials.
    if (deletedUser !== undefined) await spa.erase(deletedUser);
    const owner = deletedUser === undefined ? known : null;
    const found = (await spa.owners(key, users))!.body;
    expect(found.owner).toBe(owner === undefined ? found.owner : owner);
    expect(found.listed).toEqual(found.owner === null ? [] : [[found.owner, found.owner]]);
    const results = [await spa.link(users[0], key), await spa.link(users[1], key)];
    expect(results.map((result) => result?.body)).toEqual([{ done: found.owner === null }, { done: false }]);
  });
  expect(identities.filter(({ owner }) => owner).length).toBeGreaterThan(0);
}
