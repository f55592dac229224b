import { once } from 'node:events';
import autocannon from 'autocannon';

// The load generator, in a process of its own: what it costs is nobody's.

process.on('message', async ({ url, requests, amount, connections }) => {
  const start = performance.now();
  let end;
  // It looks around at intervals, and says that it is done only then.
  const run = autocannon({ url, requests, amount, connections, sampleInt: 50 });
  run.on('response', () => (end = performance.now()));
  const [{ '2xx': right }] = await once(run, 'done');
  process.send({ right, seconds: (end - start) / 1000 });
});
process.on('disconnect', () => process.exit());
process.send('ready');
