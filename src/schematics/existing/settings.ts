import { posix } from 'node:path';
import { readText, type Tree } from '../tree.js';
import { findMatch, readSources } from './sources.js';

/** The settings that an application already has. */
export interface Settings {
  /** The port on which the application listens. */
  port: number;
  /** The global prefix with a leading slash, or an empty text. */
  prefix: string;
  /** The `ConfigModule` of `@nestjs/config`, if the application imports it. */
  config: { isGlobal: boolean } | undefined;
  /** The file with environment variables that the application reads. */
  envFile: string;
  /** The path below which the health routes are written. */
  health: string;
  /** The compiled file that starts the application. */
  entry: string;
}

const DEFAULT_PORT = 3000;

/** Reads the settings of an application from its sources. */
export function readSettings(tree: Tree, sourceRoot: string): Settings {
  const sources = readSources(tree, sourceRoot);
  const main = readText(tree, posix.join(sourceRoot, 'main.ts')) ?? '';
  const prefix = /\.setGlobalPrefix\(\s*(['"`])\/*([\w/.-]+?)\/*\1/.exec(main)?.[2];
  const config = findMatch(sources, /\bConfigModule\.forRoot\(([^]*?)\)/);
  const options = config?.match[1] ?? '';
  const envFile = /\benvFilePath:\s*\[?\s*['"]([^'"]+)['"]/.exec(options)?.[1] ?? '.env';
  const start = /"start:prod":\s*"node\s+(?:\.\/)?([\w/.-]+)/.exec(readText(tree, 'package.json') ?? '')?.[1];
  return {
    port: readPort(main, readText(tree, envFile) ?? ''),
    prefix: prefix === undefined ? '' : `/${prefix}`,
    config: config && { isGlobal: /\bisGlobal:\s*true/.test(options) },
    envFile,
    health: findMatch(sources, /@Controller\(['"]\/?health/) ? 'oauth-health' : 'health',
    entry: start === undefined ? 'dist/main.js' : `${start.replace(/\.js$/, '')}.js`,
  };
}

/** Returns the value of `PORT` if `main.ts` reads it, or the number in the call of `listen()`. */
function readPort(main: string, env: string): number {
  const listened = /\.listen\(([^]*?)\);/.exec(main)?.[1] ?? '';
  const variable = /\bport\b/i.test(listened) ? /^\s*(?:export\s+)?PORT\s*=\s*['"]?(\d+)/m.exec(env)?.[1] : undefined;
  return Number(variable ?? /\b(\d{2,5})\b/.exec(listened)?.[1] ?? DEFAULT_PORT);
}
