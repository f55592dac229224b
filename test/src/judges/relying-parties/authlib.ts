import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline/promises';
import { hasProgram } from '../../../support/environment/requirements.js';
import type { Profile, Provider } from './relying-party.js';

const PYTHON = process.env['PYTHON'] ?? '/usr/bin/python3';
const script = fileURLToPath(new URL('authlib-client.py', import.meta.url));

/** Returns whether Authlib, a Python library, is installed. If not, reports it as missing. */
export const hasAuthlib = (): boolean => hasProgram(PYTHON, 'Authlib', ['-c', 'import authlib, requests']);

/** Signs in with Authlib. `visit` opens a URL in the browser and returns the URL that it was finally redirected to. */
export async function signInByAuthlib(
  { issuer, clientId, clientSecret }: Provider,
  callback: string,
  visit: (url: string) => Promise<string>,
): Promise<Profile> {
  const python = spawn(PYTHON, [script, issuer, clientId, clientSecret, callback]);
  let complaints = '';
  python.stderr.on('data', (text) => (complaints += text));
  const lines = createInterface(python.stdout)[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await lines.next();
    if (value === undefined) throw new Error(`Authlib gave up:\n${complaints}`);
    return value as string;
  };
  python.stdin.write(`${await visit(await next())}\n`);
  return JSON.parse(await next()) as Profile;
}
