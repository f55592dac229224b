import type { TimedOperation } from '../deadline.js';

/** What a statement found or did. */
export interface Result {
  records: unknown[];
  affected?: number | undefined;
}

/** A statement as it is sent. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** What a `DataSource` has to run statements on. */
export interface Connections {
  run(statement: Statement, wait: TimedOperation, isWrite: boolean): Promise<Result>;
  /** All of them in one transaction; if the first changes nothing, none of the others is run. */
  runAtomically(statements: readonly Statement[], wait: TimedOperation): Promise<boolean>;
}
