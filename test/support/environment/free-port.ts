import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The first port that `freePort()` tries. It is below the ephemeral ports, so the operating system does not assign it
 * to other processes.
 */
const FIRST_PORT = 20_000;
const PORTS_PER_WORKER = 400;
const WORKERS = 30;

/** Each Jest worker has its own range of ports, so that parallel test files do not get the same port. */
const from = FIRST_PORT + (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS) * PORTS_PER_WORKER;
let next = randomInt(PORTS_PER_WORKER);

/** Returns a free TCP port. It does not return the same port again until its range is used up. */
export async function freePort(): Promise<number> {
  for (let attempts = 0; attempts < PORTS_PER_WORKER; attempts += 1) {
    const port = from + (next++ % PORTS_PER_WORKER);
    const server = createServer();
    const isFree = await once(server.listen(port), 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`No free port between ${from} and ${from + PORTS_PER_WORKER - 1}. Stop processes that listen there.`);
}
