import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { AppProcess } from './app-process.js';
import { findDatabaseKinds, type OpenDatabase } from './databases.js';
import { app } from './shared-app.js';
import { Spa } from './spa.js';

describe.each(await findDatabaseKinds())('two processes with one $name', ({ open }) => {
  let opened: OpenDatabase;
  let processes: AppProcess[];
  let first: Spa;
  let second: Spa;

  beforeAll(async () => {
    opened = await open();
    processes = await Promise.all([app.start(opened.place), app.start(opened.place)]);
    [first, second] = processes.map(({ url }) => new Spa(url)) as [Spa, Spa];
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.kill()));
    await opened.close();
  });

  /** Sends many concurrent requests, alternating between the processes. */
  const race = <T>(send: (spa: Spa) => Promise<T>) =>
    Promise.all(Array.from({ length: 200 }, (_, index) => send(index % 2 ? first : second)));
  const succeeded = (answers: Awaited<ReturnType<Spa['redeem']>>[]) =>
    answers.filter((answer) => answer?.status === 200);

  it('two processes with one database share a flow: authorization, redemption, refresh and revocation', async () => {
    const code = (await first.authorize('alice'))!;
    const redeemed = (await second.redeem(code))!;
    expect(redeemed).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
    const refreshed = (await first.refresh(redeemed.body.refresh_token))!;
    expect(refreshed).toMatchObject({ status: 200 });
    for (const spa of [first, second]) {
      for (const { body } of [redeemed, refreshed]) {
        await expect(spa.call(body.access_token)).resolves.toEqual({ status: 200, body: { id: 'alice' } });
      }
      await expect(spa.call(refreshed.body.access_token, '/sessions')).resolves.toMatchObject({
        body: [{ clientId: 'spa' }],
      });
    }

    const signedOut = await second.call(refreshed.body.access_token, '/sessions', 'DELETE');
    expect(signedOut).toEqual({ status: 200, body: { revoked: 1 } });
    for (const spa of [first, second]) {
      await expect(spa.call(redeemed.body.access_token)).resolves.toMatchObject({ status: 401 });
      await expect(spa.call(refreshed.body.access_token)).resolves.toMatchObject({ status: 401 });
    }
    await expect(first.refresh(refreshed.body.refresh_token)).resolves.toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  it('a process detects the replay of a code that another process redeemed, and revokes the access token', async () => {
    const code = (await first.authorize('bob'))!;
    const { body } = (await second.redeem(code))!;
    await expect(first.redeem(code)).resolves.toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    await expect(second.call(body.access_token)).resolves.toMatchObject({ status: 401 });
  });

  it('one of two hundred concurrent requests to two processes consumes a code', async () => {
    const code = (await first.authorize('carol'))!;
    const answers = await race((spa) => spa.spend(code));
    expect(answers.map((answer) => answer?.status)).toEqual(answers.map(() => 200));
    expect(answers.filter((answer) => answer!.body.won)).toHaveLength(1);
  });

  it('one of two hundred concurrent redemptions of a code gets tokens, which the replays revoke', async () => {
    const code = (await second.authorize('dave'))!;
    const winners = succeeded(await race((spa) => spa.redeem(code)));
    expect(winners).toHaveLength(1);
    for (const winner of winners) {
      await expect(first.call(winner!.body.access_token)).resolves.toMatchObject({ status: 401 });
    }
  });

  it('one of two hundred concurrent refreshes succeeds, and each family has one valid refresh token afterwards', async () => {
    const { body } = (await first.redeem((await first.authorize('erin'))!))!;
    const winners = succeeded(await race((spa) => spa.refresh(body.refresh_token)));
    expect(winners).toHaveLength(1);
    for (const count of (await opened.countLiveRefreshTokens()).values()) expect(count).toBe(1);
  });
});
