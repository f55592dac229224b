import {
  All,
  Controller,
  type INestApplication,
  Logger,
  UseGuards,
  VERSION_NEUTRAL,
  VersioningType,
} from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Module, type OAuth2ModuleOptions, OAuthGuard, Scopes, UseOAuth } from 'nest-oauth2';
import { protectedResource, resourceIndicators } from 'nest-oauth2/features';
import { mcp } from 'nest-oauth2/mcp';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { basic, bearer, get, post, readResponse } from '../../support/clients/http.js';
import { SECRET } from '../../support/servers/demo.js';
import { NOTES } from '../../support/servers/mcp-application.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const ISSUER = 'https://mcp.example';
/** The requests of the tests have the host of the test application. */
const TOOLS = { ...NOTES, hosts: '*' } as const;
const PAGE = 'https://app.example';

@Controller('mcp')
@UseGuards(OAuthGuard)
@Scopes('notes:read')
class Endpoint {
  @All()
  serve() {
    return 'mcp';
  }
}

@Controller({ path: 'mcp', version: VERSION_NEUTRAL })
class NeutralEndpoint extends Endpoint {}

@Controller({ path: 'mcp', version: ['1', '2'] })
class TwoEndpoints extends Endpoint {}

@Controller('mcp/stream')
class EndpointBelow extends Endpoint {}

@Controller(':organization/mcp')
class TenantEndpoint extends Endpoint {}

@Controller('mcp')
@UseOAuth('tools')
class NamedEndpoint extends Endpoint {}

const model = () =>
  new MemoryStore({
    clients: [{ id: 'web', secret: 'web-secret', grants: ['client_credentials'], scopes: NOTES.scopes }],
    users: { findById: () => undefined, findByCredentials: () => undefined },
  });

const moduleOf = (options: Partial<OAuth2ModuleOptions> = {}) =>
  OAuth2Module.forRoot({
    model: model(),
    secret: SECRET,
    interaction: null,
    issuer: ISSUER,
    features: [mcp(TOOLS)],
    ...options,
  });

type Prepare = (app: INestApplication) => unknown;
const prefixed: Prepare = (app) => app.setGlobalPrefix('api');

/** Returns what a client finds: the challenge, the metadata, and whether its token is accepted. */
async function connect(
  url: string,
  { issuer = ISSUER, path, oauth }: { issuer?: string; path: string; oauth: string },
) {
  const resource = new URL(issuer).origin + path;
  const challenge = (await get(url + path)).headers.get('www-authenticate') ?? '';
  const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1];
  const described = metadata && (await readResponse(get(url + new URL(metadata).pathname)));
  const statusWith = async (more: { resource?: string }) => {
    const form = { grant_type: 'client_credentials', scope: 'notes:read', ...more };
    const { body } = await readResponse(post(`${url}${oauth}/token`, form, basic('web', 'web-secret')));
    return (await get(url + path, bearer((body as { access_token: string }).access_token))).status;
  };
  const headers = { origin: PAGE, 'access-control-request-method': 'POST' };
  const preflight = await fetch(url + path, { method: 'OPTIONS', headers });
  return {
    metadata,
    described: described && (described.body as { resource: string }).resource,
    called: await statusWith({ resource }),
    calledWithoutResource: await statusWith({}),
    preflight: preflight.headers.get('access-control-allow-origin'),
  };
}

const connected = (path: string, issuer = ISSUER) => ({
  metadata: `${new URL(issuer).origin}/.well-known/oauth-protected-resource${path}`,
  described: new URL(issuer).origin + path,
  called: 200,
  calledWithoutResource: 401,
  preflight: PAGE,
});

describe.each(PLATFORMS)('the resource of `mcp()` on %s', (platform) => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const warnings = () => warn.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('mcp'));
  afterEach(async () => {
    warn.mockClear();
    await stopApplications();
  });

  it.each<[string, new () => object, Prepare, string, string]>([
    ['without a prefix', Endpoint, () => undefined, '/mcp', '/oauth'],
    ['with a global prefix', Endpoint, prefixed, '/api/mcp', '/api/oauth'],
    [
      'with slashes around the prefix',
      Endpoint,
      (app) => app.setGlobalPrefix('/api/v1/'),
      '/api/v1/mcp',
      '/api/v1/oauth',
    ],
    ['if it is excluded', Endpoint, (app) => app.setGlobalPrefix('api', { exclude: ['mcp'] }), '/mcp', '/api/oauth'],
    [
      'with a version',
      Endpoint,
      (app) => app.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' }),
      '/v2/mcp',
      '/oauth',
    ],
    [
      'with a prefix and a version',
      Endpoint,
      (app) => prefixed(app) && app.enableVersioning({ type: VersioningType.URI, prefix: 'r', defaultVersion: '2' }),
      '/api/r2/mcp',
      '/api/oauth',
    ],
    [
      'if it has no version',
      NeutralEndpoint,
      (app) => prefixed(app) && app.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' }),
      '/api/mcp',
      '/api/oauth',
    ],
    [
      'if the version is in a header',
      Endpoint,
      (app) =>
        prefixed(app) &&
        app.enableVersioning({ type: VersioningType.HEADER, header: 'v', defaultVersion: VERSION_NEUTRAL }),
      '/api/mcp',
      '/api/oauth',
    ],
  ])('is the path of its route %s', async (_name, endpoint, prepare, path, oauth) => {
    const { url } = await startApplication(platform, { imports: [moduleOf()], controllers: [endpoint] }, { prepare });
    expect(await connect(url, { path, oauth })).toEqual(connected(path));
    expect(warnings()).toEqual([]);
    const elsewhere = path === '/mcp' ? '/api/mcp' : '/mcp';
    expect((await get(`${url}/.well-known/oauth-protected-resource${elsewhere}`)).status).toBe(404);
  });

  it('contains the path that `RouterModule` puts before the module of its route', async () => {
    class ToolsModule {}
    const tools = { module: ToolsModule, controllers: [Endpoint] };
    const imports = [
      moduleOf({ isGlobal: true, features: [mcp({ ...TOOLS, resource: 'tools/mcp' })] }),
      tools,
      RouterModule.register([{ path: 'tools', module: ToolsModule }]),
    ];
    const { url } = await startApplication(platform, { imports }, { prepare: prefixed });
    expect(await connect(url, { path: '/api/tools/mcp', oauth: '/api/oauth' })).toEqual(connected('/api/tools/mcp'));
  });

  it('contains the routes below it', async () => {
    const { url } = await startApplication(
      platform,
      { imports: [moduleOf()], controllers: [EndpointBelow] },
      { prepare: prefixed },
    );
    const challenge = (await get(`${url}/api/mcp/stream`)).headers.get('www-authenticate');
    expect(challenge).toContain(`resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/api/mcp"`);
  });

  it('has no prefix if the application registers it on the platform', async () => {
    const { url } = await startApplication(platform, { imports: [moduleOf()] }, { prepare: prefixed });
    const { body } = await readResponse(get(`${url}/.well-known/oauth-protected-resource/mcp`));
    expect(body).toMatchObject({ resource: `${ISSUER}/mcp` });
  });

  it('is unchanged if the application sets it', async () => {
    const features = [mcp({ ...TOOLS, resource: '/mcp' })];
    const { url } = await startApplication(
      platform,
      { imports: [moduleOf({ features })], controllers: [Endpoint] },
      { prepare: prefixed },
    );
    const { body } = await readResponse(get(`${url}/.well-known/oauth-protected-resource/mcp`));
    expect(body).toMatchObject({ resource: `${ISSUER}/mcp` });
    expect(warnings()).toEqual([expect.stringContaining('it is at /api/mcp because of the global prefix: set')]);
  });

  it('is the first of several paths, and the log lists them all', async () => {
    const prepare: Prepare = (app) => app.enableVersioning({ type: VersioningType.URI });
    const { url } = await startApplication(
      platform,
      { imports: [moduleOf()], controllers: [TwoEndpoints] },
      { prepare },
    );
    expect(await connect(url, { path: '/v1/mcp', oauth: '/oauth' })).toEqual(connected('/v1/mcp'));
    expect(warnings()).toEqual([
      "Only /v1/mcp is the protected resource `mcp`, and the route is at /v1/mcp and /v2/mcp: list them, as in `mcp({ resource: ['/v1/mcp', '/v2/mcp'] })`.",
    ]);
  });

  it('has the prefix at a named server', async () => {
    const issuer = `${ISSUER}/tools`;
    const named = moduleOf({ name: 'tools', issuer, paths: { prefix: 'tools' } });
    const plain = moduleOf({ features: [] });
    const { url } = await startApplication(
      platform,
      { imports: [plain, named], controllers: [NamedEndpoint] },
      { prepare: prefixed },
    );
    expect(await connect(url, { issuer, path: '/api/mcp', oauth: '/api/tools' })).toEqual(
      connected('/api/mcp', issuer),
    );
  });

  it('has the prefix and the path of each tenant', async () => {
    const tenants: OAuth2ModuleOptions['tenants'] = {
      findTenant: ({ path }) => path.split('/')[2],
      createTenantOptions: (id) => ['acme', 'globex'].includes(id) && { issuer: `${ISSUER}/api/${id}` },
    };
    const features = [mcp({ ...TOOLS, resource: ':tenant/mcp' })];
    const imports = [moduleOf({ issuer: undefined, tenants, features, paths: { prefix: ':tenant/oauth' } })];
    const { url } = await startApplication(platform, { imports, controllers: [TenantEndpoint] }, { prepare: prefixed });
    for (const id of ['acme', 'globex'])
      expect(
        await connect(url, { issuer: `${ISSUER}/api/${id}`, path: `/api/${id}/mcp`, oauth: `/api/${id}/oauth` }),
      ).toEqual(connected(`/api/${id}/mcp`));
  });

  it('has the prefix of tenants that differ in their host', async () => {
    const tenants: OAuth2ModuleOptions['tenants'] = {
      findTenant: () => 'acme',
      createTenantOptions: () => ({ issuer: ISSUER }),
    };
    const imports = [moduleOf({ issuer: undefined, tenants })];
    const { url } = await startApplication(platform, { imports, controllers: [Endpoint] }, { prepare: prefixed });
    expect(await connect(url, { path: '/api/mcp', oauth: '/api/oauth' })).toEqual(connected('/api/mcp'));
  });

  it('prevents the start if the default of `resourceIndicators()` is another resource', async () => {
    const features = [resourceIndicators({ default: `${ISSUER}/mcp` }), mcp(TOOLS)];
    const started = startApplication(
      platform,
      { imports: [moduleOf({ features })], controllers: [Endpoint] },
      { prepare: prefixed },
    );
    await expect(started).rejects.toThrow(
      'Invalid argument: `default` of `resourceIndicators()` contains `https://mcp.example/mcp`: add it to `resources`',
    );
  });

  it('can be a route path in `protectedResource()` too', async () => {
    const features = [
      protectedResource({ resources: [{ resource: 'mcp', scopes: ['notes:read'] }] }),
      resourceIndicators(),
    ];
    const { url } = await startApplication(
      platform,
      { imports: [moduleOf({ features })], controllers: [Endpoint] },
      { prepare: prefixed },
    );
    const { metadata, described, called } = await connect(url, { path: '/api/mcp', oauth: '/api/oauth' });
    expect({ metadata, described, called }).toMatchObject({ described: `${ISSUER}/api/mcp`, called: 200 });
  });
});
