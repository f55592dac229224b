import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';

import { describeInBrowser, openBrowser, openPage } from '../browser/browser.js';
import { FreshMcpServer, installProgram, signInForConsent } from './fresh-mcp-server.js';

const INSPECTOR = '@modelcontextprotocol/inspector';

/** The newest version that runs on Node.js 20. Version 2 requires 22.19. */
const VERSION = '0.15.0';

/** The default ports of the page and the proxy of MCP Inspector. At other ports, its sign-in did not start. */
const [PORT, PROXY_PORT] = [6274, 6277];

/** Starts MCP Inspector in a process group of its own. */
function startInspector(place: string): ChildProcess {
  const env = { ...process.env, MCP_AUTO_OPEN_ENABLED: 'false', DANGEROUSLY_OMIT_AUTH: 'true' };
  const program = join(place, 'node_modules', INSPECTOR, 'cli/build/cli.js');
  return spawn(process.execPath, [program], { env, detached: true, stdio: 'ignore' });
}

/** Waits until a server responds, and fails after a minute. */
async function untilServed(address: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const response = await fetch(address).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    await setTimeout(100);
  }
  throw new Error(`Nothing responds at ${address}`);
}

describeInBrowser(`MCP Inspector ${VERSION} at a fresh server of nest add --features=mcp`, () => {
  let place = '';
  let inspector: ChildProcess | undefined;
  let browser: Browser | undefined;
  let server: FreshMcpServer | undefined;

  beforeAll(async () => {
    place = await installProgram(`${INSPECTOR}@${VERSION}`);
    inspector = startInspector(place);
    await untilServed(`http://localhost:${PORT}`);
    await untilServed(`http://localhost:${PROXY_PORT}/health`);
    browser = await openBrowser();
    server = await FreshMcpServer.write();
  });
  afterEach(() => server?.stop());
  afterAll(async () => {
    await browser?.close();
    if (inspector?.pid !== undefined) process.kill(-inspector.pid);
    await server?.remove();
    if (place) await rm(place, { recursive: true, force: true });
  });

  it.each([
    ['without a global prefix', ''],
    ['with a global prefix', '/api'],
  ])('registers, signs its user in and calls a tool, %s', async (_name, prefix) => {
    await server!.start(prefix);
    const { page } = await openPage(browser!, {});
    const resource = `${server!.url}${prefix}/mcp`;
    const query = new URLSearchParams({ transport: 'streamable-http', serverUrl: resource });
    await page.goto(`http://localhost:${PORT}/?${query.toString()}`);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    const consent = await signInForConsent(page);
    expect(consent).toContain('Read your account');
    expect(consent).toContain(resource);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('button', { name: 'List Tools' }).click();
    await page.getByText('whoami').first().click();
    await page.getByRole('button', { name: 'Run Tool' }).click();
    await page.getByText('Tool Result').waitFor();
    expect(await page.locator('body').innerText()).toMatch(/Tool Result: Success\s+"alice"/);
    await page.context().close();
  });
});
