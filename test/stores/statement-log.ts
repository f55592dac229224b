import { AbstractLogger, type LogLevel } from 'typeorm';

/** Records every statement of a DataSource, except those that begin or end a transaction. */
export class StatementLog extends AbstractLogger {
  readonly statements: string[] = [];

  protected writeLog(level: LogLevel, message: { message: unknown } | unknown): void {
    if (level !== 'query') return;
    const [{ message: text }] = [message].flat() as [{ message: unknown }];
    const statement = String(text).replaceAll(/\s+/g, ' ').trim();
    if (!/^(START TRANSACTION|BEGIN|COMMIT|ROLLBACK)/.test(statement)) this.statements.push(statement);
  }
}
