import { EntitySchema, type EntitySchemaColumnOptions, type ValueTransformer } from 'typeorm';

import {
  CLIENT_COLUMNS,
  type Column,
  type Columns,
  GRANT_COLUMNS,
  GRANT_INDICES,
  ROW_COLUMNS,
  ROW_INDICES,
} from '../contract/schema.js';
import { tableNames, type TableOptions } from '../sql/table-names.js';

/**
 * Returns the entities for the `DataSource` of an application. They use no decorators, so any compiler can build them.
 */
export function oauthEntities({ prefix }: TableOptions = {}): EntitySchema[] {
  const { clients, grants, tokens } = tableNames(prefix);
  return [
    entity(clients, CLIENT_COLUMNS, [], { secretHashes: 'simple-json', metadata: 'simple-json' }),
    entity(grants, GRANT_COLUMNS, GRANT_INDICES, { data: 'simple-json' }),
    entity(tokens, ROW_COLUMNS, ROW_INDICES, { data: 'simple-json' }),
  ];
}

function entity(
  name: string,
  columns: Columns,
  indices: string[][],
  types: Record<string, 'simple-json'>,
): EntitySchema {
  const options = Object.entries(columns).map(([field, column]) => [field, columnOptions(column, types[field])]);
  return new EntitySchema({
    name,
    tableName: name,
    columns: Object.fromEntries(options) as Record<string, EntitySchemaColumnOptions>,
    indices: indices.map((of) => ({ columns: of })),
  });
}

/** Converts 64-bit integers, which drivers return as strings, to numbers. Times in milliseconds fit in a number exactly. */
const milliseconds: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: unknown) => (value === null || value === undefined ? value : Number(value)),
};

function columnOptions({ type, ...column }: Column, json?: 'simple-json'): EntitySchemaColumnOptions {
  if (type === 'bigint') return { ...column, type, transformer: milliseconds };
  return { ...column, type: json ?? type };
}
