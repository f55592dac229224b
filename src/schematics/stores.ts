import type { Application } from './application.js';

/** The stores that `nest add` writes. */
export const STORES = ['memory', 'typeorm', 'drizzle', 'prisma', 'mongoose', 'redis', 'none'] as const;

export type StoreName = (typeof STORES)[number];

/** The databases of SQL stores. */
export const DATABASES = ['postgres', 'mariadb', 'mysql', 'sqlite'] as const;

export type DatabaseName = (typeof DATABASES)[number];

/** The collations that compare exactly. MariaDB and MySQL have different names for the same one. */
export const EXACT_COLLATIONS: Partial<Record<DatabaseName, string>> = {
  mariadb: 'utf8mb4_nopad_bin',
  mysql: 'utf8mb4_0900_bin',
};

/** The packages of a store, with the versions that the tests of this package use. */
export interface StorePackages {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const PG = { pg: '^8.23.1' };
const MYSQL = { mysql2: '^3.24.5' };

const TYPEORM: Record<DatabaseName, StorePackages> = {
  postgres: { dependencies: { typeorm: '^1.1.1', ...PG } },
  mariadb: { dependencies: { typeorm: '^1.1.1', ...MYSQL } },
  mysql: { dependencies: { typeorm: '^1.1.1', ...MYSQL } },
  sqlite: { dependencies: { typeorm: '^1.1.1', libsql: '^0.5.29' } },
};

const KIT = { 'drizzle-kit': '^0.31.11' };

const DRIZZLE: Record<DatabaseName, StorePackages> = {
  postgres: {
    dependencies: { 'drizzle-orm': '^0.45.4', ...PG },
    devDependencies: { ...KIT, '@types/pg': '^8.23.1' },
  },
  mariadb: { dependencies: { 'drizzle-orm': '^0.45.4', ...MYSQL }, devDependencies: KIT },
  mysql: { dependencies: { 'drizzle-orm': '^0.45.4', ...MYSQL }, devDependencies: KIT },
  sqlite: { dependencies: { 'drizzle-orm': '^0.45.4', '@libsql/client': '^0.17.4' }, devDependencies: KIT },
};

/** The version of Prisma and its adapters, which have the same numbers. */
const PRISMA = '^7.10.0';
const PRISMA_ADAPTERS = { postgres: 'pg', mariadb: 'mariadb', mysql: 'mariadb', sqlite: 'libsql' };

const OTHERS: Partial<Record<StoreName, StorePackages>> = {
  redis: { dependencies: { ioredis: '^5.11.1' } },
  mongoose: { dependencies: { mongoose: '^9.12.1' } },
};

/** Returns the packages that a store needs. */
export function packagesOf(store: StoreName, database: DatabaseName): StorePackages {
  if (store === 'typeorm') return TYPEORM[database];
  if (store === 'drizzle') return DRIZZLE[database];
  if (store === 'prisma') {
    const adapter = `@prisma/adapter-${PRISMA_ADAPTERS[database]}`;
    return { dependencies: { '@prisma/client': PRISMA, [adapter]: PRISMA }, devDependencies: { prisma: PRISMA } };
  }
  return OTHERS[store] ?? {};
}

/** Whether a store keeps its data in an SQL database. */
export const isSql = (store: StoreName): boolean => ['typeorm', 'drizzle', 'prisma'].includes(store);

/** The oldest major versions of packages that the stores work with. */
const MINIMUM: Partial<Record<StoreName, [name: string, major: number]>> = {
  prisma: ['@prisma/client', 7],
  mongoose: ['mongoose', 9],
};

/** @throws {Error} If the application depends on an older version of the package of its store. */
export function checkVersion(store: StoreName, { manifest }: Application): void {
  const [name, major] = MINIMUM[store] ?? [''];
  const range = manifest.dependencies?.[name] ?? manifest.devDependencies?.[name];
  const found = /^\D*(\d+)/.exec(range ?? '')?.[1];
  if (major && found && Number(found) < major) {
    throw new Error(`--store=${store} needs ${name} ${major} or later. package.json has "${range}". Update it first.`);
  }
}

/** @throws {Error} If several processes cannot share the store. */
export function checkDeployable(store: StoreName, database: DatabaseName): void {
  const isFile = isSql(store) && database === 'sqlite';
  if (store !== 'memory' && !isFile) return;
  throw new Error(
    `--deploy writes files for several processes, which cannot share ${isFile ? 'an SQLite file' : 'memory'}. ` +
      'Choose a store with a database server, such as --store=typeorm/postgres, or omit --deploy.',
  );
}
