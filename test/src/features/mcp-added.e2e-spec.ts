import { type INestApplication, Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { OAuth2ModuleOptions } from 'nest-oauth2';
import { protectedResource, resourceIndicators, type Feature } from 'nest-oauth2/features';
import { jwtAccessTokens, keys } from 'nest-oauth2/jose';
import { mcp } from 'nest-oauth2/mcp';
import type { MemoryStore } from 'nest-oauth2/stores/memory';
import { basic, bearer, get, post, readResponse } from '../../support/clients/http.js';
import { demoModule, demoStore } from '../../support/servers/demo.js';
import { McpController, NOTES } from '../../support/servers/mcp-application.js';
import { RSA } from '../../support/servers/openid-server.js';
import {
  type Platform,
  PLATFORMS,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';

const ISSUER = 'http://localhost:3000';
const MCP = `${ISSUER}/mcp`;

interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** Starts the application with an API for notes and an MCP endpoint. */
async function start(platform: Platform, store: MemoryStore, features: readonly (Feature | readonly Feature[])[]) {
  const options = { model: store, issuer: ISSUER, features } as Partial<OAuth2ModuleOptions>;
  const { url } = await startApplication(platform, {
    ...demoModule({ ...options }),
    controllers: [...(demoModule().controllers ?? []), McpController],
  });
  const token = async (form: Record<string, string>, more = {}) => {
    const { status, body } = await readResponse(
      post(`${url}/oauth/token`, { ...form, ...more }, basic('web', 'web-secret')),
    );
    return { status, ...(body as Tokens) };
  };
  return {
    url,
    notes: async ({ access_token }: Tokens) => (await get(`${url}/notes`, bearer(access_token))).status,
    callMcp: async ({ access_token }: Tokens) => {
      const headers = {
        ...bearer(access_token),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_notes' } });
      const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
      await response.text();
      return response.status;
    },
    ofUser: (more?: object) => token({ grant_type: 'password', username: 'alice', password: 'wonderland' }, more),
    ofClient: (more?: object) => token({ grant_type: 'client_credentials', scope: 'notes:read' }, more),
    refreshed: ({ refresh_token }: Tokens, more?: object) =>
      token({ grant_type: 'refresh_token', refresh_token }, more),
  };
}

const APPLICATIONS: [string, () => Feature[]][] = [
  ['opaque access tokens', () => []],
  ['JWT access tokens', () => [keys({ from: [RSA] }), jwtAccessTokens()]],
  ['metadata of its API', () => [protectedResource({ resources: [{ resource: '/notes' }, { resource: '/mcp' }] })]],
];

describe.each(PLATFORMS)('an application on %s that adds `mcp()`', (platform) => {
  afterEach(stopApplications);

  describe.each(APPLICATIONS)('and has %s', (_name, features) => {
    it('accepts at its other routes all tokens that name no resource: older, refreshed and new ones', async () => {
      const store = demoStore();
      const before = await start(platform, store, features());
      const [user, client] = [await before.ofUser(), await before.ofClient()];
      expect([await before.notes(user), await before.notes(client)]).toEqual([200, 200]);
      await stopApplications();

      const after = await start(platform, store, [...features(), mcp(NOTES)]);
      const refreshed = await after.refreshed(user);
      const tokens = [user, client, refreshed, await after.refreshed(refreshed), await after.ofUser()];
      tokens.push(await after.ofClient());
      expect(await Promise.all(tokens.map(after.notes))).toEqual(tokens.map(() => 200));
      expect(await Promise.all(tokens.map(after.callMcp))).toEqual(tokens.map(() => 401));
    });

    it('accepts a token for the MCP endpoint there only, also after a refresh', async () => {
      const store = demoStore();
      const { notes, callMcp, ofUser, ofClient, refreshed } = await start(platform, store, [...features(), mcp(NOTES)]);
      const user = await ofUser({ resource: MCP });
      const tokens = [user, await ofClient({ resource: MCP }), await refreshed(user)];
      expect(await Promise.all(tokens.map(callMcp))).toEqual([200, 200, 200]);
      expect(await Promise.all(tokens.map(notes))).toEqual([401, 401, 401]);
    });
  });

  it('grants the default scope to saved clients that request none, as far as they may request it', async () => {
    const store = demoStore();
    const client = { grants: ['client_credentials'], secret: 'service-secret' };
    await store.saveClient({ ...client, id: 'reader', scopes: ['notes:read', 'other'] });
    await store.saveClient({ ...client, id: 'other', scopes: ['other'] });
    const { url } = await start(platform, store, [mcp({ ...NOTES, defaultScope: NOTES.scopes })]);
    const scopeOf = async (id: string) => {
      const form = { grant_type: 'client_credentials', resource: MCP };
      return (await readResponse(post(`${url}/oauth/token`, form, basic(id, 'service-secret')))).body;
    };
    expect(await scopeOf('reader')).toMatchObject({ scope: 'notes:read' });
    expect(await scopeOf('other')).toMatchObject({ error: 'invalid_scope' });
  });

  it('keeps the resources that its own `resourceIndicators()` issues tokens for', async () => {
    const features = () => [resourceIndicators({ own: [`${ISSUER}/notes`] })];
    const store = demoStore();
    const before = await start(platform, store, features());
    const older = await before.ofUser();
    await stopApplications();

    const after = await start(platform, store, [...features(), mcp(NOTES)]);
    const tokens = [older, await after.refreshed(older), await after.ofUser(), await after.ofClient()];
    expect(await Promise.all(tokens.map(after.notes))).toEqual([200, 200, 200, 200]);
    expect(await Promise.all(tokens.map(after.callMcp))).toEqual([401, 401, 401, 401]);
    expect(await after.callMcp(await after.ofUser({ resource: MCP }))).toBe(200);
  });

  it('never accepts a token without a resource at the MCP endpoint, even with `unrestricted`', async () => {
    const features = [resourceIndicators({ unrestricted: true }), mcp(NOTES)];
    const { notes, callMcp, ofUser } = await start(platform, demoStore(), features);
    const token = await ofUser();
    expect([await notes(token), await callMcp(token)]).toEqual([200, 401]);
  });

  it('issues tokens for the MCP endpoint by default if `default` of its `resourceIndicators()` names it', async () => {
    const features = [resourceIndicators({ default: MCP, unrestricted: true }), mcp(NOTES)];
    const { notes, callMcp, ofUser } = await start(platform, demoStore(), features);
    const token = await ofUser();
    expect([await notes(token), await callMcp(token)]).toEqual([401, 200]);
  });

  it('issues tokens for an MCP server that is the whole application by default', async () => {
    const features = [mcp({ ...NOTES, resource: '/' })];
    const { notes, callMcp, ofClient } = await start(platform, demoStore(), features);
    const token = await ofClient();
    expect([await notes(token), await callMcp(token)]).toEqual([200, 200]);
  });
});

describe.each(PLATFORMS)('a resource of mcp() that no route serves, on %s', (platform) => {
  const warn = jest.spyOn(Logger.prototype, 'warn');
  afterEach(async () => {
    warn.mockReset();
    await stopApplications();
  });

  const warningsOf = async (options: Parameters<typeof mcp>[0], prefix?: string, routes = [McpController]) => {
    warn.mockReset().mockImplementation(() => undefined);
    const { imports } = demoModule({ issuer: ISSUER, features: mcp(options) });
    const prepare = (app: INestApplication) => void (prefix && app.setGlobalPrefix(prefix));
    await startApplication(platform, { imports: imports!, controllers: routes }, { prepare });
    return warn.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('mcp()'));
  };

  it('is a warning with the path at which the route is', async () => {
    expect(await warningsOf({})).toEqual([]);
    expect(await warningsOf({}, 'api')).toEqual([]);
    expect(await warningsOf({ resource: '/mcp' }, 'api')).toEqual([
      "No route serves /mcp, the resource of `mcp()`: it is at /api/mcp because of the global prefix: set `resource: '/api/mcp'` in `mcp()`, or exclude the route from the prefix.",
    ]);
    expect(await warningsOf({ resource: '/api/mcp' }, '/api/')).toEqual([]);
    expect(await warningsOf({ resource: '/tools' })).toEqual([
      'No route serves /tools, the resource of `mcp()`: add a route, or set `resource` in `mcp()` to the path of your MCP endpoint.',
    ]);
    expect(await warningsOf({}, undefined, [])).toHaveLength(1);
  });
});
