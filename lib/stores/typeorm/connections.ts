import type { Wait } from '../deadline.js';

/** What a statement found or did. */
export interface Result {
  records: unknown[];
  affected?: number | undefined;
}

/** What a `DataSource` has to run statements on. */
export interface Connections {
  run(text: string, values: unknown[], wait: Wait, isWrite: boolean): Promise<Result>;
}
