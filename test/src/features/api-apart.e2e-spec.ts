import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AccessToken, CurrentUser, OAuth2Module, OAuthGuard, Scopes, type Token, UserRequired } from 'nest-oauth2';
import {
  IntrospectedTokens,
  type IntrospectedTokensOptions,
  introspection,
  protectedResource,
  resourceIndicators,
  revocation,
  serverMetadata,
} from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';
import { readResponse, basic, bearer, get, post, refusalBody } from '../../support/clients/http.js';
import {
  ANY_PLATFORM,
  type TestApplication,
  type Platform,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';
import { freePort } from '../../support/environment/free-port.js';

// sample/05-resource-server on both platforms.

const NOTES = 'https://notes.example/';
const MAIL = 'https://mail.example/';
const alice = { id: '1', username: 'alice' };
const clients = [
  {
    id: 'demo',
    secret: 'demo-secret',
    grants: ['client_credentials', 'password', 'refresh_token'],
    scopes: ['notes:read', 'notes:write'],
  },
  { id: 'notes-api', secret: 'notes-api-secret', grants: [], resources: [NOTES] },
];
const users = { findById: () => alice, findByCredentials: () => alice };

@Controller('notes')
@UseGuards(OAuthGuard)
@Scopes('notes:read')
class NotesController {
  @Get()
  @UserRequired()
  list(@CurrentUser() user: object, @AccessToken() { client, resource, iss }: Token) {
    return { user, client: client.id, resource, iss };
  }

  @Get('count')
  count() {
    return { count: 1 };
  }

  @Get('write')
  @Scopes('notes:write')
  write() {
    return {};
  }
}

const startServer = (
  platform: Platform,
  port: number,
  store: MemoryStore,
  resources = [NOTES, MAIL],
): Promise<TestApplication> =>
  startApplication(
    platform,
    {
      imports: [
        OAuth2Module.forRoot({
          model: store,
          issuer: `http://127.0.0.1:${port}`,
          features: [serverMetadata(), introspection(), revocation(), resourceIndicators({ resources })],
        }),
      ],
    },
    { port },
  );

const startApi = (platform: Platform, issuer: string, options: Partial<IntrospectedTokensOptions> = {}) => {
  const credentials = { id: 'notes-api', secret: 'notes-api-secret' };
  const model = new IntrospectedTokens({ issuer, credentials, audience: NOTES, ...options });
  const imports = [OAuth2Module.forRoot({ model, controllers: false })];
  return startApplication(platform, { imports, controllers: [NotesController] });
};

const challenge = (error: string) => ({ 'www-authenticate': `Bearer realm="Service",error="${error}"` });
const LATER = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: refusalBody(503, 'temporarily_unavailable', 'Temporarily unavailable: try again later'),
};

describe.each(ANY_PLATFORM)('an API that introspects tokens, and its authorization server, on %s,', (platform) => {
  let store: MemoryStore;
  let port: number;
  let issuer: string;
  let server: TestApplication;
  let api: TestApplication;
  let warnings: jest.SpiedFunction<typeof process.emitWarning>;

  const tokenFor = async (form: Record<string, string>, resource = NOTES): Promise<string> => {
    const requested = { scope: 'notes:read', resource, ...form };
    const { body } = await readResponse(post(`${issuer}/oauth/token`, requested, basic('demo', 'demo-secret')));
    return (body as { access_token: string }).access_token;
  };
  const alices = (resource?: string) =>
    tokenFor({ grant_type: 'password', username: 'alice', password: 'wonderland' }, resource);
  const itsOwn = () => tokenFor({ grant_type: 'client_credentials' });
  const call = async (token: string, path = '', url = api.url) => {
    const { status, headers, body } = await readResponse(get(`${url}/notes${path}`, bearer(token)));
    const { 'retry-after': later, 'www-authenticate': challenged } = headers;
    return { status, headers: { 'retry-after': later, 'www-authenticate': challenged }, body };
  };

  beforeEach(async () => {
    warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    port = await freePort();
    issuer = `http://127.0.0.1:${port}`;
    store = new MemoryStore({ clients, users });
    server = await startServer(platform, port, store);
    api = await startApi(platform, issuer, { cache: { lifetime: 0, negativeLifetime: 0 } });
  });
  afterEach(async () => {
    warnings.mockRestore();
    await stopApplications();
  });

  it('let in a user with a token, and identify the user', async () => {
    expect(await call(await alices())).toMatchObject({
      status: 200,
      body: { user: alice, client: 'demo', resource: [NOTES], iss: issuer },
    });
  });

  it('distinguish a client credentials client from a user', async () => {
    const token = await itsOwn();
    expect(await call(token, '/count')).toMatchObject({ status: 200, body: { count: 1 } });
    expect(await call(token)).toMatchObject({ status: 403, headers: challenge('insufficient_scope') });
  });

  it('reject tokens that are unknown, revoked, lack a scope, or are for another API', async () => {
    const unknown = { status: 401, headers: challenge('invalid_token') };
    expect(await call('unknown')).toMatchObject(unknown);
    const token = await alices();
    const { headers } = await call(token, '/write');
    expect(headers['www-authenticate']).toBe('Bearer realm="Service",error="insufficient_scope",scope="notes:write"');
    expect(await call(token, '/write')).toMatchObject({ status: 403 });
    expect((await readResponse(get(`${api.url}/notes`))).headers['www-authenticate']).toBe('Bearer realm="Service"');

    await post(`${issuer}/oauth/revoke`, { token }, basic('demo', 'demo-secret'));
    expect(await call(token)).toMatchObject(unknown);
    expect(await call(await alices(MAIL))).toMatchObject(unknown);
  });

  it('reject a revoked token as soon as the cached introspection response expires', async () => {
    const remembering = await startApi(platform, issuer, { cache: { lifetime: 20 } });
    const token = await alices();
    expect((await call(token, '', remembering.url)).status).toBe(200);
    await post(`${issuer}/oauth/revoke`, { token }, basic('demo', 'demo-secret'));
    expect((await call(token, '', remembering.url)).status).toBe(200);

    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 21_000);
    expect((await call(token, '', remembering.url)).status).toBe(401);
    clock.mockRestore();
  });

  it('respond with 503 while the authorization server is down, and recover when it is available again', async () => {
    const token = await alices();
    expect(await call(token)).toMatchObject({ status: 200 });
    await server.app.close();
    expect(await call(token)).toEqual({ ...LATER, headers: { ...LATER.headers, 'www-authenticate': undefined } });
    // An API that starts while the authorization server is down gives the same responses.
    const late = await startApi(platform, issuer);
    expect(await call(token, '', late.url)).toMatchObject(LATER);

    server = await startServer(platform, port, store);
    expect(await call(token)).toMatchObject({ status: 200 });
    expect(await call(token, '', late.url)).toMatchObject({ status: 200 });
    expect(warnings).not.toHaveBeenCalled();
  });

  it('log that the secret of the API is wrong, without telling the client', async () => {
    const mistaken = await startApi(platform, issuer, { credentials: { id: 'notes-api', secret: 'wrong' } });
    const token = await alices();
    const answered = await call(token, '', mistaken.url);
    expect(answered).toMatchObject({ ...LATER, headers: { 'retry-after': '30' } });
    expect(JSON.stringify(answered)).not.toContain('notes-api');
    expect(warnings.mock.calls).toEqual([[expect.stringContaining('401 invalid_client')]]);
  });

  it('reject a token if the API that introspects it is not its audience', async () => {
    const other = await startApi(platform, issuer, { audience: MAIL });
    expect(await call(await alices(MAIL), '', other.url)).toMatchObject({ status: 401 });
  });
});

// RFC 9728 §5
describe.each(ANY_PLATFORM)('a client that knows only the URL of an API, on %s,', (platform) => {
  afterEach(stopApplications);

  it('discovers the authorization server of the API, and gets a token that is valid for this API', async () => {
    const [serverPort, apiPort] = [await freePort(), await freePort()];
    const [issuer, api] = [`http://127.0.0.1:${serverPort}`, `http://127.0.0.1:${apiPort}`];
    const [notes, mail] = [`${api}/notes`, `${api}/mail`];
    const credentials = { id: 'api', secret: 'api-secret' };
    const apiClient = { ...credentials, grants: [], resources: [notes, mail] };
    const store = new MemoryStore({ clients: [...clients, apiClient], users });
    await startServer(platform, serverPort, store, [notes, mail]);

    const model = new IntrospectedTokens({ issuer, credentials, audience: null });
    const resources = [notes, mail].map((resource) => ({ resource, authorizationServers: [issuer] }));
    const features = [protectedResource({ resources }), resourceIndicators()];
    const imports = [OAuth2Module.forRoot({ model, features, controllers: false })];
    await startApplication(platform, { imports, controllers: [NotesController] }, { port: apiPort });

    const insecure = { [oauth.allowInsecureRequests]: true };
    const call = (token: string) =>
      oauth.protectedResourceRequest(token, 'GET', new URL(`${notes}/count`), undefined, null, insecure);
    await expect(call('unknown')).rejects.toMatchObject({
      status: 401,
      cause: [{ parameters: { resource_metadata: `${api}/.well-known/oauth-protected-resource/notes` } }],
    });
    const found = await oauth.resourceDiscoveryRequest(new URL(notes), insecure);
    const { authorization_servers: servers } = await oauth.processResourceDiscoveryResponse(new URL(notes), found);
    const url = new URL(servers![0]!);
    const discovered = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(url, discovered);
    const client = { client_id: 'demo' };
    const tokenFor = async (resource: string) => {
      const requested = { scope: 'notes:read', resource };
      const auth = oauth.ClientSecretBasic('demo-secret');
      const response = await oauth.clientCredentialsGrantRequest(server, client, auth, requested, insecure);
      return (await oauth.processClientCredentialsResponse(server, client, response)).access_token;
    };
    expect((await call(await tokenFor(notes))).status).toBe(200);
    // An application with two resources accepts a token only at the resource in its audience.
    await expect(call(await tokenFor(mail))).rejects.toMatchObject({ status: 401 });
  });
});

describe('an API without an authorization server', () => {
  it('reports at start-up that `controllers: false` is missing', async () => {
    const model = new IntrospectedTokens({
      issuer: 'https://id.example',
      credentials: { id: 'a', secret: 'b' },
      audience: null,
    });
    await expect(startApplication('express', { imports: [OAuth2Module.forRoot({ model })] })).rejects.toThrow(
      'the model lacks `getClient()`, `saveToken()`, which the token endpoint needs: implement them, or set `controllers: false` if this API only checks tokens',
    );
  });
});
