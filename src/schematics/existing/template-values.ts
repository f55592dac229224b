import { posix } from 'node:path';
import type { Application } from '../application.js';
import type { TemplateValues } from '../template.js';
import type { Existing, ExistingStore } from './existing-application.js';
import { findHash } from './hashes.js';
import { specifierOf } from './sources.js';
import type { IdKind } from './users-table.js';

/** The name and type of the connection in the written files. */
const CONNECTIONS: Readonly<Record<ExistingStore, { name: string; store: string; importText: string }>> = {
  prisma: { name: 'prisma', store: 'PrismaStore', importText: '' },
  typeorm: { name: 'source', store: 'TypeOrmStore', importText: "import { DataSource } from 'typeorm';" },
  drizzle: { name: 'db', store: 'DrizzleStore', importText: '' },
  mongoose: {
    name: 'connection',
    store: 'MongooseStore',
    importText: "import { getConnectionToken } from '@nestjs/mongoose';\nimport { Connection } from 'mongoose';",
  },
};

const DRIZZLE_TYPES: Readonly<Record<string, string>> = {
  'node-postgres': 'NodePgDatabase',
  'postgres-js': 'PostgresJsDatabase',
  mysql2: 'MySql2Database',
  libsql: 'LibSQLDatabase',
  'better-sqlite3': 'BetterSQLite3Database',
};

/** How the ID of a session or token becomes the ID in the table, and the reverse. */
const IDS: Readonly<Record<IdKind, { read: string; write: (id: string) => string; isValid: string | undefined }>> = {
  text: { read: 'id', write: (id) => id, isValid: undefined },
  number: { read: 'Number(id)', write: (id) => id, isValid: '/^\\d{1,15}$/.test(id)' },
  bigint: { read: 'BigInt(id)', write: (id) => `String(${id})`, isValid: '/^\\d{1,18}$/.test(id)' },
  objectId: { read: 'id', write: (id) => `String(${id})`, isValid: '/^[\\da-f]{24}$/.test(id)' },
};

/** Returns the properties of an object literal. */
const linesOf = (columns: Readonly<Record<string, string>>) =>
  Object.entries(columns).map(([column, value]) => `${column}: ${value},`);

/** Returns the conditions and values of the templates that use the connection and the users of an application. */
export function existingValues(
  existing: Existing,
  application: Application,
  folder: string,
  hasAccounts: boolean,
): TemplateValues {
  const { store, token, module, driver, users, sources } = existing;
  const { name, store: storeClass, importText } = CONNECTIONS[store];
  const from = (file: string, base = folder) => specifierOf(file, base, application.isEsm);
  const testFolder = posix.join(posix.dirname(application.sourceRoot), 'test');
  const drizzleType = DRIZZLE_TYPES[driver?.replace('drizzle-orm/', '') ?? ''] ?? 'NodePgDatabase';
  const type = { prisma: token.text, typeorm: 'DataSource', drizzle: drizzleType, mongoose: 'Connection' }[store];
  const importsOf = (base: string) =>
    [
      importText,
      store === 'drizzle' ? `import type { ${type} } from '${driver}';` : '',
      token.file ? `import { ${token.text} } from '${from(token.file, base)}';` : '',
    ].filter((line) => line !== '');
  const table = tableOf(store, users.name);
  const imported = table === users.name ? table : `${users.name} as ${table}`;
  const tableImport = (base: string) =>
    store === 'prisma' || store === 'mongoose' ? [] : [`import { ${imported} } from '${from(users.file, base)}';`];
  const hash = findHash(application, sources);
  const { read, write, isValid } = IDS[users.id.kind];
  const text = [...sources.values()].join('\n');
  const isUnique = store === 'prisma';
  return {
    flags: new Set([
      'existing',
      store,
      ...(users.displayName ? ['displayName'] : []),
      ...(users.roles ? ['roles'] : []),
      ...(users.types['role'] ? ['role'] : []),
      ...(Object.keys(users.initial).length > 0 ? ['newColumns'] : []),
      ...(isValid ? ['checkId'] : []),
      ...(hash.name === undefined ? ['ownHash'] : []),
      ...(isLowerCase(users.login).test(text) ? ['lowerCase'] : []),
      ...(/\bautoLoadEntities:\s*true/.test(text) ? ['autoLoad'] : []),
    ]),
    values: {
      storeClass,
      storeEntry: `nest-oauth2/stores/${store}`,
      connection: name,
      connectionToken: token.text,
      connectionType: type,
      connectionImports: importsOf(folder).join('\n'),
      connectionModule: module?.name ?? '',
      moduleImport: module ? `import { ${module.name} } from '${from(module.file)}';` : '',
      tableImport: tableImport(folder).join('\n'),
      testImports: [...importsOf(testFolder), ...tableImport(testFolder)].join('\n'),
      table,
      find: isUnique ? 'findUnique' : 'findFirst',
      idColumn: users.id.name,
      readId: read,
      publicId: write(`row.${users.id.name}`),
      isValidId: isValid ?? '',
      // The property of users that controllers receive. `accounts()` reads `email`.
      login: hasAccounts ? 'email' : users.login,
      loginColumn: users.login,
      newColumns: linesOf(users.initial).join('\n      '),
      hash: users.hash,
      displayName: users.displayName ?? '',
      roles: users.roles ?? '',
      rowTypes: Object.entries(users.types)
        .map(
          ([column, columnType]) =>
            `  ${column}${column === users.displayName ? '?' : ''}: ${columnType === 'ObjectId' ? 'unknown' : columnType};`,
        )
        .join('\n'),
      columns: Object.keys(users.types)
        .map((column) => `${column}: true`)
        .join(', '),
      samples: linesOf(users.samples).join('\n    '),
      hashImport: hash.name ? `import { ${hash.compare}, ${hash.hash} } from '${hash.name}';` : '',
      testHashImport: `import { ${hash.hash} } from '${hash.name ?? 'nest-oauth2/stores'}';`,
      newHash: `${hash.hash}(password${hash.cost})`,
      nobody: `${hash.hash}(randomUUID()${hash.cost})`,
      compare: hash.call,
    },
  };
}

/** Returns the name of the users in the written files: a member of the Prisma client, a model of Mongoose, or an import. */
function tableOf(store: string, name: string): string {
  if (store === 'prisma') return name.charAt(0).toLowerCase() + name.slice(1);
  // The written files import a type with the name `User` from this library.
  return name === 'User' && store !== 'mongoose' ? 'UserTable' : name;
}

/** Matches sources that store a column in lower case: a call of `toLowerCase()`, or `lowercase: true` of Mongoose. */
const isLowerCase = (column: string) =>
  new RegExp(`\\b${column}\\b[^\\n]*(\\.toLowerCase\\(|\\blowercase: true)|\\blowercase: true[^;]*\\)\\s*${column}\\b`);
