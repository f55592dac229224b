import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';

import { freePort } from '../support/environment/free-port.js';

/** The sample and the browser that all cases use. */
export interface Stage {
  sample: Sample;
  browser: Browser;
}

export interface Sample {
  url: string;
  /** The output so far: URLs, commands to paste, and reasons of refusals. */
  readonly log: string;
  stop(): Promise<void>;
}

/** Creates a database that only this run uses. */
export function makeDatabase(): { file: string; remove(): void } {
  const place = mkdtempSync(join(tmpdir(), 'quick-start-'));
  return { file: join(place, 'test.sqlite'), remove: () => rmSync(place, { recursive: true, force: true }) };
}

/**
 * Starts the sample as its README describes, on a free port or on the port of an earlier start. Its issuer contains the
 * port, so port 0 would make its tokens invalid.
 */
export async function startSample(databaseFile: string, port?: string): Promise<Sample> {
  // The last command to paste is the last output.
  return start('01-quick-start', / {2}Open +(\S+)[^]*-i http.*\n/, { DATABASE_FILE: databaseFile, PORT: port });
}

/** Starts the sample of Swagger UI. */
export const startSwagger = (): Promise<Sample> => start('14-swagger', / {2}Open +(\S+)\/docs\n/, {});

/** Starts the sample of accounts, without a file for its database. */
export const startAccounts = (): Promise<Sample> => start('20-accounts', LISTENING, { DATABASE_FILE: ':memory:' });

/** Starts the sample of Passport. */
export const startPassport = (): Promise<Sample> => start('16-passport', LISTENING, {});

/** Starts the provider and the two applications whose users sign in there. */
export async function startOpenId(): Promise<{ server: Sample; web: Sample; page: Sample }> {
  const [port, ...ports] = await Promise.all([givenPort(), givenPort(), givenPort()]);
  const [WEB, BROWSER] = ports.map((one) => `http://127.0.0.1:${one}`);
  const places = { PORT: port, WEB, BROWSER };
  const server = await start('11-openid', LISTENING, places);
  const web = await start('11-openid', LISTENING, places, 'web');
  return { server, web, page: await start('11-openid', LISTENING, places, 'browser') };
}

/** Starts a server whose users sign in at another provider, and that provider. */
export async function startSocialLogin(): Promise<{ server: Sample; provider: Sample }> {
  const places = { PORT: await givenPort(), PROVIDER: `http://127.0.0.1:${await givenPort()}` };
  const provider = await start('12-social-login', LISTENING, places, 'provider');
  return { server: await start('12-social-login', LISTENING, places), provider };
}

const LISTENING = /Listening on (\S+)\./;

async function start(
  name: string,
  started: RegExp,
  given: Readonly<Record<string, string | undefined>>,
  script = 'start',
): Promise<Sample> {
  const cwd = fileURLToPath(new URL(`../../sample/${name}`, import.meta.url));
  // npm, its shell and the server form a process group, so that they end together.
  const env = { ...process.env, ...given, PORT: given['PORT'] ?? (await givenPort()) };
  const npm = spawn('npm', ['run', script], { cwd, env, detached: true });
  const ended = new Promise<void>((resolve) => npm.once('close', () => resolve()));
  let log = '';
  npm.stderr.on('data', (text) => (log += text));
  const url = await new Promise<string>((resolve, reject) => {
    npm.stdout.on('data', (text) => {
      log += text;
      const found = started.exec(log);
      if (found?.[1]) resolve(found[1]);
    });
    npm.once('error', reject);
    npm.once('close', () => reject(new Error(`The sample did not start:\n${log}`)));
  });
  const stop = async () => {
    process.kill(-npm.pid!);
    await ended;
  };
  return {
    url,
    get log() {
      return log;
    },
    stop,
  };
}

const givenPort = async () => String(await freePort());
