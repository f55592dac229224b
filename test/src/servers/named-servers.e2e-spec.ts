import { Controller, Get, Injectable, Logger, Module, type ModuleMetadata, Scope, UseGuards } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  getOAuth2ModelToken,
  getOAuth2ServerToken,
  InjectOAuth2Model,
  InjectOAuth2Server,
  type Model,
  OAuth2Module,
  type OAuth2ModuleOptions,
  OAuth2Server,
  OAuthClient,
  OAuthGuard,
  Public,
  Scopes,
  UseOAuth,
} from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { actingAs } from 'nest-oauth2/testing';
import { readResponse, basic, bearer, get, issued, post, refusalBody } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const alice = { id: 'alice' };
const users = { findById: () => alice, findByCredentials: () => undefined };

/** Returns a store with client credentials clients. */
const storeWith = (...ids: string[]) =>
  new MemoryStore({
    clients: ids.map((id) => ({ id, secret: `${id}-secret`, grants: ['client_credentials'], scopes: ['read'] })),
    users,
  });

const form = { grant_type: 'client_credentials', scope: 'read' };

@Controller('own')
@UseGuards(OAuthGuard)
class OwnController {
  @Get()
  @Scopes('read')
  read(@OAuthClient('id') client: string) {
    return { client };
  }

  @Get('partners')
  @UseOAuth('partners')
  ofPartners(@OAuthClient('id') client: string) {
    return { client };
  }
}

@Controller('partners')
@UseGuards(OAuthGuard)
@UseOAuth('partners')
class PartnersController {
  @Get()
  @Scopes('read')
  read(@OAuthClient('id') client: string) {
    return { client };
  }

  @Get('own')
  @UseOAuth()
  own(@OAuthClient('id') client: string) {
    return { client };
  }
}

@Controller('derived')
class DerivedController extends PartnersController {}

@Controller('turned')
@UseOAuth()
class TurnedController extends PartnersController {}

@Controller('perRequest')
@UseGuards(OAuthGuard)
@UseOAuth('perRequest')
class PerRequestController {
  @Get()
  read(@OAuthClient('id') client: string) {
    return { client };
  }
}

const perRequestStore = storeWith('acme');
let made = 0;

@Injectable({ scope: Scope.REQUEST })
class PerRequestModel {
  constructor() {
    made += 1;
  }
  getClient(id: string, secret: string | null) {
    return perRequestStore.getClient(id, secret);
  }
  getUserFromClient(client: never) {
    return perRequestStore.getUserFromClient(client);
  }
  saveToken(token: never, client: never, user: never) {
    return perRequestStore.saveToken(token, client, user);
  }
  getAccessToken(token: string) {
    return perRequestStore.getAccessToken(token);
  }
}

const refusedToken = refusalBody(401, 'invalid_token', 'Invalid token: access token is invalid');

describe.each(PLATFORMS)('two servers in one application on %s', (platform) => {
  let url: string;
  let tokens: Record<'own' | 'partners' | 'perRequest', string>;

  beforeAll(async () => {
    @Module({
      imports: [
        OAuth2Module.forRoot({ model: storeWith('spa') }),
        OAuth2Module.forRootAsync({
          name: 'partners',
          paths: { prefix: 'partners/oauth' },
          useFactory: async () => ({ model: storeWith('acme') }),
        }),
        OAuth2Module.forRoot({ name: 'perRequest', paths: { prefix: 'perRequest' }, model: PerRequestModel }),
      ],
      controllers: [OwnController, PartnersController, DerivedController, TurnedController, PerRequestController],
    })
    class App {}
    ({ url } = await startApplication(platform, { imports: [App] }));
    const tokenOf = async (path: string, client: string) => {
      const response = await readResponse(post(`${url}/${path}`, form, basic(client, `${client}-secret`)));
      expect(response).toEqual(issued({ scope: 'read' }));
      return (response.body as { access_token: string }).access_token;
    };
    tokens = {
      own: await tokenOf('oauth/token', 'spa'),
      partners: await tokenOf('partners/oauth/token', 'acme'),
      perRequest: await tokenOf('perRequest/token', 'acme'),
    };
  });
  afterAll(stopApplications);

  it.each([
    ['own', 'own', 'spa'],
    ['own/partners', 'partners', 'acme'],
    ['partners', 'partners', 'acme'],
    ['partners/own', 'own', 'spa'],
    ['derived', 'partners', 'acme'],
    ['derived/own', 'own', 'spa'],
    ['turned', 'own', 'spa'],
    ['perRequest', 'perRequest', 'acme'],
  ] as const)('accept at the route /%s only tokens of the server `%s`', async (path, server, client) => {
    for (const [name, token] of Object.entries(tokens)) {
      const { status, body } = await readResponse(get(`${url}/${path}`, bearer(token)));
      expect([name, status, body]).toEqual(name === server ? [name, 200, { client }] : [name, 401, refusedToken]);
    }
  });

  it('create a request-scoped model for each request', async () => {
    const before = made;
    await get(`${url}/perRequest`, bearer(tokens.perRequest));
    expect(made).toBe(before + 1);
  });

  it('authenticate only their own clients', async () => {
    const response = await readResponse(post(`${url}/oauth/token`, form, basic('acme', 'acme-secret')));
    expect(response.status).toBe(401);
  });

  it('are distinguished if the path of one ends with that of the other', async () => {
    const response = await readResponse(
      post(`${url}/partners/oauth/token`, 'x'.repeat(2 ** 20), basic('acme', 'acme-secret')),
    );
    expect([response.status, (response.body as { error: string }).error]).toEqual([413, 'invalid_request']);
  });
});

describe('a named server', () => {
  afterEach(stopApplications);

  const partners = (options: Partial<OAuth2ModuleOptions> = {}) =>
    OAuth2Module.forRoot({ name: 'partners', paths: { prefix: 'partners' }, model: storeWith('acme'), ...options });

  const start = (metadata: ModuleMetadata) => startApplication('express', metadata);

  it('is injected by its name together with its model, and never as plain `OAuth2Server`', async () => {
    const [one, other] = [storeWith('spa'), storeWith('acme')];
    @Injectable()
    class Service {
      constructor(
        readonly server: OAuth2Server,
        @InjectOAuth2Server() readonly same: OAuth2Server,
        @InjectOAuth2Server('partners') readonly ofPartners: OAuth2Server,
        @InjectOAuth2Model() readonly model: Model,
        @InjectOAuth2Model('partners') readonly partnersModel: Model,
      ) {}
    }
    Reflect.defineMetadata('design:paramtypes', [OAuth2Server, Object, Object, Object, Object], Service);
    for (const imports of [
      [OAuth2Module.forRoot({ model: one }), partners({ model: other })],
      [partners({ model: other }), OAuth2Module.forRoot({ model: one })],
    ]) {
      const app = await Test.createTestingModule({ imports, providers: [Service] }).compile();
      const service = app.get(Service);
      expect(service.server.options.model).toBe(one);
      expect(service.same).toBe(service.server);
      expect(service.model).toBe(one);
      expect(service.ofPartners.options.model).toBe(other);
      expect(service.partnersModel).toBe(other);
      expect(app.get(OAuth2Server, { strict: false })).toBe(service.server);
      expect(app.get(getOAuth2ServerToken('partners'), { strict: false })).toBe(service.ofPartners);
      expect(app.get(getOAuth2ModelToken('partners'), { strict: false })).toBe(other);
    }
  });

  it('is used by a global OAuthGuard for routes with @UseOAuth(), wherever the guard is registered', async () => {
    @Module({ imports: [partners()] })
    class Partners {}
    const { app, url } = await start({
      imports: [Partners],
      controllers: [DerivedOnly],
      providers: [{ provide: APP_GUARD, useClass: OAuthGuard }],
    });
    const token = await actingAs(app, alice, ['read'], { client: 'acme', server: 'partners' });
    expect(await readResponse(get(`${url}/only`, bearer(token)))).toMatchObject({ status: 200 });
    expect(await readResponse(get(`${url}/only`))).toMatchObject({ status: 401 });
    expect(await readResponse(get(`${url}/only/open`))).toMatchObject({ status: 200 });
  });

  it('rejects the tokens of another server with the same store but another issuer', async () => {
    const model = storeWith('acme');
    const { app, url } = await start({
      imports: [
        OAuth2Module.forRoot({ model, issuer: 'https://id.example.com' }),
        partners({ model, issuer: 'https://id.example.com/partners' }),
      ],
      controllers: [OwnController],
    });
    const own = await actingAs(app, alice, ['read'], { client: 'acme' });
    const theirs = await actingAs(app, alice, ['read'], { client: 'acme', server: 'partners' });
    const statuses = [];
    for (const path of ['own', 'own/partners']) {
      for (const token of [own, theirs]) statuses.push((await get(`${url}/${path}`, bearer(token))).status);
    }
    expect(statuses).toEqual([200, 401, 401, 200]);
  });

  const shared = storeWith('acme');
  const classic = { getClient: () => undefined, saveToken: () => undefined, getAccessToken: () => undefined } as never;
  const own = (options: Partial<OAuth2ModuleOptions> = {}) =>
    OAuth2Module.forRoot({ model: storeWith('spa'), ...options });

  it.each<[string, () => ModuleMetadata, string]>([
    [
      'without own paths',
      () => ({ imports: [partners({ paths: { token: 'a' } })] }),
      "the server `partners` requires its own `paths`, such as `paths: { prefix: 'partners' }`, or `controllers: false`",
    ],
    [
      'with an invalid name',
      () => ({ imports: [partners({ name: 'my partners' })] }),
      "the option `name` must be a word such as 'partners'",
    ],
    [
      'registered twice',
      () => ({ imports: [partners(), partners({ paths: { prefix: 'other' } })] }),
      'two imports of OAuth2Module have the same name `partners`: give each a different name, or register the server once, in a module that exports OAuth2Module',
    ],
    [
      'with a path of another named server',
      () => ({ imports: [partners(), partners({ name: 'staff', paths: { prefix: 'Partners' } })] }),
      'the servers `partners` and `staff` have the same path `Partners/authorize`: give one of them different `paths`, or set `controllers: false`',
    ],
    [
      'with a path of the default server',
      () => ({ imports: [own(), partners({ paths: { prefix: 'oauth' } })] }),
      'the server `partners` and the default server have the same path `oauth/authorize`: give one of them different `paths`, or set `controllers: false`',
    ],
    [
      'with a shared store but without issuers',
      () => ({ imports: [own({ model: shared }), partners({ model: shared })] }),
      "the server `partners` and the default server store tokens in the same place and would accept each other's tokens: give each a different `issuer` or model",
    ],
    [
      'with a shared store and the same issuer',
      () => ({
        imports: [
          partners({ model: shared, issuer: 'https://id.example' }),
          partners({ name: 'staff', paths: { prefix: 'staff' }, model: shared, issuer: 'https://id.example' }),
        ],
      }),
      "the servers `partners` and `staff` store tokens in the same place and would accept each other's tokens: give each a different `issuer` or model",
    ],
    [
      'with a shared model that stores no issuers',
      () => ({
        imports: [
          own({ model: classic, issuer: 'https://a.example' }),
          partners({ model: classic, issuer: 'https://b.example' }),
        ],
      }),
      "the server `partners` and the default server store tokens in the same place and would accept each other's tokens: give each server its own model",
    ],
    [
      'that a route uses but that is not registered',
      () => ({ imports: [own(), partners({ name: 'staff' })], controllers: [PartnersController] }),
      "@UseOAuth('partners') of PartnersController.read() names an unknown server: register it with this `name`, or use `staff`",
    ],
    [
      'that a route uses although no server has a name',
      () => ({ imports: [own()], controllers: [PartnersController] }),
      "@UseOAuth('partners') of PartnersController.read() names an unknown server: register it with this `name`",
    ],
    [
      'if a route uses the default server, which does not exist',
      () => ({ imports: [partners()], controllers: [OwnController] }),
      'OAuthGuard of OwnController.read() finds no default server: select a server with @UseOAuth(): `partners`',
    ],
    [
      'if a route under a global guard uses the default server, which does not exist',
      () => ({
        imports: [partners()],
        controllers: [NamesNone],
        providers: [{ provide: APP_GUARD, useClass: OAuthGuard }],
      }),
      'OAuthGuard of NamesNone.read() finds no default server: select a server with @UseOAuth(): `partners`',
    ],
  ])('stops the application %s', async (_name, metadata, sentence) => {
    await expect(start(metadata())).rejects.toThrow(`Invalid argument: ${sentence}`);
  });

  it('rejects each request of a route if its model cannot find tokens, and logs the reason', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { getClient, saveToken } = storeWith('acme');
    const model = { getClient, saveToken } as never;
    const { url } = await start({ imports: [own(), partners({ model })], controllers: [PartnersController] });
    expect((await get(`${url}/partners`, bearer('any'))).status).toBe(500);
    expect(logged.mock.calls.join()).toContain('OAuthGuard requires the model method `getAccessToken()`');
    logged.mockRestore();
  });

  it('does not stop the application if a test overrides OAuthGuard', async () => {
    const { url } = await startApplication(
      'express',
      { imports: [partners()], controllers: [OwnOnly] },
      { override: (builder) => builder.overrideGuard(OAuthGuard).useValue({ canActivate: () => true }) },
    );
    expect((await get(`${url}/own-only`)).status).toBe(200);
  });

  it('does not stop the application if routes of the default server are public', async () => {
    const { url } = await start({ imports: [partners()], controllers: [OpenController] });
    expect((await get(`${url}/open`)).status).toBe(200);
  });
});

@Controller('only')
@UseOAuth('partners')
class DerivedOnly {
  @Get()
  read(@OAuthClient('id') client: string) {
    return { client };
  }

  @Get('open')
  @Public()
  open() {
    return {};
  }
}

@Controller('own-only')
@UseGuards(OAuthGuard)
class OwnOnly {
  @Get()
  read() {
    return {};
  }
}

@Controller('none')
class NamesNone {
  @Get()
  read() {
    return {};
  }
}

@Controller('open')
@UseGuards(OAuthGuard)
class OpenController {
  @Get()
  @Public()
  read() {
    return {};
  }
}
