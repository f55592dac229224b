import autocannon from 'autocannon';

// The load generator, in a process of its own: what it costs is nobody's.

process.on('message', async ({ url, requests, amount, connections }) => {
  const { '2xx': right } = await autocannon({ url, requests, amount, connections });
  process.send(right);
});
process.on('disconnect', () => process.exit());
process.send('ready');
