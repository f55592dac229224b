import { oauthEntities } from 'nest-oauth2/stores/typeorm';
import { DefaultNamingStrategy } from 'typeorm';

/** The models of Prisma by the names of the tables. */
const MODELS: Readonly<Record<string, string>> = {
  oauth_clients: 'OAuthClient',
  oauth_grants: 'OAuthGrant',
  oauth_tokens: 'OAuthToken',
};

const SCALARS: Readonly<Record<string, string>> = {
  varchar: 'String',
  text: 'String',
  'simple-json': 'String',
  bigint: 'BigInt',
  integer: 'Int',
};

/** The databases for which the package contains models. */
export type PrismaProvider = 'postgresql' | 'mariadb' | 'sqlite';

type Entity = ReturnType<typeof oauthEntities>[number];

/** The names of keys and indexes are those of the migrations of TypeORM. Only PostgreSQL has names of primary keys. */
const names = new DefaultNamingStrategy();

function modelOf({ options }: Entity, provider: PrismaProvider): string {
  const table = options.tableName!;
  const columns = Object.entries(options.columns).map(([field, column]) =>
    Object.assign({ field }, column, { name: column!.name! }),
  );
  const keys = columns.filter(({ primary }) => primary);
  const keyName = names.primaryKeyName(
    table,
    keys.map(({ name }) => name),
  );
  const map = (before: string) => (provider === 'postgresql' ? `${before}map: "${keyName}"` : '');
  const idOf = () => (provider === 'postgresql' ? `@id(${map('')})` : '@id');
  // SQLite has no native types in Prisma.
  const nativeType = (type: string, length?: number | string) =>
    provider !== 'sqlite' && SCALARS[type] === 'String' && (type === 'varchar' ? `@db.VarChar(${length})` : '@db.Text');
  const fields = columns.map(({ field, name, type, length, nullable, primary }) => {
    const attributes = [
      primary && keys.length === 1 && idOf(),
      field !== name && `@map("${name}")`,
      nativeType(type as string, length),
    ];
    const scalar = SCALARS[type as string]!;
    return [field, nullable ? `${scalar}?` : scalar, attributes.filter(Boolean).join(' ')] as const;
  });
  const indices = options.indices!.map(({ columns: of }) => of as string[]);
  const nameOf = (field: string) => options.columns[field]!.name!;
  const blocks = [
    ...(keys.length > 1 ? [`@@id([${keys.map(({ field }) => field).join(', ')}]${map(', ')})`] : []),
    ...indices.map((of) => `@@index([${of.join(', ')}], map: "${names.indexName(table, of.map(nameOf))}")`),
    `@@map("${table}")`,
  ];
  // The layout is that of `prisma format`.
  const width = (part: 0 | 1) => Math.max(...fields.map((field) => field[part].length));
  const rows = fields.map(([field, type, attributes]) =>
    `${field.padEnd(width(0))} ${type.padEnd(width(1))} ${attributes}`.trimEnd(),
  );
  return `model ${MODELS[table]} {\n${[...rows, '', ...blocks].map((line) => line && `  ${line}`).join('\n')}\n}\n`;
}

/** Returns the models of Prisma for the entities of a version. */
export const modelsOf = (provider: PrismaProvider, entities = oauthEntities()): string =>
  entities.map((entity) => modelOf(entity, provider)).join('\n');
