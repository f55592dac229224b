import type { Connection } from 'mongoose';

import type { SchemaModel } from '../../model/health.js';
import { Deadline, type DeadlineOption } from '../contract/deadline.js';
import type { Clients, Users } from '../contract/ports.js';
import type { SecretCheckOptions } from '../clients/secret-check.js';
import { registerStorageLocation } from '../contract/storage-location.js';
import { Store } from '../store/store.js';
import { verifyUsers } from '../store/verify-users.js';
import { Database } from './collections.js';
import { createIndexes, verifyIndexes } from './indexes.js';
import { MongooseStorage } from './mongoose-storage.js';

export type { ActiveGrant } from '../grants/active-grant.js';
export * from '../store/exports-of-stores.js';

/** The options of `new MongooseStore()`. */
export interface MongooseStoreOptions extends DeadlineOption, SecretCheckOptions {
  users: Users;
  /**
   * Finds the clients of the application. If omitted, the store keeps clients in a collection. Add them with
   * `saveClient()`.
   */
  clients?: Clients;
  /** The prefix of the names of the collections. Default: `'oauth_'`. */
  prefix?: string;
  /**
   * Whether a Nest application creates missing indexes at start-up. If `false`, it rejects missing indexes, and you call
   * `createIndexes()` when you deploy. Default: `true`.
   */
  autoIndex?: boolean;
}

/** A model that stores everything in MongoDB, through a connection of Mongoose. */
export class MongooseStore extends Store implements SchemaModel {
  /** Creates the indexes of the store, unless they exist. */
  readonly createIndexes: () => Promise<void>;
  /**
   * Creates the indexes of the store, or with `autoIndex: false` verifies that they exist. A Nest application calls it
   * at start-up.
   * @throws {InvalidArgumentError} If an index is missing and `autoIndex` is `false`.
   */
  readonly checkSchema: () => Promise<void>;

  /** @param connection `mongoose.connection`, or the result of `mongoose.createConnection()` or of its `useDb()` */
  constructor(connection: Connection, options: MongooseStoreOptions) {
    verifyUsers(options?.users);
    const { users, clients, prefix = 'oauth_', autoIndex = true, deadline = 3, ...more } = options;
    const database = new Database(connection, prefix, new Deadline(deadline), Math.ceil(deadline * 1000));
    super(new MongooseStorage(database, !clients), { users, clients, ...more });
    registerStorageLocation(this, connection, prefix);
    this.createIndexes = () => createIndexes(database);
    this.checkSchema = () => (autoIndex ? createIndexes : verifyIndexes)(database);
  }
}
