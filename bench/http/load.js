import { Connection, serialised } from './connection.js';

// The load generator runs in its own process, so that its CPU time is not counted.

process.on('message', (setting) => void run(setting).then((result) => process.send(result)));
process.on('disconnect', () => process.exit());
process.send('ready');

/**
 * Sends `amount` requests, in turn from `requests`, over persistent connections.
 *
 * A request is `{ method, path, headers, body, expected, next }`. `expected` is the status of a right response. If
 * omitted, each status from 200 to 299 is right. `next` is `{ pattern, request }`, a second request that belongs to the
 * first: the match of the regular expression `pattern` in the first response replaces `{}` in its body.
 *
 * The result contains the number of right responses, the duration, the latencies in milliseconds, the CPU microseconds
 * of this process, and the first wrong response.
 */
async function run({ url, requests, amount, connections }) {
  const address = new URL(url);
  const prepared = requests.map((request) => prepare(request, address.host));
  const lanes = await Promise.all(
    Array.from({ length: Math.min(connections, amount) }, () => Connection.open(address)),
  );
  const latencies = new Float64Array(amount);
  let [sent, right, wrong] = [0, 0, undefined];
  const cpu = process.cpuUsage();
  const start = performance.now();
  const lane = async (connection) => {
    while (sent < amount) {
      const index = sent++;
      const began = performance.now();
      const failure = await exchange(connection, prepared[index % prepared.length]);
      latencies[index] = performance.now() - began;
      if (failure === undefined) right++;
      else wrong ??= failure;
    }
  };
  try {
    await Promise.all(lanes.map(lane));
  } catch (error) {
    wrong ??= error.message;
  }
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  lanes.forEach((connection) => connection.close());
  latencies.sort();
  const percentile = (share) => latencies[Math.min(amount - 1, Math.floor(amount * share))];
  return { right, wrong, seconds, p50: percentile(0.5), p99: percentile(0.99), cpu: user + system };
}

function prepare({ expected, next, ...request }, host) {
  return {
    bytes: Buffer.from(serialised(request, host), 'latin1'),
    isRight: expected ? (status) => status === expected : (status) => status >= 200 && status < 300,
    next: next && { pattern: new RegExp(next.pattern), request: next.request, host },
  };
}

/** Sends a request and the one that follows it. Returns the text of a wrong response, otherwise `undefined`. */
async function exchange(connection, { bytes, isRight, next }) {
  const { status, text } = await connection.send(bytes);
  if (!isRight(status)) return text;
  if (!next) return undefined;
  const match = next.pattern.exec(text);
  if (!match) return text;
  const body = next.request.body.replace('{}', match[1]);
  const second = await connection.send(serialised({ ...next.request, body }, next.host));
  return second.status === 200 ? undefined : second.text;
}
