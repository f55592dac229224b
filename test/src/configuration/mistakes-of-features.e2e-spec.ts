import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Logger, Post, UseGuards } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accounts, logMailer } from 'nest-oauth2/accounts';
import { OAuth2Module, OAuthGuard, Scopes, defineScopes } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { mcp } from 'nest-oauth2/mcp';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';
import { DrizzleStore } from 'nest-oauth2/stores/drizzle';
import { MongooseStore } from 'nest-oauth2/stores/mongoose';
import { PrismaStore } from 'nest-oauth2/stores/prisma';
import { RedisStore } from 'nest-oauth2/stores/redis';
import { oauthEntities, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { google, oidc, upstreams } from 'nest-oauth2/upstreams';
import { createClient } from 'redis';
import { DataSource } from 'typeorm';
import { freePort } from '../../support/environment/free-port.js';
import { SECRET } from '../../support/servers/demo.js';
import { ANY_PLATFORM, PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { AccountApplication, choose, UserTable } from '../accounts/account-application.js';
import { Accounts, startSite } from '../upstreams/site.js';

const [platform] = ANY_PLATFORM as ['express'];
const issuer = 'https://id.example.com';
const users = { findByCredentials: () => undefined, findById: () => undefined };
const web: StoredClient = {
  id: 'web',
  secret: 'web-secret',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: ['https://app.example/callback'],
};
const store = (more: Partial<StoredClient> = {}) => new MemoryStore({ clients: [{ ...web, ...more }], users });

const warn = jest.spyOn(Logger.prototype, 'warn');
const error = jest.spyOn(Logger.prototype, 'error');
const debug = jest.spyOn(Logger.prototype, 'debug');
const textsOf = (spy: { mock: { calls: unknown[][] } }) => spy.mock.calls.map((call) => String(call[0])).join('\n');

beforeEach(() => {
  for (const spy of [warn, error, debug]) spy.mockReset().mockImplementation(() => undefined);
});
afterEach(stopApplications);

const start = (options: object, module: object = {}) =>
  startApplication(platform, {
    imports: [OAuth2Module.forRoot({ model: store(), issuer, secret: SECRET, isGlobal: true, ...options })],
    ...module,
  });

const withProvider = (providers: object) => ({
  features: [pages(), upstreams({ accounts: new Accounts(), providers: providers as never })],
});

describe('the start is refused with the remedy:', () => {
  const cases: [string, () => Promise<unknown>, string][] = [
    [
      'accounts() without an issuer',
      () => {
        const features = [pages(), accounts({ users: new UserTable(), mail: logMailer() })];
        return start({ issuer: undefined, features });
      },
      'builds the links of e-mails from the issuer: set the option `issuer`',
    ],
    [
      'a preset that is not called',
      async () => start(withProvider({ google })),
      'as `google({ clientId, clientSecret })`',
    ],
    [
      'a secret of a feature that reads `config`, which the factory does not return',
      () => start({ features: [keys({ secret: (config: { get(name: string): string }) => config.get('X') })] }),
      'reads the option `config`, which is not set: return it from the factory',
    ],
    [
      'password: false without another login',
      () => start({ features: [pages({ password: false })] }),
      'such as `upstreams()`',
    ],
    [
      'a factory whose parameters are not listed in `inject`',
      () =>
        startApplication(platform, {
          imports: [
            OAuth2Module.forRootAsync({
              useFactory: (config: { get(name: string): string }) => ({ secret: config.get('SECRET'), model: store() }),
            }),
          ],
        }),
      'has 1 parameters, and `inject` lists 0: add the others, as `inject: [ConfigService]`',
    ],
    [
      'a service that the module does not know',
      () =>
        startApplication(platform, {
          imports: [
            OAuth2Module.forRootAsync({
              inject: [Accounts],
              useFactory: (all: Accounts) => ({ config: all, model: store() }),
            }),
          ],
        }),
      'add the modules of `inject` to its `imports`',
    ],
  ];

  it.each(cases)('%s', async (_, run, message) => {
    await expect(run()).rejects.toThrow(message);
  });

  it('an error of a function that has its `config`', async () => {
    const features = [keys({ secret: (config: { get(): string }) => config.get() })];
    await expect(start({ config: {}, features })).rejects.toThrow(/^config.get is not a function$/);
  });

  it('a TypeOrmStore without its DataSource or its options', () => {
    expect(() => new TypeOrmStore(undefined as never, { users })).toThrow(
      'TypeOrmStore needs a `DataSource` of TypeORM',
    );
    expect(() => new TypeOrmStore(new DataSource({ type: 'postgres' }), undefined as never)).toThrow('`users`');
  });

  it('a store without its options', () => {
    const message = 'Invalid argument: `users` must be an object with a method `findById(id)`';
    for (const make of [
      () => new MemoryStore(undefined as never),
      () => new RedisStore(undefined as never),
      () => new DrizzleStore({} as never, undefined as never),
      () => new MongooseStore(undefined as never, undefined as never),
      () => new PrismaStore({} as never, undefined as never),
    ]) {
      expect(make).toThrow(message);
    }
  });

  it('clients of a MemoryStore that are not a list, and a class as users', () => {
    expect(() => new MemoryStore({ clients: { web } as never, users })).toThrow('must be a list, or an object with');
    expect(() => new MemoryStore({ users: UserTable as never })).toThrow('pass an instance, not a class');
  });
});

it('the start accepts a factory whose parameter may be omitted', async () => {
  const module = OAuth2Module.forRootAsync({ useFactory: (other?: object) => ({ ...other, model: store() }) });
  await expect(startApplication(platform, { imports: [module] })).resolves.toBeDefined();
});

describe('the start warns of', () => {
  it('an empty client ID at a provider', async () => {
    await start(
      withProvider({
        google: google({ clientId: () => '', clientSecret: () => 's' }),
        other: google({ clientId: 'us', clientSecret: () => '' }),
        acme: oidc({ issuer: 'https://acme.example', clientId: 'us', clientSecret: 's' }),
      }),
    );
    expect(textsOf(warn)).toContain('`clientId` of the provider `google` is empty');
    expect(textsOf(warn)).toContain('`clientSecret` of the provider `other` is empty');
    expect(textsOf(warn)).not.toContain('acme');
  });

  it.each<[Partial<StoredClient>, boolean]>([
    [{ secret: undefined }, true],
    [{ secret: undefined, tokenEndpointAuthMethod: 'none' }, false],
    [{ secret: undefined, grants: ['implicit'] }, false],
    [{}, false],
  ])('a client without a secret: %j', async (more, isWarned) => {
    await start({ model: store(more), interaction: null });
    expect(textsOf(warn).includes('The client `web` has no `secret`, so it cannot authenticate')).toBe(isWarned);
  });

  it('a scope of a client that is a misspelling of a defined one', async () => {
    const features = [defineScopes({ 'notes:read': { title: 'Read notes' }, admin: { title: 'Administer' } })];
    const scopes = ['note:read', 'notes:read', 'openid', 'invoices'];
    await start({ model: store({ scopes }), features, interaction: null });
    const found = warn.mock.calls
      .map(([text]) => String(text))
      .filter((text) => text.includes('may request the scope'));
    expect(found).toEqual([
      'The client `web` may request the scope `note:read`, which `defineScopes()` does not define: write `notes:read`, or define `note:read`.',
    ]);
  });

  it('an endpoint of mcp() that no guard protects', async () => {
    @Controller('mcp')
    class OpenController {
      @Post()
      serve() {
        return {};
      }
    }
    @Controller('notes')
    class OtherController {
      @Get()
      list() {
        return [];
      }
    }
    const features = [pages(), mcp()];
    await start({ features }, { controllers: [OpenController, OtherController] });
    expect(textsOf(warn)).toContain('Everybody can call OpenController.serve(): no guard protects it.');
    expect(textsOf(warn)).not.toContain('OtherController');
    warn.mockReset();
    UseGuards(OAuthGuard)(OpenController);
    await start({ features }, { controllers: [OpenController] });
    expect(textsOf(warn)).not.toContain('OpenController');
  });

  it('a DataSource that is not initialized', async () => {
    const source = new DataSource({ type: 'postgres', entities: oauthEntities() });
    await start({ model: new TypeOrmStore(source, { users }), interaction: null });
    expect(textsOf(warn)).toContain('Call `await dataSource.initialize()` first');
  });
});

describe('the log explains', () => {
  it('a create() of accounts that returns no user, or one without an ID', async () => {
    class Forgetful extends UserTable {
      result: unknown = undefined;
      override create = () => this.result as never;
    }
    const table = new Forgetful();
    const app = await AccountApplication.start({ users: table });
    const browser = app.browser();
    const { mail } = await app.request('/oauth/sign_up', 'new@example.com', browser);
    expect((await choose(browser, mail!, 'violet kettle on the moor')).status).toBe(410);
    expect(textsOf(warn)).toContain('`create()` of the `users` of `accounts()` returned no user');
    table.result = { email: 'other@example.com' };
    const second = await app.request('/oauth/sign_up', 'other@example.com', browser);
    expect((await choose(browser, second.mail!, 'violet kettle on the moor')).status).toBe(500);
    expect(textsOf(error)).toContain('`create()` of `users` returned an object without `id`');
  });

  it('a create() of upstreams() that returns a user without an ID', async () => {
    const own = Object.assign(new Accounts(), { create: () => ({ name: 'Erin' }) as never });
    const { browser, acme } = await startSite({ platform, accounts: own });
    await browser().signInWith(acme, { sub: 'e-1' });
    expect(textsOf(error)).toContain('`create()` of `accounts` returned an object without `id`');
  });

  it('an issuer of a provider that differs from its metadata', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ issuer: 'https://other.example', token_endpoint: 'https://other.example/token' }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const wrong = oidc({ issuer: `http://127.0.0.1:${port}`, clientId: 'us', clientSecret: 's' });
    const { browser } = await startSite({ platform, providers: { acme: wrong }, fetch: globalThis.fetch });
    await browser().begin('acme');
    server.close();
    expect(textsOf(error)).toContain('Set `issuer` to the URL that its /.well-known/openid-configuration contains');
  });

  it('a database that is away', async () => {
    const model = store();
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    jest.spyOn(model, 'getClient').mockRejectedValue(cause);
    const { url } = await start({ model, interaction: null });
    await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams({ client_id: 'web' }) });
    expect(textsOf(error)).toBe(
      'The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Start it, or correct its address',
    );
  });
});

describe('the log explains a request', () => {
  it.each(['undefined', 'null'])('with the text `%s` instead of a token', async (text) => {
    @Controller('notes')
    @UseGuards(OAuthGuard)
    class NotesController {
      @Get()
      list() {
        return [];
      }
    }
    const { url } = await start({ interaction: null }, { controllers: [NotesController] });
    const response = await fetch(`${url}/notes`, { headers: { authorization: `Bearer ${text}` } });
    const error_description = `Invalid token: the client sent the text ${text} instead of an access token`;
    expect([response.status, await response.json()]).toEqual([401, expect.objectContaining({ error_description })]);
    expect(textsOf(debug)).toContain(
      'remedy="wait for the response of the token endpoint, and send its `access_token`"',
    );
  });

  it('of a public client with a secret', async () => {
    const model = store({ secret: undefined, tokenEndpointAuthMethod: 'none' });
    const { url } = await start({ model, interaction: null });
    const body = new URLSearchParams({
      client_id: 'web',
      client_secret: 'x',
      grant_type: 'refresh_token',
      refresh_token: 'x',
    });
    await fetch(`${url}/oauth/token`, { method: 'POST', body });
    expect(textsOf(debug)).toContain(
      'reason="public client sent a client secret" remedy="send no `client_secret`, or remove',
    );
  });

  it('to a client of node-redis that is not connected', async () => {
    const { url } = await start({ model: new RedisStore({ client: createClient(), users }), interaction: null });
    const body = new URLSearchParams({ client_id: 'web' });
    expect((await fetch(`${url}/oauth/token`, { method: 'POST', body })).status).toBe(503);
    expect(textsOf(error)).toBe(
      'The client of `redis` is closed: call `await client.connect()` before the application starts, and close the client after it',
    );
  });
});

describe.each(PLATFORMS)('the log has a remedy on %s', (http) => {
  it('for a request without a token, without credentials, and of an unknown host', async () => {
    @Controller('mcp')
    @UseGuards(OAuthGuard)
    class McpController {
      @Get()
      @Scopes('notes:read')
      serve() {
        return {};
      }
    }
    const port = await freePort();
    const options = { issuer: `http://localhost:${port}`, features: [pages(), mcp({ scopes: ['notes:read'] })] };
    const module = {
      imports: [OAuth2Module.forRoot({ model: store(), secret: SECRET, isGlobal: true, ...options })],
      controllers: [McpController],
    };
    const { url } = await startApplication(http, module, { port });
    await fetch(`${url}/mcp`);
    expect(textsOf(debug)).toContain('remedy="send `Authorization: Bearer <token>`, or add `@Public()`');
    await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'x' }) });
    expect(textsOf(debug)).toContain('remedy="send the ID and the secret by HTTP Basic');
    await fetch(`${url}/mcp`, { headers: { origin: 'https://other.example' } });
    expect(textsOf(debug)).toContain('remedy="add the origin to `origins` of `mcp()`"');
  });
});
