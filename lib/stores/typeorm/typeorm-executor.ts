import type { DataSource } from 'typeorm';

import { InvalidArgumentError } from '../../errors/index.js';
import type { Connections } from '../sql/connections.js';
import type { SqlExecutor } from '../sql/database.js';
import type { Dialect } from '../sql/dialect.js';
import { Identifier } from '../sql/sql.js';
import { Pool } from './pool.js';
import { SingleConnection } from './sqlite.js';

/** The dialect of each supported type of a `DataSource`. */
const DIALECTS: Readonly<Record<string, Dialect>> = {
  postgres: 'postgresql',
  mysql: 'mysql',
  mariadb: 'mysql',
  'better-sqlite3': 'sqlite',
};

/** Runs the statements of a store on the connections of a `DataSource`. */
export class TypeOrmExecutor implements SqlExecutor {
  readonly dialect: Dialect;
  readonly connections: Connections;

  /** @throws {InvalidArgumentError} If the store does not support the type of the `DataSource`. */
  constructor(
    private readonly source: DataSource,
    preparedStatements = true,
  ) {
    if (typeof source?.options !== 'object')
      throw new InvalidArgumentError(
        'Invalid argument: TypeOrmStore needs a `DataSource` of TypeORM: pass the `DataSource` that your application initializes, or inject it',
      );
    const { type } = source.options;
    const dialect = DIALECTS[type];
    if (!dialect)
      throw new InvalidArgumentError(
        `Invalid argument: TypeOrmStore does not support the DataSource type \`${type}\`. Supported: ${Object.keys(DIALECTS).join(', ')}`,
      );
    this.dialect = dialect;
    this.connections =
      dialect === 'sqlite'
        ? new SingleConnection(source)
        : new Pool(source, dialect === 'postgresql' && preparedStatements);
  }

  /**
   * Returns the name of an entity's table, as the options of the `DataSource` define it.
   *
   * @throws {InvalidArgumentError} When the name is first used, if the `DataSource` does not have the entity.
   */
  table(entity: string): Identifier {
    return new Identifier(() => {
      if (!this.source.hasMetadata(entity)) {
        const problem = this.source.isInitialized ? noEntity(entity) : NOT_INITIALIZED;
        throw new InvalidArgumentError(`Invalid argument: ${problem}`);
      }
      const path = this.source.getMetadata(entity).tablePath.split('.');
      return path.map((name) => this.source.driver.escape(name)).join('.');
    });
  }
}

/** The warning and the error if the `DataSource` is not connected. */
export const NOT_INITIALIZED = 'The DataSource is not initialized. Call `await dataSource.initialize()` first';
const noEntity = (name: string) =>
  `The DataSource has no entity \`${name}\`. Add \`...oauthEntities()\` to its \`entities\`, with the \`prefix\` of the store`;
