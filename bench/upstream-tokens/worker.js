// One process of an application: `worker.js <library> <options as JSON>`. It handles the messages of `measure.js`.
const [library, options] = process.argv.slice(2);
const { open } = await import(`./${library}.js`);
const application = await open(JSON.parse(options));

process.on('message', async ({ action, user, seeded, callers }) => {
  if (action === 'close') await application.close();
  process.send((action === 'seed' && (await application.seed(user))) || (await callAll(user, seeded, callers)));
});
process.on('disconnect', () => process.exit());
process.send('ready');

/** Requests the token many times at once. Returns the tokens with their numbers, and the number of errors. */
async function callAll(user, seeded, callers = 0) {
  const began = performance.now();
  const results = await Promise.allSettled(Array.from({ length: callers }, () => application.token(user, seeded)));
  const tokens = {};
  for (const { value } of results) if (value) tokens[value] = (tokens[value] ?? 0) + 1;
  const errors = results.filter(({ status }) => status === 'rejected');
  const [{ reason } = {}] = errors;
  return { tokens, errors: errors.length, error: reason && String(reason.message), time: performance.now() - began };
}
