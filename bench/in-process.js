import { candidates } from './candidates/index.js';
import { startChild } from './children.js';
import { operations } from './operations.js';
import { medianRatio, rotated, summary } from './statistics.js';

const concurrencies = [1, 32];
const settings = {
  full: { generations: 3, rounds: 5, warmUps: 2, scale: 1 },
  // Only checks that everything works. The numbers are too few to compare candidates.
  brief: { generations: 1, rounds: 1, warmUps: 0, scale: 0.02 },
};

/** Measures the operations whose names begin with one of the prefixes. The candidates alternate in every round. */
export async function measureInProcess({ prefixes, brief, only = Object.keys(candidates) }) {
  const { generations, rounds, warmUps, scale } = settings[brief ? 'brief' : 'full'];
  const names = Object.keys(operations).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  const samples = {};
  const about = {};

  // New processes compile again, so that the decisions of the compiler are part of the spread.
  for (let generation = 0; generation < generations; generation++) {
    const workers = [];
    for (const name of only) workers.push({ name, process: await startChild('worker.js', name) });
    for (const { name, process: worker } of workers) about[name] = worker.greeting;
    for (let round = -warmUps; round < rounds; round++) {
      for (const operation of names) {
        for (const concurrency of concurrencies) {
          for (const worker of rotated(workers, round + warmUps)) {
            const iterations = Math.ceil(operations[operation].iterations * scale);
            const result = await worker.process.ask({ operation, concurrency, iterations });
            if (round >= 0) record(samples, operation, concurrency, worker.name, result);
          }
        }
      }
      process.stderr.write('.');
    }
    for (const { process: worker } of workers) worker.stop();
  }
  process.stderr.write('\n');
  return {
    generations,
    rounds,
    candidates: about,
    operations: names.map((name) => report(name, samples[name], about)),
  };
}

function record(samples, operation, concurrency, candidate, { wall, cpu }) {
  const byCandidate = ((samples[operation] ??= {})[concurrency] ??= {});
  const own = (byCandidate[candidate] ??= { wall: [], cpu: [] });
  own.wall.push(wall);
  own.cpu.push(cpu);
}

function report(name, byConcurrency, about) {
  const rows = Object.entries(byConcurrency).map(([concurrency, byCandidate]) => {
    const entries = Object.entries(byCandidate);
    const nanoseconds = Object.fromEntries(entries.map(([key, { wall }]) => [key, summary(wall)]));
    const cpuNanoseconds = Object.fromEntries(entries.map(([key, { cpu }]) => [key, summary(cpu)]));
    return [concurrency, { nanoseconds, cpuNanoseconds, ...ratios(byCandidate, nanoseconds, about) }];
  });
  return { name, title: operations[name].title, concurrency: Object.fromEntries(rows) };
}

function ratios(byCandidate, nanoseconds, about) {
  const own = byCandidate['nest-oauth2']?.wall;
  const peers = Object.keys(byCandidate).filter((name) => about[name].peer);
  if (!own || peers.length === 0) return {};
  const bestPeer = peers.reduce((a, b) => (nanoseconds[a].median <= nanoseconds[b].median ? a : b));
  return {
    bestPeer,
    timesFasterThanBestPeer: medianRatio(byCandidate[bestPeer].wall, own),
    timesServerOptions: medianRatio(byCandidate['nest-oauth2-call-options'].wall, own),
    timesTheFloor: byCandidate.floor && medianRatio(own, byCandidate.floor.wall),
    // The speed of the floor compared with the best peer, which is an upper bound for any library.
    floorTimesFaster: byCandidate.floor && medianRatio(byCandidate[bestPeer].wall, byCandidate.floor.wall),
  };
}
