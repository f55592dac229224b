import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { OAuth2ModuleOptions } from 'nest-oauth2';
import { resourceIndicators } from 'nest-oauth2/features';
import type { MemoryStore } from 'nest-oauth2/stores/memory';
import { mcp } from 'nest-oauth2/mcp';
import { pageOf } from '../../support/clients/consent.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse } from '../../support/clients/http.js';
import { mcpModule, mcpStore, NOTES } from '../../support/servers/mcp-application.js';
import {
  ANY_PLATFORM,
  type TestApplicationOptions,
  type Platform,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';
import { type Connection, ClientStorage, type Judge, JUDGES } from './mcp-client.js';

/** Returns a browser in which Alice is signed in and consents to everything. */
const browserOn =
  (network: typeof fetch) =>
  async (url: URL): Promise<URL> => {
    const cookie = { cookie: 'user=alice' };
    const opened = await network(url, { headers: cookie, redirect: 'manual' });
    const location = opened.headers.get('location');
    if (location !== null) return new URL(location);
    const { action, csrf_token: csrfToken } = pageOf(await readResponse(opened));
    const body = new URLSearchParams({ csrf_token: csrfToken, decision: 'allow' });
    const answered = await network(new URL(action, url), { method: 'POST', headers: cookie, body, redirect: 'manual' });
    return new URL(answered.headers.get('location')!);
  };

const documents = new TlsServer();
beforeAll(() => documents.start());
afterAll(() => documents.stop());

interface Setting {
  url: string;
  network: typeof fetch;
  store: MemoryStore;
  keeper(options?: ConstructorParameters<typeof ClientStorage>[1]): ClientStorage;
}

/**
 * Starts an application that clients reach as `https://mcp.example` behind a proxy, which passes paths on or removes a
 * prefix.
 */
async function behindProxy(
  platform: Platform,
  { cut = '', host, ...options }: Partial<OAuth2ModuleOptions> & { cut?: string; host?: TestApplicationOptions } = {},
): Promise<Setting> {
  const store = mcpStore();
  const origin = 'https://mcp.example';
  const { url } = await startApplication(platform, mcpModule({ model: store, issuer: origin, ...options }), {
    trustProxy: true,
    ...host,
  });
  const network: typeof fetch = async (input, init) => {
    const requested = new URL(String(input));
    if (requested.origin !== origin) throw new TypeError(`no server listens at ${requested.origin}`);
    const path = requested.pathname.startsWith(`${cut}/`) ? requested.pathname.slice(cut.length) : requested.pathname;
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries({ host: requested.host, proto: 'https', prefix: cut })) {
      if (value) headers.set(`x-forwarded-${name}`, value);
    }
    return fetch(`${url}${path}${requested.search}`, { ...init, headers });
  };
  const browse = browserOn(network);
  return {
    url: origin,
    network,
    store,
    keeper: (given) => new ClientStorage(browse, { clientId: 'mcp-app', ...given }),
  };
}

/** Starts an application on a loopback address without a proxy. */
async function onLoopback(platform: Platform, options: Partial<OAuth2ModuleOptions> = {}): Promise<Setting> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const store = mcpStore();
  await startApplication(platform, mcpModule({ model: store, issuer: url, ...options }), { port });
  const keeper = (given: object = {}) => new ClientStorage(browserOn(fetch), { clientId: 'mcp-app', ...given });
  return { url, network: fetch, store, keeper };
}

const READ = { content: [{ type: 'text', text: 'Follow the white rabbit' }] };
const ADDED = { content: [{ type: 'text', text: 'added' }] };

const list = (connection: Connection) => connection.callTool('list_notes');
const add = (connection: Connection) => connection.callTool('add_note');

describe.each(
  ANY_PLATFORM.flatMap((platform) => JUDGES.map((judge): [Platform, string, Judge] => [platform, judge.name, judge])),
)('on %s, the MCP SDK %s', (platform, _name, judge) => {
  afterEach(() => {
    jest.restoreAllMocks();
    return stopApplications();
  });

  it('connects from a bare URL by challenge, metadata, code and PKCE', async () => {
    const { url, keeper } = await onLoopback(platform);
    const kept = keeper();
    const connection = await judge.connect(`${url}/mcp`, kept);
    expect(await list(connection)).toMatchObject(READ);
    const requested = Object.fromEntries(kept.shown[0]!.searchParams);
    expect(requested).toMatchObject({ resource: `${url}/mcp`, code_challenge_method: 'S256', scope: 'notes:read' });
    expect(kept.landed?.searchParams.get('iss')).toBe(url);
    expect(kept.shown).toHaveLength(1);
  });

  it('registers itself if it is unknown, and can step up to further scopes later', async () => {
    const { url, keeper } = await onLoopback(platform);
    const kept = keeper({ clientId: undefined, grants: ['authorization_code'] });
    const connection = await judge.connect(`${url}/mcp`, kept);
    expect(await list(connection)).toMatchObject(READ);
    expect(kept.shown[0]!.searchParams.get('client_id')).not.toBe('mcp-app');
    expect(await add(connection)).toMatchObject(ADDED);
    expect(kept.tokens.scope).toBe('notes:read notes:write');
  });

  it('is identified by its metadata document instead of registering, and can step up', async () => {
    const fetched = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };
    const features = [mcp({ ...NOTES, clientIdDocuments: { fetch: fetched } })];
    const { url, keeper } = await onLoopback(platform, { features });
    const clientMetadataUrl = documents.url('/client.json');
    const kept = keeper({ clientId: undefined, clientMetadataUrl, grants: ['authorization_code'] });
    documents.replies['/client.json'] = json({ client_id: clientMetadataUrl, ...kept.clientMetadata });
    const connection = await judge.connect(`${url}/mcp`, kept);
    expect(await list(connection)).toMatchObject(READ);
    expect(kept.shown[0]!.searchParams.get('client_id')).toBe(clientMetadataUrl);
    expect(await add(connection)).toMatchObject(ADDED);
    expect(documents.requests).toHaveLength(1);
    documents.reset();
  });

  it('refreshes a revoked access token without the user', async () => {
    const { url, keeper, store } = await onLoopback(platform);
    const kept = keeper();
    const connection = await judge.connect(`${url}/mcp`, kept);
    const { access_token: before } = kept.tokens;
    await store.revokeAccessToken((await store.getAccessToken(before))!);
    expect(await list(connection)).toMatchObject(READ);
    expect(kept.tokens.access_token).not.toBe(before);
    expect((await store.getAccessToken(kept.tokens.access_token))?.['resource']).toEqual([`${url}/mcp`]);
    expect(kept.shown).toHaveLength(1);
  });

  it('asks the user again if the whole grant was revoked', async () => {
    const { url, keeper, store } = await onLoopback(platform);
    const kept = keeper();
    await judge.connect(`${url}/mcp`, kept);
    await store.revokeGrantsOf({ userId: 'alice' });
    jest.spyOn(console, 'warn').mockImplementation(() => undefined); // The newer SDK logs a warning about the rejection.
    expect(await list(await judge.connect(`${url}/mcp`, kept))).toMatchObject(READ);
    expect(kept.shown).toHaveLength(2);
  });

  it('steps up when a tool requires more scopes, and repeats the call', async () => {
    const { url, keeper } = await onLoopback(platform);
    // The older SDK would try to refresh for more scopes, which is not possible. RFC 6749 §6
    const kept = keeper({ clientId: 'mcp-once' });
    const connection = await judge.connect(`${url}/mcp`, kept);
    expect(kept.tokens.scope).toBe('notes:read');
    expect(await add(connection)).toMatchObject(ADDED);
    expect(kept.shown.map(({ searchParams }) => searchParams.get('scope'))).toEqual([
      'notes:read',
      'notes:read notes:write',
    ]);
    expect(await list(connection)).toMatchObject(READ);
  });

  it('is rejected with a token for another resource, and gets a token for this resource', async () => {
    const others = resourceIndicators({ resources: ['https://other.example/'] });
    const { url, keeper, store } = await onLoopback(platform, { features: [mcp(NOTES), others] });
    const kept = keeper({ clientId: 'mcp-once' });
    const connection = await judge.connect(`${url}/mcp`, kept);
    const token = (await store.getAccessToken(kept.tokens.access_token))!;
    const foreign = { ...token, accessToken: 'foreign', grantId: 'another', resource: ['https://other.example/'] };
    await store.saveToken(foreign, token.client, token.user);
    kept.kept['tokens'] = { access_token: 'foreign', token_type: 'Bearer', issuer: url };
    expect(await list(connection)).toMatchObject(READ);
    expect(kept.shown).toHaveLength(2);
  });

  it.each<[string, Partial<OAuth2ModuleOptions> & { cut?: string; host?: TestApplicationOptions }, string]>([
    ['with unchanged paths', {}, '/mcp'],
    ['with a trailing slash in the issuer', { issuer: 'https://mcp.example/' }, '/mcp'],
    ['with a path in the issuer', { issuer: 'https://mcp.example/tenant', paths: { prefix: 'tenant/oauth' } }, '/mcp'],
    [
      'with a path prefix that the proxy removes',
      { issuer: 'https://mcp.example/app', cut: '/app', features: [mcp({ ...NOTES, resource: '/app/mcp' })] },
      '/app/mcp',
    ],
    ['with a global prefix', { host: { prepare: (app) => app.setGlobalPrefix('api') } }, '/api/mcp'],
    [
      'with a global prefix and its own path',
      { features: [mcp({ ...NOTES, resource: '/api/mcp' })], host: { prepare: (app) => app.setGlobalPrefix('api') } },
      '/api/mcp',
    ],
  ])('connects through a proxy, %s', async (_name2, options, path) => {
    const { url, network, keeper } = await behindProxy(platform, options);
    const kept = keeper();
    expect(await list(await judge.connect(url + path, kept, network))).toMatchObject(READ);
    expect(kept.shown[0]!.searchParams.get('resource')).toBe(url + path);
  });
});
