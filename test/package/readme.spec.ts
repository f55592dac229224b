import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { freePort } from '../support/environment/free-port.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { generatedApplication, root, run } from './applications.js';

/** The README, and two pages that add files to its application. */
const [readme, engine, testing] = (await Promise.all(
  ['README.md', 'docs/reference/engine.md', 'docs/guides/testing.md'].map((page) => readFile(join(root, page), 'utf8')),
)) as [string, string, string];
const snippets = new Map(
  [...`${readme}${engine}${testing}`.matchAll(/^```ts\n\/\/ (\S+\.ts)\n(.*?)^```$/gms)].map(([, name, code]) => [
    name!,
    code!,
  ]),
);

/** An application created by `nest new`, with the code of the README unchanged. */
describe.each(['11', '12'])('an application made from the README on Nest %s', (version) => {
  let host: string;
  let application: Application | undefined;

  beforeAll(async () => {
    host = await generatedApplication(version);
    for (const [name, code] of snippets) await paste(join(host, name), code);
  });

  afterAll(() => application?.stop());

  it('has one copy of Nest, which is the peer dependency of the module', async () => {
    const { dependencies } = JSON.parse(await run(host, 'npm', 'ls', '--json', '@nestjs/common'));
    expect(dependencies['nest-oauth2'].dependencies['@nestjs/common']).toMatchObject({
      version: expect.stringMatching(`^${version}\\.`),
    });
    expect(dependencies['@nestjs/common'].version).toBe(
      dependencies['nest-oauth2'].dependencies['@nestjs/common'].version,
    );
  });

  it('builds without errors', async () => {
    await expect(run(host, 'npm', 'run', '--silent', 'build')).resolves.toBe('');
  });

  it('issues a token and returns the notes', async () => {
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

  it('logs by default why a client was rejected', async () => {
    const token = `http://localhost:${application!.port}/oauth/token`;
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'notes:write' });
    const authorization = `Basic ${Buffer.from('my-service:my-service-secret').toString('base64')}`;
    await fetch(token, { method: 'POST', body: form, headers: { authorization } });
    // The log line may appear after the response.
    const line = /DEBUG.*token\.refused .*clientId="my-service" .*error="invalid_scope"/;
    expect(await waitUntil(() => line.exec(application!.printed()))).toBeTruthy();
  });

  it('runs the engine without Nest', async () => {
    const printed = await run(host, 'node', 'dist/engine.js');
    expect(printed).toBe('401 Bearer realm="Service",error="invalid_token" Invalid token: access token is invalid\n');
  });

  it.each(['test', 'test:e2e', 'lint'])('passes `npm run %s` of the generated application', async (script) => {
    await expect(run(host, 'npm', 'run', '--silent', script)).resolves.toEqual(expect.any(String));
  });
});

/** Writes a file, or adds a case to its tests before `afterEach`, with the import that the comment names. */
async function paste(file: string, code: string): Promise<void> {
  const [, statement] = /\/\/ (import .*)/.exec(code) ?? [];
  if (!statement) return writeFile(file, code);
  const generated = await readFile(file, 'utf8');
  await writeFile(file, `${statement}\n${generated.replace(/^ *afterEach/m, `${code}$&`)}`);
}

interface Application {
  port: number;
  /** Returns the output so far, without colors. */
  printed(): string;
  stop(): void;
}

/** Starts the built application, and resolves after its first response. */
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
