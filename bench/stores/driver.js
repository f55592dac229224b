import { randomBytes, randomUUID } from 'node:crypto';
import { median, medianRatio, rotated } from '../statistics.js';
import { client, user } from './fixtures.js';
import { rate } from './rate.js';

/**
 * Measures checks of a valid access token, and issuance of an access and a refresh token of a new grant, as operations
 * per second: one at a time and 64 at a time, by the store and by its driver with the minimum of statements.
 */
export async function measureDriver({ store, floor }, { brief }) {
  const { rounds, duration, held } = brief
    ? { rounds: 1, duration: 20, held: 20 }
    : { rounds: 7, duration: 200, held: 500 };
  const tokens = [];
  const rows = Array.from({ length: held }, newRow);
  for (const row of rows) {
    tokens.push(await store.saveToken(newToken(), client, user));
    await floor.issue(row);
  }
  let next = 0;
  const steps = {
    checked: {
      store: () => store.getAccessToken(tokens[next++ % held].accessToken),
      floor: () => floor.check(rows[next++ % held]),
    },
    // Runs last, because the memory store is bounded and removes the oldest tokens.
    issued: { store: () => store.saveToken(newToken(), client, user), floor: () => floor.issue(newRow()) },
  };

  const results = [];
  for (const [what, step] of Object.entries(steps)) {
    for (const concurrency of [1, 64]) {
      const samples = { store: [], floor: [] };
      for (let round = -1; round < rounds; round++) {
        for (const who of rotated(['store', 'floor'], round + 1)) {
          const sample = await rate(step[who], { concurrency, duration });
          if (round >= 0) samples[who].push(sample);
        }
      }
      results.push({ what, concurrency, ...compared(samples) });
    }
  }
  return results;
}

function compared({ store, floor }) {
  const [stores, floors] = [store, floor].map((list) => list.map(({ perSecond }) => perSecond));
  const [cpu, floorCpu] = [store, floor].map((list) => list.map(({ microseconds }) => microseconds));
  return {
    store: median(stores),
    floor: median(floors),
    timesTheTime: medianRatio(floors, stores),
    timesTheCpu: medianRatio(cpu, floorCpu),
  };
}

const later = (seconds) => new Date(Date.now() + seconds * 1000);

function newToken() {
  return {
    accessToken: randomBytes(32).toString('hex'),
    accessTokenExpiresAt: later(3600),
    refreshToken: randomBytes(32).toString('hex'),
    refreshTokenExpiresAt: later(1_209_600),
    scope: 'notes:read notes:write',
    grantId: randomUUID(),
  };
}

/** Returns a new token for the floor, which computes no hash. */
function newRow() {
  return {
    grantId: randomUUID(),
    access: randomBytes(32).toString('base64url'),
    refresh: randomBytes(32).toString('base64url'),
    clientId: client.id,
    userId: user.id,
    scope: 'notes:read notes:write',
    now: Date.now(),
    accessExpiresAt: later(3600).getTime(),
    refreshExpiresAt: later(1_209_600).getTime(),
  };
}
