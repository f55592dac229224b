import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system gives to whoever asks for any: nobody else is given one by chance. */
const FIRST = 20_000;
const EACH = 400;
const WORKERS = 30;

/** Files that run side by side have ranges of their own. */
const from = FIRST + (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS) * EACH;
let next = randomInt(EACH);

/** A port that is free, and is given once. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < EACH; tries += 1) {
    const port = from + (next++ % EACH);
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
