import { once } from 'node:events';
import autocannon from 'autocannon';

// The load generator runs in its own process, so that its CPU time is not counted.

process.on('message', async ({ url, requests, amount, connections }) => {
  const start = performance.now();
  let end;
  // autocannon samples at this interval and notices the end of a run only then.
  const run = autocannon({ url, requests, amount, connections, sampleInt: 50 });
  run.on('response', () => (end = performance.now()));
  const [{ '2xx': right }] = await once(run, 'done');
  process.send({ right, seconds: (end - start) / 1000 });
});
process.on('disconnect', () => process.exit());
process.send('ready');
