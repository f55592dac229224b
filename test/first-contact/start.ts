import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { freePort } from '../support/environment/free-port.js';
import { waitUntil } from '../support/environment/wait-until.js';
import type { Clone } from './clone.js';

/** npm repeats the command, with different text since npm 12. */
const REPEATED = /^(> |npm notice run )/;

/** The last line that a sample prints when it is listening. */
const SAID = /README\.md\n|curl -s -i .*\n/;

export interface Started {
  url: string;
  /** The time from the command to the first response. */
  milliseconds: number;
  /** The output without the lines in which npm repeats the command. */
  lines: string[];
}

/** Runs `npm start` or another script in a folder of the clone, calls the callback and stops the script. */
export async function withStarted(
  { folder, environment }: Clone,
  where: string,
  settings: Record<string, string>,
  work: (started: Started) => Promise<void>,
  script = 'start',
): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const begin = Date.now();
  // npm, its shell and the server form a process group, so that they end together.
  const npm = spawn('npm', script === 'start' ? ['start'] : ['run', script], {
    cwd: join(folder, where),
    env: { ...environment, ...settings, PORT: String(port) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let hasEnded = false;
  const ended = once(npm, 'close').then(() => (hasEnded = true));
  npm.stdout.on('data', (text) => (printed += text));
  npm.stderr.on('data', (text) => (printed += text));
  try {
    while (!(await answers(url))) {
      if (hasEnded) throw new Error(`npm run ${script} ended:\n${printed}`);
      await setTimeout(50);
    }
    const milliseconds = Date.now() - begin;
    // The last output may appear shortly after the first response.
    await waitUntil(() => hasEnded || SAID.test(printed), 60);
    const lines = printed.split('\n').filter((line) => line && !REPEATED.test(line));
    await work({ url, milliseconds, lines });
  } finally {
    if (!hasEnded) process.kill(-npm.pid!);
    await ended;
  }
}

/** Runs a script that is not a server, and waits for its output. */
export function runScript(
  { folder, environment }: Clone,
  where: string,
  settings: Record<string, string>,
  script: string,
): { prints(wanted: RegExp): Promise<string>; ended: Promise<number> } {
  const npm = spawn('npm', ['run', script], {
    cwd: join(folder, where),
    env: { ...environment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let hasEnded = false;
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (text) => (printed += text));
  const ended = once(npm, 'close').then(([code]) => {
    hasEnded = true;
    return code as number;
  });
  const prints = async (wanted: RegExp) => {
    for (;;) {
      const [, found] = wanted.exec(printed) ?? [];
      if (found !== undefined) return found;
      if (hasEnded) throw new Error(`npm run ${script} ended:\n${printed}`);
      await setTimeout(50);
    }
  };
  return { prints, ended };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
