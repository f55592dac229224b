#!/usr/bin/env node
import { type CommandResult, type Command, CommandError, type CommandArguments, UsageError } from './command.js';
import { openTarget } from './open-target.js';
import { readCommand } from './read-command.js';

/** What the host writes goes elsewhere: of the answer, nothing else may be read. */
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

/** 0: it is done; 1: it is not; 2: the command line is wrong. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const { command, help, args: given } = readCommand(args);
    print(command ? written(await carriedOut(command, given), given) : help);
    return 0;
  } catch (error) {
    const isExpected = error instanceof UsageError || error instanceof CommandError || isRefusal(error);
    process.stderr.write(`${isExpected ? (error as Error).message : text(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function carriedOut(command: Command, given: CommandArguments): Promise<CommandResult> {
  const host = await openTarget(given.text('app'), given.text('export'));
  try {
    return await command.run(given, host);
  } finally {
    await host.close();
  }
}

const print = (lines: string) => lines && write(`${lines}\n`);
const written = ({ value, lines }: CommandResult, given: CommandArguments) =>
  given.isSet('json') ? JSON.stringify(value) : lines.join('\n');
/** Of whichever build of the package. */
const isRefusal = (error: unknown) => (error as Error | undefined)?.name === 'invalid_argument';
const text = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

async function run(): Promise<void> {
  const code = await main(process.argv.slice(2));
  // Not before it is written; and whatever the host has left open.
  write('', () => process.exit(code));
}

void run();
