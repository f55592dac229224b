import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system gives to whoever asks for any: nobody else is given one by chance. */
const FIRST_PORT = 20_000;
const PORTS_PER_WORKER = 400;
const WORKERS = 30;

/** Files that run side by side have ranges of their own. */
const from = FIRST_PORT + (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS) * PORTS_PER_WORKER;
let next = randomInt(PORTS_PER_WORKER);

/** A port that is free, and is given once. */
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
  throw new Error(`No port from ${from} on is free`);
}
