import {
  Controller,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  Logger,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OAUTH2_METADATA, OAuth2Clients, defineScopes, OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore, type StoredClient, type Users } from 'nest-oauth2/stores/memory';
import { findCandidate } from '../../lib/internal.js';
import { SECRET } from '../support/servers/demo.js';
import { freePort } from '../support/environment/free-port.js';
import { bearer, post } from '../support/clients/http.js';
import { ANY_PLATFORM, PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';

const [platform] = ANY_PLATFORM as ['express'];
const nobody: Users = { findByCredentials: () => undefined, findById: () => undefined };
const web = {
  id: 'web',
  secret: 'web-secret',
  grants: ['authorization_code'],
  redirectUris: ['https://app.example/cb'],
};

const warn = jest.spyOn(Logger.prototype, 'warn');
const error = jest.spyOn(Logger.prototype, 'error');
const warnings = () => warn.mock.calls.map(([text]) => String(text)).join('\n');
const errors = () => error.mock.calls.map((call) => call.map(String).join(' ')).join('\n');

beforeEach(() => {
  warn.mockReset().mockImplementation(() => undefined);
  error.mockReset().mockImplementation(() => undefined);
});
afterEach(stopApplications);

const start = (options: object, module: object = {}, more: object = {}) =>
  startApplication(
    platform,
    { imports: [OAuth2Module.forRoot({ interaction: null, ...options } as never)], ...module },
    more,
  );

describe('a client that cannot work is refused with the field and the remedy:', () => {
  const cases: [string, Partial<StoredClient> & Record<string, unknown>, string][] = [
    [
      '`redirectUri` for `redirectUris`',
      { redirectUris: undefined, redirectUri: 'https://app.example/cb' },
      'rename `redirectUri` to `redirectUris`',
    ],
    [
      'a hyphen in a grant',
      { grants: ['authorization-code'] },
      'contains `authorization-code`: write `authorization_code`',
    ],
    ['a grant in camel case', { grants: ['clientCredentials'] }, 'write `client_credentials`'],
    ['a response type as grant', { grants: ['code'] }, 'write `authorization_code`'],
    ['a plural grant', { grants: ['refresh_tokens'] }, 'write `refresh_token`'],
    ['a British grant', { grants: ['authorisation_code'] }, 'write `authorization_code`'],
    ['the short name of a grant', { grants: ['device_code'] }, 'write `urn:ietf:params:oauth:grant-type:device_code`'],
    ['a wildcard host', { redirectUris: ['https://*.app.example/cb'] }, 'there are no wildcards'],
    ['a wildcard path', { redirectUris: ['https://app.example/*'] }, 'there are no wildcards'],
    ['a redirect URI without scheme', { redirectUris: ['localhost:3001/cb'] }, 'write `http://localhost:3001/cb`'],
    [
      'a public client with a secret',
      { tokenEndpointAuthMethod: 'none' },
      'whose `secret` is never verified: remove `secret`',
    ],
    [
      'a public client with client_credentials',
      { secret: undefined, tokenEndpointAuthMethod: 'none', grants: ['client_credentials'] },
      'a public client cannot use `client_credentials`',
    ],
  ];

  it.each(cases)('%s', async (_, fields, message) => {
    const { secret, redirectUris, ...rest } = { ...web, ...fields };
    const client = { ...rest, ...(secret && { secret }), ...(redirectUris && { redirectUris }) } as StoredClient;
    expect(() => new MemoryStore({ clients: [client], users: nobody })).toThrow(message);
    const clients = new OAuth2Clients(new MemoryStore({ users: nobody }));
    await expect(clients.create(client)).rejects.toThrow(message);
    expect(await clients.list()).toMatchObject({ clients: [] });
  });

  it('a flag for a public client', () => {
    const { secret: _, ...client } = { ...web, public: true };
    const create = (more: object) => new MemoryStore({ clients: [{ ...client, ...more }], users: nobody });
    expect(() => create({})).toThrow("write `tokenEndpointAuthMethod: 'none'` for a public client");
    expect(create({ tokenEndpointAuthMethod: 'none' })).toBeDefined();
  });

  it('two clients with one id', () => {
    expect(() => new MemoryStore({ clients: [web, web], users: nobody })).toThrow(
      'two `clients` of `MemoryStore` have the `id` `web`: remove one of them',
    );
  });

  it('accepts grants of applications, loopback and private-use redirect URIs', () => {
    const grants = ['voucher', 'https://app.example/grants/x', 'urn:ietf:params:oauth:grant-type:device_code'];
    const redirectUris = ['http://127.0.0.1:3001/cb', 'http://localhost:3001/cb', 'com.example.app:/cb'];
    expect(() => new MemoryStore({ clients: [{ ...web, grants, redirectUris }], users: nobody })).not.toThrow();
  });

  it('a change to a grant that does not exist', async () => {
    const clients = new OAuth2Clients(new MemoryStore({ clients: [web], users: nobody }));
    await expect(clients.change('web', { grants: ['authorization-code'] })).rejects.toThrow(
      'the client `web` is invalid: `grants` contains `authorization-code`',
    );
  });
});

describe('the start', () => {
  it('refuses a store class for an instance, and accepts a class whose parameters Nest injects', async () => {
    const message = /`model` is the class `MemoryStore`.*pass an instance, `new MemoryStore\(…\)`/;
    await expect(start({ model: MemoryStore })).rejects.toThrow(message);
    await expect(start({ model: { useClass: MemoryStore } })).rejects.toThrow(
      /`model.useClass` is the class `MemoryStore`/,
    );
    @Injectable()
    class OwnStore extends MemoryStore {
      constructor(@Inject('users') users: Users) {
        super({ users });
      }
    }
    await start({ model: OwnStore, extraProviders: [{ provide: 'users', useValue: nobody }] });
  });

  it.each([
    ['production', /MemoryStore` loses all clients/],
    ['development', /^$/],
  ])('in %s warns of a store that loses its data: %j', async (environment, warning) => {
    const before = process.env['NODE_ENV'];
    process.env['NODE_ENV'] = environment;
    try {
      await start({ model: new MemoryStore({ users: nobody }) });
      expect(warnings()).toMatch(warning);
    } finally {
      process.env['NODE_ENV'] = before;
    }
  });

  describe.each(PLATFORMS)('on %s', (http) => {
    it('warns if a loopback issuer has another port than the application', async () => {
      const port = await freePort();
      const module = (issuer: string) => ({
        imports: [OAuth2Module.forRoot({ model: new MemoryStore({ users: nobody }), interaction: null, issuer })],
      });
      await startApplication(http, module(`http://localhost:${port}`), { port });
      await startApplication(http, module('https://id.example.com'));
      expect(warnings()).toBe('');
      await startApplication(http, module('http://localhost:1'));
      expect(warnings()).toMatch(
        /listens on port \d+, but the option `issuer` is http:\/\/localhost:1: set `issuer` to http:/,
      );
    });
  });

  it.each([
    [['notes:read'], 'log' as const],
    [['openid', 'offline_access'], 'warn' as const],
  ])('names a client without `refresh_token`, whose scopes are %j, at the level %s', async (scopes, level) => {
    const log = jest.spyOn(Logger.prototype, level).mockImplementation(() => undefined);
    const mobile = { ...web, id: 'mobile', grants: [...web.grants, 'refresh_token'] };
    await start({ model: new MemoryStore({ clients: [{ ...web, scopes }, mobile], users: nobody }) });
    const sentences = log.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('refresh'));
    expect(sentences).toEqual([
      "No refresh token is issued to `web`, because `grants` lacks 'refresh_token': users sign in again when an access " +
        "token expires. To keep them signed in, add 'refresh_token' to the `grants` of the client.",
    ]);
  });

  it('warns of lifetimes that are probably milliseconds, of the server and of a client', async () => {
    const usual = { ...web, id: 'usual', accessTokenLifetime: 86_400 };
    const clients = [{ ...web, accessTokenLifetime: 3_600_000 }, usual];
    await start({ model: new MemoryStore({ clients, users: nobody }), authorizationCodeLifetime: 300_000 });
    expect(warnings()).toBe(
      '`authorizationCodeLifetime` of the server is 300000 seconds, which are 3 days. If you meant milliseconds, set it to 300.\n' +
        '`accessTokenLifetime` of the client `web` is 3600000 seconds, which are 41 days. If you meant milliseconds, set it to 3600.',
    );
  });

  it('warns of clients that get no authorization code, and of scopes with a comma', async () => {
    const { redirectUris: _, ...unreachable } = { ...web, grants: ['authorization_code', 'refresh_token'] };
    const machine = { id: 'machine', secret: 'machine-secret', grants: ['client_credentials'], scopes: ['a,b'] };
    await start({ model: new MemoryStore({ clients: [unreachable, { ...machine }], users: nobody }) });
    expect(warnings()).toBe(
      "The client `web` has the grant 'authorization_code' and no `redirectUris`, so no user can sign in there: add the URL to " +
        "which the client is sent back, such as `redirectUris: ['https://app.example.com/callback']`, or remove the grant.\n" +
        '`scopes` of the client `machine` contains `a,b`, which is one scope with a comma in its name. If you meant several ' +
        "scopes, write 'a', 'b'.",
    );
  });

  it('warns of a route whose scope contains a comma', async () => {
    @Controller()
    @UseGuards(OAuthGuard)
    class CommaController {
      @Get()
      @Scopes('notes:read,notes:write')
      list() {
        return [];
      }
    }
    await start({ model: new MemoryStore({ users: nobody }), isGlobal: true }, { controllers: [CommaController] });
    expect(warnings()).toMatch(/^CommaController\.list\(\) requires .* write 'notes:read', 'notes:write'\.$/);
  });

  it('warns of refresh tokens that expire before access tokens', async () => {
    const model = () => new MemoryStore({ users: nobody });
    await start({ model: model(), accessTokenLifetime: 3600, refreshTokenLifetime: 3600 });
    expect(warnings()).toBe('');
    await start({ model: model(), accessTokenLifetime: 3600, refreshTokenLifetime: 60 });
    expect(warnings()).toMatch(
      /^`refreshTokenLifetime` is 60 seconds, shorter than `accessTokenLifetime` with 3600 seconds/,
    );
  });

  it('warns of an issuer with https on a port without TLS', async () => {
    const port = await freePort();
    await start({ model: new MemoryStore({ users: nobody }), issuer: `https://localhost:${port}` }, {}, { port });
    expect(warnings()).toContain(`Set \`issuer\` to http://localhost:${port}, or pass \`httpsOptions\``);
  });

  it('warns of an issuer without TLS', async () => {
    await start({ model: new MemoryStore({ users: nobody }), issuer: 'http://id.example' });
    expect(warnings()).toContain('The option `issuer` is http://id.example, without TLS');
  });

  it('refuses a login page that cannot verify passwords, unless it has none', async () => {
    const model = () => new MemoryStore({ users: { findById: () => undefined } });
    const options = (more: object) => ({
      model: model(),
      secret: SECRET,
      interaction: undefined,
      features: [pages(more)],
    });
    await expect(start(options({}))).rejects.toThrow('add `findByCredentials()`, or `findByUsername()`');
    await expect(start(options({ password: false }))).rejects.toThrow('requires a feature with another method');
  });

  it('warns of a route whose scopes no guard enforces', async () => {
    @Controller('open')
    class OpenController {
      @Get()
      @Scopes('notes:read')
      list() {
        return [];
      }

      @Get('guarded')
      @UseGuards(OAuthGuard)
      @Scopes('notes:read')
      read() {
        return [];
      }
    }
    const warning =
      /^Everybody can call OpenController\.list\(\): no guard protects it\. Add `@UseGuards\(OAuthGuard\)`/;
    const options = () => ({ model: new MemoryStore({ users: nobody }), isGlobal: true });
    await start(options(), { controllers: [OpenController] });
    expect(warnings()).toMatch(warning);
    expect(warnings()).not.toContain('read()');
    warn.mockReset();
    const guard = { provide: APP_GUARD, useClass: OAuthGuard };
    await start(options(), { controllers: [OpenController], providers: [guard] });
    expect(warnings()).toBe('');
  });

  it('refuses a changed secret of keys(), with the remedy', async () => {
    const model = new MemoryStore({ users: nobody });
    const { url } = await start({ model, secret: SECRET, features: [keys()] });
    expect((await fetch(`${url}/oauth/jwks`)).status).toBe(200);
    const other = 'another secret of at least 32 characters';
    await expect(start({ model, secret: other, features: [keys()] })).rejects.toThrow(
      /signing keys in the store were encrypted with another secret: add the old secret after the new one/,
    );
    jest.spyOn(model, 'getSigningKeys').mockRejectedValue(new Error('the store is away'));
    await start({ model, secret: other, features: [keys()] });
    expect(errors()).toContain('the store is away');
  });

  it('refuses a misspelt scope of a route, and warns of an undefined one', async () => {
    const scopes = defineScopes({ 'notes:read': { title: 'Read' }, 'notes:write': { title: 'Write' } });
    const controller = (scope: string) => {
      @Controller()
      @UseGuards(OAuthGuard)
      class NotesController {
        @Get()
        @Scopes(scope)
        list() {
          return [];
        }
      }
      return { controllers: [NotesController] };
    };
    const options = { model: new MemoryStore({ users: nobody }), isGlobal: true, features: [scopes] };
    await expect(start(options, controller('notes:raed'))).rejects.toThrow(
      'NotesController.list() requires the scope `notes:raed`, which `defineScopes()` does not define: write `notes:read`',
    );
    await start(options, controller('notes:read'));
    expect(warnings()).toBe('');
    await start(options, controller('billing'));
    expect(warnings()).toContain('requires the scope `billing`, which `defineScopes()` does not define');
    warn.mockClear();
    await start({ ...options, features: [] }, controller('billing'));
    expect(warnings()).toBe('');
  });
});

describe('a global guard of the application', () => {
  const guarding = (canActivate: (context: ExecutionContext) => boolean) => ({
    providers: [{ provide: APP_GUARD, useValue: { canActivate } }],
  });
  const options = () => ({
    model: new MemoryStore({ users: nobody, clients: [{ ...web, grants: ['client_credentials'] }] }),
  });

  it('that rejects requests to the endpoints is logged once, with the remedy', async () => {
    const { url } = await start(
      options(),
      guarding(() => {
        throw new UnauthorizedException();
      }),
    );
    for (let request = 0; request < 2; request += 1) expect((await post(`${url}/oauth/token`, {})).status).toBe(401);
    expect(warnings().match(/A guard of the application rejected/g)).toHaveLength(1);
    expect(warnings()).toContain('a request to /oauth/token with 401');
    expect(warnings()).toContain('accept handlers and controllers with the metadata `OAUTH2_METADATA.public`');
  });

  it('that reads `OAUTH2_METADATA.public` lets clients pass, and guards the other routes', async () => {
    @Controller('notes')
    class NotesController {
      @Get()
      list() {
        return [];
      }
    }
    const isPublic = (context: ExecutionContext) =>
      new Reflector().getAllAndOverride<boolean>(OAUTH2_METADATA.public, [context.getHandler(), context.getClass()]);
    const { url } = await start(options(), { controllers: [NotesController], ...guarding(isPublic) });
    const form = { grant_type: 'client_credentials', client_id: 'web', client_secret: 'web-secret' };
    expect((await post(`${url}/oauth/token`, form)).status).toBe(200);
    expect((await fetch(`${url}/notes`)).status).toBe(403);
    expect(warnings()).not.toContain('A guard of the application');
  });
});

describe('a mistake in the users is logged at the login, with the remedy:', () => {
  const alice = { id: 42, name: 'Alice' };
  const byName: Users = {
    findByUsername: (name) => (name === 'alice' ? alice : undefined),
    verifyPassword: (user, password) => user !== undefined && password === 'right',
    findById: (id) => (id === '42' ? alice : undefined),
  };

  const cases: [string, Partial<Users>, RegExp][] = [
    [
      'findById() compares a number with a text',
      { findById: (id) => ((id as unknown) === 42 ? alice : undefined) },
      /`findById\("42"\)` of `users` finds no user right after .* convert it to the type of your column/,
    ],
    ['findById() ignores the ID', { findById: () => ({ id: 1 }) }, /`findById\("42"\)` of `users` finds another user/],
    [
      'findById() returns true',
      { findById: () => true as never },
      /`findById\(\)` of `users` returned `true`: return the user as an object/,
    ],
    [
      'findByUsername() returns a list',
      { findByUsername: () => [alice] as never },
      /`findByUsername\(\)` of `users` returned `\[/,
    ],
    [
      'findByUsername() returns a user without id',
      { findByUsername: () => ({ userId: 42 }) },
      /`findByUsername\(\)` of `users` returned an object without `id`/,
    ],
    [
      'verifyPassword() returns nothing',
      { verifyPassword: () => undefined as never },
      /`verifyPassword\(\)` must return `true` or `false`/,
    ],
    [
      'findByCredentials() returns true',
      { verifyPassword: undefined, findByCredentials: () => true } as never,
      /`findByCredentials\(\)` of `users` returned `true`/,
    ],
  ];

  it.each(cases)('%s', async (_, wrong, message) => {
    const users = { ...byName, ...wrong };
    const { url } = await start({
      model: new MemoryStore({ users }),
      interaction: undefined,
      secret: SECRET,
      issuer: 'http://localhost:3000',
      features: [pages()],
    });
    const page = await fetch(`${url}/oauth/login`);
    const cookie = page.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const text = await page.text();
    const fields = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!,
    ]);
    const form = { ...Object.fromEntries(fields), username: 'alice', password: 'right' };
    const response = await post(`${url}/oauth/login`, form, { cookie });
    expect(response.status).toBe(500);
    expect(errors()).toMatch(message);
  });

  it('a column that ignores accents', async () => {
    const emit = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const stored = { id: '42', email: 'Ana@example.com' };
    const model = new MemoryStore({ users: { ...byName, findByUsername: () => stored } });
    for (const name of ['ana@example.com', 'ANA@example.com ', '\uFF21na@example.com', 'Someone else'])
      await findCandidate(model, name);
    expect(emit).not.toHaveBeenCalled();
    for (const name of ['ana@exàmple.com', 'ána@example.com']) await findCandidate(model, name);
    expect(emit.mock.calls.map(([text]) => text)).toEqual([
      expect.stringMatching(/by another spelling than the stored one.*such as `utf8mb4_nopad_bin`/),
    ]);
    emit.mockRestore();
  });

  it('no mistake', async () => {
    const model = new MemoryStore({ users: byName });
    await model.saveSession({
      sessionId: 's',
      user: alice,
      authTime: new Date(),
      expiresAt: new Date(Date.now() + 1e5),
    });
    expect(await model.getSession('s')).toMatchObject({ user: alice });
  });
});

describe('the log names the remedy of a request', () => {
  const debug = jest.spyOn(Logger.prototype, 'debug');
  const token = async (fields: Record<string, string>) => {
    const { url } = await start({ model: new MemoryStore({ clients: [web], users: nobody }) });
    debug.mockReset().mockImplementation(() => undefined);
    await post(`${url}/oauth/token`, { grant_type: 'authorization_code', code: 'x', client_id: 'web', ...fields });
    return debug.mock.calls.map(([text]) => String(text)).join('\n');
  };

  it.each<[Record<string, string>, string]>([
    [{}, "send the secret of the client, or set `tokenEndpointAuthMethod: 'none'` if it is a public client"],
    [{ client_id: 'wbe' }, 'compare `client_id` with the `id` of the client in the store'],
    [{ client_secret: 'web-secret\n' }, 'remove the line break at the end of a secret that was read from a file'],
  ])('with %j', async (fields, remedy) => {
    expect(await token(fields)).toContain(remedy);
  });
});

describe('the log explains a request of a browser', () => {
  const debug = jest.spyOn(Logger.prototype, 'debug');
  const lines = () => debug.mock.calls.map(([text]) => String(text)).join('\n');
  const preflight = async (path: string) => {
    const { url } = await start({ model: new MemoryStore({ clients: [web], users: nobody }) });
    debug.mockReset().mockImplementation(() => undefined);
    const headers = { origin: 'https://spa.example', 'access-control-request-method': 'POST' };
    expect((await fetch(url + path, { method: 'OPTIONS', headers })).status).toBe(405);
    return lines();
  };

  it('that asks for CORS without the option `cors`', async () => {
    expect(await preflight('/oauth/token')).toContain(
      'remedy="set the option `cors`, such as `cors: { origins: [\'https://spa.example\'] }`"',
    );
    expect(await preflight('/oauth/authorize')).toContain('remedy="open this URL as a page of the browser');
  });

  it('that sends a form without its cookie', async () => {
    const options = { secret: SECRET, interaction: undefined, issuer: 'https://id.example', features: [pages()] };
    const { url } = await start({ model: new MemoryStore({ users: nobody }), ...options });
    const cookie = (await fetch(`${url}/oauth/login`)).headers.getSetCookie()[0]!.split(';')[0]!;
    debug.mockReset().mockImplementation(() => undefined);
    expect((await post(`${url}/oauth/login`, { username: 'a' }, { cookie })).status).toBe(403);
    expect(lines()).toContain('CSRF token of the login form');
    expect(lines()).not.toContain('sent no cookie');
    expect((await post(`${url}/oauth/login`, { username: 'a' })).status).toBe(403);
    expect(lines()).toContain('browser sent no cookie with the form: open the pages at the URL of the option `issuer`');
  });
});

describe('a wrong token', () => {
  it('that is unknown is refused, and the log has the remedy', async () => {
    const debug = jest
      .spyOn(Logger.prototype, 'debug')
      .mockReset()
      .mockImplementation(() => undefined);
    @Controller()
    @UseGuards(OAuthGuard)
    class NotesController {
      @Get()
      list() {
        return [];
      }
    }
    const model = new MemoryStore({ users: nobody });
    const { url } = await start({ model, isGlobal: true }, { controllers: [NotesController] });
    expect((await fetch(url, { headers: bearer('unknown') })).status).toBe(401);
    expect(String(debug.mock.calls.at(-1)?.[0])).toContain('remedy="get a new access token from this server');
  });

  it('that is an ID token is refused with its name', async () => {
    @Controller()
    @UseGuards(OAuthGuard)
    class NotesController {
      @Get()
      list() {
        return [];
      }
    }
    const { url } = await start(
      { model: new MemoryStore({ users: nobody }), isGlobal: true },
      { controllers: [NotesController] },
    );
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const idToken = (claims: object) => `${part({ alg: 'RS256' })}.${part({ iss: 'x', aud: 'web', ...claims })}.x`;
    const challengeOf = async (token: string) => {
      const response = await fetch(url, { headers: bearer(token) });
      return (await response.json()) as { error_description?: string; message?: string };
    };
    expect(JSON.stringify(await challengeOf(idToken({ nonce: 'n' })))).toContain('it is an ID token');
    expect(JSON.stringify(await challengeOf(idToken({ scope: 'x', nonce: 'n' })))).toContain('access token is invalid');
    expect(JSON.stringify(await challengeOf('eyJ.x.y'))).toContain('access token is invalid');
  });
});
