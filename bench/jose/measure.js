import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { startChild } from '../children.js';
import { medianRatio, rotated, summary } from '../statistics.js';
import { jwk, resourceRequest, tokenRequest } from './clients.js';
import { servers } from './servers.js';
import { measureVerify } from './verify.js';

const settings = {
  full: { warmUps: 2, rounds: 7, amount: 500, connections: 16 },
  brief: { warmUps: 0, rounds: 1, amount: 20, connections: 4 },
};

/**
 * Measures the CPU time of the server for requests of clients with keys, and of oidc-provider for the same requests.
 */
export async function measureJose({ brief }) {
  const verify = await measureVerify({ brief });
  const setting = settings[brief ? 'brief' : 'full'];
  const started = [];
  for (const name of Object.keys(servers)) {
    const process = await startChild('jose/server.js', name, String(await freePort()), JSON.stringify(jwk));
    started.push({ name, process });
  }
  const samples = { private_key_jwt: {}, 'private_key_jwt, DPoP': {}, 'DPoP at a resource': {} };
  for (let round = -setting.warmUps; round < setting.rounds; round++) {
    for (const [operation, byServer] of Object.entries(samples)) {
      for (const { name, process } of rotated(started, round + setting.warmUps)) {
        const requests = await requestsOf(operation, process.greeting, setting.amount);
        if (!requests) continue;
        await process.ask('begin');
        await sendAll(requests, setting.connections, `${name}, ${operation}`);
        const cpu = (await process.ask('end')) / setting.amount;
        if (round >= 0) (byServer[name] ??= []).push(cpu);
      }
    }
    process.stderr.write('.');
  }
  for (const { process } of started) process.stop();
  process.stderr.write('\n');
  return { verify, http: Object.entries(samples).map(([operation, byServer]) => row(operation, byServer)) };
}

/** Returns the requests of an operation, or `undefined` if the server does not support it. */
async function requestsOf(operation, places, amount) {
  const many = (make) => Promise.all(Array.from({ length: amount }, make));
  if (operation !== 'DPoP at a resource') {
    return many(() => tokenRequest(places, operation.endsWith('DPoP')));
  }
  if (!places.guardedUrl) return undefined;
  const body = JSON.parse(await send(await tokenRequest(places, true), new Agent()));
  return many(() => resourceRequest(places.guardedUrl, body.access_token));
}

/** Sends all requests over the given number of persistent connections. */
async function sendAll(requests, connections, what) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const waiting = [...requests];
  const lane = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await send(next, agent, what);
  };
  await Promise.all(Array.from({ length: connections }, lane));
  agent.destroy();
}

function send({ url, body, ...options }, agent, what) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, agent }, async (response) => {
      const text = await response.toArray().then((parts) => Buffer.concat(parts).toString());
      if (response.statusCode === 200) resolve(text);
      else reject(new Error(`${what}: ${response.statusCode} ${text}`));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function row(operation, byServer) {
  const peer = byServer['oidc-provider'];
  const cells = Object.entries(byServer).map(([name, cpu]) => [
    name,
    { ...summary(cpu), timesLess: peer && medianRatio(peer, cpu) },
  ]);
  return { operation, servers: Object.fromEntries(cells) };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
