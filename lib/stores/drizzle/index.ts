import type { SchemaModel } from '../../model/health.js';
import { Deadline } from '../contract/deadline.js';
import { Database } from '../sql/database.js';
import type { SqlStorage } from '../sql/sql-storage.js';
import type { SqlStoreOptions } from '../sql/sql-store-options.js';
import { findSchemaWarnings } from '../sql/schema-warnings.js';
import { STORAGES } from '../sql/storages.js';
import { tableNames } from '../sql/table-names.js';
import { verifyColumns } from '../sql/verify-columns.js';
import { registerStorageLocation } from '../contract/storage-location.js';
import { Store } from '../store/store.js';
import { verifyUsers } from '../store/verify-users.js';
import { type DrizzleDatabase, DrizzleExecutor } from './drizzle-executor.js';

export type { ActiveGrant } from '../grants/active-grant.js';
export * from '../store/exports-of-stores.js';
export type { TableOptions } from '../sql/table-names.js';
export type { DrizzleDatabase, DrizzleSqliteDatabase } from './drizzle-executor.js';
export type { DrizzleServerDatabase } from './server-library.js';
export type { OAuthTable } from './table-types.js';
export { oauthTables } from './tables.js';

/** The options of `new DrizzleStore()`. */
export type DrizzleStoreOptions = SqlStoreOptions;

/**
 * A model that stores everything through Drizzle in PostgreSQL, MariaDB, MySQL or SQLite. Add `oauthTables()` to the
 * schema of the application, with the prefix of the store.
 */
export class DrizzleStore extends Store<SqlStorage> implements SchemaModel {
  /**
   * Verifies that the database has the tables and columns of this version. A Nest application calls it at start-up.
   * Returns warnings about settings of the database, which the application logs.
   * @throws {InvalidArgumentError} If a table or a column is missing.
   */
  readonly checkSchema: () => Promise<readonly string[]>;

  constructor(db: DrizzleDatabase, options: DrizzleStoreOptions) {
    verifyUsers(options?.users);
    const { users, clients, prefix, deadline, batching, ...more } = options;
    const executor = new DrizzleExecutor(db);
    const database = new Database(executor, new Deadline(deadline), batching);
    const names = tableNames(prefix);
    super(new STORAGES[executor.dialect](database, names, !clients), { users, clients, ...more });
    registerStorageLocation(this, db, names.tokens);
    const verify = () => verifyColumns(database, names, { store: 'DrizzleStore', remedy: REMEDY });
    database.explain = verify;
    this.checkSchema = async () => {
      await verify();
      return findSchemaWarnings(database, names, { store: 'DrizzleStore', stopsStatements: false });
    };
  }
}

const REMEDY =
  'Export `oauthTables()` from the schema of Drizzle, with the prefix of the store, then run `npx drizzle-kit generate` ' +
  'and `npx drizzle-kit migrate`';
