import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Browser } from 'playwright-core';

import { describeInBrowser, openBrowser, openPage } from '../browser/browser.js';
import { freePort } from '../support/environment/free-port.js';
import { FreshMcpServer, installProgram, signInForConsent } from './fresh-mcp-server.js';

const VERSION = '0.15.1';

describeInBrowser(`mcp-remote ${VERSION} at a fresh server of nest add --features=mcp`, () => {
  let [place, settings] = ['', ''];
  let browser: Browser | undefined;
  let server: FreshMcpServer | undefined;
  let client: Client | undefined;

  beforeAll(async () => {
    place = await installProgram(`mcp-remote@${VERSION}`);
    settings = await mkdtemp(join(tmpdir(), 'mcp-remote-'));
    browser = await openBrowser();
    server = await FreshMcpServer.write();
    await server.start();
  });
  afterEach(() => client?.close());
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await server?.remove();
    for (const folder of [place, settings].filter(Boolean)) await rm(folder, { recursive: true, force: true });
  });

  /** Starts mcp-remote, and opens the URL that it prints. Returns the texts of the consent pages. */
  async function connect(): Promise<string[]> {
    const program = join(place, 'node_modules/mcp-remote/dist/proxy.js');
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, `${server!.url}/mcp`, String(await freePort())],
      // Without PATH it finds no program that opens a browser.
      env: { HOME: settings, MCP_REMOTE_CONFIG_DIR: settings, PATH: '' },
      stderr: 'pipe',
    });
    const consents: Promise<string>[] = [];
    let printed = '';
    transport.stderr!.on('data', (part: Buffer) => {
      printed += part.toString();
      const url = /visiting:\n(\S+)\n/.exec(printed)?.[1];
      if (url !== undefined && consents.length === 0) consents.push(allow(url));
    });
    client = new Client({ name: 'test', version: '1' });
    await client.connect(transport, { timeout: 50_000 });
    return Promise.all(consents);
  }

  async function allow(url: string): Promise<string> {
    const { page } = await openPage(browser!, {});
    await page.goto(url);
    const consent = await signInForConsent(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(/^http:\/\/(?:localhost|127\.0\.0\.1):\d+\/oauth\/callback/);
    await page.context().close();
    return consent;
  }

  async function callTool(): Promise<unknown> {
    const { tools } = await client!.listTools();
    expect(tools.map(({ name }) => name)).toContain('whoami');
    return (await client!.callTool({ name: 'whoami', arguments: {} })).content;
  }

  it('registers, signs its user in once and calls a tool', async () => {
    const [consent] = await connect();
    expect(consent).toContain('Read your account');
    expect(consent).toContain(`${server!.url}/mcp`);
    expect(await callTool()).toEqual([{ type: 'text', text: 'alice' }]);
    await client!.close();

    expect(await connect()).toEqual([]);
    expect(await callTool()).toEqual([{ type: 'text', text: 'alice' }]);
  });
});
