// Compares the vault of `upstreams()` with `getAccessToken` of better-auth: many callers in several processes find the
// token of a user expired at the same moment. `node bench/upstream-tokens/measure.js --callers=200 --rounds=5`
import { parseArgs } from 'node:util';
import { startChild } from '../children.js';
import { setUp } from '../setup.js';
import { median } from '../statistics.js';
import { startProvider } from './provider.js';

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '4' },
    callers: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
  },
});
const [processes, callers, rounds] = [values.processes, values.callers, values.rounds].map(Number);

setUp();
const rows = [];
for (const revokesReplays of [false, true]) {
  for (const library of ['nest-oauth2', 'better-auth']) rows.push(await measure(library, revokesReplays));
}
console.log(`${processes} processes with ${callers} callers each; medians of ${rounds} rounds`);
console.table(rows);

async function measure(library, revokesReplays) {
  const provider = await startProvider(revokesReplays);
  const options = { provider: provider.url, name: `upstream_${process.pid}_${rows.length}` };
  const start = (isFirst) => startChild('upstream-tokens/worker.js', library, JSON.stringify({ ...options, isFirst }));
  const first = await start(true);
  const others = await Promise.all(Array.from({ length: processes - 1 }, () => start(false)));
  const workers = [first, ...others];
  const results = [];
  // The first round opens the connections and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const user = `user${round}`;
    const seeded = await first.ask({ action: 'seed', user });
    const calls = await Promise.all(workers.map((one) => one.ask({ action: 'call', user, seeded, callers })));
    if (round > 0) results.push(resultOf(provider, user, calls));
  }
  for (const worker of workers.toReversed()) {
    await worker.ask({ action: 'close' });
    worker.stop();
  }
  provider.close();
  const middle = (name) => Math.round(median(results.map((one) => one[name])));
  return {
    library,
    'a replay ends': revokesReplays ? 'all tokens' : 'nothing',
    'refresh requests': middle('requests'),
    'callers with a valid token': middle('served'),
    'callers with an error': middle('errors'),
    'users who must connect again': `${results.filter(({ isLost }) => isLost).length} of ${rounds}`,
    'milliseconds until the last caller': middle('time'),
    error: results.find(({ error }) => error)?.error,
  };
}

/** Counts what the callers of one round received. A token counts if the provider accepts it after the round. */
function resultOf(provider, user, calls) {
  const tokens = calls.flatMap((call) => Object.entries(call.tokens));
  const { requests, isRevoked } = provider.stateOf(user);
  return {
    requests,
    served: tokens.reduce((sum, [token, count]) => sum + (provider.accepts(token) ? count : 0), 0),
    errors: calls.reduce((sum, call) => sum + call.errors, 0),
    error: calls.find((call) => call.error)?.error,
    isLost: isRevoked,
    time: Math.max(...calls.map(({ time }) => time)),
  };
}
