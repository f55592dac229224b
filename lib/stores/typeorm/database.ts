import { setTimeout } from 'node:timers/promises';

import type { DataSource } from 'typeorm';

import { InvalidArgumentError } from '../../errors.js';
import type { Deadline, Wait } from '../deadline.js';
import type { Connections, Result, Statement } from './connections.js';
import { Pool } from './pool.js';
import { Name, type Sql, words } from './sql.js';
import { SingleConnection } from './sqlite.js';

const SUPPORTED = ['postgres', 'mysql', 'mariadb', 'better-sqlite3'];

/** Losing against another statement: a deadlock, a failure to serialize, a locked file. Nothing was done. */
const LOST = ['40001', '40P01', 'ER_LOCK_DEADLOCK', 'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_BUSY_RECOVERY'];
/** A connection that died in the pool, which is found out before anything is sent: there are others. */
const UNSENT = /is not queryable|in closed state|Query runner already released/;
/** There is a row with this key. */
const TAKEN = ['23505', 'ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_PRIMARYKEY'];

/** What time it is there, in milliseconds since the epoch. */
const NOW: Readonly<Record<string, string>> = {
  postgres: '(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint',
  mysql: `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000`,
  'better-sqlite3': `CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)`,
};

/** Runs statements, each by itself: what each of them does, it does wholly or not at all. */
export class Database {
  readonly now: Sql;
  /** Does a statement stop the whole process while it runs? */
  readonly isBlocking: boolean;
  private readonly connections: Connections;
  private readonly placeholder: (index: number) => string;

  constructor(
    private readonly source: DataSource,
    private readonly deadline: Deadline,
    preparedStatements = true,
  ) {
    const { type } = source.options;
    if (!SUPPORTED.includes(type))
      throw new InvalidArgumentError(`Invalid argument: \`${type}\` is none of ${SUPPORTED.join(', ')}`);
    this.isBlocking = type === 'better-sqlite3';
    this.connections = this.isBlocking
      ? new SingleConnection(source)
      : new Pool(source, type === 'postgres' && preparedStatements);
    this.now = words(NOW[type] ?? NOW['mysql']!);
    this.placeholder = type === 'postgres' ? (index) => `$${index}` : () => '?';
  }

  /** The table of an entity, where the options of the host have put it. */
  table(entity: string): Name {
    return new Name(() => {
      if (!this.source.hasMetadata(entity)) {
        throw new InvalidArgumentError(`Invalid argument: the DataSource is not initialized, or lacks \`${entity}\``);
      }
      const path = this.source.getMetadata(entity).tablePath.split('.');
      return path.map((name) => this.source.driver.escape(name)).join('.');
    });
  }

  /** The rows a query finds. */
  async find<Row>(query: Sql): Promise<Row[]> {
    const { records } = await this.run(query, false);
    return records as Row[];
  }

  /** How many rows a statement changed. */
  async change(statement: Sql): Promise<number> {
    const { affected } = await this.run(statement, true);
    return affected ?? 0;
  }

  /** Adds rows: false when there is one with such a key. */
  async add(statement: Sql): Promise<boolean> {
    try {
      return (await this.change(statement)) > 0;
    } catch (error) {
      if (TAKEN.includes(codeOf(error))) return false;
      throw error;
    }
  }

  /** Does all of it in one transaction, or none: the first statement decides, by whether it changes anything. */
  together(statements: readonly Sql[]): Promise<boolean> {
    const compiled = statements.map((statement) => this.compile(statement));
    return this.attempt((wait) => this.connections.together(compiled, wait));
  }

  private run(statement: Sql, isWrite: boolean): Promise<Result> {
    const compiled = this.compile(statement);
    return this.attempt((wait) => this.connections.run(compiled, wait, isWrite));
  }

  private compile(statement: Sql): Statement {
    return statement.compile(this.placeholder);
  }

  /** As often as it loses against others. */
  private attempt<T>(work: (wait: Wait) => Promise<T>): Promise<T> {
    return this.deadline.within(async (wait) => {
      for (let pause = 8; ; pause = Math.min(pause * 2, 256)) {
        try {
          return await work(wait);
        } catch (error) {
          if (wait.isOver || !isHarmless(error)) throw error;
          wait.reason = `${String(error)}, however often it was tried`;
        }
        await setTimeout(Math.random() * pause);
        if (wait.isOver) throw new Error(wait.reason);
      }
    });
  }
}

const isHarmless = (error: unknown) => LOST.includes(codeOf(error)) || UNSENT.test(String(error));

function codeOf(error: unknown): string {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: { code?: unknown } };
  return String(driverError?.code ?? code);
}
