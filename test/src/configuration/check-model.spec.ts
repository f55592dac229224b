import { Inject, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { OAUTH2_MODEL, OAuth2Module, OAuth2Server, OAuthGuard } from 'nest-oauth2';
import { DemoInteraction, NotesController, SECRET } from '../../support/demo.js';
import { faultOf, faultOfRoot, LEAST_MODEL } from '../../support/fault.js';

const needed = 'OAuth2Module needs the option `model`: a class, an instance or a provider';
const ofNoUse = (method: string, option: string) =>
  `the model has no method \`${method}()\`, without which the option \`${option}\` is of no use: implement it, or leave \`${option}\` out`;
const whereChecked = 'set `controllers: false` where tokens are only checked';

describe('a model that will not do stops the application', () => {
  it.each<[string, object | undefined, string]>([
    ['no options', undefined, needed],
    ['no model', {}, needed],
    ['null', { model: null }, needed],
    ['a word', { model: 'memory' }, 'the option `model` must be a class, an instance or a provider'],
    [
      'no getClient()',
      { model: { saveToken() {} } },
      `the model has no method \`getClient()\`, which finds the clients: implement it, or ${whereChecked}`,
    ],
    [
      'no saveToken()',
      { model: { getClient() {} } },
      `the model has no method \`saveToken()\`, which keeps what is issued: implement it, or ${whereChecked}`,
    ],
    [
      'a method of 2.x',
      { model: { getClient() {}, saveAccessToken() {} } },
      'the model has no method `saveToken()`, which keeps what is issued: `saveAccessToken()` of 2.x is called so now',
    ],
    [
      'a property where a method is due',
      { model: { ...LEAST_MODEL, validateScope: ['read'] } },
      "the model's `validateScope` must be a method",
    ],
    [
      'codes that cannot be spent',
      { model: { ...LEAST_MODEL, saveAuthorizationCode() {}, getAuthorizationCode() {} } },
      'the model has no method `revokeAuthorizationCode()`, which belongs to `saveAuthorizationCode()`: implement it, or leave `saveAuthorizationCode()` out too',
    ],
    [
      'codes that are never saved',
      { model: { ...LEAST_MODEL, getAuthorizationCode() {}, revokeAuthorizationCode() {} } },
      'the model has no method `saveAuthorizationCode()`, which belongs to `getAuthorizationCode()`: implement it, or leave `getAuthorizationCode()` out too',
    ],
    [
      'refresh tokens that cannot be spent',
      { model: { ...LEAST_MODEL, getRefreshToken() {} } },
      'the model has no method `revokeToken()`, which spends a refresh token: implement it, or leave `getRefreshToken()` out too',
    ],
    [
      'refresh tokens that cannot be spent, of 2.x',
      { model: { ...LEAST_MODEL, getRefreshToken() {}, revokeRefreshToken() {} } },
      'the model has no method `revokeToken()`, which spends a refresh token: `revokeRefreshToken()` of 2.x is called so now',
    ],
    [
      'an interaction, and nowhere to keep codes',
      { model: LEAST_MODEL, interaction: DemoInteraction, secret: SECRET },
      ofNoUse('saveAuthorizationCode', 'interaction'),
    ],
    [
      'a handler, and nowhere to keep codes',
      { model: LEAST_MODEL, authenticateHandler: { handle() {} } },
      ofNoUse('saveAuthorizationCode', 'authenticateHandler'),
    ],
    [
      'a lifetime for grants, whose beginning it forgets',
      { model: LEAST_MODEL, grantLifetime: 31_536_000 },
      ofNoUse('revokeGrant', 'grantLifetime'),
    ],
    [
      'an interval for spent tokens, which it forgets',
      { model: LEAST_MODEL, refreshTokenReuseInterval: 10 },
      ofNoUse('revokeGrant', 'refreshTokenReuseInterval'),
    ],
  ])('%s', async (_name, options, sentence) => {
    expect(await faultOfRoot(options)).toBe(sentence);
  });

  it('no getAccessToken(), where OAuthGuard needs it', async () => {
    const imports = [OAuth2Module.forRoot({ model: LEAST_MODEL as never })];
    expect(await faultOf({ imports, controllers: [NotesController] })).toBe(
      'OAuthGuard needs the model method `getAccessToken()`: implement it to find the token of a request',
    );
  });

  it('a class that needs what nobody provides, in the words of Nest and with where to give it', async () => {
    @Injectable()
    class Needy {
      constructor(@Inject('DATABASE') readonly database: unknown) {}
    }
    const imports = [OAuth2Module.forRoot({ model: Needy as never })];
    const starting = Test.createTestingModule({ imports }).compile();
    await expect(starting).rejects.toThrow(
      /dependencies of the Needy \[the `model`: give .* `imports` or `extraProviders` .*DATABASE.*OAuth2Module/s,
    );
  });

  it('OAuthGuard in a module that does not import OAuth2Module', async () => {
    expect(await faultOf({ controllers: [NotesController] })).toBe(
      'OAuthGuard finds no OAuth2Server in the module of its controller: import there a module that exports OAuth2Module, ' +
        'or register OAuth2Module with `isGlobal: true`',
    );
  });

  it.each(['forRoot', 'forRootAsync'] as const)(
    'and is what is said, though a guard waits for it: %s',
    async (method) => {
      const options = { model: {} as never, isGlobal: true };
      const async = { isGlobal: true, useFactory: () => Promise.resolve({ model: {} as never }) };
      const imports = [method === 'forRoot' ? OAuth2Module.forRoot(options) : OAuth2Module.forRootAsync(async)];
      expect(await faultOf({ imports, controllers: [NotesController] })).toMatch(
        /^the model has no method `getClient\(\)`/,
      );
    },
  );

  it('a class that needs nothing is an instance of itself', async () => {
    class Plain {
      getClient() {}
      saveToken() {}
      getAccessToken() {}
    }
    const app = await Test.createTestingModule({
      imports: [OAuth2Module.forRoot({ model: Plain as never })],
    }).compile();
    const made: object = app.get(OAUTH2_MODEL, { strict: false });
    expect([made instanceof Plain, made.constructor, Plain.name]).toEqual([true, Plain, 'Plain']);
  });
});

describe('a model that will do', () => {
  it('may only check tokens, where there are no endpoints', async () => {
    const model = { getAccessToken: () => undefined } as never;
    const imports = [OAuth2Module.forRoot({ model, controllers: false })];
    const app = await Test.createTestingModule({ imports, controllers: [NotesController] }).compile();
    expect(app.get(OAuth2Server, { strict: false }).options.model).toBe(model);
  });

  it('is left alone by a guard over a stand-in for the server, as tests have it', () => {
    expect(new OAuthGuard({ authenticate: () => undefined } as never)).toBeInstanceOf(OAuthGuard);
  });
});
