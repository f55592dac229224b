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
import { type PrismaDatabase, PrismaExecutor } from './prisma-executor.js';

export type { ActiveGrant } from '../grants/active-grant.js';
export * from '../store/exports-of-stores.js';
export type { TableOptions } from '../sql/table-names.js';
export type { PrismaDatabase } from './prisma-executor.js';

/** The options of `new PrismaStore()`. */
export type PrismaStoreOptions = SqlStoreOptions;

/**
 * A model that stores everything through Prisma in PostgreSQL, MariaDB, MySQL or SQLite. The
 * `.prisma` files in `docs/schema` contain the models of its tables.
 */
export class PrismaStore extends Store<SqlStorage> implements SchemaModel {
  /**
   * Verifies that the database has the tables and columns of this version. A Nest application calls it at start-up.
   * Returns warnings about settings of the database, which the application logs.
   * @throws {InvalidArgumentError} If a table or a column is missing.
   */
  readonly checkSchema: () => Promise<readonly string[]>;

  constructor(prisma: PrismaDatabase, options: PrismaStoreOptions) {
    verifyUsers(options?.users);
    const { users, clients, prefix, deadline, batching, ...more } = options;
    const limit = new Deadline(deadline);
    const executor = new PrismaExecutor(prisma, limit.seconds);
    const database = new Database(executor, limit, batching);
    const names = tableNames(prefix);
    super(new STORAGES[executor.dialect](database, names, !clients), { users, clients, ...more });
    registerStorageLocation(this, prisma, names.tokens);
    const verify = () => verifyColumns(database, names, { store: 'PrismaStore', remedy: REMEDY });
    database.explain = verify;
    this.checkSchema = async () => {
      await verify();
      return findSchemaWarnings(database, names, { store: 'PrismaStore', stopsStatements: false });
    };
  }
}

const REMEDY =
  'Add the SQL file for your database in `node_modules/nest-oauth2/docs/schema` to a migration of Prisma, with the ' +
  'prefix of the store, and run it';
