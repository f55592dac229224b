import type { Dialect } from './dialect.js';
import { MySqlStorage } from './mysql-storage.js';
import { PostgresStorage } from './postgres-storage.js';
import { SqliteStorage } from './sqlite-storage.js';
import type { SqlStorage } from './sql-storage.js';

/** The storage class for each SQL dialect. */
export const STORAGES: Readonly<
  Record<Dialect, new (...given: ConstructorParameters<typeof SqlStorage>) => SqlStorage>
> = { postgresql: PostgresStorage, mysql: MySqlStorage, sqlite: SqliteStorage };
