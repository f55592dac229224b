import { setTimeout } from 'node:timers/promises';

import type { DataSource } from 'typeorm';

import { InvalidArgumentError } from '../../errors.js';
import type { Deadline, Wait } from '../deadline.js';
import type { Connections, Result } from './connections.js';
import { Pool } from './pool.js';
import { Name, type Sql } from './sql.js';
import { SingleConnection } from './sqlite.js';

const SUPPORTED = ['postgres', 'mysql', 'mariadb', 'better-sqlite3'];

/** Losing against another statement: a deadlock, a failure to serialize, a locked file. Nothing was done. */
const LOST = ['40001', '40P01', 'ER_LOCK_DEADLOCK', 'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_BUSY_RECOVERY'];
/** A connection that died in the pool, which is found out before anything is sent: there are others. */
const UNSENT = /is not queryable|in closed state|Query runner already released/;
/** There is a row with this key. */
const TAKEN = ['23505', 'ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_PRIMARYKEY'];

/** Runs statements, each by itself: what each of them does, it does wholly or not at all. */
export class Database {
  /** Does a statement stop the whole process while it runs? */
  readonly isBlocking: boolean;
  private readonly connections: Connections;
  private readonly placeholder: (index: number) => string;

  constructor(
    private readonly source: DataSource,
    private readonly deadline: Deadline,
  ) {
    const { type } = source.options;
    if (!SUPPORTED.includes(type))
      throw new InvalidArgumentError(`Invalid argument: \`${type}\` is none of ${SUPPORTED.join(', ')}`);
    this.isBlocking = type === 'better-sqlite3';
    this.connections = this.isBlocking ? new SingleConnection(source) : new Pool(source);
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

  private run(statement: Sql, isWrite: boolean): Promise<Result> {
    const { text, values } = statement.compile(this.placeholder);
    return this.deadline.within((wait) => this.attempt(text, values, wait, isWrite));
  }

  /** As often as it loses against others. */
  private async attempt(text: string, values: unknown[], wait: Wait, isWrite: boolean): Promise<Result> {
    for (let pause = 8; ; pause = Math.min(pause * 2, 256)) {
      try {
        return await this.connections.run(text, values, wait, isWrite);
      } catch (error) {
        if (wait.isOver || !isHarmless(error)) throw error;
        wait.reason = `${String(error)}, however often it was tried`;
      }
      await setTimeout(Math.random() * pause);
      if (wait.isOver) throw new Error(wait.reason);
    }
  }
}

const isHarmless = (error: unknown) => LOST.includes(codeOf(error)) || UNSENT.test(String(error));

function codeOf(error: unknown): string {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: { code?: unknown } };
  return String(driverError?.code ?? code);
}
