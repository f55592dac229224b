import { randomBytes, randomUUID } from 'node:crypto';
import { median, medianRatio } from '../statistics.js';
import { client, user } from './fixtures.js';

const HELD = 2000;

/**
 * Checks (an access token, found alive) and issues (an access and a refresh token of a new grant, kept) as fast as they
 * go, one at a time and 64 at a time: by the store, and by the statements that its driver cannot do without.
 */
export async function measureStore({ store, floor }, { brief }) {
  const rounds = brief ? 3 : 7;
  const duration = brief ? 200 : 700;
  const tokens = await Promise.all(Array.from({ length: HELD }, () => store.saveToken(newToken(), client, user)));
  const rows = Array.from({ length: HELD }, newRow);
  await Promise.all(rows.map((row) => floor.issue(row)));
  let next = 0;
  const steps = {
    checked: {
      store: () => store.getAccessToken(tokens[next++ % HELD].accessToken),
      floor: () => floor.check(rows[next++ % HELD]),
    },
    // Last: the memory store is bounded, and forgets the oldest.
    issued: { store: () => store.saveToken(newToken(), client, user), floor: () => floor.issue(newRow()) },
  };

  const results = [];
  for (const [what, step] of Object.entries(steps)) {
    for (const concurrency of [1, 64]) {
      const rates = { store: [], floor: [] };
      await rate(step.store, concurrency, duration);
      for (let round = 0; round < rounds; round++) {
        for (const who of ['store', 'floor']) rates[who].push(await rate(step[who], concurrency, duration));
      }
      const ratio = medianRatio(rates.store, rates.floor);
      results.push({ what, concurrency, store: median(rates.store), floor: median(rates.floor), ratio });
    }
  }
  return results;
}

async function rate(step, concurrency, duration) {
  const start = performance.now();
  let count = 0;
  const worker = async () => {
    while (performance.now() - start < duration) {
      if (!(await step())) throw new Error('A token was not found or not kept');
      count++;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return (count / (performance.now() - start)) * 1000;
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

/** The same for the floor, which hashes nothing. */
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
