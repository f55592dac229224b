import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { freePort } from '../support/environment/free-port.js';
import { type Clone, makeClone } from './clone.js';
import { withStarted } from './start.js';

const run = promisify(execFile);

describe('the samples of other transports, with an npm that runs no install scripts,', () => {
  let clone: Clone;

  beforeAll(async () => {
    clone = await makeClone('12', {});
  });
  afterAll(() => clone?.remove());

  it.each(['06-graphql', '07-websockets', '08-microservices'])(
    'print the result that the README shows: sample/%s',
    async (name) => {
      const cwd = join(clone.folder, 'sample', name);
      const [, said] = /prints\n\n```\n(.*?)```/s.exec(await readFile(join(cwd, 'README.md'), 'utf8'))!;
      const ports = { TCP_PORT: String(await freePort()), GRPC_PORT: String(await freePort()) };
      await withStarted(clone, `sample/${name}`, ports, async ({ url, lines }) => {
        expect(lines).toContain(`Listening on ${url}. For requests to try, see README.md`);
        const env = { ...clone.environment, ...ports, PORT: new URL(url).port };
        expect((await run('npm', ['run', '--silent', 'client'], { cwd, env })).stdout).toBe(said);
      });
    },
  );
});
