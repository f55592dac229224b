import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Browser } from 'playwright-core';

import { add } from '../../src/schematics/index.js';
import { describeInBrowser, openBrowser, openPage } from '../browser/browser.js';
import { StagedApplication } from '../src/schematics/staged-application.js';
import { freePort } from '../support/environment/free-port.js';

const INSPECTOR = '@modelcontextprotocol/inspector';

/** The newest version that runs on Node.js 20. Version 2 requires 22.19. */
const VERSION = '0.15.0';

/** The root controller of the application, which the schematic does not write. */
const CONTROLLER = `import { Controller } from '@nestjs/common';

@Controller()
export class AppController {}
`;

const PASSWORD = 'down the rabbit hole';

/** The provider `Database` of the written application. */
interface Accounts {
  users: { create(username: string, password: string): Promise<unknown> };
}

/** Writes the application of `nest add --features=mcp` to a new folder next to this file, and returns the folder. */
async function writeApplication(): Promise<string> {
  const application = new StagedApplication({ 'src/app.controller.ts': CONTROLLER });
  const written = await application.run(add({ store: 'memory', features: 'pages,mcp' }));
  const folder = await mkdtemp(join(import.meta.dirname, '.written-'));
  for (const [path, text] of Object.entries(written.files())) {
    if (path.endsWith('spec.ts')) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** The default ports of the page and the proxy of MCP Inspector. At other ports, its sign-in did not start. */
const [PORT, PROXY_PORT] = [6274, 6277];

/** Starts MCP Inspector in a process group of its own. */
function startInspector(place: string): ChildProcess {
  const env = { ...process.env, MCP_AUTO_OPEN_ENABLED: 'false', DANGEROUSLY_OMIT_AUTH: 'true' };
  const program = join(place, 'node_modules', INSPECTOR, 'cli/build/cli.js');
  return spawn(process.execPath, [program], { env, detached: true, stdio: 'ignore' });
}

/** Waits until a server responds, and fails after 30 seconds. */
async function untilServed(address: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const response = await fetch(address).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    await setTimeout(100);
  }
  throw new Error(`Nothing responds at ${address}`);
}

describeInBrowser(`MCP Inspector ${VERSION} at a fresh server of nest add --features=mcp`, () => {
  const environment = { ...process.env };
  let [folder, place, url] = ['', '', ''];
  let inspector: ChildProcess | undefined;
  let browser: Browser | undefined;
  let app: INestApplication | undefined;

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'inspector-'));
    const install = ['install', `${INSPECTOR}@${VERSION}`, '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', [...install, '--prefer-offline', '--prefix', place], { cwd: place });
    inspector = startInspector(place);
    await untilServed(`http://localhost:${PORT}`);
    await untilServed(`http://localhost:${PROXY_PORT}/health`);
    browser = await openBrowser();
    url = `http://localhost:${await freePort()}`;
    process.env['OAUTH2_ISSUER'] = url;
    folder = await writeApplication();
  });
  afterEach(() => app?.close());
  afterAll(async () => {
    await browser?.close();
    if (inspector?.pid !== undefined) process.kill(-inspector.pid);
    process.env = environment;
    await Promise.all([folder, place].filter(Boolean).map((one) => rm(one, { recursive: true, force: true })));
  });

  async function start(prefix: string): Promise<void> {
    const { AppModule } = (await import(join(folder, 'src/app.module.ts'))) as { AppModule: object };
    const { Database } = (await import(join(folder, 'src/oauth/database.ts'))) as { Database: Type<Accounts> };
    app = await NestFactory.create(AppModule, { logger: false });
    app.setGlobalPrefix(prefix);
    await app.listen(new URL(url).port, 'localhost');
    await app.get(Database).users.create('alice', PASSWORD);
  }

  it.each([
    ['without a global prefix', ''],
    ['with a global prefix', '/api'],
  ])('registers, signs its user in and calls a tool, %s', async (_name, prefix) => {
    await start(prefix);
    const { page } = await openPage(browser!, {});
    const query = { transport: 'streamable-http', serverUrl: `${url}${prefix}/mcp` };
    await page.goto(`http://localhost:${PORT}/?${new URLSearchParams(query).toString()}`);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByLabel('Username').fill('alice');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const consent = page.getByRole('main');
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    expect(await consent.innerText()).toContain('Read your account');
    expect(await consent.innerText()).toContain(`${url}${prefix}/mcp`);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('button', { name: 'List Tools' }).click();
    await page.getByText('whoami').first().click();
    await page.getByRole('button', { name: 'Run Tool' }).click();
    await page.getByText('Tool Result').waitFor();
    expect(await page.locator('body').innerText()).toMatch(/Tool Result: Success\s+"alice"/);
    await page.context().close();
  });
});
