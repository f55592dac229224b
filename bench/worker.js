import { candidates } from './candidates/index.js';
import { checkCandidate } from './checks.js';
import { operations } from './operations.js';
import { storeFor } from './store.js';

// One candidate in its own process, so that types and garbage of other candidates do not affect it.

const candidate = await candidates[process.argv[2]]();
await checkCandidate(candidate);

const store = storeFor(candidate);
const answerers = candidate.create(store.model);
process.on('message', (block) => run(block).then((result) => process.send(result)));
process.on('disconnect', () => process.exit());
process.send({ title: candidate.title, peer: candidate.peer === true });

/** Runs one block of requests and resolves to nanoseconds per operation: elapsed time and CPU time. */
async function run({ operation, concurrency, iterations }) {
  const { prepare, call, status } = operations[operation];
  store.model.reset();
  const requests = prepare(iterations, store);
  // A full collection would discard compiled code, and the block would measure the compiler.
  globalThis.gc?.({ type: 'minor' });

  let next = 0;
  let wrong = 0;
  const answerer = answerers[call];
  async function lane() {
    while (next < iterations) {
      const answer = await answerer(requests[next++]);
      if (answer.status !== status) wrong++;
    }
  }

  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: concurrency }, lane));
  const wall = Number(process.hrtime.bigint() - start);
  const { user, system } = process.cpuUsage(cpu);

  if (wrong > 0) throw new Error(`${candidate.title}: ${wrong} of ${iterations} responses to ${operation} were wrong`);
  return { wall: wall / iterations, cpu: ((user + system) * 1000) / iterations };
}
