import { startChildWith } from '../children.js';
import { apiRequestsOf, requestsOf } from './requests.js';
import { watch } from './watch.js';

/** Maximum number of connections to the database, as by default in TypeORM. */
export const CONNECTIONS = 10;

/** The number of grants, each with two tokens, that are stored before the first round. */
export const FILLED = 3000;

let count = 0;

/**
 * Starts a deployment in its own process, with tables or keys of its own.
 * @param options `kind`: the database. `platform`: the HTTP adapter. `alg`: the algorithm of signed access tokens.
 *   `isApi`: only verifies access tokens. `nodeOptions`: options of Node.
 *   `filled`: the number of grants that are stored before.
 */
export async function startDeployment({ nodeOptions = [], filled = FILLED, ...options }) {
  count += 1;
  const prefix = `bench_${process.pid}_${count}_`;
  const name = `nest-oauth2-capacity-${process.pid}-${count}`;
  const own = JSON.stringify({ ...options, filled, prefix, name, connections: CONNECTIONS });
  const child = await startChildWith(nodeOptions, 'capacity/server.js', own);
  const { url, secret } = child.greeting;
  const newTokens = (amount) => child.ask({ ask: 'newTokens', amount });
  const view = options.kind && (await watch(options.kind, { prefix, name }));
  return {
    url,
    requests: options.isApi ? apiRequestsOf(newTokens) : requestsOf({ url, secret, refreshTokens: newTokens }),
    view,
    begin: () => child.ask({ ask: 'begin' }),
    end: () => child.ask({ ask: 'end' }),
    async close() {
      await view?.close();
      await child.ask({ ask: 'close' });
      child.stop();
    },
  };
}
