import { AbstractLogger, type LogLevel } from 'typeorm';

/** Writes down every statement of a DataSource, but for where a transaction begins and ends. */
export class StatementLog extends AbstractLogger {
  readonly statements: string[] = [];

  protected writeLog(level: LogLevel, message: { message: unknown } | unknown): void {
    if (level !== 'query') return;
    const [{ message: text }] = [message].flat() as [{ message: unknown }];
    const statement = String(text).replaceAll(/\s+/g, ' ').trim();
    if (!/^(START TRANSACTION|BEGIN|COMMIT|ROLLBACK)/.test(statement)) this.statements.push(statement);
  }
}
