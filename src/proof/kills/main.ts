import type { StoreFixtures, StoreOutcome, StoreRequest } from './messages.js';
import { serveStore } from './serve-store.js';

const respond = (id: number, outcome: StoreOutcome) => process.connected && process.send!({ id, ...outcome });
const unknown = (error: unknown): StoreOutcome => ({
  status: 'unknown',
  reason: error instanceof Error ? error.message : String(error),
});

// The process must not outlive `prove`, however that ends.
process.once('disconnect', () => process.exit());
process.once('message', (fixtures: StoreFixtures) => {
  const opened = serveStore(fixtures);
  process.on('message', ({ id, ...request }: StoreRequest) => {
    void opened
      .then((handle) => handle(request))
      .catch(unknown)
      .then((outcome) => respond(id, outcome));
  });
  void opened.then(() => respond(0, { status: 'done', result: true })).catch((error) => respond(0, unknown(error)));
});
