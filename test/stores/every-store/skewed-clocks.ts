import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';

import { runOperation, tokenRequest } from '../../support/clients/requests.js';
import { Clock, restoreClocks, skewClocks } from '../../support/environment/skewed-clock.js';
import { findStores, type OpenStore } from '../every-store.js';

// The combinations of offsets and orders repeat after 45 rounds.
const ROUNDS = 45;
/** The differences in milliseconds between the clocks of the two processes. */
const OFFSETS = [0, 5, -5, 20, -20, 1500, -1500, 3_000_000, -3_000_000];
const PASSWORD = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };

describe.each(await findStores())(
  'refresh tokens in processes with different clocks, with a store in $name',
  ({ open }) => {
    let opened: OpenStore;
    const clocks = [new Clock(), new Clock()];

    beforeAll(async () => {
      opened = await open();
      skewClocks();
    });
    afterAll(async () => {
      restoreClocks();
      await opened.close();
    });

    const servers = (refreshTokenReuseInterval: number) =>
      [opened.store, opened.another].map((model) => new OAuth2Server({ model, refreshTokenReuseInterval }));

    async function first(server: OAuth2Server): Promise<string> {
      const { body } = await runOperation(server, 'token', tokenRequest(PASSWORD));
      expect(body).toHaveProperty('refresh_token');
      return String(body['refresh_token']);
    }

    /** Returns the rotated refresh token, or `undefined` if the request is rejected. */
    async function refresh(server: OAuth2Server, clock: Clock, refreshToken: string): Promise<string | undefined> {
      const request = tokenRequest({ grant_type: 'refresh_token', refresh_token: refreshToken });
      const { status, body } = await clock.at(() => runOperation(server, 'token', request));
      return status === 200 ? String(body['refresh_token']) : undefined;
    }

    /**
     * Both processes redeem the token concurrently. In every third round a clock changes meanwhile, in every fifth one
     * process is late.
     */
    async function both(pair: readonly OAuth2Server[], round: number): Promise<(string | undefined)[]> {
      const token = await first(pair[0]!);
      clocks[1]!.offset = OFFSETS[round % OFFSETS.length]!;
      const one = refresh(pair[0]!, clocks[0]!, token);
      if (round % 5 === 0) await one;
      const other = refresh(pair[1]!, clocks[1]!, token);
      if (round % 3 === 0) clocks[1]!.offset = OFFSETS[(round * 7) % OFFSETS.length]!;
      return Promise.all([one, other]);
    }

    it(`are accepted in exactly one of two requests if there is no rotation grace period, in each of ${ROUNDS} rounds`, async () => {
      const pair = servers(0);
      const answered: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        answered.push((await both(pair, round)).filter((each) => each !== undefined).length);
      }
      expect(answered).toEqual(Array.from({ length: ROUNDS }, () => 1));
    });

    it(`are rotated to the same token by two requests within the rotation grace period, in each of ${ROUNDS} rounds`, async () => {
      const pair = servers(10);
      let doubled = 0;
      let answered = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const responses = (await both(pair, round)).filter((each) => each !== undefined);
        if (new Set(responses).size > 1) doubled += 1;
        answered += responses.length;
      }
      expect(doubled).toBe(0);
      // The clock of the database decides, so the clocks of the processes do not matter.
      expect(answered).toBe(2 * ROUNDS);
    });
  },
);
