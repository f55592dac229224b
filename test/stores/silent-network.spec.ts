import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';
import { RedisStore } from 'nest-oauth2/stores/redis';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';

import { ALICE, later, SECRET, WEB } from '../support/models/model.js';
import { runOperation, type Outcome, resourceRequest, tokenRequest } from '../support/clients/requests.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { describeEach } from '../support/environment/requirements.js';
import { findRedis, Keys, PATIENT_DRIVERS } from './redis-server.js';
import { SilentNetwork } from './silent-network.js';
import { findServers, open, ownPrefix, users } from './typeorm-databases.js';

/** A deadline in seconds, short to keep the test fast, and long enough to connect on a busy machine. */
const DEADLINE = 1;
const PREFIX = ownPrefix('silent');
/** A client that is authenticated without a slow hash or a database query. */
const clients = { findById: () => ({ ...WEB, secret: SECRET }) };

interface Behind {
  model: RedisStore | TypeOrmStore;
  network: SilentNetwork;
  close(): Promise<unknown>;
}

/** Driver settings recommended in `docs/reference/stores.md` to detect dead connections. */
const RECOVERING: Record<string, object> = {
  PostgreSQL: { connectTimeoutMS: 1000, poolSize: 4 },
  MariaDB: { connectTimeout: 1000, poolSize: 4 },
};

const databases = (await findServers()).filter(({ name }) => name in RECOVERING);
const places: { name: string; start(): Promise<Behind> }[] = databases.map((database) => ({
  name: `${database.name}, TypeORM`,
  async start() {
    const opened = await open(database, PREFIX);
    const { url } = database.options() as { url: string };
    const network = await SilentNetwork.to(url, database.name === 'MariaDB' ? 3306 : 5432);
    // The time limit for connections in `extra` would replace the short one.
    const recovering = { ...RECOVERING[database.name], extra: {}, url: network.urlOf(url) };
    const options = { ...opened.dataSource.options, ...recovering };
    const dataSource = await new DataSource(options as DataSourceOptions).initialize();
    const model = new TypeOrmStore(dataSource, { users, clients, prefix: PREFIX, deadline: DEADLINE });
    // A pool that is still connecting rejects when it is closed.
    return { model, network, close: () => Promise.all([dataSource.destroy().catch(() => undefined), opened.close()]) };
  },
}));

for (const url of await findRedis()) {
  for (const [driver, connect] of PATIENT_DRIVERS) {
    const start = async () => {
      const network = await SilentNetwork.to(url, 6379);
      const keys = new Keys([url]);
      const { client, close } = await connect(network.urlOf(url));
      const model = new RedisStore({ client, users, clients, prefix: keys.prefix, deadline: DEADLINE });
      return { model, network, close: () => Promise.all([close(), keys.remove()]) };
    };
    places.push({ name: `Redis, ${driver}`, start });
  }
}

describeEach(places)('a store whose network stops responding, $name,', ({ start }) => {
  let behind: Behind;
  let server: OAuth2Server;
  const authenticate = () => runOperation(server, 'authenticate', resourceRequest('Bearer access'));
  const issue = () => runOperation(server, 'token', tokenRequest({ grant_type: 'client_credentials' }));

  beforeAll(async () => {
    behind = await start();
    server = new OAuth2Server({ model: behind.model });
    await behind.model.saveToken({ accessToken: 'access', accessTokenExpiresAt: later() }, { ...WEB }, ALICE);
  });
  afterAll(async () => {
    await behind.close();
    await behind.network.close();
  });

  it('responds with 503 and Retry-After at the deadline, and recovers with the network', async () => {
    expect((await authenticate()).status).toBe(200);
    behind.network.fallSilent();
    // There are more requests than connections in the pool.
    const requested = Array.from({ length: 6 }, () => [timed(authenticate), timed(issue)]).flat();
    for (const { seconds, ...outcome } of await Promise.all(requested)) {
      expect(summary(outcome)).toEqual([503, 'temporarily_unavailable', '1']);
      // Without the deadline, the response would never come.
      expect(seconds).toBeGreaterThan(DEADLINE * 0.9);
    }
    expect(summary(await authenticate())).toEqual([503, 'temporarily_unavailable', '1']);

    behind.network.recover();
    // Each connection detects the failure by itself.
    await waitUntil(async () => (await authenticate()).status === 200 && (await issue()).status === 200);
  });
});

describeEach(places.filter(({ name }) => name.endsWith('TypeORM')))(
  'the idle connections of a pool, $name, after a request without response',
  ({ start }) => {
    it('are replaced before they are used', async () => {
      const { model, network, close } = await start();
      try {
        const server = new OAuth2Server({ model });
        const authenticate = () => runOperation(server, 'authenticate', resourceRequest('Bearer access'));
        await model.saveToken({ accessToken: 'access', accessTokenExpiresAt: later() }, { ...WEB }, ALICE);
        // Concurrent calls open all connections of the pool.
        await Promise.all(['a', 'b', 'c', 'd'].map((grantId) => model.revokeGrant(grantId)));
        network.fallSilent();
        const lost = authenticate();
        network.recover();
        expect((await lost).status).toBe(503);
        const statuses: number[] = [];
        for (let count = 0; count < 4; count++) statuses.push((await authenticate()).status);
        expect(statuses).toEqual([200, 200, 200, 200]);
      } finally {
        await close();
        await network.close();
      }
    });
  },
);

async function timed(ask: () => Promise<Outcome>) {
  const start = performance.now();
  const outcome = await ask();
  return { ...outcome, seconds: (performance.now() - start) / 1000 };
}

const summary = ({ status, error, headers }: Outcome) => [status, error?.name, headers['retry-after']];
