#!/usr/bin/env node
import {
  type CommandResult,
  type Command,
  CommandError,
  type CommandArguments,
  UsageError,
  linesOf,
} from './command.js';
import { NO_TARGET, openTarget } from './open-target.js';
import { readCommand } from './read-command.js';

/**
 * Writes to standard output. Everything that the application prints goes to standard error, so that scripts read only
 * the result.
 */
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

/**
 * Runs a command line and returns the exit code: 0 for success, 1 if the command failed, 2 if the command line is
 * wrong.
 */
async function main(argv: readonly string[]): Promise<number> {
  try {
    const { command, help, args } = readCommand(argv, process.stdout.isTTY ? process.stdout.columns : Infinity);
    if (!command) {
      print(help);
      return 0;
    }
    const result = await runCommand(command, args);
    print(format(result, args));
    return result.exitCode ?? 0;
  } catch (error) {
    const isExpected = error instanceof UsageError || error instanceof CommandError || isRefusal(error);
    process.stderr.write(`${isExpected ? (error as Error).message : text(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function runCommand(command: Command, args: CommandArguments): Promise<CommandResult> {
  const isOptional = command.isTargetOptional?.(args) ?? false;
  const target = command.hasNoTarget
    ? NO_TARGET
    : await openTarget(args.text('app'), args.text('export'), { isOptional });
  try {
    return await command.run(args, target);
  } finally {
    await target.close();
  }
}

const print = (lines: string) => lines && write(`${lines}\n`);
const format = (result: CommandResult, args: CommandArguments) =>
  args.isSet('json') ? JSON.stringify(result.value) : linesOf(result, process.stdout.isTTY).join('\n');
/** Whether an error is an `InvalidArgumentError` or `AttackLabError`, from the ESM or the CommonJS build. */
const isRefusal = (error: unknown) =>
  ['invalid_argument', 'AttackLabError'].includes((error as Error | undefined)?.name ?? '');
const text = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

async function run(): Promise<void> {
  const code = await main(process.argv.slice(2));
  // Exit explicitly once the output is written, because the application may have left connections open.
  write('', () => process.exit(code));
}

void run();
