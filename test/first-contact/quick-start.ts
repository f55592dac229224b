import { expect } from '@jest/globals';

import type { Started } from './start.js';

export const INSTALLED = /^Installed (\d+) packages in /;

/** Warnings of npm about the Node.js version or the settings of the machine. */
const OF_THE_MACHINE = /^npm warn (cli npm v\d+\S* does not support Node|Unknown \w+ config )/;

/** Writes a measurement to the terminal. */
export const report = (text: string) => process.stderr.write(`First contact: ${text}\n`);

/** Returns whether the repository’s scripts printed the line, and not npm. */
export const isOurs = (line: string) => !OF_THE_MACHINE.test(line);

/** Returns the number of packages that the start installed. */
export const packagesOf = ({ lines }: Started) => Number(lines.map((line) => INSTALLED.exec(line)?.[1]).find(Boolean));

/** Verifies that the page of the quick start and the API behind it work. */
export async function expectToWork({ url }: Started): Promise<void> {
  expect(await (await fetch(url)).text()).toContain('Sign in, get a token, call an API');
  const alice = { username: 'alice', password: 'wonderland', scope: 'notes:read' };
  const body = new URLSearchParams({ grant_type: 'password', ...alice });
  const headers = { authorization: `Basic ${btoa('demo-web:demo-web-secret')}` };
  const issued = await fetch(`${url}/oauth/token`, { method: 'POST', headers, body });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  const notes = await fetch(`${url}/api/notes`, { headers: { authorization: `Bearer ${token}` } });
  expect(await notes.json()).toMatchObject({ notes: expect.arrayContaining(['Follow the white rabbit']) });
}
