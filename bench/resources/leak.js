import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { newToken, requiredScope, user } from '../fixtures.js';
import { authorizeRequest, clientCredentialsRequest, guardedRequest } from '../requests.js';
import { storeFor } from '../store.js';

// <requests>: handles this number of valid and invalid requests and measures the heap ten times.

const requests = Number(process.argv[2]);
const store = storeFor({});
const server = new OAuth2Server({ model: store.model, authenticateHandler: { handle: async () => user } });
const kinds = [
  () => server.authenticate(new Request(guardedRequest(accessToken)), new Response(), { scope: requiredScope }),
  () => server.authenticate(new Request(guardedRequest('unknown')), new Response(), { scope: requiredScope }),
  () => server.token(new Request(clientCredentialsRequest()), new Response()),
  () => server.token(new Request(clientCredentialsRequest({ id: 'demo-web', secret: 'wrong' })), new Response()),
  () => server.authorize(new Request(authorizeRequest()), new Response()),
];

let accessToken;
const before = process.getActiveResourcesInfo().length;
const heap = [];
// The first step is not measured, because it fills permanent caches.
for (let step = 0; step <= 10; step++) {
  for (let index = 0; index < requests / 10; index++) {
    // The library cannot free what the model stores.
    if (index % 1000 === 0) {
      store.model.reset();
      ({ accessToken } = store.addToken(newToken()));
    }
    await kinds[index % kinds.length]().catch(() => undefined);
  }
  globalThis.gc();
  globalThis.gc();
  heap.push(process.memoryUsage().heapUsed);
}
const timersAndHandles = process.getActiveResourcesInfo().length - before;
process.on('disconnect', () => process.exit());
process.send({ requests, heap, bytesPerRequest: (heap.at(-1) - heap[1]) / (requests * 0.9), timersAndHandles });
