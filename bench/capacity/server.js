import { randomBytes } from 'node:crypto';
import { redirectUri, requiredScope } from '../fixtures.js';
import { startApi, startServer } from './applications.js';
import { Meter } from './meter.js';
import { saveRefreshTokens } from './refresh-tokens.js';
import { openStore } from './stores.js';
import { users } from './users.js';

// One deployment, in this process. The parent process requests the CPU time and the memory used
// between `begin` and `end`.

const { kind, platform, alg, isApi, prefix, name, connections, filled } = JSON.parse(process.argv[2]);
const deployment = await (isApi ? api() : server());

process.on('message', (message) => void respond(message).then((answer) => process.send(answer)));
process.on('disconnect', () => process.exit());
process.send(deployment.greeting);

async function respond({ ask, amount }) {
  if (ask === 'begin') return (await deployment.meter.begin()) ?? 'ready';
  if (ask === 'end') return deployment.meter.end();
  if (ask === 'newTokens') return deployment.newTokens(amount);
  await deployment.close();
  return 'closed';
}

async function api() {
  const { app, newTokens } = await startApi({ platform, alg });
  return { greeting: { url: await app.getUrl() }, newTokens, meter: new Meter(), close: () => app.close() };
}

async function server() {
  const store = await openStore(kind, { prefix, name, users, connections });
  const { model } = store;
  await store.create();
  await model.saveClient({
    id: 'web',
    secret: randomBytes(32).toString('base64url'),
    grants: ['authorization_code', 'client_credentials', 'refresh_token'],
    redirectUris: [redirectUri],
    scopes: [requiredScope],
    consent: 'never',
  });
  const { secret } = await model.rotateClientSecret('web');
  // A database plans statements by the size of its tables, and nearly empty tables are read completely.
  await saveRefreshTokens(model, secret, filled);
  await store.analyze();
  const served = await serve(model);
  return {
    greeting: { url: served.url, secret },
    newTokens: (amount) => saveRefreshTokens(model, secret, amount),
    meter: served.meter,
    async close() {
      await served.stop();
      await store.drop();
      await store.close();
    },
  };
}

async function serve(model) {
  const app = await startServer({ platform, model, alg });
  return { url: await app.getUrl(), meter: new Meter(), stop: () => app.close() };
}
