import { median, medianRatio, rotated, summary } from '../statistics.js';

/**
 * Measures deployments alternately, each with its operations.
 * @param deployments `{ name, title, operations, server }`
 * @param load the process that sends the requests
 * @returns a row for each deployment and operation, with the samples of all rounds
 */
export async function measureRounds(deployments, load, { warmUps, rounds, amounts, connections }) {
  const operations = [...new Set(deployments.flatMap((one) => one.operations))];
  const rows = new Map();
  for (let round = -warmUps; round < rounds; round++) {
    for (const operation of operations) {
      const measured = deployments.filter((one) => one.operations.includes(operation));
      for (const { name, title, server, operations: _, ...traits } of rotated(measured, round + warmUps)) {
        const sample = await oneRound(server, load, { operation, amount: amounts[operation], connections });
        const key = `${name} ${operation}`;
        if (!rows.has(key)) rows.set(key, { name, title, operation, traits, samples: [] });
        if (round >= 0) rows.get(key).samples.push(sample);
      }
    }
    process.stderr.write('.');
  }
  process.stderr.write('\n');
  const order = deployments.flatMap(({ name, operations: own }) => own.map((operation) => `${name} ${operation}`));
  return order.map((key) => rows.get(key)).map(summarised);
}

async function oneRound({ url, requests, view, begin, end }, load, { operation, amount, connections }) {
  const prepared = await requests[operation](amount);
  const before = await view?.read();
  await begin();
  const { right, wrong, seconds, p50, p99, cpu } = await load.ask({ url, requests: prepared, amount, connections });
  const { microseconds, memory } = await end();
  const used = before ? view.used(before, await view.read(), seconds) : {};
  if (right !== amount) throw new Error(`${amount - right} wrong responses to ${operation}. The first is:\n${wrong}`);
  return {
    rate: amount / seconds,
    cpu: microseconds / amount,
    p50,
    p99,
    memory: Math.max(...memory),
    generator: cpu / amount,
    ...Object.fromEntries(Object.entries(used).map(([name, value]) => [name, value && value / amount])),
  };
}

/** Summarises the rounds of a row: medians, the largest memory, and the mean of the storage, which grows in pages. */
function summarised({ traits, samples, ...row }) {
  const of = (name) => samples.map((sample) => sample[name]).filter((value) => value !== undefined);
  const middle = (name) => (of(name).length > 0 ? median(of(name)) : undefined);
  const stored = of('stored');
  return {
    ...row,
    ...traits,
    cpu: summary(of('cpu')),
    rate: summary(of('rate')),
    backend: middle('backend'),
    p50: middle('p50'),
    p99: middle('p99'),
    memory: Math.max(...of('memory')),
    log: middle('log'),
    stored: stored.length > 0 ? stored.reduce((sum, value) => sum + value, 0) / stored.length : undefined,
    generator: middle('generator'),
    cpus: of('cpu'),
  };
}

/** Returns how many times the CPU of the second row the first row uses: the median of the ratios of all rounds. */
export const timesTheCpu = (row, other) => medianRatio(row.cpus, other.cpus);
