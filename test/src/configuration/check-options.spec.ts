import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { OAuth2Module, OAuth2Server } from 'nest-oauth2';
import { demoStore } from '../../support/demo.js';
import { faultOf, faultOfRoot, faultOfRootAsync, LEAST_MODEL } from '../../support/fault.js';

const lifetime = (name: string) => `the option \`${name}\` must be a positive number of seconds`;
const path = (name: string) => `the option \`paths.${name}\` must be a path such as 'oauth/${name}', without a query`;
const noSource = 'OAuth2Module.forRootAsync() needs `useFactory`, `useClass` or `useExisting` to get its options from';

describe('an option that will not do stops the application', () => {
  it.each<[string, object, string]>([
    ['a lifetime of nothing', { accessTokenLifetime: 0 }, lifetime('accessTokenLifetime')],
    ['a negative lifetime', { refreshTokenLifetime: -1 }, lifetime('refreshTokenLifetime')],
    ['a lifetime in words', { authorizationCodeLifetime: '5m' }, lifetime('authorizationCodeLifetime')],
    ['an endless lifetime', { accessTokenLifetime: Infinity }, lifetime('accessTokenLifetime')],
    ['an unknown choice', { requirePKCE: true }, "the option `requirePKCE` must be 'public' or 'all' or 'none'"],
    ['an unknown format', { scopeFormat: 'list' }, "the option `scopeFormat` must be 'string' or 'array'"],
    ['an idle handler', { authenticateHandler: {} }, 'the option `authenticateHandler` needs a method `handle()`'],
    ['no URL', { issuer: 'me' }, 'the option `issuer` must be a URL without query and fragment'],
    [
      'no class',
      { extendedGrantTypes: { 'urn:a': {} } },
      'the grant type `urn:a` in `extendedGrantTypes` must be a class',
    ],
    ['a path with a query', { paths: { token: 'token?a=b' } }, path('token')],
    ['a URL for a path', { paths: { authorize: 'https://a.example/b' } }, path('authorize')],
    ['an empty path', { paths: { token: '' } }, path('token')],
    ['a number for a path', { paths: { token: 1 } }, path('token')],
    ['an unknown path', { paths: { tokens: 'a' } }, 'unknown path `paths.tokens`: there are `authorize` and `token`'],
    [
      'one path for two',
      { paths: { token: 'a', authorize: '/a' } },
      'the options `paths.authorize` and `paths.token` must differ',
    ],
  ])('%s', async (_name, options, sentence) => {
    expect(await faultOfRoot({ model: LEAST_MODEL, ...options })).toBe(sentence);
  });

  it.each<[string, object | undefined, string]>([
    ['no source of options', {}, noSource],
    ['nothing at all', undefined, noSource],
    [
      'a factory that returns nothing',
      { useFactory: () => undefined },
      'the factory of OAuth2Module.forRootAsync() must return options',
    ],
    [
      'a factory without a model',
      { useFactory: () => ({}) },
      'OAuth2Module needs the option `model`: a class, an instance or a provider',
    ],
    [
      'a factory that returns a class',
      { useFactory: () => ({ model: class {} }) },
      'the `model` is a class where an instance is due: give the class beside the factory',
    ],
    [
      'a bad lifetime from the factory',
      { useFactory: () => ({ model: LEAST_MODEL, accessTokenLifetime: Number.NaN }) },
      lifetime('accessTokenLifetime'),
    ],
  ])('in forRootAsync(): %s', async (_name, options, sentence) => {
    expect(await faultOfRootAsync(options)).toBe(sentence);
  });

  it('the module imported by its name', async () => {
    expect(await faultOf({ imports: [OAuth2Module] })).toBe(
      'import OAuth2Module by OAuth2Module.forRoot() or forRootAsync(), not by its name',
    );
  });
});

describe('an option that will do', () => {
  it('may be undefined, a number in digits, or a secret that nothing uses', async () => {
    const options = {
      accessTokenLifetime: undefined,
      refreshTokenLifetime: '60' as never,
      secret: 'x',
      issuer: undefined,
    };
    const module = OAuth2Module.forRoot({ model: demoStore(), paths: undefined, interaction: undefined, ...options });
    const app = await Test.createTestingModule({ imports: [module] }).compile();
    expect(app.get(OAuth2Server, { strict: false }).options).toMatchObject({ refreshTokenLifetime: '60' });
  });
});
