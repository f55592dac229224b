import { All, Controller, Get, Inject, type LoggerService, Post, Req, Res } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  type NativeReply,
  type NativeRequest,
  OAuth2Module,
  OAuth2Server,
  sendOAuthResponse,
  toOAuthRequest,
} from 'nest-oauth2';
import { Request, Response } from 'nest-oauth2/server';
import { CALLBACK, demoModule, demoStore } from '../support/servers/demo.js';
import { readResponse, basic, bearer, get, NO_STORE, post, expectedRefusal } from '../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';

const requested = {
  response_type: 'code',
  client_id: 'web',
  scope: 'notes:read',
  state: 'xyz',
  redirect_uri: CALLBACK,
};
const query = new URLSearchParams(requested).toString();
const redirect = (location: unknown) => ({ status: 302, headers: { 'cache-control': 'no-store', location }, body: '' });
const withCode = redirect(expect.stringMatching(/^https:\/\/app\.example\/callback\?code=[\da-f]{64}&state=xyz$/));

/** A controller that handles authorization requests itself. */
@Controller('own')
class OwnController {
  constructor(@Inject(OAuth2Server) private readonly server: OAuth2Server) {}

  @Get('authorize')
  async ask(@Req() native: NativeRequest, @Res() reply: NativeReply) {
    const response = new Response();
    try {
      const {
        client,
        requestedScope: scope,
        redirectUri,
      } = await this.server.readAuthorizationRequest(toOAuthRequest(native), response);
      response.body = { client: client.id, scope, redirectUri };
    } catch {
      // The response already contains the error.
    }
    sendOAuthResponse(response, reply);
  }

  @Post('authorize')
  async decide(@Req() native: NativeRequest, @Res() reply: NativeReply) {
    const response = new Response();
    const authenticateHandler = { handle: () => ({ id: 'alice' }) };
    await this.server.authorize(toOAuthRequest(native), response, { authenticateHandler }).catch(() => undefined);
    sendOAuthResponse(response, reply);
  }

  @All('twice')
  sendTwice(@Req() _native: NativeRequest, @Res() reply: NativeReply) {
    const response = new Response();
    sendOAuthResponse(response, reply);
    sendOAuthResponse(response, reply);
  }
}

describe.each(PLATFORMS)('a controller of the application that calls OAuth2Server, on %s,', (platform) => {
  afterEach(stopApplications);

  it('can validate an authorization request and decide on it later', async () => {
    const { url } = await startApplication(platform, {
      imports: [OAuth2Module.forRoot({ model: demoStore(), controllers: false })],
      controllers: [OwnController],
    });
    expect(await readResponse(get(`${url}/own/authorize?${query}`))).toEqual({
      status: 200,
      headers: { 'content-type': NO_STORE['content-type'] },
      body: { client: 'web', scope: 'notes:read', redirectUri: CALLBACK },
    });
    expect((await get(`${url}/own/authorize`)).status).toBe(400);
    expect(await readResponse(post(`${url}/own/authorize?${query}`, {}))).toEqual(withCode);
    const denied = await readResponse(post(`${url}/own/authorize?${query}&allowed=false`, {}));
    expect(denied.headers['location']).toMatch(/\?error=access_denied&/);
    expect((await get(`${url}/own/twice`)).status).toBe(200);
  });
});

describe.each(PLATFORMS)('an application without an interaction, on %s,', (platform) => {
  afterEach(stopApplications);

  it('finds its user by a classic authenticateHandler, which receives the native request', async () => {
    const handle = jest.fn((request: Request) =>
      request['native'].headers.cookie === 'user=alice' ? { id: 'alice' } : null,
    );
    const { url } = await startApplication(platform, demoModule({ authenticateHandler: { handle } }));
    expect(await readResponse(get(`${url}/oauth/authorize?${query}`, { cookie: 'user=alice' }))).toEqual(withCode);
    expect(await readResponse(post(`${url}/oauth/authorize`, requested, { cookie: 'user=alice' }))).toEqual(withCode);
    expect(handle.mock.calls[0]?.[0]).toBeInstanceOf(Request);
    const denied = await readResponse(get(`${url}/oauth/authorize?${query}&allowed=false`, { cookie: 'user=alice' }));
    expect(denied.headers['location']).toMatch(/\?error=access_denied&/);
    expect((await get(`${url}/oauth/authorize?${query}`)).status).toBe(503);
  });

  it('lets the authenticateHandler send a response itself', async () => {
    const handle = (_request: Request, response: Response) => response.redirect('/login');
    const { url } = await startApplication(platform, demoModule({ authenticateHandler: { handle: handle as never } }));
    const { status, headers } = await readResponse(get(`${url}/oauth/authorize?${query}`));
    expect({ status, location: headers['location'] }).toEqual({ status: 302, location: '/login' });
  });

  it('logs at start-up that it needs an interaction or a handler, if it has neither', async () => {
    const error = jest.fn<LoggerService['error']>();
    const module = demoModule({ interaction: undefined, secret: undefined });
    const { url } = await startApplication(platform, module, { logger: { error, log() {}, warn() {} } });
    const form = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'notes:read' };
    const { body } = await readResponse(post(`${url}/oauth/token`, form, basic('web', 'web-secret')));
    const { access_token: token } = body as { access_token: string };
    const wider = new URLSearchParams({ ...requested, scope: 'notes:read notes:write' });
    const faulty = expectedRefusal(
      'server_error',
      'Server error: the request could not be handled; the server log has the reason',
      500,
    );
    expect(await readResponse(get(`${url}/oauth/authorize?${wider.toString()}`, bearer(token)))).toEqual(faulty);
    expect(await readResponse(post(`${url}/oauth/authorize`, requested, bearer(token)))).toEqual(faulty);
    expect(await readResponse(get(`${url}/oauth/authorize?${query}`))).toEqual(faulty);
    expect(error.mock.calls.map(([message]) => message)).toEqual(Array.from({ length: 3 }, () => LACK));
  });
});

const LACK =
  'Invalid argument: the authorization endpoint cannot sign users in: add `pages()` to `features`, or set `interaction` or `authenticateHandler`';
