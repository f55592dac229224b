import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { All, Body, Controller, Inject, Req, Res, UseGuards } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  CurrentUser,
  type NativeRequest,
  OAuth2Elicitations,
  OAuth2Upstreams,
  OAuthGuard,
  UserRequired,
} from 'nest-oauth2';
import { mcp } from 'nest-oauth2/mcp';
import { urlElicitation } from 'nest-oauth2/pages';

import { freePort } from '../../support/environment/free-port.js';
import { type McpRequest, type McpResponse, serveMcp } from '../../support/servers/mcp-handler.js';
import { type Platform, PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import type { ShownPage } from '../pages/page-browser.js';
import { startSite } from '../upstreams/site.js';

/** An MCP server with a tool that calls the API of Acme for its user. */
@Controller('mcp')
@UseGuards(OAuthGuard)
@UserRequired()
class AcmeTools {
  constructor(
    @Inject(OAuth2Elicitations) private readonly elicitations: OAuth2Elicitations,
    @Inject(OAuth2Upstreams) private readonly upstreams: OAuth2Upstreams,
  ) {}

  @All()
  async handle(
    @Req() request: NativeRequest & McpRequest,
    @Res() response: McpResponse,
    @Body() body: unknown,
    @CurrentUser() user: { id: string },
  ): Promise<void> {
    const createServer = () => {
      const server = new McpServer({ name: 'acme', version: '1.0.0' });
      server.registerTool('calendar', {}, () =>
        this.elicitations.run(request, async () => {
          const { accessToken } = await this.upstreams.token(user, 'acme', { scope: 'calendar' });
          return { content: [{ type: 'text' as const, text: accessToken }] };
        }),
      );
      return server;
    };
    await serveMcp(createServer, { request, response, body });
  }
}

async function start(platform: Platform) {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const client = {
    id: 'app',
    secret: 'secret',
    grants: ['authorization_code'],
    redirectUris: ['https://app.example/'],
  };
  const site = await startSite({
    platform,
    issuer,
    vault: true,
    features: [mcp(), urlElicitation()],
    controllers: [AcmeTools],
    application: { port },
  });
  await site.model.saveClient(client);
  const accessTokenExpiresAt = new Date(Date.now() + 3_600_000);
  const token = { accessToken: 'token-of-alice', accessTokenExpiresAt, issuer, resource: [`${issuer}/mcp`] };
  await site.model.saveToken({ ...token, client, user: { id: '1' } }, client, { id: '1' });
  return { ...site, issuer };
}

describe.each(PLATFORMS)('a tool that needs the token of a provider, on %s', (platform) => {
  afterEach(stopApplications);

  it('lets the user connect the provider in a browser, and continues the call of the official SDK', async () => {
    const { issuer, acme, browser } = await start(platform);
    const alice = browser();
    await alice.signIn('/oauth/login');
    const shown: ShownPage[] = [];
    /** Opens the URL as the user does, and gives consent at the provider. */
    const connect = async (url: string) => {
      expect(url).toMatch(`${issuer}/oauth/elicitation?`);
      const { location: consent } = await alice.get(url.slice(issuer.length));
      const page = await alice.get(consent!);
      const { location } = await alice.press(page, '/oauth/connections/consent');
      acme.issues = { access_token: 'calendar-of-alice', expires_in: 3600 };
      shown.push(page, await alice.get(acme.respond(location, { sub: 'a-1', name: 'Alice' })));
    };
    const messages: string[] = [];
    let connecting: Promise<void> | undefined;
    const client = new Client(
      { name: 'sdk', version: '1.0.0' },
      { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: 'auto' } },
    );
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const { url, message } = params as { url: string; message: string };
      messages.push(message);
      // The user connects after the client has repeated its call.
      connecting = new Promise((resolve, reject) => {
        setTimeout(() => {
          connect(url).then(resolve, reject);
        }, 500);
      });
      return { action: 'accept' };
    });
    const requestInit = { headers: { authorization: 'Bearer token-of-alice' } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${issuer}/mcp`), { requestInit }));

    const call = async () => client.callTool({ name: 'calendar', arguments: {} });
    expect(await call()).toMatchObject({ content: [{ type: 'text', text: 'calendar-of-alice' }] });
    await connecting;
    expect(messages).toEqual(['Connect your Acme account to continue.']);
    expect(shown.map(({ status }) => status)).toEqual([200, 303]);
    expect(shown[0]!.html).toContain('Continue to Acme');
    expect(await call()).toMatchObject({ content: [{ type: 'text', text: 'calendar-of-alice' }] });
    expect(messages).toHaveLength(1);
    await client.close();
  });
});
