import { Controller, Get, Inject, Injectable, Module, type ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  OAUTH2_INTERACTION,
  OAUTH2_MODEL,
  OAUTH2_OPTIONS,
  OAuth2Module,
  type OAuth2ModuleAsyncOptions,
  type OAuth2Options,
  type OAuth2OptionsFactory,
  OAuth2Server,
} from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { DemoInteraction, demoStore, SECRET } from '../support/servers/demo.js';
import { Database, DatabaseModule, InjectedInteraction, InjectedModel } from '../support/models/injected-model.js';
import { get, post } from '../support/clients/http.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';

@Injectable()
class OptionsFactory implements OAuth2OptionsFactory {
  constructor(@Inject(Database) private readonly database: Database) {}

  createOAuth2Options(): OAuth2Options {
    return { model: this.database.store, accessTokenLifetime: 60 };
  }
}

@Module({ providers: [Database, OptionsFactory], exports: [Database, OptionsFactory] })
class OptionsModule {}

const compile = (metadata: ModuleMetadata) => Test.createTestingModule(metadata).compile();

describe('OAuth2Module.forRootAsync()', () => {
  afterEach(stopApplications);

  it.each<[string, OAuth2ModuleAsyncOptions]>([
    [
      'useFactory',
      { inject: [Database], useFactory: ({ store }: Database) => ({ model: store, accessTokenLifetime: 60 }) },
    ],
    [
      'an asynchronous useFactory',
      { inject: [Database], useFactory: async ({ store }: Database) => ({ model: store, accessTokenLifetime: 60 }) },
    ],
    ['useClass', { useClass: OptionsFactory }],
    ['useExisting', { useExisting: OptionsFactory }],
  ])('reads its options from %s', async (_name, options) => {
    const app = await compile({ imports: [OAuth2Module.forRootAsync({ imports: [OptionsModule], ...options })] });
    const server = app.get(OAuth2Server, { strict: false });
    expect(server.options).toEqual({
      model: expect.any(MemoryStore),
      accessTokenLifetime: 60,
      features: [expect.objectContaining({ id: 'OAuth2Module' })],
    });
  });

  it('accepts model and interaction as classes next to the factory', async () => {
    const app = await compile({
      imports: [
        OAuth2Module.forRootAsync({
          imports: [DatabaseModule],
          model: InjectedModel,
          interaction: { useClass: InjectedInteraction },
          useFactory: () => ({ secret: SECRET }),
        }),
      ],
    });
    expect(app.get(OAUTH2_MODEL, { strict: false })).toBeInstanceOf(InjectedModel);
    expect(app.get(OAUTH2_INTERACTION, { strict: false })).toBeInstanceOf(InjectedInteraction);
  });

  it('accepts model and interaction as instances from the factory', async () => {
    const found = { model: demoStore(), interaction: new DemoInteraction(), secret: SECRET };
    const app = await compile({ imports: [OAuth2Module.forRootAsync({ useFactory: () => found })] });
    expect(app.get(OAUTH2_MODEL, { strict: false })).toBe(found.model);
    expect(app.get(OAUTH2_INTERACTION, { strict: false })).toBe(found.interaction);
    expect(app.get(OAUTH2_OPTIONS, { strict: false })).toBe(found);
  });

  it('accepts paths, isGlobal and controllers next to the factory', async () => {
    @Controller()
    class Feature {
      constructor(@Inject(OAuth2Server) private readonly server: OAuth2Server) {}

      @Get('feature')
      feature() {
        return { lifetime: this.server.options.accessTokenLifetime };
      }
    }
    @Module({ controllers: [Feature] })
    class FeatureModule {}
    const useFactory = () => ({ model: demoStore(), accessTokenLifetime: 60 });
    const module = OAuth2Module.forRootAsync({ useFactory, isGlobal: true, paths: { token: 'token' } });
    const { url } = await startApplication('express', { imports: [module, FeatureModule] });
    expect(await (await get(`${url}/feature`)).json()).toEqual({ lifetime: 60 });
    expect((await post(`${url}/token`, {})).status).toBe(401);
  });

  it('provides the dependencies of factory and model with `extraProviders`', async () => {
    const module = OAuth2Module.forRootAsync({
      extraProviders: [Database, { provide: 'LIFETIME', useValue: 90 }],
      inject: ['LIFETIME'],
      useFactory: (accessTokenLifetime: number) => ({ accessTokenLifetime }),
      model: InjectedModel,
    });
    const app = await compile({ imports: [module] });
    expect(app.get(OAuth2Server, { strict: false }).options.accessTokenLifetime).toBe(90);
  });
});
