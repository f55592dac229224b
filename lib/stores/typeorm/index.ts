import type { DataSource } from 'typeorm';

import type { SchemaModel } from '../../model/health.js';
import { Deadline } from '../contract/deadline.js';
import { registerStorageLocation } from '../contract/storage-location.js';
import { Database } from '../sql/database.js';
import { findSchemaWarnings } from '../sql/schema-warnings.js';
import { STORAGES } from '../sql/storages.js';
import type { SqlStorage } from '../sql/sql-storage.js';
import type { SqlStoreOptions } from '../sql/sql-store-options.js';
import { tableNames } from '../sql/table-names.js';
import { Store } from '../store/store.js';
import { verifyUsers } from '../store/verify-users.js';
import { checkSchema } from './check-schema.js';
import { NOT_INITIALIZED, TypeOrmExecutor } from './typeorm-executor.js';

export type { ActiveGrant } from '../grants/active-grant.js';
export * from '../store/exports-of-stores.js';
export type { TableOptions } from '../sql/table-names.js';
export { oauthEntities } from './entities.js';
export { type ColumnCollation, exactCollation } from './exact-collation.js';
export { oauthMigrations } from './migrations.js';

/** The options of `new TypeOrmStore()`. */
export interface TypeOrmStoreOptions extends SqlStoreOptions {
  /**
   * Whether to use prepared statements on PostgreSQL, so that each connection plans a statement once. Set `false`
   * behind a PgBouncer in transaction pooling mode, if it is older than 1.21 or its `max_prepared_statements` is 0.
   * Default: `true`.
   */
  preparedStatements?: boolean;
}

/**
 * A model that stores everything in a database of TypeORM: PostgreSQL, MariaDB, MySQL or SQLite. Add `oauthEntities()`
 * to the entities of the `DataSource` and `oauthMigrations()` to its migrations, with the prefix of the store.
 */
export class TypeOrmStore extends Store<SqlStorage> implements SchemaModel {
  /**
   * Verifies that the database has the schema of this version. A Nest application calls it at start-up. Returns
   * warnings about settings of the database, or about a `DataSource` that is not initialized, which the application logs.
   * @throws {InvalidArgumentError} If an entity, table, column or migration is missing.
   */
  readonly checkSchema: () => Promise<readonly string[]>;

  constructor(dataSource: DataSource, options: TypeOrmStoreOptions) {
    verifyUsers(options?.users);
    const { users, clients, prefix, deadline, batching, preparedStatements, ...more } = options;
    const executor = new TypeOrmExecutor(dataSource, preparedStatements);
    const database = new Database(executor, new Deadline(deadline), batching);
    super(new STORAGES[executor.dialect](database, tableNames(prefix), !clients), { users, clients, ...more });
    registerStorageLocation(this, dataSource, tableNames(prefix).tokens);
    database.explain = () => checkSchema(dataSource, database, { prefix });
    this.checkSchema = async () => {
      if (!dataSource.isInitialized) return [NOT_INITIALIZED];
      await database.explain!();
      return findSchemaWarnings(database, tableNames(prefix), { store: 'TypeOrmStore', stopsStatements: true });
    };
  }
}
