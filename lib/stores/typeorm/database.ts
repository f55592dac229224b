import { setTimeout } from 'node:timers/promises';

import type { DataSource, QueryRunner } from 'typeorm';

import { InvalidArgumentError } from '../../errors.js';
import { Name, type Sql } from './sql.js';

const SUPPORTED = ['postgres', 'mysql', 'mariadb', 'better-sqlite3'];

/** Losing against another statement: a deadlock, a failure to serialize, a locked file. Nothing was done. */
const LOST = ['40001', '40P01', 'ER_LOCK_DEADLOCK', 'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT'];
/** There is a row with this key. */
const TAKEN = ['23505', 'ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_PRIMARYKEY'];

/** Milliseconds in which a statement is tried again. */
const PATIENCE = 10_000;

/** Runs statements, each by itself: what each of them does, it does wholly or not at all. */
export class Database {
  private readonly isSqlite: boolean;
  private readonly placeholder: (index: number) => string;

  constructor(private readonly source: DataSource) {
    const { type } = source.options;
    if (!SUPPORTED.includes(type))
      throw new InvalidArgumentError(`Invalid argument: \`${type}\` is none of ${SUPPORTED.join(', ')}`);
    this.isSqlite = type === 'better-sqlite3';
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
    const { records } = await this.run(query);
    return records as Row[];
  }

  /** How many rows a statement changed. */
  async change(statement: Sql): Promise<number> {
    const { affected } = await this.run(statement, (runner) => this.turn(runner));
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

  private async run(statement: Sql, prepare?: (runner: QueryRunner) => Promise<void>) {
    const { text, values } = statement.compile(this.placeholder);
    const end = Date.now() + PATIENCE;
    for (let pause = 8; ; pause = Math.min(pause * 2, 256)) {
      const runner = this.source.createQueryRunner();
      try {
        await prepare?.(runner);
        return await runner.query(text, values, true);
      } catch (error) {
        if (Date.now() > end || !LOST.includes(codeOf(error))) throw error;
      } finally {
        await runner.release();
      }
      await setTimeout(Math.random() * pause);
    }
  }

  /**
   * On SQLite a DataSource has one connection. While the host has a transaction open on it, whatever is written becomes
   * part of that: a code would be unspent again when it is rolled back.
   */
  private async turn(runner: QueryRunner): Promise<void> {
    if (!this.isSqlite) return;
    const { timeout = 5000 } = this.source.options as { timeout?: number };
    const end = Date.now() + timeout;
    while (runner.isTransactionActive) {
      if (Date.now() > end)
        throw new Error('The DataSource is in a transaction: on SQLite, nothing can be saved beside it');
      await setTimeout(1);
    }
  }
}

function codeOf(error: unknown): string {
  return String((error as { driverError?: { code?: unknown } } | undefined)?.driverError?.code);
}
