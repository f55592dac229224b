import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * Starts a proxy to a server. It calls `onRoundTrip` when data is sent to the server after its previous reply.
 * @param delay milliseconds by which data to the server is delayed
 */
export async function proxied(address, onRoundTrip, delay = 0) {
  const target = new URL(address);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) socket.setNoDelay(true);
    let isAsking = false;
    client.on('data', (chunk) => {
      if (!isAsking) onRoundTrip();
      isAsking = true;
      if (delay > 0) setTimeout(() => upstream.write(chunk), delay);
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      isAsking = false;
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      one.on('close', () => other.destroy());
      one.on('error', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(address);
  url.hostname = '127.0.0.1';
  url.port = String(server.address().port);
  return { url: url.href, close: () => server.close() };
}
