import { reasonOfAbsence } from '../absence.js';
import { startChild } from '../children.js';
import { mean, medianRatio, rotated, summary } from '../statistics.js';
import { CONNECTIONS, url } from './database.js';
import { batchingServers, servers } from './servers.js';

const settings = {
  full: { warmUps: 1, rounds: 6, amount: 600, connections: 32 },
  brief: {
    warmUps: 0,
    rounds: 1,
    amount: 50,
    connections: 4,
    only: ['nest-express', 'oidc-provider', 'better-auth', 'floor'],
  },
};

/** Measures servers over HTTP on one PostgreSQL. Resolves to `undefined` if there is no PostgreSQL. */
export async function measurePostgres({ brief }) {
  const { only = Object.keys(servers), ...setting } = settings[brief ? 'brief' : 'full'];
  const absent = await reasonOfAbsence(url);
  if (absent) {
    console.log(`\nServers on PostgreSQL: skipped, ${absent}`);
    return undefined;
  }
  const all = only.map((name) => ({ name, title: servers[name].title, id: name }));
  return { ...setting, poolSize: CONNECTIONS, operations: await measureServers(all, setting) };
}

const batchingSettings = {
  full: { warmUps: 1, rounds: 6, amount: 2000, connections: [1, 16, 64] },
  brief: { warmUps: 0, rounds: 1, amount: 50, connections: [4] },
};

/**
 * Measures what batching changes: with batching, without it, and the floors that send one statement per request. Also
 * measures one, two and four shared statements in flight, with and without a delay of the network.
 */
export async function measureBatching({ brief }) {
  const { connections, ...setting } = batchingSettings[brief ? 'brief' : 'full'];
  if (await reasonOfAbsence(url)) return undefined;
  const all = Object.entries(batchingServers).map(([name, { title }]) => ({ name, title, id: name }));
  const byConnections = {};
  for (const count of connections) {
    const amount = count === 1 ? setting.amount / 4 : setting.amount;
    byConnections[count] = await measureServers(all, { ...setting, amount, connections: count });
  }
  const inFlight = {};
  for (const delay of [0, 1]) {
    const proxy = await startChild('postgres/delay.js', String(delay));
    for (const count of connections.filter((one) => one > 1)) {
      const variants = [undefined, 1, 2, 4].map((inFlight) => ({
        name: `in flight ${inFlight}`,
        title: inFlight ? `always ${inFlight} in flight` : 'nest-oauth2: a second one after 1 ms',
        id: 'batching',
        options: { inFlight, address: proxy.greeting },
      }));
      const measured = await measureServers(variants, { ...setting, connections: count });
      inFlight[`delay ${delay} ms, ${count} connections`] = measured;
    }
    proxy.stop();
  }
  return { ...setting, byConnections, inFlight };
}

/** Measures servers alternately with both requests. */
async function measureServers(all, setting) {
  const load = await startChild('http/load.js');
  const started = await Promise.all(
    all.map(async ({ name, id, options = {} }) => ({
      name,
      process: await startChild('postgres/server.js', id, JSON.stringify(options)),
    })),
  );
  const own = () => Object.fromEntries(all.map(({ name }) => [name, []]));
  const samples = { token: own(), guarded: own() };
  for (let round = -setting.warmUps; round < setting.rounds; round++) {
    for (const operation of Object.keys(samples)) {
      for (const { name, process: server } of rotated(started, round + setting.warmUps)) {
        const sample = await oneRound(server, load, operation, setting);
        if (round >= 0) samples[operation][name].push(sample);
      }
    }
    process.stderr.write('.');
  }
  await Promise.all(started.map(({ process: server }) => server.ask('close')));
  for (const { process: server } of started) server.stop();
  load.stop();
  process.stderr.write('\n');
  const titles = Object.fromEntries(all.map(({ name, title }) => [name, title]));
  return Object.fromEntries(Object.entries(samples).map(([name, byServer]) => [name, summed(byServer, titles)]));
}

async function oneRound(server, load, operation, { amount, connections }) {
  const { url: address, requests } = server.greeting;
  // The server closed its idle connections while others were measured, so that it needs a warm-up.
  await load.ask({ url: address, requests: requests[operation], amount: amount / 5, connections });
  await server.ask('begin');
  const { right, seconds } = await load.ask({ url: address, requests: requests[operation], amount, connections });
  const { microseconds, backend } = await server.ask('end');
  if (right !== amount) throw new Error(`${amount - right} wrong responses to ${operation}`);
  return {
    cpu: microseconds / amount,
    backend: backend === undefined ? undefined : backend / amount,
    rate: amount / seconds,
  };
}

/**
 * Summarises the rounds. A ratio is the median of the ratios of all rounds: for CPU, the cost compared with the first
 * server, and for requests, the rate compared with it.
 */
function summed(byServer, titles) {
  const of = (name, key) => byServer[name].map((sample) => sample[key]);
  return Object.fromEntries(
    Object.keys(byServer).map((name) => {
      const backends = of(name, 'backend');
      const against = Object.keys(byServer).map((other) => [
        other,
        { cpu: medianRatio(of(other, 'cpu'), of(name, 'cpu')), rate: medianRatio(of(name, 'rate'), of(other, 'rate')) },
      ]);
      return [
        name,
        {
          title: titles[name],
          cpu: summary(of(name, 'cpu')),
          rate: summary(of(name, 'rate')),
          backend: backends.includes(undefined) ? undefined : mean(backends),
          against: Object.fromEntries(against),
        },
      ];
    }),
  );
}
