// A worker process of `against.js`. It alternates blocks of one operation in two builds and in the floor, and prints the
// CPU time of each.
import { pathToFileURL } from 'node:url';
import { create as createFloor } from './candidates/floor/index.js';
import { client, user, requiredScope } from './fixtures.js';
import { MemoryModel } from './model.js';
import { operations } from './operations.js';
import { rotated } from './statistics.js';

const [WARM_UP, BLOCKS] = [8, 30];
const [id, place, ...files] = process.argv.slice(2);
const { call, status, iterations, prepare } = operations[id];
/** The options of `authorize()`, which are given either to the server or to each call, as a new object. */
const authorizeOptions = () => ({ authenticateHandler: { handle: async () => user } });
const inCall = place === 'call';
const guardOptions = { scope: requiredScope };
const optionsOfCall = inCall ? authorizeOptions : () => (call === 'authenticate' ? guardOptions : undefined);

class Model extends MemoryModel {
  addToken(token) {
    this.accessTokens.set(token.accessToken, token);
    if (token.refreshToken) this.refreshTokens.set(token.refreshToken, token);
    return token;
  }

  addCode(code) {
    this.codes.set(code.authorizationCode, code);
    return code;
  }
}

const builds = [...(await Promise.all(files.map(load))), loadFloor()];
for (let block = 0; block < WARM_UP + BLOCKS; block++) {
  for (const build of rotated(builds, block)) {
    const micros = await measure(build);
    if (block >= WARM_UP) build.least = Math.min(build.least, micros);
  }
}
console.log(JSON.stringify(builds.map(({ least }) => least)));

async function load(file) {
  const { OAuth2Server, Request, Response } = await import(pathToFileURL(file).href);
  const model = new Model();
  model.clients.set(client.id, client);
  const server = new OAuth2Server({ model, ...(!inCall && authorizeOptions()) });
  const run = async (raw) => {
    const response = new Response();
    await server[call](new Request(raw), response, optionsOfCall()).catch(() => undefined);
    return response;
  };
  return { model, run, least: Infinity };
}

function loadFloor() {
  const model = new Model();
  model.clients.set(client.id, client);
  return { model, run: createFloor(model)[call], least: Infinity };
}

async function measure({ model, run }) {
  model.reset();
  const requests = prepare(iterations, model);
  // A full collection would discard compiled code, and the block would measure the compiler.
  globalThis.gc({ type: 'minor' });
  const before = process.cpuUsage();
  for (let i = 0; i < iterations; i++) {
    const response = await run(requests[i % requests.length]);
    if (response.status !== status) throw new Error(`${id}: ${response.status}`);
  }
  const { user: own, system } = process.cpuUsage(before);
  return (own + system) / iterations;
}
