import { Session } from 'node:inspector/promises';
import { candidates } from './candidates/index.js';
import { operations } from './operations.js';
import { storeFor } from './store.js';

// node profile.js <candidate> <operation> [rounds]: prints a CPU profile of one operation of a candidate.

const [name = 'nest-oauth2', operation = 'authenticate-valid', rounds = '60'] = process.argv.slice(2);
const candidate = await candidates[name]();
const store = storeFor(candidate);
const answerers = candidate.create(store.model);
const { prepare, call, iterations } = operations[operation];

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: 100 });

const self = new Map();
let samples = 0;
for (let round = 0; round < Number(rounds); round++) {
  store.model.reset();
  const requests = prepare(iterations, store);
  const warm = round > 5;
  if (warm) await session.post('Profiler.start');
  for (const request of requests) await answerers[call](request);
  if (warm) count((await session.post('Profiler.stop')).profile);
}

function count({ nodes }) {
  for (const { callFrame, hitCount } of nodes) {
    const place = `${callFrame.functionName || '(anonymous)'} ${callFrame.url.split('/').slice(-3).join('/')}:${callFrame.lineNumber + 1}`;
    self.set(place, (self.get(place) ?? 0) + hitCount);
    samples += hitCount;
  }
}

for (const [place, hits] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 30)) {
  console.log(`${((hits / samples) * 100).toFixed(1).padStart(5)} %  ${place}`);
}
