import { parseArgs } from 'node:util';

import { ACCOUNTS_COMMANDS } from './accounts-commands.js';
import { CLIENTS_COMMANDS } from './clients-commands.js';
import { type Command, type CommandOption, type CommandArguments, UsageError } from './command.js';
import { DOCTOR_COMMAND } from './doctor-command.js';
import { TOKENS_COMMANDS } from './tokens-commands.js';
import { GRANTS_COMMANDS } from './grants-commands.js';
import { KEYS_COMMANDS } from './keys-commands.js';
import { packageVersion } from './package-file.js';
import { PROVE_COMMANDS } from './prove-commands.js';
import { wrapped } from './table.js';

/** All commands by name. A name has one or two words. */
const COMMANDS: Readonly<Record<string, Command>> = {
  ...CLIENTS_COMMANDS,
  ...GRANTS_COMMANDS,
  ...TOKENS_COMMANDS,
  ...KEYS_COMMANDS,
  ...ACCOUNTS_COMMANDS,
  doctor: DOCTOR_COMMAND,
  ...PROVE_COMMANDS,
};

const TARGET_OPTIONS: Readonly<Record<string, CommandOption>> = {
  app: {
    type: 'string',
    value: '<file>',
    description:
      'the compiled module of the application, or a file that exports a model. Default: dist/app.module.js, else dist/src/app.module.js',
  },
  export: {
    type: 'string',
    value: '<name>',
    description:
      'the name of the export. If omitted: the default export, else `AppModule`, else the only export of the file',
  },
};

const COMMON_OPTIONS: Readonly<Record<string, CommandOption>> = {
  json: { type: 'boolean', description: 'prints the result as JSON' },
  help: { type: 'boolean', description: 'shows this help' },
};

/** A parsed command line. */
export interface ParsedCommand {
  /** The command to run. If omitted, only the help text is printed. */
  command?: Command;
  help: string;
  args: CommandArguments;
}

/**
 * Parses a command line.
 * @param width the maximum length of a line of the help text. Default: unlimited.
 * @throws {UsageError} If the command, an option or the argument is missing, unknown or invalid.
 */
export function readCommand(args: readonly string[], width = Infinity): ParsedCommand {
  const words = args.findIndex((each) => each.startsWith('-'));
  const given = args.slice(0, words === -1 ? 2 : Math.min(words, 2));
  const names = [given.join(' '), given[0] ?? ''];
  const name = names.find((one) => Object.hasOwn(COMMANDS, one)) ?? names[0]!;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    if (args.includes('--version')) return { help: packageVersion(), args: read({}, []) };
    if (args.length === 0 || args.includes('--help')) return { help: overview(width), args: read({}, []) };
    if (args[0] === 'migrate') throw new UsageError('`migrate` is a package of its own. Run: npx nest-oauth2-migrate');
    if (args[0] === 'add') throw new UsageError('`add` is a command of the Nest CLI. Run: npx nest add nest-oauth2');
    const group = Object.keys(COMMANDS).filter((each) => each.startsWith(`${args[0]!} `));
    const known = group.length > 0 ? `: the known ones are \`${group.join('`, `')}\`` : '';
    throw new UsageError(`There is no command \`${name || args[0]!}\`${known}. See nest-oauth2 --help`);
  }
  const options = optionsOf(command);
  const { values, positionals } = parsed(args.slice(name.split(' ').length), options);
  const help = helpOf(name, command, width);
  if (values['help']) return { help, args: read(values, positionals) };
  const isNeeded = command.argument?.startsWith('<') ?? false;
  const maxPositionals = command.argument === undefined ? 0 : 1;
  if (positionals.length > maxPositionals)
    throw new UsageError(`\`${name}\` does not take the argument ${JSON.stringify(positionals[maxPositionals])}`);
  if (isNeeded && !positionals[0]) throw new UsageError(`\`${name}\` requires a ${command.argument}`);
  return { command, help, args: read(values, positionals) };
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

function parsed(args: readonly string[], options: Readonly<Record<string, CommandOption>>) {
  const known = Object.entries(options).map(
    ([name, { type, multiple = false }]) => [name, { type, multiple }] as const,
  );
  try {
    const settings = { options: Object.fromEntries(known), allowPositionals: true, strict: true } as const;
    return parseArgs({ args: namesLast(args), ...settings });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/**
 * Whether an argument is a value that begins with a single dash, such as a base64url key id. No option has a single
 * dash.
 */
const isName = (arg: string) => /^-[^-]/.test(arg);

function namesLast(args: readonly string[]): string[] {
  if (args.includes('--')) return [...args];
  return [...args.filter((each) => !isName(each)), '--', ...args.filter(isName)];
}

function read(values: Values, [id = '']: readonly string[]): CommandArguments {
  return {
    id,
    text: (option) => values[option] as string | undefined,
    list: (option) => values[option] as string[] | undefined,
    isSet: (option) => values[option] === true,
    number(option) {
      const text = values[option] as string | undefined;
      if (text === undefined) return undefined;
      if (text.trim() === '' || Number.isNaN(Number(text))) throw new UsageError(`\`--${option}\` must be a number`);
      return Number(text);
    },
  };
}

function overview(width: number): string {
  const names = Object.entries(COMMANDS).map(
    ([name, { argument = '', description: about }]) => [`${name} ${argument}`.trim(), about] as const,
  );
  return [
    'nest-oauth2 <command> [options]',
    '',
    ...columns(names, width),
    '',
    'nest-oauth2 <command> --help shows the options of a command. nest-oauth2 --version prints the version.',
  ].join('\n');
}

const optionsOf = ({ options, hasNoTarget }: Command) => ({
  ...options,
  ...(!hasNoTarget && TARGET_OPTIONS),
  ...COMMON_OPTIONS,
});

function helpOf(name: string, command: Command, width: number): string {
  const { argument = '', description: about } = command;
  const all = Object.entries(optionsOf(command));
  const lines = all.map(
    ([option, { value = '', description: what }]) => [`--${option} ${value}`.trim(), what] as const,
  );
  const usage = ['nest-oauth2', name, argument, '[options]'].filter(Boolean).join(' ');
  return [usage, ...wrapped(about, width - 2).map((line) => `  ${line}`), '', ...columns(lines, width)].join('\n');
}

/** Returns two columns, of which the second is wrapped. */
function columns(rows: readonly (readonly [name: string, about: string])[], width: number): string[] {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const aboutWidth = Math.max(width - nameWidth - 4, MIN_ABOUT);
  return rows.flatMap(([name, about]) =>
    wrapped(about, aboutWidth).map((line, index) => `  ${(index === 0 ? name : '').padEnd(nameWidth)}  ${line}`),
  );
}

/** Minimum number of characters in a line of a description, also on a narrow terminal. */
const MIN_ABOUT = 24;
