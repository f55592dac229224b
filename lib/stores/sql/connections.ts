import type { TimedOperation } from '../deadline.js';

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
   * Runs all statements in one transaction. If the first statement changes nothing, the others are not run.
   * @returns whether the first statement changed anything
   */
  runAtomically(statements: readonly Statement[], operation: TimedOperation): Promise<boolean>;
}
