import { Deadline, type DeadlineOption } from '../contract/deadline.js';
import { registerStorageLocation } from '../contract/storage-location.js';
import type { Clients, Users } from '../contract/ports.js';
import type { SecretCheckOptions } from '../clients/secret-check.js';
import { Store } from '../store/store.js';
import { verifyUsers } from '../store/verify-users.js';
import { isCluster, type RedisClient, scriptRunner } from './connection.js';
import { RedisClusterStorage } from './redis-cluster-storage.js';
import { RedisStorage } from './redis-storage.js';

export type { ActiveGrant } from '../grants/active-grant.js';
export * from '../store/exports-of-stores.js';
export type { IoRedisClient, NodeRedisClient, RedisClient } from './connection.js';

/** The options of `new RedisStore()`. */
export interface RedisStoreOptions extends DeadlineOption, SecretCheckOptions {
  /** A connected client of ioredis or node-redis, for one server, a cluster or a sentinel. */
  client: RedisClient;
  users: Users;
  /**
   * An object that finds the clients of the application. If omitted, the store keeps clients in Redis. Add them with
   * `saveClient()`.
   */
  clients?: Clients;
  /** The prefix of all keys. Default: `'oauth2:'`. */
  prefix?: string;
  /**
   * Whether keys are distributed over several nodes. Then each script accesses only one key. Default: detected from the
   * client. Set `true` if a proxy hides the cluster from the client.
   */
  cluster?: boolean;
}

/** A model that stores everything in Redis 6.2 or later, on one server or a cluster. */
export class RedisStore extends Store<RedisStorage> {
  constructor(options: RedisStoreOptions) {
    verifyUsers(options?.users);
    const { client, users, clients, prefix = 'oauth2:', cluster, deadline, ...more } = options;
    const run = scriptRunner(client, new Deadline(deadline));
    const Storage = (cluster ?? isCluster(client)) ? RedisClusterStorage : RedisStorage;
    super(new Storage(run, prefix, !clients), { users, clients, ...more });
    registerStorageLocation(this, client, prefix);
  }
}
