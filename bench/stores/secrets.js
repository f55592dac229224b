import { hashSecret, newClientSecret } from 'nest-oauth2/stores/memory';
import { median, medianRatio, rotated } from '../statistics.js';
import { clientCredentialsRequest } from '../requests.js';
import { create } from '../candidates/nest-oauth2.js';
import { keptClient } from './fixtures.js';
import { rate } from './rate.js';

const CHOSEN = 'correct horse battery staple';

/**
 * Measures token requests (client_credentials) of clients with a generated secret (SHA-256), a chosen secret (scrypt),
 * and a plain secret that is compared in the program, with the same look-up in the same store.
 */
export async function measureSecrets({ storeWith }, { brief }) {
  const { rounds, duration } = brief ? { rounds: 1, duration: 30 } : { rounds: 9, duration: 300 };
  const generated = newClientSecret();
  const kept = [keptClient('generated', generated.secretHash), keptClient('chosen', await hashSecret(CHOSEN))];
  const hashed = create(await storeWith(kept));
  const plain = create(withPlainSecret(await storeWith(kept), generated.secret));
  const requests = {
    plain: [plain, clientCredentialsRequest({ id: 'generated', secret: generated.secret })],
    generated: [hashed, clientCredentialsRequest({ id: 'generated', secret: generated.secret })],
    chosen: [hashed, clientCredentialsRequest({ id: 'chosen', secret: CHOSEN })],
  };

  const samples = { plain: [], generated: [], chosen: [] };
  for (let round = -1; round < rounds; round++) {
    for (const name of rotated(Object.keys(requests), round + 1)) {
      const [{ token }, request] = requests[name];
      const step = async () => (await token(request)).status === 200;
      // Use the chosen secret once, so that it is cached.
      await step();
      const sample = await rate(step, { concurrency: 32, duration });
      if (round >= 0) samples[name].push(sample);
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, summed(list, samples.plain)]));
}

function summed(list, plain) {
  const [rates, plainRates] = [list, plain].map((of) => of.map(({ perSecond }) => perSecond));
  const [cpu, plainCpu] = [list, plain].map((of) => of.map(({ microseconds }) => microseconds));
  return {
    perSecond: median(rates),
    microseconds: median(cpu),
    timesTheTime: medianRatio(plainRates, rates),
    timesTheCpu: medianRatio(cpu, plainCpu),
  };
}

/** Returns a store that looks the client up and compares a plain secret without hashing. */
function withPlainSecret(store, known) {
  const find = store.getClient.bind(store);
  store.getClient = async (id, secret) => {
    const client = await find(id, null);
    return secret === null || secret === known ? client : undefined;
  };
  return store;
}
