import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import helmet from 'helmet';
import { OAuth2Module } from 'nest-oauth2';
import { formPost } from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import type { Browser, BrowserContextOptions } from 'playwright-core';

import { SECRET } from '../support/servers/demo.js';
import { freePort } from '../support/environment/free-port.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { describeInBrowser, openBrowser, openPage, signIn } from './browser.js';

/** Starts a client on another origin, which redirects its users to a third one after the response. */
async function startClient(came: URLSearchParams[]): Promise<{ server: Server; url: string }> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') return response.end('<title>Client</title>Welcome');
    came.push(new URLSearchParams(await text(request)));
    const { port } = server.address() as AddressInfo;
    return response.writeHead(303, { location: `http://localhost:${port}/welcome` }).end();
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describeInBrowser('the page of the form_post response mode', () => {
  const came: URLSearchParams[] = [];
  let browser: Browser;
  let client: { server: Server; url: string };
  let requested: string;
  beforeAll(async () => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    client = await startClient(came);
    const redirectUris = [`${client.url}/callback?of=web`];
    const web = {
      id: 'web',
      secret: 'web-secret',
      grants: ['authorization_code'],
      redirectUris,
      scopes: ['notes:read'],
    };
    // A new user signs in each time, because consent is remembered.
    const users = { findById: (id: string) => ({ id }), findByCredentials: () => ({ id: randomUUID() }) };
    const model = new MemoryStore({ clients: [web], users });
    const features = [formPost(), pages()];
    await startApplication(
      'express',
      { imports: [OAuth2Module.forRoot({ model, features, issuer: url, secret: SECRET })] },
      { port, prepare: (app) => app.use(helmet()) },
    );
    const query = { response_type: 'code', client_id: 'web', response_mode: 'form_post', state: `"><b>'&` };
    requested = `${url}/oauth/authorize?${new URLSearchParams({ ...query, scope: 'notes:read' }).toString()}`;
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await stopApplications();
    client.server.closeAllConnections();
    client.server.close();
  });

  it.each([
    { name: 'automatically', options: {} },
    { name: 'with a button if scripts are disabled', options: { javaScriptEnabled: false } },
  ] satisfies { name: string; options: BrowserContextOptions }[])('submits the response $name', async ({ options }) => {
    const { page, complaints } = await openPage(browser, options);
    await page.goto(requested);
    await signIn(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    if ('javaScriptEnabled' in options) await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Welcome').waitFor();
    expect(Object.fromEntries(came.pop()!)).toMatchObject({
      code: expect.stringMatching(/^[\da-f]{64}$/),
      state: `"><b>'&`,
    });
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
