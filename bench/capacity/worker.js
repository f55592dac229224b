import { startServer } from './applications.js';
import { Meter } from './meter.js';
import { openStore } from './stores.js';
import { users } from './users.js';

// One of several processes that serve the same port. The tables and the client exist already.

const { kind, prefix, name, connections, ...options } = JSON.parse(process.argv[2]);
const store = await openStore(kind, { prefix, name, users, connections });
const app = await startServer({ ...options, model: store.model });
const meter = new Meter();

process.on('message', (message) => void respond(message).then((answer) => process.send(answer)));
process.on('disconnect', () => process.exit());
process.send(await app.getUrl());

async function respond(message) {
  if (message === 'begin') return meter.begin() ?? 'ready';
  if (message === 'end') return meter.end();
  await app.close();
  await store.close();
  return 'closed';
}
