import { Deadline, type DeadlineOption } from '../deadline.js';
import { registerStorageLocation } from '../storage-location.js';
import type { Clients, Users } from '../ports.js';
import type { SecretCheckOptions } from '../secret-check.js';
import { Store } from '../store.js';
import { isCluster, type RedisClient, scriptRunner } from './connection.js';
import { RedisClusterStorage } from './redis-cluster-storage.js';
import { RedisStorage } from './redis-storage.js';

export type { ActiveGrant } from '../active-grant.js';
export { hashSecret, newClientSecret } from '../client-secret.js';
export type { Clients, SecretHash, StoredClient, Users } from '../ports.js';
export type { IoRedisClient, NodeRedisClient, RedisClient } from './connection.js';

/** What `new RedisStore()` takes. */
export interface RedisStoreOptions extends DeadlineOption, SecretCheckOptions {
  /** A connected client of ioredis or node-redis, for one server, a cluster or a sentinel. */
  client: RedisClient;
  users: Users;
  /** Where the clients are found; left out: they are kept in Redis, see `saveClient`. */
  clients?: Clients;
  /** What every key starts with. Default: `'oauth2:'` */
  prefix?: string;
  /**
   * Are the keys spread over several nodes? Then no step may touch two of them at once. Default: as the client says, which
   * does not know of a proxy before a cluster.
   */
  cluster?: boolean;
}

/** A model that keeps everything in Redis 6.2 or later, one server or a cluster. */
export class RedisStore extends Store<RedisStorage> {
  constructor({ client, users, clients, prefix = 'oauth2:', cluster, deadline, ...options }: RedisStoreOptions) {
    const run = scriptRunner(client, new Deadline(deadline));
    const Storage = (cluster ?? isCluster(client)) ? RedisClusterStorage : RedisStorage;
    super(new Storage(run, prefix, !clients), { users, clients, ...options });
    registerStorageLocation(this, client, prefix);
  }
}
