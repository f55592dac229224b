import type { TimedOperation } from '../contract/deadline.js';

/** The result of a statement: the records that it returned, and the number of rows that it changed. */
export interface Result {
  records: unknown[];
  affected?: number | undefined;
}

/** A statement as a driver needs it: its text with placeholders, and the values of its parameters. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Runs statements on the connections to a database. */
export interface Connections {
  run(statement: Statement, operation: TimedOperation, isWrite: boolean): Promise<Result>;
  /**
   * Runs statements and then an optional query in one transaction. If the first statement changes nothing, the others
   * are not run.
   * @returns the records of the query, or `undefined` if the first statement changed nothing
   */
  runAtomically(
    statements: readonly Statement[],
    operation: TimedOperation,
    query?: Statement,
  ): Promise<unknown[] | undefined>;
}
