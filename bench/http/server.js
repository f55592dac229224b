import { clientCredentialsRequest } from '../requests.js';
import { newToken } from '../fixtures.js';
import { storeFor } from '../store.js';
import { start } from './applications.js';
import { served } from './candidates.js';

// One candidate on one platform. The parent process requests an empty store, and later the CPU time used since then.

const [name, platform] = process.argv.slice(2);
const { application, load } = served[name];
const candidate = (await load?.()) ?? {};
const store = storeFor(candidate);
const app = await start(platform, application(store.model, candidate));
const tokens = Array.from({ length: 64 }, () => newToken({ refreshToken: undefined }));
let since;

process.on('message', (message) => {
  if (message === 'begin') {
    store.model.reset();
    tokens.forEach((token) => store.addToken(token));
    globalThis.gc?.({ type: 'minor' });
    since = process.cpuUsage();
    process.send('ready');
  } else {
    const { user, system } = process.cpuUsage(since);
    process.send(user + system);
  }
});
process.on('disconnect', () => process.exit());

const { headers, body } = clientCredentialsRequest();
process.send({
  url: await app.getUrl(),
  requests: {
    guarded: tokens.map(({ accessToken }) => ({
      method: 'GET',
      path: '/guarded',
      headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
    })),
    token: [
      {
        method: 'POST',
        path: '/oauth/token',
        headers: { authorization: headers.authorization, 'content-type': headers['content-type'] },
        body: new URLSearchParams(body).toString(),
      },
    ],
  },
});
