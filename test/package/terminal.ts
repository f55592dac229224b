import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Keys as a terminal sends them. */
export const DOWN = '\u001B[B';
export const ENTER = '\r';

/** A prompt of a command, and the keys that answer it. */
export type Answer = [prompt: string, keys: string];

/**
 * Runs a command in a pseudo-terminal (`script` of util-linux), types each answer when its prompt appears, and returns
 * the output.
 */
export async function runInTerminal(cwd: string, command: string, answers: Answer[]): Promise<string> {
  // The schematics command asks nothing if CI is set.
  const { CI: _, ...env } = process.env;
  const child = spawn('script', ['-qefc', command, '/dev/null'], { cwd, env: { ...env, TERM: 'xterm' } });
  const rest = [...answers];
  let output = '';
  let unread = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const [prompt, keys] = rest[0] ?? [];
    if (prompt === undefined || !output.includes(prompt, unread)) return;
    unread = output.length;
    child.stdin.write(keys);
    rest.shift();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 || rest.length > 0)
    throw new Error(`${command} ended with ${code}, without ${rest.join()}\n${output}`);
  return output;
}
