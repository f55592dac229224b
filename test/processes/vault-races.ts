import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { waitUntil } from '../support/environment/wait-until.js';
import type { AppProcess } from './app-process.js';
import type { DatabaseKind, OpenDatabase } from './databases.js';
import { RotatingProvider } from './rotating-provider.js';
import { app } from './shared-app.js';

const PROCESSES = 4;
const CALLERS = 200;
const ROUNDS = 3;
const USERS = 8;

/** The reason of the state of tokens that were lost. */
const LOST = 'the provider refused the refresh token, and an earlier refresh was interrupted before it was stored';

interface TokenResults {
  /** The different access tokens and failures. */
  results: string[];
  /** When the last caller got a token, in milliseconds since the epoch. */
  finishedAt: number;
  /** The number of calls of the store that read or change tokens. */
  statements: number;
}

/** Calls a route of the application, and returns the response. */
export const post = async <T>({ url }: AppProcess, path: string, query: Record<string, string>): Promise<T> => {
  const response = await fetch(`${url}/${path}?${new URLSearchParams(query).toString()}`, { method: 'POST' });
  if (response.status !== 200) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
};

/** Registers the tests of concurrent refreshes with each database. */
export function describeRefreshes(kinds: readonly DatabaseKind[]): void {
  describe.each(kinds)('the upstream tokens of several processes with one $name', ({ open }) => {
    let opened: OpenDatabase;
    let provider: RotatingProvider;
    let processes: AppProcess[];

    beforeAll(async () => {
      [opened, provider] = [await open(), new RotatingProvider()];
      const url = await provider.start();
      processes = await Promise.all(
        Array.from({ length: PROCESSES }, () => app.start({ ...opened.place, provider: url }, 'vault-app.js')),
      );
    });
    afterAll(async () => {
      await Promise.all(processes.map((each) => each.kill()));
      await provider.stop();
      await opened.close();
    });

    it(`are refreshed by one request if ${PROCESSES} processes with ${CALLERS} callers each find them expired`, async () => {
      const figures: { wait: number; statements: number }[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const user = `racer-${round}`;
        await post(processes[0]!, 'seed', { user });
        const before = provider.accepted;
        const all = await Promise.all(
          processes.map((one) => post<TokenResults>(one, 'token', { user, count: String(CALLERS) })),
        );
        expect(all.map(({ results }) => results)).toEqual(all.map(() => [`access ${user}:1`]));
        expect([provider.accepted - before, provider.usedBy(user), [...provider.replays]]).toEqual([1, 1, []]);
        const statements = all.reduce((sum, one) => sum + one.statements, 0);
        // Each caller reads once. Polls, leases and writes add at most one hundred calls for each process.
        expect(statements).toBeLessThan(PROCESSES * (CALLERS + 100));
        figures.push({ wait: Math.max(...all.map(({ finishedAt }) => finishedAt)) - provider.respondedAt, statements });
      }
      const [{ statements: again }] = [
        await post<TokenResults>(processes[1]!, 'token', { user: 'racer-0', count: '50' }),
      ];
      expect(again).toBe(50);
      if (process.env['PRINT_FIGURES']) console.log(JSON.stringify(figures));
    });
  });
}

/**
 * Registers a test for each database that kills processes with SIGKILL at random moments while they refresh tokens. Each
 * token is then valid, or its user is asked once.
 */
export function describeVaultCrashes(kinds: readonly DatabaseKind[], rounds: number): void {
  describe('processes that are killed while they refresh upstream tokens', () => {
    // The tests run at the same time, because most of their time is spent waiting for leases of killed processes.
    it.concurrent.each(kinds)(
      `refresh no token twice and lose none without a trace in ${rounds * 2} kills, with $name`,
      async ({ open }) => {
        const [opened, provider] = [await open(), new RotatingProvider()];
        const place = { ...opened.place, provider: await provider.start() };
        // Each call refreshes the token, because it is valid for less than a minute.
        provider.lifetime = 1;
        const users: string[] = [];
        try {
          for (let round = 0; round < rounds; round += 1) {
            const running = await Promise.all([0, 1].map(() => app.start(place, 'vault-app.js')));
            const own = Array.from({ length: USERS }, (_, index) => `round-${round}-${index}`);
            await Promise.all(own.map((user) => post(running[0]!, 'seed', { user })));
            const before = provider.accepted;
            await Promise.all(running.map((one) => post(one, 'load', { users: own.join(',') })));
            await waitUntil(() => provider.accepted > before + USERS);
            for (const one of running) {
              await sleep(Math.random() * 200);
              await one.kill();
            }
            users.push(...own);
          }
          // The requests of the killed processes end.
          await sleep(200);
          await expectVisibleStates(await app.start(place, 'vault-app.js'), provider, users);
        } finally {
          await provider.stop();
          await opened.close();
        }
      },
      1_200_000,
    );
  });
}

async function expectVisibleStates(
  running: AppProcess,
  provider: RotatingProvider,
  users: readonly string[],
): Promise<void> {
  // While the processes ran, the provider got no refresh token twice.
  expect([[...provider.replays], provider.simultaneous]).toEqual([[], []]);
  const lost: string[] = [];
  const verify = async (user: string) => {
    const used = provider.usedBy(user);
    const { results } = await post<TokenResults>(running, 'token', { user, count: '3' });
    const [state] = await post<{ state: string; reason?: string }[]>(running, 'state', { user });
    const isLost = state!.state === 'reconnect';
    if (isLost) lost.push(user);
    const reason = isLost ? LOST : undefined;
    expect({ results, state: state!.state, reason: state!.reason }).toEqual({
      results: [isLost ? 'reconnect' : `access ${user}:${used + 1}`],
      state: isLost ? 'reconnect' : 'active',
      reason,
    });
    // The user is asked without another request to the provider.
    await post(running, 'token', { user, count: '3' });
  };
  // After hundreds of kills, the requests of all users would be more than the process accepts at once.
  for (let next = 0; next < users.length; next += USERS) await Promise.all(users.slice(next, next + USERS).map(verify));
  const replayed = [...provider.replays].map(([token, count]) => [token.split(':')[0], count]);
  expect(new Map(replayed as [string, number][])).toEqual(new Map(lost.map((user) => [user, 1])));
  if (process.env['PRINT_FIGURES']) console.log(JSON.stringify({ users: users.length, lost: lost.length }));
  await running.kill();
}
