import type { OAuth2Clients, OAuth2Grants, OAuth2Server } from '../../lib/index.js';

/** An option of a command, as `parseArgs` of Node takes it, and what it is for. */
export interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** What its value is called. */
  readonly value?: string;
  readonly description: string;
}

/** What was given on the command line. */
export interface CommandArguments {
  /** What follows the name of the command. */
  readonly id: string;
  text(option: string): string | undefined;
  list(option: string): readonly string[] | undefined;
  isSet(option: string): boolean;
  /** @throws UsageError for one that is no number */
  number(option: string): number | undefined;
}

/** The application of the host, or its model. */
export interface Host {
  /** @throws CommandError where the application has no such server */
  clients(server: string | undefined): Promise<OAuth2Clients>;
  /**
   * @param tenant whose server, where each has its own
   * @throws CommandError where the application has no such server
   */
  server(name: string | undefined, tenant: string | undefined): Promise<OAuth2Server>;
  /**
   * @param tenant limits everything to the issuer of this tenant
   * @throws {CommandError} If the application has no such server or tenant.
   */
  grants(server: string | undefined, tenant: string | undefined): Promise<OAuth2Grants>;
  close(): Promise<void>;
}

/** What a command answers: for programs, and for people. */
export interface CommandResult {
  readonly value: unknown;
  readonly lines: readonly string[];
}

/** A command by its name of one or two words, such as `clients list`. */
export interface Command {
  /** What follows its name. */
  readonly argument?: string;
  readonly description: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  run(args: CommandArguments, target: Host): Promise<CommandResult>;
}

/** Which server is meant. */
export const SERVER: Readonly<Record<string, CommandOption>> = {
  server: { type: 'string', value: '<name>', description: 'of several servers, the one of this `name`' },
};

/** It did not happen. Exit code 1 */
export class CommandError extends Error {}

/** The command line is wrong. Exit code 2 */
export class UsageError extends Error {}
