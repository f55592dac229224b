import { requiredScope, redirectUri } from '../fixtures.js';
import { authorizeRequest, clientCredentialsRequest, guardedRequest } from '../requests.js';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

// <count> <requests per block>: measures the memory store with this number of clients and of valid tokens in its own
// process.

const BLOCKS = 9;
const [count, iterations] = process.argv.slice(2).map(Number);
const user = { id: 'alice' };
const users = { findByCredentials: async () => user, findById: async () => user };
const shared = {
  grants: ['authorization_code', 'client_credentials', 'refresh_token'],
  redirectUris: [redirectUri],
  scopes: [requiredScope, 'profile', 'notes:write'],
};
const clients = Array.from({ length: count }, (_, index) => ({
  id: `client-${index}`,
  secret: `of-${index}`,
  ...shared,
}));
const model = new MemoryStore({ clients, users, limit: 2 * count + 10 * BLOCKS * iterations });
const server = new OAuth2Server({ model, authenticateHandler: { handle: async () => user } });

const before = heapUsed();
const accessTokenExpiresAt = new Date(Date.now() + 3_600_000);
for (let index = 0; index < count; index++) {
  const token = { accessToken: tokenNumber(index), accessTokenExpiresAt, scope: requiredScope };
  await model.saveToken(token, clients[index], user);
}
const bytesPerToken = (heapUsed() - before) / count;

const map = new Map(clients.map((client) => [client.id, client]));
const nanoseconds = {
  // The cost that any store has when its maps no longer fit into the caches of the processor.
  'a lookup in a Map of that size': await timed(async (index) => map.get(`client-${spread(index)}`)),
  authenticate: await timed((index) =>
    server.authenticate(new Request(guardedRequest(tokenNumber(spread(index)))), new Response(), {
      scope: requiredScope,
    }),
  ),
  'token, client_credentials': await timed((index) =>
    server.token(new Request(clientCredentialsRequest(clients[spread(index)])), new Response()),
  ),
  'authorize, code': await timed((index) =>
    server.authorize(new Request(authorizeRequest({}, clients[spread(index)])), new Response()),
  ),
};
process.on('disconnect', () => process.exit());
process.send({ nanoseconds, bytesPerToken });

/** Returns the CPU nanoseconds of the best block, which is least disturbed by other programs. */
async function timed(operation) {
  const blocks = [];
  for (let block = 0; block < BLOCKS; block++) {
    const start = process.cpuUsage();
    for (let index = 0; index < iterations; index++) await operation(block * iterations + index);
    const usage = process.cpuUsage(start);
    blocks.push(((usage.user + usage.system) * 1000) / iterations);
  }
  return Math.min(...blocks);
}

/** Returns indices that are far apart. Each index is used once before any is used again. */
function spread(index) {
  return Math.floor(((index * 0.618033988749895) % 1) * count);
}

function tokenNumber(index) {
  return String(index).padStart(64, '0123456789abcdef');
}

function heapUsed() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
