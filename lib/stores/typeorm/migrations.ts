import {
  type MigrationInterface,
  type QueryRunner,
  Table,
  type TableColumnOptions,
  type TableOptions as TypeOrmTableOptions,
} from 'typeorm';

import { tableNames, type TableOptions } from '../sql/table-names.js';
import { dataSourceOf, exactCollation } from './exact-collation.js';

/**
 * Returns the migrations of the store's tables, for the `migrations` of a `DataSource`. A published migration never
 * changes: a test compares its SQL with `test/stores/published`. To change the schema, append a class to the returned
 * list, with a later number in its name.
 */
export function oauthMigrations({ prefix }: TableOptions = {}): (new () => MigrationInterface)[] {
  const names = tableNames(prefix);
  class CreateTables implements MigrationInterface {
    // Two prefixes in one database need two migrations. The digits are the time at which the migration was written.
    readonly name = `CreateTables_${names.grants}_1767225600000`;

    async up(runner: QueryRunner): Promise<void> {
      for (const table of await tables(runner, names)) await runner.createTable(new Table(table), true);
    }

    async down(runner: QueryRunner): Promise<void> {
      for (const table of await tables(runner, names)) await runner.dropTable(table.name, true);
    }
  }
  return [CreateTables];
}

/** Returns the tables that the first migration creates. They never change, although `../contract/schema.ts` does. */
async function tables(runner: QueryRunner, names: ReturnType<typeof tableNames>): Promise<TypeOrmTableOptions[]> {
  const collation = await exactCollation(runner);
  const entityPrefix = dataSourceOf(runner).options.entityPrefix ?? '';
  const text = (name: string, length = 255) => ({ name, type: 'varchar', length: String(length), ...collation });
  const longText = (name: string) => ({ name, type: 'text', ...collation });
  // TypeORM generates index names from the table name with its prefix, since index names are unique in a database.
  const table = (name: string, columns: TableColumnOptions[], ...indices: string[][]) => ({
    name: `${entityPrefix}${name}`,
    columns,
    indices: indices.map((columnNames) => ({ columnNames })),
  });
  return [
    table(names.clients, [
      { ...text('id'), isPrimary: true },
      longText('secret_hashes'),
      nullable(longText('metadata')),
      { name: 'generation', type: 'integer' },
      time('created_at'),
    ]),
    table(
      names.grants,
      [
        { ...text('id'), isPrimary: true },
        text('client_id'),
        nullable(text('user_id')),
        text('kind', 16),
        nullable(longText('issuer')),
        nullable(longText('scope')),
        nullable(longText('data')),
        time('created_at'),
        nullable(time('last_used_at')),
        time('expires_at'),
        { name: 'expires_on', type: 'integer' },
        { name: 'client_generation', type: 'integer' },
        nullable(time('revoked_at')),
      ],
      ['user_id', 'kind', 'revoked_at'],
      ['client_id', 'client_generation'],
      ['expires_on'],
    ),
    table(
      names.tokens,
      [
        { ...text('digest', 43), isPrimary: true },
        { ...text('kind', 16), isPrimary: true },
        text('grant_id'),
        text('client_id'),
        nullable(text('user_id')),
        nullable(longText('issuer')),
        nullable(longText('scope')),
        nullable(longText('data')),
        time('expires_at'),
        nullable(time('revoked_at')),
      ],
      ['expires_at'],
      ['grant_id'],
    ),
  ];
}

const time = (name: string): TableColumnOptions => ({ name, type: 'bigint' });
const nullable = (column: TableColumnOptions): TableColumnOptions => ({ ...column, isNullable: true });
