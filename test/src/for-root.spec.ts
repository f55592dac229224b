import { Inject, Injectable, Module, type ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  InjectOAuth2Model,
  type Model,
  OAUTH2_INTERACTION,
  OAUTH2_MODEL,
  OAUTH2_OPTIONS,
  OAuth2Module,
  type OAuth2Options,
  OAuth2Server,
} from 'nest-oauth2';
import { Request, Response } from 'nest-oauth2/server';
import { demoStore, NotesController, SECRET } from '../support/servers/demo.js';
import { Database, DatabaseModule, InjectedInteraction, InjectedModel } from '../support/models/injected-model.js';
import { get, post } from '../support/clients/http.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';

const compile = (metadata: ModuleMetadata) => Test.createTestingModule(metadata).compile();

/** Returns the token of the demo client, which shows the model that the server uses. */
async function tokenOf(server: OAuth2Server) {
  const authorization = `Basic ${Buffer.from('web:web-secret').toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  const request = new Request({ method: 'POST', query: {}, headers, body: { grant_type: 'client_credentials' } });
  return server.token(request, new Response());
}

describe('OAuth2Module.forRoot()', () => {
  afterEach(stopApplications);

  it('accepts a model as an instance', async () => {
    const model = demoStore();
    const app = await compile({ imports: [OAuth2Module.forRoot({ model, accessTokenLifetime: 60 })] });
    expect(app.get(OAUTH2_MODEL, { strict: false })).toBe(model);
    expect(app.get(OAuth2Server, { strict: false }).options).toEqual({
      model,
      accessTokenLifetime: 60,
      features: [expect.objectContaining({ id: 'OAuth2Module' })],
    });
    expect(app.get(OAUTH2_INTERACTION, { strict: false })).toBeUndefined();
  });

  it('accepts a model as a class with dependencies from `imports`', async () => {
    const app = await compile({ imports: [OAuth2Module.forRoot({ model: InjectedModel, imports: [DatabaseModule] })] });
    const model = app.get(OAUTH2_MODEL, { strict: false });
    expect(model).toBeInstanceOf(InjectedModel);
    expect(model.database).toBe(app.get(Database, { strict: false }));
    expect((await tokenOf(app.get(OAuth2Server, { strict: false }))).user).toEqual({ id: 'host' });
  });

  it.each([
    ['useValue', { useValue: new InjectedModel(new Database()) }],
    ['useClass', { useClass: InjectedModel }],
    ['useFactory', { useFactory: (database: Database) => new InjectedModel(database), inject: [Database] }],
    [
      'an asynchronous useFactory',
      { useFactory: async (database: Database) => new InjectedModel(database), inject: [Database] },
    ],
  ])('accepts a model as a provider with %s', async (_name, model) => {
    const app = await compile({ imports: [OAuth2Module.forRoot({ model, imports: [DatabaseModule] })] });
    expect(app.get(OAUTH2_MODEL, { strict: false })).toBeInstanceOf(InjectedModel);
  });

  it('accepts a model that another module provides', async () => {
    @Module({ imports: [DatabaseModule], providers: [InjectedModel], exports: [InjectedModel] })
    class ModelModule {}
    const app = await compile({
      imports: [OAuth2Module.forRoot({ model: { useExisting: InjectedModel }, imports: [ModelModule] })],
    });
    expect(app.get(OAUTH2_MODEL, { strict: false })).toBe(app.get(InjectedModel, { strict: false }));
  });

  it('creates an interaction that injects the model, the server and imported providers', async () => {
    const options = {
      model: InjectedModel,
      interaction: InjectedInteraction,
      secret: SECRET,
      imports: [DatabaseModule],
    };
    const app = await compile({ imports: [OAuth2Module.forRoot(options)] });
    const interaction: InjectedInteraction = app.get(OAUTH2_INTERACTION, { strict: false });
    expect(interaction.model).toBe(app.get(OAUTH2_MODEL, { strict: false }));
    expect(interaction.server).toBe(app.get(OAuth2Server, { strict: false }));
    expect(interaction.database).toBeInstanceOf(Database);
  });

  it('uses the model that a test overrides', async () => {
    const model = { ...stub(), getUserFromClient: () => ({ id: 'overridden' }) };
    const app = await Test.createTestingModule({
      imports: [OAuth2Module.forRoot({ model: InjectedModel, imports: [DatabaseModule] })],
    })
      .overrideProvider(OAUTH2_MODEL)
      .useValue(model)
      .compile();
    expect((await tokenOf(app.get(OAuth2Server, { strict: false }))).user).toEqual({ id: 'overridden' });
  });

  it('exports its providers to the importing module, and with `isGlobal` to all modules', async () => {
    @Injectable()
    class Service {
      constructor(
        @Inject(OAuth2Server) readonly server: OAuth2Server,
        @InjectOAuth2Model() readonly model: Model,
        @Inject(OAUTH2_OPTIONS) readonly options: OAuth2Options,
      ) {}
    }
    @Module({ providers: [Service] })
    class Feature {}
    const options = { model: demoStore(), isGlobal: true };
    const app = await compile({ imports: [OAuth2Module.forRoot(options), Feature] });
    const service = app.get(Service, { strict: false });
    expect(service.server.options.model).toBe(options.model);
    expect(service.model).toBe(options.model);
    expect(service.options).toBe(options);
    const local = compile({ imports: [OAuth2Module.forRoot({ model: demoStore() }), Feature] });
    await expect(local).rejects.toThrow(/OAuth2Server/);
  });

  it('lets feature modules use OAuthGuard with `isGlobal`, or by importing a module that exports it', async () => {
    @Module({ controllers: [NotesController] })
    class Feature {}
    @Module({ imports: [OAuth2Module.forRoot({ model: demoStore() })], exports: [OAuth2Module] })
    class Security {}
    @Module({ imports: [Security], controllers: [NotesController] })
    class SecuredFeature {}
    const everywhere = OAuth2Module.forRoot({ model: demoStore(), isGlobal: true });
    for (const imports of [[everywhere, Feature], [SecuredFeature]]) {
      const app = await compile({ imports });
      expect(app.get(NotesController, { strict: false })).toBeInstanceOf(NotesController);
    }
  });

  it('registers no endpoints if `controllers` is false', async () => {
    const { url } = await startApplication('express', {
      imports: [OAuth2Module.forRoot({ model: demoStore(), controllers: false })],
    });
    expect((await post(`${url}/oauth/token`, {})).status).toBe(404);
    expect((await get(`${url}/oauth/authorize`)).status).toBe(404);
  });

  it('works in an application without HTTP', async () => {
    const app = await compile({ imports: [OAuth2Module.forRoot({ model: demoStore() })] });
    await app.init();
    expect(app.get(OAuth2Server, { strict: false })).toBeInstanceOf(OAuth2Server);
    await app.close();
  });
});

function stub() {
  const store = demoStore();
  return {
    getClient: (id: string, secret: string | null) => store.getClient(id, secret),
    saveToken: (token: object, client: object, user: object) => ({ ...token, client, user }),
  };
}
