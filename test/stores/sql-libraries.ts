import { type Client, createClient } from '@libsql/client';
import { drizzle as drizzleLibsql } from 'drizzle-orm/libsql';
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import mysql from 'mysql2/promise';
import { Pool } from 'pg';
import type { DataSourceOptions } from 'typeorm';

import { collectGarbage } from '../support/environment/collect-garbage.js';

/** A database as Drizzle opens it. */
export type AnyDrizzle =
  | ReturnType<typeof drizzleLibsql<Record<string, never>, Client>>
  | ReturnType<typeof drizzleMysql<Record<string, never>, mysql.Pool>>
  | ReturnType<typeof drizzlePg<Record<string, never>, Pool>>;

/** A connection of a library, and how to close it. */
export interface OpenLibrary<T> {
  db: T;
  close(): Promise<unknown>;
}

/** The options of a `DataSource` that another library needs to open the same database. */
export interface Location {
  url: string;
  database: string;
  /** Options of the pool: those of `pg`, or the query of the URL for MariaDB. */
  extra?: { options?: string; max?: number; connectionLimit?: number; connectTimeout?: number };
}

/** Is called with the text of each statement that a library sends. */
export type StatementListener = (text: string) => void;

/** Opens the database of a `DataSource` with Drizzle. */
export async function openDrizzle(
  options: DataSourceOptions,
  logQuery: StatementListener = () => undefined,
): Promise<OpenLibrary<AnyDrizzle>> {
  const { url, database, extra } = options as unknown as Location;
  const isSqlite = options.type === 'better-sqlite3';
  const config = { logger: { logQuery: isSqlite ? collecting(logQuery) : logQuery } };
  if (options.type === 'postgres') {
    const pool = new Pool({ connectionString: url, ...extra });
    return { db: drizzlePg(pool, config), close: () => pool.end() };
  }
  if (isSqlite) {
    const client = createClient({ url: `file:${database}` });
    return { db: drizzleLibsql(client, config), close: async () => client.close() };
  }
  const pool = mysql.createPool(withQuery(url, extra));
  return { db: drizzleMysql(pool, config), close: () => pool.end() };
}

/**
 * Returns a listener that collects garbage now and then: libsql opens a connection for each transaction, and only
 * garbage collection closes it.
 */
export function collecting(logQuery: StatementListener): StatementListener {
  let statements = 0;
  return (text) => {
    statements += 1;
    if (statements % 500 === 0) collectGarbage();
    logQuery(text);
  };
}

/** Returns the URL of a MariaDB database with options of the pool, which both drivers read there. */
export function withQuery(url: string, options: object = {}): string {
  const location = new URL(url);
  for (const [name, value] of Object.entries(options)) location.searchParams.set(name, String(value));
  return location.href;
}
