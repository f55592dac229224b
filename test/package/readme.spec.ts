import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { freePort } from '../support/free-port.js';
import { waitUntil } from '../support/wait-until.js';
import { generatedApplication, root, run } from './applications.js';

const readme = await readFile(join(root, 'README.md'), 'utf8');
const snippets = new Map(
  [...readme.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => [name!, code!]),
);

/** Issue 9, 1: an application as `nest new` makes it, and what the README says, to the letter. */
describe.each(['11', '12'])('a reader who follows the README on Nest %s', (version) => {
  let host: string;
  let application: Application | undefined;

  beforeAll(async () => {
    host = await generatedApplication(version);
    for (const [name, code] of snippets) await paste(join(host, name), code);
  });

  afterAll(() => application?.stop());

  it('has one Nest, which is the peer of the module', async () => {
    const { dependencies } = JSON.parse(await run(host, 'npm', 'ls', '--json', '@nestjs/common'));
    expect(dependencies['nest-oauth2'].dependencies['@nestjs/common']).toMatchObject({
      version: expect.stringMatching(`^${version}\\.`),
    });
    expect(dependencies['@nestjs/common'].version).toBe(
      dependencies['nest-oauth2'].dependencies['@nestjs/common'].version,
    );
  });

  it('builds the application', async () => {
    await expect(run(host, 'npm', 'run', '--silent', 'build')).resolves.toBe('');
  });

  it('gets a token and reads the notes', async () => {
    const port = await freePort();
    application = await start(host, port);
    const section = readme.slice(readme.indexOf('## Five minutes'));
    const commands = [...section.matchAll(/^curl .*$/gm)].map(([line]) => line.replace(':3000/', `:${port}/`));
    expect(commands).toHaveLength(2);

    const { access_token: token, ...rest } = JSON.parse(await run(host, 'sh', '-c', `${commands[0]} --silent`));
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: expect.any(Number), scope: 'notes:read' });
    const notes = await run(host, 'sh', '-c', `${commands[1]!.replace('<the access_token>', token)} --silent`);
    expect(JSON.parse(notes)).toMatchObject({ client: 'my-service', notes: ['Follow the white rabbit'] });
  });

  it('says in the log, without being told to, why a client was refused', async () => {
    const token = `http://localhost:${application!.port}/oauth/token`;
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'notes:write' });
    const authorization = `Basic ${Buffer.from('my-service:my-service-secret').toString('base64')}`;
    await fetch(token, { method: 'POST', body: form, headers: { authorization } });
    // What it prints may come after what it answers.
    const line = /DEBUG.*token\.refused .*clientId="my-service" .*error="invalid_scope"/;
    expect(await waitUntil(() => line.exec(application!.printed()))).toBeTruthy();
  });

  it('runs the engine alone', async () => {
    const printed = await run(host, 'node', 'dist/engine.js');
    expect(printed).toBe('401 Bearer realm="Service",error="invalid_token" Invalid token: access token is invalid\n');
  });

  it.each(['test', 'test:e2e', 'lint'])('passes `npm run %s` of the generated application', async (script) => {
    await expect(run(host, 'npm', 'run', '--silent', script)).resolves.toEqual(expect.any(String));
  });
});

/** Writes a file, or adds a case to the tests in one: before its `afterEach`, with the import that its comment names. */
async function paste(file: string, code: string): Promise<void> {
  const [, statement] = /\/\/ (import .*)/.exec(code) ?? [];
  if (!statement) return writeFile(file, code);
  const generated = await readFile(file, 'utf8');
  await writeFile(file, `${statement}\n${generated.replace(/^ *afterEach/m, `${code}$&`)}`);
}

interface Application {
  port: number;
  /** What has been printed so far, without colours. */
  printed(): string;
  stop(): void;
}

/** Starts what was built, and resolves once it answers. */
async function start(host: string, port: number): Promise<Application> {
  const child = spawn(process.execPath, ['dist/main.js'], {
    cwd: host,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const answers = () =>
    fetch(`http://localhost:${port}`).then(
      () => true,
      () => false,
    );
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`The application ended with ${child.exitCode}`);
    await sleep(100);
  }
  return { port, printed: () => stripVTControlCharacters(text), stop: () => child.kill() };
}
