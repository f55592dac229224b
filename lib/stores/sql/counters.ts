import type { Count } from '../../model/counts.js';
import type { Database } from './database.js';
import { insertion } from './standalone-rows.js';
import { castTo, type Identifier, type Sql, sql } from './sql.js';

/** One call of `count()` of a storage. */
export interface CounterCall {
  digest: string;
  seconds: number;
  by: number;
}

/**
 * The statements of counters. A counter is a row of the kind `count`, which belongs to no grant. Its `data` is the
 * count, and `expires_at` the end of its window.
 */
export class Counters {
  /** @param integer the name of the type of integers in `CAST` */
  constructor(
    protected readonly database: Database,
    protected readonly rows: Identifier,
    private readonly integer: 'bigint' | 'signed' = 'bigint',
  ) {}

  /** Returns the state of a counter without a change. */
  async read({ digest }: CounterCall): Promise<Count> {
    const state = stateOf(await this.database.find<CounterRecord>(this.selection(digest)));
    return state.expiresIn > 0 ? state : NONE;
  }

  /** Adds to a counter, or opens its window. The addition locks the row until it is read. */
  async add(call: CounterCall): Promise<Count> {
    return stateOf(await this.database.changeAndFind<CounterRecord>(this.addition(call), this.selection(call.digest)));
  }

  /** Subtracts from a counter whose window is open. */
  async takeBack(call: CounterCall): Promise<Count> {
    // MySQL does not count a row whose values stay the same, such as a counter at 0, as changed.
    const found = await this.database.changeAndFind<CounterRecord>(this.subtraction(call), this.selection(call.digest));
    return found ? stateOf(found) : this.read(call);
  }

  /** Returns SQL for the state of counters: their count, and the milliseconds until their window ends. */
  protected get state(): Sql {
    return sql`data AS count, expires_at - ${this.database.now} AS expires_in`;
  }

  protected addition({ digest, seconds, by }: CounterCall): Sql {
    // Both assignments compare with the same moment, also if the clock moves on while the statement runs.
    const isOpen = sql`t.expires_at > excluded.expires_at - ${castTo(toMilliseconds(seconds), this.integer)}`;
    const sum = castTo(this.sum(sql`t.data`, by), 'text');
    return sql`${insertion(this.rows, this.newCounter(digest, seconds, by), 't')}
      ON CONFLICT (digest, kind) DO UPDATE SET data = CASE WHEN ${isOpen} THEN ${sum} ELSE excluded.data END,
      expires_at = CASE WHEN ${isOpen} THEN t.expires_at ELSE excluded.expires_at END`;
  }

  protected subtraction({ digest, by }: CounterCall): Sql {
    const sum = this.sum(sql`data`, by);
    const rest = sql`CASE WHEN ${sum} < 0 THEN 0 ELSE ${sum} END`;
    return sql`UPDATE ${this.rows} SET data = ${castTo(rest, this.integer === 'signed' ? 'char' : 'text')}
      WHERE digest = ${digest} AND kind = 'count' AND expires_at > ${this.database.now}`;
  }

  protected newCounter(digest: string, seconds: number, by: number) {
    const expiresAt = sql`${this.database.now} + ${toMilliseconds(seconds)}`;
    return { digest, kind: 'count', data: String(by), expiresAt };
  }

  protected sum(data: Sql, by: number): Sql {
    return sql`${castTo(data, this.integer)} + ${castTo(by, this.integer)}`;
  }

  private selection(digest: string): Sql {
    return sql`SELECT ${this.state} FROM ${this.rows} WHERE digest = ${digest} AND kind = 'count'`;
  }
}

/** The counters on PostgreSQL. Each call is one statement. */
export class PostgresCounters extends Counters {
  override async add(call: CounterCall): Promise<Count> {
    return stateOf(await this.database.find<CounterRecord>(sql`${this.addition(call)} RETURNING ${this.state}`));
  }

  override async takeBack(call: CounterCall): Promise<Count> {
    return stateOf(await this.database.find<CounterRecord>(sql`${this.subtraction(call)} RETURNING ${this.state}`));
  }
}

/** The counters on MariaDB and MySQL. MySQL has no `RETURNING`. */
export class MySqlCounters extends Counters {
  constructor(database: Database, rows: Identifier) {
    super(database, rows, 'signed');
  }

  protected override addition({ digest, seconds, by }: CounterCall): Sql {
    // The clock of a statement stands still. The assignments take effect one after the other.
    const isOpen = sql`expires_at > ${this.database.now}`;
    return sql`${insertion(this.rows, this.newCounter(digest, seconds, by))}
      ON DUPLICATE KEY UPDATE data = CASE WHEN ${isOpen} THEN ${castTo(this.sum(sql`data`, by), 'char')}
      ELSE VALUES(data) END, expires_at = CASE WHEN ${isOpen} THEN expires_at ELSE VALUES(expires_at) END`;
  }
}

const toMilliseconds = (seconds: number): number => Math.ceil(seconds * 1000);

/** A counter as a query returns it. Drivers return 64-bit integers as strings. */
interface CounterRecord {
  count: string;
  expires_in: string | number | bigint;
}

const NONE: Count = Object.freeze({ count: 0, expiresIn: 0 });

/** Returns the state of the counter that a query found. A statement that waited for a lock may return it late. */
function stateOf([found]: readonly CounterRecord[] = []): Count {
  return found ? { count: Number(found.count), expiresIn: Math.max(0, Number(found.expires_in)) } : NONE;
}
