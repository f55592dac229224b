import { Controller, Inject, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { OAuth2Module, OAuth2Server } from 'nest-oauth2';
import { DemoInteraction, demoStore, NotesController, SECRET } from '../../support/servers/demo.js';
import {
  startUpErrorOf,
  forRootError,
  forRootAsyncError,
  MINIMAL_MODEL as model,
} from '../../support/servers/start-up-error.js';

const path = (name: string) => `the option \`paths.${name}\` must be a path without a query, such as 'oauth/${name}'`;
const noSource = 'OAuth2Module.forRootAsync() requires `useFactory`, `useClass` or `useExisting`';
const twice = (name: string) =>
  `pass \`${name}\` either to OAuth2Module.forRootAsync() or in the options that its factory returns, not in both`;

class NoFactory {}

describe('the start of an application with invalid OAuth2Module registration', () => {
  it.each<[string, object, string]>([
    ['a path with a query', { paths: { token: 'token?a=b' } }, path('token')],
    ['a URL as a path', { paths: { authorize: 'https://a.example/b' } }, path('authorize')],
    ['an empty path', { paths: { token: '' } }, path('token')],
    ['a number as a path', { paths: { token: 1 } }, path('token')],
    [
      'an unknown path',
      { paths: { tokens: 'a' } },
      'unknown endpoint `paths.tokens`: the known ones are `authorize` and `token`',
    ],
    [
      'one path for two endpoints',
      { paths: { token: 'a', authorize: '/a' } },
      'the endpoints `authorize` and `token` have the same path `a`: change one of them with `paths`',
    ],
  ])('fails with %s', async (_name, options, sentence) => {
    expect(await forRootError({ model, ...options })).toBe(sentence);
  });

  it.each(['x', 5, [], () => ({ model })])('fails with options that are %p', async (options) => {
    expect(await forRootError(options)).toBe('OAuth2Module.forRoot() takes an object of options');
    expect(await forRootAsyncError(options)).toBe('OAuth2Module.forRootAsync() takes an object of options');
  });

  it.each<[string, object | undefined, string]>([
    ['no source of options', {}, noSource],
    ['no arguments', undefined, noSource],
    [
      'a misspelt source of options',
      { usefactory: () => ({ model }) },
      'unknown option `usefactory` of OAuth2Module: the most similar option is `useFactory`',
    ],
    [
      'two sources of options',
      { useFactory: () => ({ model }), useClass: NoFactory },
      'pass only one of `useFactory` and `useClass` to OAuth2Module.forRootAsync()',
    ],
    ['a useFactory that is not a function', { useFactory: { model } }, 'the option `useFactory` must be a function'],
    ['a useClass that is not a class', { useClass: {} }, 'the option `useClass` must be a class'],
    [
      'a useExisting that is not an injection token',
      { useExisting: null },
      'the option `useExisting` must be an injection token',
    ],
    [
      'an inject that is not a list',
      { useFactory: () => ({ model }), inject: 'CONFIG' },
      'the option `inject` must be a list',
    ],
    [
      'a useClass that does not create options',
      { useClass: NoFactory },
      '`useClass` of OAuth2Module.forRootAsync() has no method `createOAuth2Options()`: implement it',
    ],
    [
      'a useExisting that does not create options',
      { useExisting: 'OPTIONS', extraProviders: [{ provide: 'OPTIONS', useValue: { model } }] },
      '`useExisting` of OAuth2Module.forRootAsync() has no method `createOAuth2Options()`: implement it',
    ],
    ['a model both in the registration and from the factory', { useFactory: () => ({ model }), model }, twice('model')],
    [
      'an interaction both in the registration and from the factory',
      {
        useFactory: () => ({ model, interaction: new DemoInteraction(), secret: SECRET }),
        interaction: DemoInteraction,
      },
      twice('interaction'),
    ],
    [
      'a factory that returns nothing',
      { useFactory: () => undefined },
      'the factory of OAuth2Module.forRootAsync() must return an object of options',
    ],
    [
      'a factory without a model',
      { useFactory: () => ({}) },
      'OAuth2Module requires the option `model`: a class, an instance or a provider',
    ],
    [
      'a factory that returns a class as model',
      { useFactory: () => ({ model: class {} }) },
      'the `model` that the factory returns is a class: return an instance, or pass the class to forRootAsync() next to the factory',
    ],
    [
      'an option of the wrong kind from the factory',
      { useFactory: () => ({ model, allowEmptyState: 'false' }) },
      'the option `allowEmptyState` must be true or false',
    ],
  ])('fails in forRootAsync() with %s', async (_name, options, sentence) => {
    expect(await forRootAsyncError(options)).toBe(sentence);
  });

  it('fails with the imported class OAuth2Module instead of forRoot()', async () => {
    expect(await startUpErrorOf({ imports: [OAuth2Module] })).toBe(
      'import OAuth2Module.forRoot() or OAuth2Module.forRootAsync(), not the class OAuth2Module',
    );
  });

  it('fails with the configuration error even if other modules inject what OAuth2Module exports', async () => {
    @Controller()
    class Feature {
      constructor(@Inject(OAuth2Server) readonly server: OAuth2Server) {}
    }
    @Module({ controllers: [Feature, NotesController] })
    class FeatureModule {}
    const wrong = OAuth2Module.forRoot({ model: 'memory', isGlobal: true } as never);
    expect(await startUpErrorOf({ imports: [FeatureModule, wrong] })).toBe(
      'the option `model` must be a class, an instance or a provider',
    );
  });
});

describe('the start of an application with valid OAuth2Module registration', () => {
  it('allows undefined options and an unused secret', async () => {
    const options = { paths: undefined, interaction: undefined, imports: undefined, issuer: undefined, secret: SECRET };
    const imports = [OAuth2Module.forRoot({ model: demoStore(), ...options })];
    const app = await Test.createTestingModule({ imports }).compile();
    expect(app.get(OAuth2Server, { strict: false })).toBeInstanceOf(OAuth2Server);
  });

  it('allows null in forRootAsync() for options that the factory returns', async () => {
    const useFactory = () => ({ model: demoStore() });
    const imports = [OAuth2Module.forRootAsync({ useFactory, model: null, interaction: null } as never)];
    const app = await Test.createTestingModule({ imports }).compile();
    expect(app.get(OAuth2Server, { strict: false })).toBeInstanceOf(OAuth2Server);
  });
});
