import { Controller, Get, Inject, Injectable, type ModuleMetadata, UseGuards } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  OAuth2Context,
  type OAuth2Interaction,
  OAuth2Module,
  type OAuth2ModuleOptions,
  OAuth2TenantServers,
  type OAuth2Tenants,
  OAuthGuard,
  CurrentUser,
  Scopes,
  type TenantRequest,
  UseOAuth,
} from 'nest-oauth2';
import { introspection, pushedRequests, revocation, serverMetadata } from 'nest-oauth2/features';
import { OAuth2Server, OAuthError, Request, Response as Answer } from 'nest-oauth2/server';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { actingAs } from 'nest-oauth2/testing';
import * as oauth from 'oauth4webapi';
import { readResponse, basic, bearer, get, post } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const SECRET = 'a secret of at least thirty-two characters';
const CALLBACK = 'https://app.example/callback';
const alice = { id: 'alice' };

const store = () =>
  new MemoryStore({
    clients: [
      {
        id: 'web',
        secret: 'web-secret',
        grants: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
        redirectUris: [CALLBACK],
        scopes: ['read'],
      },
    ],
    users: { findById: () => alice, findByCredentials: (name, password) => password === 'wonderland' && alice },
  });

/** The tenants of the application by their id. `requested` records the lookups. */
class Tenants implements OAuth2Tenants {
  readonly requested: string[] = [];
  constructor(private readonly origin: () => string) {}

  findTenant({ path }: TenantRequest) {
    return path.split('/')[1];
  }

  async createTenantOptions(tenant: string) {
    this.requested.push(tenant);
    await Promise.resolve();
    if (tenant === 'broken') throw new Error('the database is away');
    if (!['acme', 'globex'].includes(tenant)) return undefined;
    return { issuer: `${this.origin()}/${tenant}`, accessTokenLifetime: tenant === 'acme' ? 60 : 120 };
  }
}

@Controller(':tenant/notes')
@UseGuards(OAuthGuard)
class NotesController {
  @Get()
  @Scopes('read')
  read(@CurrentUser('id', { optional: true }) user: string | undefined) {
    return { user };
  }
}

const credentials = basic('web', 'web-secret');

describe.each(PLATFORMS)('tenants with a path each, on %s,', (platform) => {
  let url: string;
  let tenants: Tenants;
  const model = store();

  beforeAll(async () => {
    tenants = new Tenants(() => url);
    const options: OAuth2ModuleOptions = {
      model,
      tenants,
      secret: SECRET,
      paths: { prefix: ':tenant/oauth' },
      features: [serverMetadata(), pages(), revocation(), introspection(), pushedRequests()],
    };
    ({ url } = await startApplication(platform, {
      imports: [OAuth2Module.forRoot(options)],
      controllers: [NotesController],
    }));
  });
  afterAll(stopApplications);

  const ask = async (tenant: string, form: Record<string, string>, endpoint = 'token') =>
    readResponse(post(`${url}/${tenant}/oauth/${endpoint}`, form, credentials));

  const password = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };

  it.each(['/.well-known/oauth-authorization-server/acme', '/acme/.well-known/oauth-authorization-server'])(
    'publish at %s the metadata of their tenant',
    async (path) => {
      const { status, body } = await readResponse(get(url + path));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        issuer: `${url}/acme`,
        authorization_endpoint: `${url}/acme/oauth/authorize`,
        token_endpoint: `${url}/acme/oauth/token`,
        revocation_endpoint: `${url}/acme/oauth/revoke`,
        pushed_authorization_request_endpoint: `${url}/acme/oauth/par`,
      });
    },
  );

  it('are discovered by a client that knows only the issuer', async () => {
    const issuer = new URL(`${url}/globex`);
    const insecure = { algorithm: 'oauth2' as const, [oauth.allowInsecureRequests]: true };
    const response = await oauth.discoveryRequest(issuer, insecure);
    const server = await oauth.processDiscoveryResponse(issuer, response);
    expect(server.token_endpoint).toBe(`${url}/globex/oauth/token`);
  });

  it.each([
    ['the metadata of an unknown tenant', '/.well-known/oauth-authorization-server/nobody'],
    ['metadata without a tenant', '/.well-known/oauth-authorization-server'],
    ['metadata with a path below the issuer', '/.well-known/oauth-authorization-server/acme/more'],
    ['an endpoint of an unknown tenant', '/nobody/oauth/token'],
    ['the authorization endpoint of an unknown tenant', '/nobody/oauth/authorize'],
    ['a page of an unknown tenant', '/nobody/oauth/login'],
  ])('respond with 404 to %s', async (_name, path) => {
    const { status, body } = await readResponse(path.endsWith('token') ? post(url + path, {}) : get(url + path));
    expect([status, (body as { error: string }).error]).toEqual([404, 'invalid_request']);
  });

  it('respond with 404 at a guarded route of an unknown tenant, and with 401 at one of a tenant', async () => {
    expect((await get(`${url}/nobody/notes`, bearer('x'))).status).toBe(404);
    expect((await get(`${url}/acme/notes`, bearer('x'))).status).toBe(401);
  });

  it('respond with 503 if the application fails to find the tenant, and retry on the next request', async () => {
    const before = tenants.requested.length;
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await ask('broken', password);
      expect([status, (body as { error: string }).error]).toEqual([503, 'server_error']);
      expect(JSON.stringify(body)).not.toContain('database');
    }
    expect(tenants.requested.length - before).toBe(2);
  });

  it('reject the tokens of another tenant', async () => {
    const { body } = await ask('acme', password);
    const { access_token: access, refresh_token: refresh, expires_in: lifetime } = body as Record<string, string>;
    expect(lifetime).toBeLessThanOrEqual(60);
    expect((await get(`${url}/globex/notes`, bearer(access!))).status).toBe(401);
    expect(await readResponse(get(`${url}/acme/notes`, bearer(access!)))).toMatchObject({ body: { user: 'alice' } });
    const again = { grant_type: 'refresh_token', refresh_token: refresh! };
    expect(await ask('globex', again)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await ask('globex', { token: access! }, 'introspect')).toMatchObject({ body: { active: false } });
    await ask('globex', { token: refresh! }, 'revoke');
    expect(await ask('acme', again)).toMatchObject({ status: 200 });
  });

  describe('at the authorization endpoint', () => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'web',
      redirect_uri: CALLBACK,
      scope: 'read',
      state: 'xyz',
    }).toString();

    const cookieOf = (response: Response) => response.headers.getSetCookie().map((one) => one.split(';', 1)[0]!);
    const field = (page: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';

    async function signIn(tenant: string): Promise<string> {
      const at = `${url}/${tenant}/oauth/login`;
      const page = await get(at);
      const cookie = cookieOf(page).join('; ');
      const form = { csrf_token: field(await page.text(), 'csrf_token'), username: 'alice', password: 'wonderland' };
      const signedIn = await post(at, form, { cookie, origin: url });
      return cookieOf(signedIn).join('; ');
    }

    async function codeOf(tenant: string, cookie: string, requested = query): Promise<string | null> {
      const at = `${url}/${tenant}/oauth/authorize?${requested}`;
      const page = await (await get(at, { cookie })).text();
      const csrfToken = field(page, 'csrf_token');
      const response = await post(at, { csrf_token: csrfToken, decision: 'allow' }, { cookie, origin: url });
      const location = response.headers.get('location');
      return location ? new URL(location).searchParams.get('code') : null;
    }

    it('issue codes that only the same tenant accepts', async () => {
      const cookie = await signIn('acme');
      const code = (await codeOf('acme', cookie))!;
      expect(code).toEqual(expect.any(String));
      const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
      expect(await ask('globex', form)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      expect(await ask('acme', form)).toMatchObject({ status: 200 });
    });

    it('do not accept the session of another tenant, even with its cookie renamed', async () => {
      const cookie = await signIn('acme');
      const names = cookie.split('=', 1)[0]!;
      const other = (await signIn('globex')).split('=', 1)[0]!;
      expect(other).not.toBe(names);
      for (const one of [cookie, cookie.replace(names, other)]) {
        const response = await get(`${url}/globex/oauth/authorize?${query}`, { cookie: one });
        expect(response.headers.get('location')).toMatch(/^\/globex\/oauth\/login\?/);
      }
      expect((await get(`${url}/acme/oauth/authorize?${query}`, { cookie })).headers.get('location')).not.toMatch(
        /login/,
      );
    });

    it('neither share consents with another tenant, nor list or remove its grants', async () => {
      const [there, here] = [await signIn('acme'), await signIn('globex')];
      await codeOf('acme', there);
      const requested = await get(`${url}/acme/oauth/authorize?${query}`, { cookie: there });
      expect(requested.headers.get('location')).toMatch(/code=/);
      const page = await get(`${url}/globex/oauth/authorize?${query}`, { cookie: here });
      expect(await page.text()).toContain('name="csrf_token"');
      const list = await (await get(`${url}/globex/oauth/applications`, { cookie: here })).text();
      expect(list).not.toContain('name="client_id"');
      const form = { csrf_token: field(list, 'csrf_token') || 'none', client_id: 'web' };
      await post(`${url}/globex/oauth/applications`, form, { cookie: here, origin: url });
      const after = await get(`${url}/acme/oauth/authorize?${query}`, { cookie: there });
      expect(after.headers.get('location')).toMatch(/code=/);
    });

    it('reject a form that another tenant issued', async () => {
      const [there, here] = [await signIn('acme'), await signIn('globex')];
      const fresh = query.replace('state=xyz', 'state=abc&prompt=consent');
      const page = await (await get(`${url}/globex/oauth/authorize?${fresh}`, { cookie: here })).text();
      const at = `${url}/acme/oauth/authorize?${fresh}`;
      const form = { csrf_token: field(page, 'csrf_token'), decision: 'allow' };
      await model.revokeGrantsOf({ userId: 'alice', clientId: 'web' });
      const response = await post(at, form, { cookie: there, origin: url });
      expect(response.headers.get('location') ?? '').not.toMatch(/code=/);
    });

    it('do not find a request that was pushed to another tenant', async () => {
      const pushed = await ask('acme', Object.fromEntries(new URLSearchParams(query)), 'par');
      const { request_uri: uri } = pushed.body as { request_uri: string };
      const requested = new URLSearchParams({ client_id: 'web', request_uri: uri }).toString();
      const cookie = await signIn('globex');
      const response = await readResponse(get(`${url}/globex/oauth/authorize?${requested}`, { cookie }));
      expect(response.status).toBe(400);
    });
  });
});

describe('OAuth2TenantServers', () => {
  afterEach(stopApplications);

  const issuerOf = (tenant: string) => `https://${tenant}.example.com`;

  /** Maps hosts to tenants and accepts any tenant name. */
  class Hosts implements OAuth2Tenants {
    requested: string[] = [];
    fault: Error | undefined;
    findTenant({ host = '' }: TenantRequest) {
      return /^([a-z0-9]+)\.example\.com$/.exec(host)?.[1];
    }
    async createTenantOptions(tenant: string): Promise<{ issuer: string } | undefined> {
      this.requested.push(tenant);
      await new Promise(setImmediate);
      if (this.fault) throw this.fault;
      return tenant.startsWith('no') ? undefined : { issuer: issuerOf(tenant) };
    }
  }

  async function start(options: Partial<OAuth2ModuleOptions> = {}) {
    const tenants = new Hosts();
    const module = OAuth2Module.forRoot({ model: store(), tenants, features: [serverMetadata()], ...options });
    const { app } = await startApplication('express', { imports: [module] });
    return { tenants, servers: app.get(OAuth2TenantServers, { strict: false }), app };
  }

  it('creates a server once for concurrent requests', async () => {
    const { tenants, servers } = await start();
    const found = await Promise.all(Array.from({ length: 20 }, () => servers.get('acme')));
    expect(new Set(found).size).toBe(1);
    expect(found[0]!.options.issuer).toBe('https://acme.example.com');
    await servers.get('acme');
    expect(tenants.requested).toEqual(['acme']);
  });

  it('selects the server for each phase of an authorization', async () => {
    const { app } = await start();
    const server = app.get(OAuth2Server, { strict: false });
    const query = { response_type: 'code', client_id: 'web', scope: 'read', state: 'x' };
    const request = new Request({ method: 'GET', headers: { host: 'acme.example.com' }, query });
    const response = new Answer();
    const requested = await server.readAuthorizationRequest(request, response);
    const user = { id: 'alice' };
    expect(await server.requiredInteraction(requested, { user }, response)).toEqual({});
    expect(await server.grantableScope(requested, user, response)).toBe('read');
    await server.decide(requested, { user }, response);
    expect(response.get('location')).toMatch(/code=.*iss=https%3A%2F%2Facme/);
  });

  it('keeps at most `max` servers and removes the least recently used one', async () => {
    const { tenants, servers } = await start({ tenantCache: { max: 2 } });
    for (const tenant of ['a', 'b', 'a', 'c', 'a', 'b']) await servers.get(tenant);
    expect(tenants.requested).toEqual(['a', 'b', 'c', 'b']);
  });

  it('does not remove a server because of unknown tenants', async () => {
    const { tenants, servers } = await start({ tenantCache: { max: 2 } });
    await servers.get('a');
    const unknown = Array.from({ length: 50 }, (_, at) => servers.get(`no${at}`));
    for (const one of await Promise.allSettled(unknown)) expect(one.status).toBe('rejected');
    await servers.get('a');
    expect(tenants.requested.filter((one) => one === 'a')).toEqual(['a']);
  });

  it('does not cache an error of the application', async () => {
    const { tenants, servers } = await start();
    tenants.fault = new Error('away');
    await expect(Promise.all([servers.get('a'), servers.get('a')])).rejects.toThrow('away');
    tenants.fault = undefined;
    await servers.get('a');
    expect(tenants.requested).toEqual(['a', 'a']);
  });

  it('creates a server again after forget(), even while it is being created', async () => {
    const { tenants, servers } = await start();
    const first = await servers.get('a');
    servers.forget('a');
    expect(await servers.get('a')).not.toBe(first);
    servers.forget();
    const making = servers.get('a');
    servers.forget('a');
    await making;
    await servers.get('a');
    expect(tenants.requested).toEqual(['a', 'a', 'a', 'a']);
  });

  it('creates a server again after `timeToLive`', async () => {
    const { tenants, servers } = await start({ tenantCache: { timeToLive: 0.001 } });
    await servers.get('a');
    await new Promise((done) => setTimeout(done, 5));
    await servers.get('a');
    expect(tenants.requested).toEqual(['a', 'a']);
  });

  it('times out after `deadline` if the application hangs, and retries later', async () => {
    const { tenants, servers } = await start({ tenantCache: { deadline: 1 } });
    const create = tenants.createTenantOptions.bind(tenants);
    tenants.createTenantOptions = () => new Promise(() => undefined);
    await expect(servers.get('a')).rejects.toMatchObject({ name: 'temporarily_unavailable', code: 503 });
    tenants.createTenantOptions = create;
    expect((await servers.get('a')).options.issuer).toBe('https://a.example.com');
  });

  it('rejects a second tenant with the same issuer, even if both are created concurrently', async () => {
    const { tenants, servers } = await start();
    tenants.createTenantOptions = () => Promise.resolve({ issuer: 'https://id.example.com' });
    const made = await Promise.allSettled([servers.get('a'), servers.get('b')]);
    expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('lets no other spelling of a tenant name block the tenant, for case-insensitive databases', async () => {
    const { tenants, servers } = await start();
    tenants.createTenantOptions = async (tenant) => ({ issuer: issuerOf(tenant.toLowerCase()) });
    await servers.get('ACME');
    expect((await servers.get('acme')).options.issuer).toBe('https://acme.example.com');
    await expect(servers.get('Acme')).rejects.toMatchObject({ code: 404 });
    await servers.get('acme');
  });

  it('gives each cause of an unknown tenant its own reason', async () => {
    const { tenants, servers } = await start();
    const reasonOf = async (promise: Promise<unknown>) => {
      const error = (await promise.catch((thrown: unknown) => thrown)) as OAuthError;
      expect(error).toMatchObject({ code: 404 });
      return OAuthError.detailOf(error)?.reason;
    };
    tenants.createTenantOptions = async () => undefined;
    expect(await reasonOf(servers.get('nobody'))).toBe('`createTenantOptions()` returned no options for the tenant id');
    tenants.createTenantOptions = async (tenant) => ({ issuer: issuerOf(tenant.toLowerCase()) });
    await servers.get('acme');
    expect(await reasonOf(servers.get('Acme'))).toBe(
      '`createTenantOptions()` returned an `issuer` that belongs to another tenant id',
    );
    tenants.findTenant = () => '';
    const request = new Request({ method: 'GET', headers: {}, query: {} });
    expect(await reasonOf(servers.find(request))).toBe('`findTenant()` returned no tenant id');
  });

  it('rejects two tenants with the same issuer', async () => {
    const { tenants, servers } = await start();
    tenants.createTenantOptions = async () => ({ issuer: 'https://id.example.com' });
    await servers.get('a');
    await expect(servers.get('b')).rejects.toThrow(
      'the tenants `a` and `b` have the same `issuer` `https://id.example.com`: give each its own',
    );
  });

  it.each([
    [{ issuer: 'acme' }, 'the option `issuer` must be an https (or http) URL without query and fragment'],
    [{}, 'the options of the tenant `a` require an `issuer`'],
    [{ issuer: issuerOf('a'), cors: { origins: '*' } }, 'remove `cors` from the options of the tenant `a`'],
    [
      { issuer: issuerOf('a'), isuer: 'a' },
      'unknown option `isuer` of OAuth2Module: the most similar option is `issuer`',
    ],
  ])('rejects the tenant options %j', async (options, sentence) => {
    const { tenants, servers } = await start();
    tenants.createTenantOptions = async () => options as never;
    await expect(servers.get('a')).rejects.toThrow(sentence);
  });

  it('issues test tokens that are valid for one tenant only', async () => {
    const { servers } = await start();
    const token = await actingAs(await servers.get('a'), alice, ['read'], { client: 'web' });
    const headers = bearer(token);
    const authenticate = async (tenant: string) =>
      (await servers.get(tenant)).authenticate(new Request({ method: 'GET', headers, query: {} }), new Answer());
    await expect(authenticate('a')).resolves.toMatchObject({ user: alice });
    await expect(authenticate('b')).rejects.toThrow('access token is invalid');
  });

  it.each<[string, Partial<OAuth2ModuleOptions>, string]>([
    [
      'one issuer for all tenants',
      { issuer: 'https://id.example' },
      'remove `issuer`: with `tenants`, each tenant has its own',
    ],
    [
      'tenants without findTenant()',
      { tenants: {} as never },
      'the option `tenants` requires a method `findTenant()`: implement it',
    ],
    [
      'a model that stores no issuers',
      { model: { getClient: () => undefined, saveToken: () => undefined } },
      'the model has no method `revokeGrant()`, without which it stores no issuer: implement it, or give each tenant its own model in `createTenantOptions()`',
    ],
    [
      'misconfigured features',
      { features: [serverMetadata({ maxAge: -1 })] },
      '`maxAge` of `serverMetadata()` must be a number of seconds, 0 or more',
    ],
    ['an invalid cache', { tenantCache: { max: 0 } }, 'the option `tenantCache.max` must be an integer of 1 or more'],
  ])('stops the application with %s', async (_name, options, sentence) => {
    await expect(start(options)).rejects.toThrow(`Invalid argument: ${sentence}`);
  });
});

describe.each(PLATFORMS)('OAuth2Context with tenants on %s', (platform) => {
  afterEach(stopApplications);

  interface Seen {
    method: string;
    server: string | undefined;
    issuer: string | undefined;
    tenant: string | undefined;
    header: unknown;
  }

  it('is available at endpoints and guarded routes, and identifies the server', async () => {
    const seen: Seen[] = [];
    const kept = store();

    @Injectable()
    class ContextModel {
      private readonly context = new OAuth2Context();
      async getClient(id: string, secret: string | null) {
        await Promise.resolve();
        this.see('getClient');
        return kept.getClient(id, secret);
      }
      getUserFromClient(client: never) {
        return kept.getUserFromClient(client);
      }
      saveToken(token: never, client: never, user: never) {
        this.see('saveToken');
        return kept.saveToken(token, client, user);
      }
      getAccessToken(token: string) {
        this.see('getAccessToken');
        return kept.getAccessToken(token);
      }
      private see(method: string) {
        const { server, issuer, tenant, native } = this.context;
        const header = (native as { headers: Record<string, unknown> }).headers['x-asked'];
        seen.push({ method, server, issuer, tenant, header });
      }
    }
    const issuer = 'https://id.example';
    const metadata: ModuleMetadata = {
      imports: [
        OAuth2Module.forRoot({ model: store() }),
        OAuth2Module.forRoot({ name: 'partners', paths: { prefix: 'partners' }, issuer, model: ContextModel }),
      ],
      controllers: [PartnersController],
    };
    const { url } = await startApplication(platform, metadata);
    const form = { grant_type: 'client_credentials', scope: 'read' };
    const { body } = await readResponse(post(`${url}/partners/token`, form, { ...credentials, 'x-asked': 'a' }));
    const { access_token: token } = body as { access_token: string };
    const response = await readResponse(get(`${url}/partners/who`, { ...bearer(token), 'x-asked': 'b' }));
    expect(response).toMatchObject({ status: 200, body: { inside: null } });
    const of = { server: 'partners', issuer, tenant: undefined };
    expect(seen).toEqual([
      { method: 'getClient', ...of, header: 'a' },
      { method: 'saveToken', ...of, header: 'a' },
      { method: 'getAccessToken', ...of, header: 'b' },
    ]);
  });

  it('is injectable, and available in an interaction and its error pages', async () => {
    const seen: unknown[] = [];
    @Injectable()
    class Asking implements OAuth2Interaction {
      constructor(@Inject(OAuth2Context) private readonly context: OAuth2Context) {}
      findUser() {
        seen.push(this.context.server, this.context.issuer, typeof this.context.request?.get('host'));
        return undefined;
      }
      login() {
        return { html: '' };
      }
      consent() {
        return { html: '' };
      }
      showError() {
        seen.push(this.context.issuer);
        return { html: '' };
      }
    }
    const issuer = 'https://id.example';
    const module = OAuth2Module.forRoot({ model: store(), issuer, interaction: Asking, secret: SECRET });
    const { url } = await startApplication(platform, { imports: [module] });
    await get(`${url}/oauth/authorize?response_type=code&client_id=web&scope=read&state=x`);
    await get(`${url}/oauth/authorize?client_id=nobody`);
    expect(seen).toEqual([undefined, issuer, 'string', issuer]);
  });

  it('contains the tenant', async () => {
    const context = new OAuth2Context();
    const tenants: (string | undefined)[] = [];
    const kept = store();
    const getClient = kept.getClient.bind(kept);
    kept.getClient = (id, secret) => {
      tenants.push(context.tenant);
      return getClient(id, secret);
    };
    let origin = '';
    const module = OAuth2Module.forRoot({
      model: kept,
      tenants: new Tenants(() => origin),
      paths: { prefix: ':tenant/oauth' },
    });
    const { url } = await startApplication(platform, { imports: [module] });
    origin = url;
    const form = { grant_type: 'client_credentials', scope: 'read' };
    await Promise.all(['acme', 'globex'].map((tenant) => post(`${url}/${tenant}/oauth/token`, form, credentials)));
    expect(new Set(tenants)).toEqual(new Set(['acme', 'globex']));
    expect(context.tenant).toBeUndefined();
  });
});

@Controller('partners')
@UseGuards(OAuthGuard)
@UseOAuth('partners')
class PartnersController {
  private readonly context = new OAuth2Context();

  @Get('who')
  who() {
    return { inside: this.context.server ?? null };
  }
}
