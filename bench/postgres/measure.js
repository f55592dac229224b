import { connect } from 'node:net';
import { once } from 'node:events';
import { startChild } from '../children.js';
import { median, medianRatio, rotated, summary } from '../statistics.js';
import { CONNECTIONS, url } from './database.js';
import { servers } from './servers.js';

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
  const absent = await reasonOfAbsence();
  if (absent) {
    console.log(`\nServers on PostgreSQL: skipped, ${absent}`);
    return undefined;
  }
  const load = await startChild('http/load.js');
  const started = await Promise.all(
    only.map(async (name) => ({ name, process: await startChild('postgres/server.js', name) })),
  );
  const own = () => Object.fromEntries(only.map((name) => [name, []]));
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
  const operations = Object.entries(samples).map(([name, byServer]) => [name, summed(byServer)]);
  return { ...setting, poolSize: CONNECTIONS, operations: Object.fromEntries(operations) };
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
function summed(byServer) {
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
          title: servers[name].title,
          cpu: summary(of(name, 'cpu')),
          rate: summary(of(name, 'rate')),
          backend: backends.includes(undefined) ? undefined : median(backends),
          against: Object.fromEntries(against),
        },
      ];
    }),
  );
}

async function reasonOfAbsence() {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port || 5432), hostname);
  try {
    await once(socket, 'connect');
    return undefined;
  } catch (error) {
    return error.message || error.code;
  } finally {
    socket.destroy();
  }
}
