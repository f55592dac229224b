import type { OAuth2Clients, OAuth2Grants, OAuth2Server } from '../../lib/index.js';
import type { Report } from '../report/report.js';
import type { ReportRequest } from '../report/report-on.js';
import { alignedLines, type Table, tabbedLines } from './table.js';

/** An option of a command: its definition for Node's `parseArgs()` and its description for the help text. */
export interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** The placeholder of the value in the help text, such as `<file>`. If omitted, the option takes no value. */
  readonly value?: string;
  readonly description: string;
}

/** The argument and the options of one command line. */
export interface CommandArguments {
  /** The argument after the name of the command. Empty if the command line has no argument. */
  readonly id: string;
  text(option: string): string | undefined;
  list(option: string): readonly string[] | undefined;
  isSet(option: string): boolean;
  /**
   * Returns the value of a numeric option.
   * @throws {UsageError} If the value is not a number.
   */
  number(option: string): number | undefined;
}

/** The application, or the model, that a command works on. */
export interface CommandTarget {
  /**
   * Returns the `OAuth2Clients` of a server.
   * @throws {CommandError} If the application has no such server.
   */
  clients(server: string | undefined): Promise<OAuth2Clients>;
  /**
   * Returns a server.
   * @param tenant the tenant whose server is returned. Required if each tenant has its own server.
   * @throws {CommandError} If the server or tenant is unknown, if `tenant` is missing or not supported, or if the
   * target is a model.
   */
  server(name: string | undefined, tenant: string | undefined): Promise<OAuth2Server>;
  /**
   * Returns the `OAuth2Grants` of a server.
   * @param tenant limits all operations to the issuer of this tenant. If omitted for a server with tenants, each
   * operation must name an issuer.
   * @throws {CommandError} If the application has no such server or tenant.
   */
  grants(server: string | undefined, tenant: string | undefined): Promise<OAuth2Grants>;
  /**
   * Returns the report of `doctor` about all servers of the application.
   * @throws {CommandError} If the target is a model.
   */
  report(request: ReportRequest): Promise<Report>;
  close(): Promise<void>;
}

/** The result of a command: a value for `--json`, and a table or lines of text for people. */
export interface CommandResult {
  readonly value: unknown;
  /** The listed entries, which come before the lines. */
  readonly table?: Table;
  readonly lines: readonly string[];
  /** The exit code of the command. Default: `0`. */
  readonly exitCode?: number;
}

/**
 * Returns the lines to print for a result.
 * @param isTerminal whether people read the output, so that tables have headers and aligned columns
 */
export function linesOf({ table, lines }: CommandResult, isTerminal: boolean): readonly string[] {
  if (!table) return lines;
  return [...(isTerminal ? alignedLines(table) : tabbedLines(table)), ...lines];
}

/** A command. Its name has one or two words, such as `clients list`. */
export interface Command {
  /**
   * The placeholder of its argument in the help text: `<…>` if it is required, `[…]` if it is optional. If omitted, the
   * command takes no argument.
   */
  readonly argument?: string;
  readonly description: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Whether the command never has a target. It then has no options `--app` and `--export`. Default: `false`. */
  readonly hasNoTarget?: boolean;
  /** Whether the command runs without a target if no application is found. If omitted, it does not. */
  isTargetOptional?(args: CommandArguments): boolean;
  run(args: CommandArguments, target: CommandTarget): Promise<CommandResult>;
}

/** The command-line option `--server`, which selects one of several servers. */
export const SERVER: Readonly<Record<string, CommandOption>> = {
  server: { type: 'string', value: '<name>', description: 'the `name` of the server, if the application has several' },
};

/** An error of a command that could not be completed. Exit code 1. */
export class CommandError extends Error {}

/** An error in the command line. Exit code 2. */
export class UsageError extends Error {}
