import { startChild } from '../children.js';
import { rotated, summary } from '../statistics.js';
import { served } from './candidates.js';

const settings = {
  full: { warmUps: 2, rounds: 9, amount: 5_000, connections: 32 },
  brief: { warmUps: 0, rounds: 1, amount: 200, connections: 4 },
};

/** Measures the CPU microseconds of a server process per request, with load from another process. */
export async function measureHttp({ brief }) {
  const setting = settings[brief ? 'brief' : 'full'];
  const load = await startChild('http/load.js');
  const platforms = {};
  for (const platform of ['fastify', 'express']) platforms[platform] = await measurePlatform(platform, load, setting);
  load.stop();
  return { ...setting, platforms };
}

async function measurePlatform(platform, load, { warmUps, rounds, amount, connections }) {
  const samples = {};
  const servers = [];
  for (const name of Object.keys(served)) {
    servers.push({ name, process: await startChild('http/server.js', name, platform) });
  }
  for (let round = -warmUps; round < rounds; round++) {
    for (const operation of ['guarded', 'token']) {
      for (const { name, process: server } of rotated(servers, round + warmUps)) {
        const { url, requests } = server.greeting;
        await server.ask('begin');
        const { right } = await load.ask({ url, requests: requests[operation], amount, connections });
        const microseconds = await server.ask('end');
        if (right !== amount)
          throw new Error(`${name} on ${platform}: ${amount - right} wrong responses to ${operation}`);
        if (round >= 0) ((samples[operation] ??= {})[name] ??= []).push(microseconds / amount);
      }
    }
    process.stderr.write('.');
  }
  for (const { process: server } of servers) server.stop();
  process.stderr.write('\n');
  return Object.fromEntries(Object.entries(samples).map(([operation, byName]) => [operation, summaries(byName)]));
}

function summaries(byName) {
  return Object.fromEntries(
    Object.entries(served).map(([name, { title }]) => [name, { title, ...summary(byName[name]) }]),
  );
}
