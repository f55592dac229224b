import { PrismaLibSql } from '@prisma/adapter-libsql';
import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { PrismaPg } from '@prisma/adapter-pg';
import { getPrismaClient } from '@prisma/client/runtime/client';
import type { PrismaDatabase } from 'nest-oauth2/stores/prisma';
import type { DataSourceOptions } from 'typeorm';

import { collecting, type OpenLibrary, type Location, type StatementListener, withQuery } from './sql-libraries.js';

/** The global `WebAssembly`, which the types of Node do not declare. */
const { WebAssembly: assembly } = globalThis as unknown as { WebAssembly: { Module: new (code: Buffer) => object } };

type Provider = 'mysql' | 'postgresql' | 'sqlite';

/** The parts of a generated client that tests use besides those of a store. */
export interface TestClient extends PrismaDatabase {
  $on(event: 'query', listener: (event: { query: string }) => void): void;
  $disconnect(): Promise<void>;
}

/**
 * Returns the class that `prisma generate` creates from a schema without models. The class exists without a generated
 * folder, so that tests need no generator. test/stores/prisma-page.spec.ts tests a generated client.
 */
function prismaClient(provider: Provider) {
  const path = `@prisma/client/runtime/query_compiler_small_bg.${provider}`;
  const config = {
    previewFeatures: [],
    clientVersion: '7.10.0',
    engineVersion: '',
    activeProvider: provider,
    inlineSchema: `datasource db {\n  provider = "${provider}"\n}\n`,
    runtimeDataModel: { models: {}, enums: {}, types: {} },
    parameterizationSchema: { strings: [], graph: 'AAAA' },
    compilerWasm: {
      getRuntime: () => import(`${path}.js`),
      async getQueryCompilerWasmModule() {
        const { wasm } = (await import(`${path}.wasm-base64.js`)) as { wasm: string };
        return new assembly.Module(Buffer.from(wasm, 'base64'));
      },
      importName: './query_compiler_small_bg.js',
    },
  };
  return getPrismaClient(config) as unknown as new (options: object) => TestClient;
}

/** Opens the database of a `DataSource` with Prisma. */
export async function openPrisma(
  options: DataSourceOptions,
  logQuery: StatementListener = () => undefined,
): Promise<OpenLibrary<TestClient>> {
  const { url, database, extra } = options as unknown as Location;
  const isSqlite = options.type === 'better-sqlite3';
  const listener = isSqlite ? collecting(logQuery) : logQuery;
  const open = (provider: Provider, adapter: object) => {
    const db = new (prismaClient(provider))({ adapter, log: [{ level: 'query', emit: 'event' }] });
    db.$on('query', ({ query }) => listener(query));
    return { db, close: () => db.$disconnect() };
  };
  if (options.type === 'postgres') return open('postgresql', new PrismaPg({ connectionString: url, ...extra }));
  if (isSqlite) return open('sqlite', new PrismaLibSql({ url: `file:${database}` }));
  // On a busy machine, a call may wait longer for a connection than the 10 seconds of the driver. The driver adds them to
  // `Date.now()`, so a call of a process whose clock is an hour behind (`Clock`) would end too early.
  return open('mysql', new PrismaMariaDb(withQuery(url, { ...extra, acquireTimeout: 24 * 3_600_000 })));
}
