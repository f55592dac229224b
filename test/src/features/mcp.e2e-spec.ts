import { Controller, Get, type INestApplication } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, type OAuth2ModuleOptions, Scopes } from 'nest-oauth2';
import { protectedResource, serverMetadata } from 'nest-oauth2/features';
import { mcp, type McpOptions } from 'nest-oauth2/mcp';
import { readResponse, get } from '../../support/clients/http.js';
import { McpController, mcpModule, mcpStore, NOTES } from '../../support/servers/mcp-application.js';
import {
  type TestApplicationOptions,
  type Platform,
  PLATFORMS,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';

const ISSUER = 'https://mcp.example';
const PAGE = 'http://localhost:6274';

async function start(
  platform: Platform,
  options: Partial<OAuth2ModuleOptions> = {},
  host: TestApplicationOptions = {},
) {
  const features = [mcp({ ...NOTES, hosts: '*' })]; // The tests use the address of the application, not of the issuer.
  const { url } = await startApplication(platform, mcpModule({ issuer: ISSUER, features, ...options }), host);
  return {
    url,
    read: async (path: string) => (await readResponse(get(url + path))).body as Record<string, unknown>,
    call: (message: unknown, headers = {}) => {
      const body = JSON.stringify(message);
      const asJson = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      return fetch(`${url}/mcp`, { method: 'POST', body, headers: { ...asJson, ...headers } });
    },
  };
}

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add_note' } };

describe.each(PLATFORMS)('`mcp()` on %s', (platform) => {
  afterEach(stopApplications);

  it('publishes server and resource metadata with a single line of configuration', async () => {
    const { read } = await start(platform);
    expect(await read('/.well-known/oauth-authorization-server')).toEqual({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      token_endpoint: `${ISSUER}/oauth/token`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['RS256', 'ES256']),
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'fragment'],
      grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      protected_resources: [`${ISSUER}/mcp`],
      scopes_supported: ['notes:read'],
      registration_endpoint: `${ISSUER}/oauth/register`,
      client_id_metadata_document_supported: true,
    });
    const resource = {
      resource: `${ISSUER}/mcp`,
      authorization_servers: [ISSUER],
      scopes_supported: ['notes:read'],
      bearer_methods_supported: ['header', 'body'],
    };
    expect(await read('/.well-known/oauth-protected-resource/mcp')).toEqual(resource);
    expect(await read('/.well-known/oauth-protected-resource')).toEqual(resource);
  });

  it.each<[string, McpOptions, string]>([
    ['as a path', { resource: '/api/mcp' }, `${ISSUER}/api/mcp`],
    ['as a URL', { resource: 'https://tools.example/mcp' }, 'https://tools.example/mcp'],
    ['as an origin without a path', { resource: 'https://tools.example' }, 'https://tools.example'],
  ])('uses the configured resource given %s', async (_name, options, resource) => {
    const { read } = await start(platform, { features: [mcp({ ...options, name: 'Notes', scopes: ['notes:read'] })] });
    const said = { resource, resource_name: 'Notes', scopes_supported: ['notes:read'] };
    const { pathname } = new URL(resource);
    expect(await read(`/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`)).toMatchObject(said);
    expect(await read('/.well-known/oauth-protected-resource')).toMatchObject(said);
  });

  it('gives precedence to the same feature in the application’s own list', async () => {
    const own = [
      serverMetadata({ scopes: ['notes:read'] }),
      protectedResource({ resources: [{ resource: `${ISSUER}/mcp`, members: { resource_name: 'Mine' } }] }),
    ];
    const { read, url } = await start(platform, { features: [mcp({ name: 'Theirs' }), ...own] });
    expect(await read('/.well-known/oauth-authorization-server')).toMatchObject({ scopes_supported: ['notes:read'] });
    expect(await read('/.well-known/oauth-protected-resource/mcp')).toMatchObject({ resource_name: 'Mine' });
    expect((await get(`${url}/.well-known/oauth-protected-resource`)).status).toBe(404);
  });

  it('does not publish OpenID provider metadata', async () => {
    const { url } = await start(platform);
    expect((await get(`${url}/.well-known/openid-configuration`)).status).toBe(404);
  });

  it('sends a client without a token a challenge with the metadata URL and the required scope', async () => {
    const { call } = await start(platform);
    const at = `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/mcp"`;
    const requested = async (message: unknown, headers = {}) => {
      const response = await call(message, headers);
      return [response.status, response.headers.get('www-authenticate')];
    };
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize' };
    expect(await requested(initialize)).toEqual([401, `Bearer realm="Service",${at},scope="notes:read"`]);
    expect(await requested(CALL)).toEqual([401, `Bearer realm="Service",${at},scope="notes:read notes:write"`]);
    expect(await requested(initialize, { authorization: 'Bearer wrong' })).toEqual([
      401,
      `Bearer realm="Service",error="invalid_token",${at},scope="notes:read"`,
    ]);
  });

  it('lets pages of any origin read responses of the resource, including preflights', async () => {
    const { call, url } = await start(platform);
    const { headers } = await call(CALL, { origin: PAGE });
    expect(headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(headers.get('access-control-expose-headers')).toBe('Retry-After, WWW-Authenticate, DPoP-Nonce, *');
    const asks = (path: string, requested: string) =>
      readResponse(
        fetch(url + path, {
          method: 'OPTIONS',
          headers: {
            origin: PAGE,
            'access-control-request-method': 'POST',
            'access-control-request-headers': requested,
          },
        }),
      );
    expect(await asks('/mcp', 'authorization,mcp-protocol-version')).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': PAGE,
        'access-control-allow-headers': 'authorization,mcp-protocol-version',
        'access-control-allow-methods': expect.stringContaining('DELETE'),
      },
    });
    expect(await asks('/oauth/token', 'content-type')).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': PAGE },
    });
    expect((await asks('/oauth/authorize', 'x')).headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('never allows cross-origin requests with cookies, even if the application’s CORS does', async () => {
    const prepare = (app: INestApplication) => app.enableCors({ origin: 'https://app.example', credentials: true });
    const { call } = await start(platform, {}, { prepare });
    const { headers } = await call(CALL, { origin: PAGE });
    const said = ['allow-origin', 'allow-credentials'].map((name) => headers.get(`access-control-${name}`));
    expect(said).not.toEqual([PAGE, 'true']);
  });

  it.each<[string, Partial<OAuth2ModuleOptions>]>([
    ['any origin by default', {}],
    ['the origins of `cors`', { cors: { origins: [PAGE], resources: true } }],
  ])('allows %s in preflight responses, also if enableCors() allows only other origins', async (_, options) => {
    const own = 'https://own.example';
    const prepare = (app: INestApplication) => app.enableCors({ origin: own, credentials: true, maxAge: 7 });
    const { url } = await start(platform, options, { prepare });
    const alone = await start(platform, options);
    const preflight = (base: string, path: string, origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-a' };
      return readResponse(fetch(base + path, { method: 'OPTIONS', headers }));
    };
    const expected = await preflight(alone.url, '/mcp', PAGE);
    expect(expected.headers['access-control-allow-origin']).toBe(PAGE);
    // The hook of Fastify adds a name to `Vary`.
    const headers = { ...expected.headers, vary: expect.stringContaining('Origin') };
    expect(await preflight(url, '/mcp', PAGE)).toEqual({ ...expected, headers });
    expect((await preflight(url, '/mcpx', PAGE)).headers).toMatchObject({
      'access-control-allow-origin': own,
      'access-control-max-age': '7',
    });
  });

  it('leaves preflight requests of other origins than those of `cors` to enableCors()', async () => {
    const own = 'https://own.example';
    const cors = { origins: ['https://app.example'], resources: true };
    const { url } = await start(platform, { cors }, { prepare: (app) => app.enableCors({ origin: own }) });
    for (const origin of [own, PAGE]) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const response = await fetch(`${url}/mcp`, { method: 'OPTIONS', headers });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, own]);
    }
  });

  it('allows cross-origin requests only to the resource', async () => {
    const { url } = await start(platform);
    const { headers } = await get(`${url}/mcpx`, { origin: PAGE });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('respects the origins of the option `cors`', async () => {
    const { call } = await start(platform, { cors: { origins: ['https://app.example'], resources: true } });
    const from = async (origin: string) => (await call(CALL, { origin })).headers.get('access-control-allow-origin');
    expect(await from('https://app.example')).toBe('https://app.example');
    expect(await from(PAGE)).toBeNull();
  });

  it.each<[string, string, Partial<OAuth2ModuleOptions>]>([
    [
      'PKCE required of public clients only',
      '`mcp()` requires a PKCE challenge of every client',
      { requirePKCE: 'public' },
    ],
    ['the plain challenge method', '`mcp()` rejects the PKCE method `plain`', { enablePlainPKCE: true }],
    ['access tokens in URLs', '`mcp()` rejects access tokens in a URL', { allowBearerTokensInQueryString: true }],
    ['no issuer', 'option `issuer`', { issuer: undefined }],
    ['a misspelt option', 'unknown option `resources` of `mcp()`', { features: [mcp({ resources: [] } as never)] }],
    ['a resource without a scheme', 'must be an https URL', { features: [mcp({ resource: 'mcp.example/mcp' })] }],
    [
      'a resource that is missing in the application’s own list of resources',
      'must list the resource `/tools` of `mcp()`',
      {
        features: [protectedResource({ resources: [{ resource: `${ISSUER}/mcp` }] }), mcp({ resource: '/tools' })],
      },
    ],
  ])('fails at start-up with %s', async (_name, sentence, options) => {
    await expect(start(platform, options)).rejects.toThrow(sentence);
  });
});

describe.each(PLATFORMS)('an MCP resource server on %s', (platform) => {
  afterEach(stopApplications);

  @Controller('mcp')
  class Tools extends McpController {
    @Get('status')
    @Scopes()
    status() {
      return { up: true };
    }
  }

  it('publishes the same metadata with an asynchronous issuer, a request-scoped model and no endpoints', async () => {
    const { url } = await startApplication(platform, {
      imports: [
        OAuth2Module.forRootAsync({
          // Request-scoped, because it injects a request-scoped provider.
          model: { inject: [REQUEST], useFactory: () => mcpStore() },
          features: [mcp({ ...NOTES, hosts: '*', origins: [PAGE] })],
          controllers: false,
          useFactory: async () => ({ issuer: ISSUER }),
        }),
      ],
      controllers: [Tools],
    });
    const metadata = `${ISSUER}/.well-known/oauth-protected-resource/mcp`;
    const document = await readResponse(get(metadata.replace(ISSUER, url)));
    expect(document.body).toMatchObject({ resource: `${ISSUER}/mcp`, authorization_servers: [ISSUER] });
    const refused = await fetch(`${url}/mcp`, { method: 'POST', body: 'x', headers: { origin: PAGE } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, PAGE]);
    // Inherited methods are also checked. The required scopes are those of all tools, as the called tool is unknown.
    expect(refused.headers.get('www-authenticate')).toContain(`"${metadata}",scope="notes:read notes:write"`);
    const status = await get(`${url}/mcp/status`);
    expect([status.status, status.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="Service",resource_metadata="${metadata}"`,
    ]);
  });
});
