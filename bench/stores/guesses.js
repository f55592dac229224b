import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { scrypt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { hashSecret, newClientSecret } from 'nest-oauth2/stores/memory';
import { create } from '../candidates/nest-oauth2.js';
import { clientCredentialsRequest, guardedRequest } from '../requests.js';
import { median, rotated } from '../statistics.js';
import { keptClient } from './fixtures.js';

const CHOSEN = 'correct horse battery staple';
const GUESSED = 4;

/**
 * Measures how long other requests wait while 64 requests with wrong secrets are in flight, for four clients with
 * chosen secrets. For comparison, the same while two threads compute hashes: this is the effect of the hashing alone.
 */
export async function measureGuesses({ storeWith }, { brief }) {
  const { rounds, warmUps, samples, inFlight, settling } = brief
    ? { rounds: 1, warmUps: 0, samples: 5, inFlight: 8, settling: 20 }
    : { rounds: 4, warmUps: 1, samples: 40, inFlight: 64, settling: 500 };
  const generated = newClientSecret();
  const hash = await hashSecret(CHOSEN);
  const guessed = Array.from({ length: GUESSED }, (_, index) => keptClient(`guessed-${index}`, hash));
  const kept = [keptClient('generated', generated.secretHash), keptClient('chosen', hash), ...guessed];
  const { token, authenticate } = create(await storeWith(kept));
  const quick = clientCredentialsRequest({ id: 'generated', secret: generated.secret });
  const remembered = clientCredentialsRequest({ id: 'chosen', secret: CHOSEN });
  const { access_token: accessToken } = (await token(quick)).body;
  const right = async (answer) => {
    const { status } = await answer;
    if (status !== 200) throw new Error(`Answered ${status}`);
  };
  // The first request waits like one with a wrong secret. Afterwards the secret is cached.
  await right(token(remembered));
  const waiting = {
    authenticate: () => right(authenticate(guardedRequest(accessToken))),
    'token, generated secret': () => right(token(quick)),
    'token, chosen secret': () => right(token(remembered)),
    'reading a file': () => readFile(fileURLToPath(import.meta.url)),
  };
  const meanwhile = {
    nothing: () => [],
    hashing: () => Array.from({ length: 2 }, () => hashAgain),
    guesses: () => Array.from({ length: inFlight }, (_, lane) => guessOf(token, guessed[lane % GUESSED].id)),
  };

  const found = Object.fromEntries(Object.keys(meanwhile).map((name) => [name, {}]));
  for (let round = -warmUps; round < rounds; round++) {
    for (const name of rotated(Object.keys(meanwhile), round + warmUps)) {
      const end = keepBusy(meanwhile[name]());
      // All requests look up their clients first and then wait for their turn.
      await pause(settling);
      for (const [what, wait] of Object.entries(waiting)) {
        for (let sample = 0; sample < samples; sample++) {
          const start = performance.now();
          await wait();
          if (round >= 0) (found[name][what] ??= []).push(performance.now() - start);
          // A pause between requests, as between independent clients.
          await pause(1);
        }
      }
      await end();
    }
  }
  return Object.fromEntries(Object.entries(found).map(([name, byWhat]) => [name, latencies(byWhat)]));
}

function latencies(byWhat) {
  return Object.fromEntries(
    Object.entries(byWhat).map(([what, milliseconds]) => {
      const sorted = milliseconds.toSorted((a, b) => a - b);
      return [what, { median: median(sorted), late: sorted[Math.floor(sorted.length * 0.99)] }];
    }),
  );
}

/** Repeats each step until it is stopped. */
function keepBusy(steps) {
  let isOver = false;
  const lanes = steps.map(async (step) => {
    while (!isOver) await step();
  });
  return async () => {
    isOver = true;
    await Promise.all(lanes);
  };
}

function guessOf(token, id) {
  let guess = 0;
  return async () => {
    const { status } = await token(clientCredentialsRequest({ id, secret: `wrong ${guess++}` }));
    if (status === 200) throw new Error('A wrong secret was accepted');
    // A rejected client waits before its next request.
    if (status === 503) await pause(5);
  };
}

const hashAgain = () =>
  new Promise((resolve, reject) => {
    scrypt('wrong', 'salt', 32, { N: 2 ** 14, r: 8, p: 1, maxmem: 2 ** 26 }, (error) =>
      error ? reject(error) : resolve(),
    );
  });
