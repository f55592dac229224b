import { All, Controller, Get, UseGuards } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, OAuth2TenantServers, type OAuth2ModuleOptions, OAuthGuard, UseOAuth } from 'nest-oauth2';
import { mcp, type McpOptions } from 'nest-oauth2/mcp';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { basic, bearer, get, post, readResponse } from '../../support/clients/http.js';
import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { NOTES } from '../../support/servers/mcp-application.js';
import {
  type Platform,
  PLATFORMS,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';

@Controller(':tenant')
@UseGuards(OAuthGuard)
class TenantRoutes {
  @All('mcp')
  mcp() {
    return 'mcp';
  }

  @Get('notes')
  notes() {
    return 'notes';
  }
}

@Controller()
@UseGuards(OAuthGuard)
class Routes {
  @Get('notes')
  notes() {
    return 'notes';
  }

  @All('mcp')
  @UseOAuth('tools')
  mcp() {
    return 'mcp';
  }

  @Get('tools')
  @UseOAuth('tools')
  ofTools() {
    return 'tools';
  }
}

const store = () =>
  new MemoryStore({
    clients: [{ id: 'web', secret: 'web-secret', grants: ['client_credentials'], scopes: NOTES.scopes }],
    users: { findById: () => undefined, findByCredentials: () => undefined },
  });

async function tokenOf(endpoint: string, more = {}) {
  const form = { grant_type: 'client_credentials', ...more };
  const { body } = await readResponse(post(endpoint, form, basic('web', 'web-secret')));
  return body as { access_token: string; scope: string };
}

const statusOf = async (url: string, { access_token }: { access_token: string }, headers = {}) =>
  (await get(url, { ...bearer(access_token), ...headers })).status;

/** Starts an application with the tenants `acme` and `globex`, which have a path each. */
async function startTenants(platform: Platform, options: McpOptions) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const tenants: OAuth2ModuleOptions['tenants'] = {
    findTenant: ({ path }) => path.split('/')[1],
    createTenantOptions: (id) => ['acme', 'globex'].includes(id) && { issuer: `${origin}/${id}` },
  };
  const features = [mcp({ ...NOTES, ...options })];
  const module = { model: store(), tenants, secret: SECRET, interaction: null, paths: { prefix: ':tenant/oauth' } };
  const imports = [OAuth2Module.forRoot({ ...module, features })];
  const { app } = await startApplication(platform, { imports, controllers: [TenantRoutes] }, { port });
  return { app, origin };
}

describe.each(PLATFORMS)('`mcp()` on %s', (platform) => {
  afterEach(stopApplications);

  describe('for tenants with a path each', () => {
    const options = { resource: '/:tenant/mcp' };

    it('accepts at the MCP endpoint of a tenant only tokens that this tenant issued for it', async () => {
      const { origin } = await startTenants(platform, options);
      const [acme, globex] = [`${origin}/acme`, `${origin}/globex`];
      const plain = await tokenOf(`${acme}/oauth/token`);
      const own = await tokenOf(`${acme}/oauth/token`, { resource: `${acme}/mcp` });
      expect(plain.scope).toBe('notes:read');
      expect([await statusOf(`${acme}/notes`, plain), await statusOf(`${acme}/mcp`, plain)]).toEqual([200, 401]);
      expect([await statusOf(`${acme}/notes`, own), await statusOf(`${acme}/mcp`, own)]).toEqual([401, 200]);
      expect(await statusOf(`${globex}/mcp`, own)).toBe(401);
      expect(await tokenOf(`${acme}/oauth/token`, { resource: `${globex}/mcp` })).toMatchObject({
        error: 'invalid_target',
      });
    });

    it('publishes the metadata of the MCP endpoint of each tenant, and refers to it', async () => {
      const { origin } = await startTenants(platform, options);
      for (const tenant of ['acme', 'globex']) {
        const metadata = `${origin}/.well-known/oauth-protected-resource/${tenant}/mcp`;
        const challenge = (await get(`${origin}/${tenant}/mcp`)).headers.get('www-authenticate');
        expect(challenge).toContain(`resource_metadata="${metadata}"`);
        expect(await readResponse(get(metadata))).toMatchObject({
          status: 200,
          body: { resource: `${origin}/${tenant}/mcp`, authorization_servers: [`${origin}/${tenant}`] },
        });
      }
    });

    it('answers preflight requests to the MCP endpoints of all tenants only', async () => {
      const { origin } = await startTenants(platform, options);
      const page = 'https://app.example';
      const headers = { origin: page, 'access-control-request-method': 'POST' };
      const allowed = async (path: string) => {
        const response = await fetch(`${origin}${path}`, { method: 'OPTIONS', headers });
        return response.headers.get('access-control-allow-origin');
      };
      expect([await allowed('/acme/mcp'), await allowed('/acme/mcp/sub')]).toEqual([page, page]);
      expect([await allowed('/acme/notes'), await allowed('/acme/mcps')]).toEqual([null, null]);
    });

    it('rejects a foreign `Origin` at the MCP endpoint only', async () => {
      const { origin } = await startTenants(platform, options);
      const headers = { origin: 'https://attacker.example' };
      const own = await tokenOf(`${origin}/acme/oauth/token`, { resource: `${origin}/acme/mcp` });
      const plain = await tokenOf(`${origin}/acme/oauth/token`);
      expect(await statusOf(`${origin}/acme/mcp`, own, headers)).toBe(403);
      expect(await statusOf(`${origin}/acme/notes`, plain, headers)).toBe(200);
    });

    it.each([
      ['is not below the `issuer`', 'is not below the `issuer`', '/mcp'],
      ['has a parameter that the `issuer` does not replace', 'must replace all parameters', '/:tenant/:group/mcp'],
    ])('creates no server for a tenant whose MCP endpoint %s', async (_name, message, resource) => {
      const { app } = await startTenants(platform, { resource });
      await expect(app.get(OAuth2TenantServers).get('acme')).rejects.toThrow(message);
    });
  });

  it('does not change the tokens of the default server if a named server has it', async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const named = { name: 'tools', paths: { prefix: 'tools' }, issuer: `${origin}/tools` };
    const shared = { model: store(), secret: SECRET, interaction: null };
    const imports = [
      OAuth2Module.forRoot({ ...shared, issuer: origin }),
      OAuth2Module.forRoot({ ...shared, ...named, features: [mcp(NOTES)] }),
    ];
    await startApplication(platform, { imports, controllers: [Routes] }, { port });
    const ofDefault = await tokenOf(`${origin}/oauth/token`, { scope: 'notes:read' });
    const plain = await tokenOf(`${origin}/tools/token`);
    const own = await tokenOf(`${origin}/tools/token`, { resource: `${origin}/mcp` });
    expect(plain.scope).toBe('notes:read');
    const statuses = async (token: typeof own) =>
      Promise.all(['notes', 'tools', 'mcp'].map((path) => statusOf(`${origin}/${path}`, token)));
    expect(await statuses(ofDefault)).toEqual([200, 401, 401]);
    expect(await statuses(plain)).toEqual([401, 200, 401]);
    expect(await statuses(own)).toEqual([401, 401, 200]);
    const headers = { origin: 'https://attacker.example' };
    expect(await statusOf(`${origin}/mcp`, own, headers)).toBe(403);
    expect(await statusOf(`${origin}/notes`, ofDefault, headers)).toBe(200);
  });

  it('accepts at each of several listed MCP endpoints only tokens that were issued for it', async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    @Controller()
    @UseGuards(OAuthGuard)
    class Endpoints {
      @All(['one', 'two', 'notes'])
      any() {
        return 'any';
      }
    }
    const features = [mcp({ ...NOTES, resource: ['/one', '/two'] })];
    const module = { model: store(), secret: SECRET, interaction: null, issuer: origin, features };
    const imports = [OAuth2Module.forRoot(module)];
    await startApplication(platform, { imports, controllers: [Endpoints] }, { port });
    const statuses = async (more?: object) => {
      const token = await tokenOf(`${origin}/oauth/token`, more);
      return Promise.all(['one', 'two', 'notes'].map((path) => statusOf(`${origin}/${path}`, token)));
    };
    expect(await statuses()).toEqual([401, 401, 200]);
    expect(await statuses({ resource: `${origin}/one` })).toEqual([200, 401, 401]);
    expect(await statuses({ resource: `${origin}/two` })).toEqual([401, 200, 401]);
    for (const path of ['one', 'two']) {
      const metadata = await readResponse(get(`${origin}/.well-known/oauth-protected-resource/${path}`));
      expect(metadata).toMatchObject({ status: 200, body: { resource: `${origin}/${path}` } });
    }
  });
});
