import { RouterModule } from '@nestjs/core';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, type OAuth2ModuleOptions } from 'nest-oauth2';
import { introspection, protectedResource, revocation, serverMetadata } from 'nest-oauth2/features';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { pageOf } from '../../support/clients/consent.js';
import {
  CALLBACK,
  DemoInteraction,
  demoModule,
  demoStore,
  NotesController,
  SECRET,
} from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, get, NO_STORE, post } from '../../support/clients/http.js';
import {
  type TestApplication,
  type TestApplicationOptions,
  type Platform,
  PLATFORMS,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';

const ISSUER = 'https://id.example';

/** Sends requests for the issuer to the address where the application listens. */
const networkTo =
  ({ url }: TestApplication, issuer: string): typeof fetch =>
  (input, init) =>
    fetch(String(input instanceof Request ? input.url : input).replace(new URL(issuer).origin, url), {
      ...init,
      redirect: 'manual',
    });

function start(
  platform: Platform,
  options: Partial<OAuth2ModuleOptions> = {},
  host?: TestApplicationOptions,
): Promise<TestApplication> {
  const resources = [{ resource: `${ISSUER}/notes`, scopes: ['notes:read'] }];
  const features = [
    serverMetadata({ scopes: ['notes:read'] }),
    revocation(),
    introspection(),
    protectedResource({ resources }),
  ];
  return startApplication(platform, demoModule({ features, issuer: ISSUER, ...options }), host);
}

/** Approves the consent page as Alice and returns the URL that her browser is redirected to. */
async function consent(network: typeof fetch, url: URL): Promise<URL> {
  const cookie = { cookie: 'user=alice' };
  const { action, csrf_token: csrfToken } = pageOf(await readResponse(network(url, { headers: cookie })));
  const body = new URLSearchParams({ csrf_token: csrfToken, decision: 'allow' });
  const answered = await network(new URL(action, url), { method: 'POST', headers: cookie, body });
  return new URL(answered.headers.get('location')!);
}

/** Runs the code flow with PKCE by `openid-client`, which gets only the issuer. */
async function signIn(issuer: string, network: typeof fetch): Promise<openid.TokenEndpointResponse> {
  const execute = issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [];
  const config = await openid.discovery(new URL(issuer), 'web', 'web-secret', undefined, {
    algorithm: 'oauth2',
    execute,
    [openid.customFetch]: network,
  });
  expect(config.serverMetadata()).toMatchObject({ issuer });
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'notes:read',
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const landed = await consent(network, url);
  return openid.authorizationCodeGrant(config, landed, { pkceCodeVerifier: verifier, expectedState: state });
}

const GRANTED = { access_token: expect.any(String), token_type: 'bearer', scope: 'notes:read' };

describe.each(PLATFORMS)('a client that knows only the issuer, on %s,', (platform) => {
  afterEach(stopApplications);

  it('discovers complete and correct server metadata', async () => {
    const host = await start(platform);
    const options = { algorithm: 'oauth2', [oauth.customFetch]: networkTo(host, ISSUER) } as const;
    const response = await oauth.discoveryRequest(new URL(ISSUER), options);
    const { status, headers } = await readResponse(response.clone());
    expect({ status, headers }).toEqual({
      status: 200,
      headers: {
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=3600',
        'content-type': 'application/json; charset=utf-8',
      },
    });
    expect(await oauth.processDiscoveryResponse(new URL(ISSUER), response)).toEqual({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      token_endpoint: `${ISSUER}/oauth/token`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      revocation_endpoint: `${ISSUER}/oauth/revoke`,
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      introspection_endpoint: `${ISSUER}/oauth/introspect`,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'fragment'],
      grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: ['notes:read'],
      protected_resources: [`${ISSUER}/notes`],
    });
  });

  it.each<[string, string, Partial<OAuth2ModuleOptions>, TestApplicationOptions]>([
    ['issuer without a path', ISSUER, {}, {}],
    ['issuer with a path', `${ISSUER}/tenant`, { paths: { prefix: 'tenant/oauth' } }, {}],
    ['endpoints behind a global prefix', ISSUER, {}, { prepare: (app) => app.setGlobalPrefix('api/v1') }],
    ['endpoints at custom paths', ISSUER, { paths: { prefix: 'auth', token: 'get/token' } }, {}],
  ])('signs a user in by code and PKCE: %s', async (_name, issuer, options, prepared) => {
    const host = await start(platform, { issuer, ...options }, prepared);
    expect(await signIn(issuer, networkTo(host, issuer))).toMatchObject(GRANTED);
  });

  it('signs a user in if the options are asynchronous and the module is mounted under a path', async () => {
    const issuer = `${ISSUER}/realms/a/`;
    const async = OAuth2Module.forRootAsync({
      features: [serverMetadata()],
      model: { useValue: demoStore() },
      interaction: { useClass: DemoInteraction },
      useFactory: async () => ({ issuer, secret: SECRET }),
    });
    const mounted = RouterModule.register([{ path: 'realms/a', module: OAuth2Module }]);
    const host = await startApplication(platform, { imports: [async, mounted], controllers: [NotesController] });
    expect(await signIn(issuer, networkTo(host, issuer))).toMatchObject(GRANTED);
    const appended = await get(`${host.url}/realms/a/.well-known/oauth-authorization-server`);
    expect(await appended.json()).toMatchObject({ issuer, token_endpoint: `${ISSUER}/realms/a/oauth/token` });
  });

  it('signs a user in over plain http at a loopback address', async () => {
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const host = await start(platform, { issuer, features: [serverMetadata()] }, { port });
    expect(host.url).toBe(issuer);
    expect(await signIn(issuer, networkTo(host, issuer))).toMatchObject(GRANTED);
  });

  it('discovers no authorization endpoint if the server cannot ask users', async () => {
    const features = [serverMetadata()];
    const { url } = await startApplication(platform, {
      imports: [OAuth2Module.forRoot({ model: demoStore(), features, issuer: ISSUER })],
    });
    expect((await readResponse(get(`${url}/.well-known/oauth-authorization-server`))).body).toEqual({
      issuer: ISSUER,
      token_endpoint: `${ISSUER}/oauth/token`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      response_types_supported: [],
      grant_types_supported: ['client_credentials', 'refresh_token'],
    });
  });

  it('discovers the endpoints at the declared paths if the application has its own controllers', async () => {
    const features = [serverMetadata(), revocation()];
    const paths = { prefix: 'own', token: 'login/token' };
    const module = OAuth2Module.forRoot({
      model: demoStore(),
      features,
      issuer: ISSUER,
      controllers: false,
      paths,
    });
    const { url } = await startApplication(
      platform,
      { imports: [module] },
      { prepare: (app) => app.setGlobalPrefix('api') },
    );
    expect((await readResponse(get(`${url}/.well-known/oauth-authorization-server`))).body).toMatchObject({
      authorization_endpoint: `${ISSUER}/api/own/authorize`,
      token_endpoint: `${ISSUER}/api/login/token`,
      revocation_endpoint: `${ISSUER}/api/own/revoke`,
    });
    expect((await post(`${url}/api/login/token`, {})).status).toBe(404);
    expect((await post(`${url}/api/own/revoke`, {})).status).toBe(404);
  });

  it('cannot discover endpoints with path parameters: the application does not start', async () => {
    await expect(start(platform, {}, { prepare: (app) => app.setGlobalPrefix(':tenant') })).rejects.toThrow(
      'Invalid argument: `server-metadata` must publish one URL, but the path `/:tenant/oauth/authorize` has a parameter: remove the parameter from the path, or remove the feature from `features`',
    );
  });
});

describe.each(PLATFORMS)('a client that knows only a resource, on %s,', (platform) => {
  afterEach(stopApplications);

  it('follows the challenge of a rejected request to the authorization server, and gets a token there', async () => {
    const host = await start(platform);
    const network = networkTo(host, ISSUER);
    const resource = new URL(`${ISSUER}/notes`);
    const options = { [oauth.customFetch]: network };
    const refused = await oauth
      .protectedResourceRequest('wrong', 'GET', new URL(`${ISSUER}/notes/mine`), undefined, null, options)
      .catch((error: unknown) => error as oauth.WWWAuthenticateChallengeError);
    const { cause } = refused as oauth.WWWAuthenticateChallengeError;
    const { resource_metadata: url } = cause[0]!.parameters;
    expect(url).toBe(`${ISSUER}/.well-known/oauth-protected-resource/notes`);

    const discovered = await oauth.resourceDiscoveryRequest(resource, options);
    expect(discovered.headers.get('access-control-allow-origin')).toBe('*');
    const metadata = await oauth.processResourceDiscoveryResponse(resource, discovered);
    expect(metadata).toEqual({
      resource: resource.href,
      authorization_servers: [ISSUER],
      scopes_supported: ['notes:read'],
      bearer_methods_supported: ['header', 'body'],
    });
    const { access_token: token } = await signIn(metadata.authorization_servers![0]!, network);
    const { status } = await oauth.protectedResourceRequest(token, 'GET', resource, undefined, null, options);
    expect(status).toBe(200);
  });

  it('gets the metadata URL of the resource in a response with insufficient_scope too', async () => {
    const { url } = await start(platform);
    const credentials = { authorization: `Basic ${Buffer.from('web:web-secret').toString('base64')}` };
    const form = { grant_type: 'client_credentials', scope: 'notes:read' };
    const { access_token: token } = (await readResponse(post(`${url}/oauth/token`, form, credentials))).body as {
      access_token: string;
    };
    const { status, headers } = await post(`${url}/notes`, {}, { authorization: `Bearer ${token}` });
    expect([status, headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer realm="Service",error="insufficient_scope",scope="notes:write",resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/notes"`,
    ]);
  });

  it('discovers the authorization server of an API in an application without one', async () => {
    const resources = [{ resource: 'https://api.example/notes', authorizationServers: [ISSUER] }];
    const module = OAuth2Module.forRoot({
      model: { getAccessToken: () => undefined },
      features: [protectedResource({ resources })],
      controllers: false,
    });
    const { url } = await startApplication(platform, { imports: [module], controllers: [NotesController] });
    const { headers } = await get(`${url}/notes/mine`);
    const metadata = 'https://api.example/.well-known/oauth-protected-resource/notes';
    expect(headers.get('www-authenticate')).toBe(`Bearer realm="Service",resource_metadata="${metadata}"`);
    expect((await readResponse(get(metadata.replace('https://api.example', url)))).body).toEqual({
      ...resources[0],
      authorizationServers: undefined,
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header', 'body'],
    });
  });

  it('discovers each of several resources, one of them at the root', async () => {
    const resources = [
      { resource: `${ISSUER}/notes`, members: { resource_name: 'Notes' } },
      { resource: `${ISSUER}/api/v2/mcp`, members: { resource_name: 'Tools' } },
      { resource: ISSUER, members: { resource_name: 'All' } },
    ];
    const { url } = await start(
      platform,
      { features: [protectedResource({ resources })] },
      { prepare: (app) => app.setGlobalPrefix('api') },
    );
    const nameAt = async (path: string) =>
      (
        (await readResponse(get(`${url}/.well-known/oauth-protected-resource${path}`))).body as {
          resource_name?: string;
        }
      ).resource_name;
    expect(await Promise.all(['/notes', '/api/v2/mcp', '', '/other'].map(nameAt))).toEqual([
      'Notes',
      'Tools',
      'All',
      undefined,
    ]);
    expect(await readResponse(post(`${url}/.well-known/oauth-protected-resource/notes`, {}))).toMatchObject({
      status: 405,
      headers: { ...NO_STORE, allow: 'GET, HEAD' },
    });
  });
});
