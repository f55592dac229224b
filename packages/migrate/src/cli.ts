#!/usr/bin/env node
import { parseArgs } from 'node:util';

import { ownVersion } from './manifest.js';
import { migrate, MigrationError } from './migrate.js';

const HELP = `nest-oauth2-migrate [folder] [options]
  rewrites an application that uses oauth2-server, its forks, or their Express and Nest wrappers

  --dry-run  prints the changes as a unified diff, and writes nothing
  --json     prints the result as JSON
  --version  prints the version
  --help     prints this help`;

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Parses the command line. Returns the error message if it is invalid. */
function readArguments(args: string[]) {
  try {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    if (positionals.length > 1) return `Unexpected argument ${JSON.stringify(positionals[1])}.`;
    return { ...values, folder: positionals[0] ?? '.' };
  } catch (error) {
    return (error as Error).message;
  }
}

/** Runs the command and returns the exit code: 0 for success, 1 if a part failed, 2 if the command line is invalid. */
async function run(args: string[]): Promise<number> {
  const options = readArguments(args);
  if (typeof options === 'string') {
    process.stderr.write(`${options} See nest-oauth2-migrate --help\n`);
    return 2;
  }
  if (options.help || options.version) {
    process.stdout.write(`${options.help ? HELP : ownVersion()}\n`);
    return 0;
  }
  try {
    const { value, lines, isFailed } = await migrate(options.folder, options['dry-run'] === true);
    process.stdout.write(`${options.json ? JSON.stringify(value) : lines.join('\n')}\n`);
    return isFailed ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${error instanceof MigrationError ? error.message : (error as Error).stack}\n`);
    return 1;
  }
}

async function main(): Promise<void> {
  process.exitCode = await run(process.argv.slice(2));
}

void main();
