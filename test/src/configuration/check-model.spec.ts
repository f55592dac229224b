import { Inject, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { OAUTH2_MODEL, OAuth2Module, OAuth2Server, OAuthGuard } from 'nest-oauth2';

import { DemoInteraction, NotesController, SECRET } from '../../support/servers/demo.js';
import { forRootError, MINIMAL_MODEL, startUpErrorOf } from '../../support/servers/start-up-error.js';

const needed = 'OAuth2Module requires the option `model`: a class, an instance or a provider';
const lacks = (methods: string, option: string, them = 'them') =>
  `the model lacks ${methods}, which the option \`${option}\` needs: implement ${them}, or leave \`${option}\` out`;
const CODE_METHODS = '`saveAuthorizationCode()`, `getAuthorizationCode()`, `revokeAuthorizationCode()`';
const checksOnly = 'set `controllers: false` if this API only checks tokens';

describe('the start of an application whose model is invalid', () => {
  it.each<[string, object | undefined, string]>([
    ['no options', undefined, needed],
    ['no model', {}, needed],
    ['null', { model: null }, needed],
    ['a string as model', { model: 'memory' }, 'the option `model` must be a class, an instance or a provider'],
    [
      'no getClient()',
      { model: { saveToken() {} } },
      `the model lacks \`getClient()\`, which the token endpoint needs: implement it, or ${checksOnly}`,
    ],
    [
      'no saveToken()',
      { model: { getClient() {} } },
      `the model lacks \`saveToken()\`, which the token endpoint needs: implement it, or ${checksOnly}`,
    ],
    [
      'a model with the method names of oauth2-server 2.x',
      { model: { getClient() {}, saveAccessToken() {} } },
      `the model lacks \`saveToken()\` (rename \`saveAccessToken()\` of 2.x), which the token endpoint needs: implement it, or ${checksOnly}`,
    ],
    [
      'a property instead of a method',
      { model: { ...MINIMAL_MODEL, validateScope: ['read'] } },
      "the model's `validateScope` must be a method",
    ],
    [
      'codes that cannot be consumed',
      { model: { ...MINIMAL_MODEL, saveAuthorizationCode() {}, getAuthorizationCode() {} } },
      'the model lacks `revokeAuthorizationCode()`, which `saveAuthorizationCode()` needs: implement it, or leave `saveAuthorizationCode()` out too',
    ],
    [
      'codes that are consumed but never saved',
      { model: { ...MINIMAL_MODEL, getAuthorizationCode() {}, revokeAuthorizationCode() {} } },
      'the model lacks `saveAuthorizationCode()`, which `getAuthorizationCode()` needs: implement it, or leave `getAuthorizationCode()` out too',
    ],
    [
      'refresh tokens that cannot be consumed',
      { model: { ...MINIMAL_MODEL, getRefreshToken() {} } },
      'the model lacks `revokeToken()`, which `getRefreshToken()` needs: implement it, or leave `getRefreshToken()` out too',
    ],
    [
      'refresh tokens that cannot be consumed, with the method names of 2.x',
      { model: { ...MINIMAL_MODEL, getRefreshToken() {}, revokeRefreshToken() {} } },
      'the model lacks `revokeToken()` (rename `revokeRefreshToken()` of 2.x), which `getRefreshToken()` needs: implement it, or leave `getRefreshToken()` out too',
    ],
    [
      'an interaction, but no methods to store codes',
      { model: MINIMAL_MODEL, interaction: DemoInteraction, secret: SECRET },
      lacks(CODE_METHODS, 'interaction'),
    ],
    [
      'an authenticateHandler, but no methods to store codes',
      { model: MINIMAL_MODEL, authenticateHandler: { handle() {} } },
      lacks(CODE_METHODS, 'authenticateHandler'),
    ],
    [
      'a grantLifetime, but no stored start of grants',
      { model: MINIMAL_MODEL, grantLifetime: 31_536_000 },
      lacks('`revokeGrant()`', 'grantLifetime', 'it'),
    ],
    [
      'a refreshTokenReuseInterval, but no redeem() and revokeGrant()',
      { model: MINIMAL_MODEL, refreshTokenReuseInterval: 10 },
      lacks('`revokeGrant()`, `redeem()`', 'refreshTokenReuseInterval'),
    ],
  ])('fails with %s', async (_name, options, sentence) => {
    expect(await forRootError(options)).toBe(sentence);
  });

  it('lists all missing methods and feature errors in one message, grouped by what needs them', async () => {
    const options = { model: {}, features: [pages(), openid()], grantLifetime: 3600 };
    expect(await forRootError(options)).toBe(
      [
        'the model lacks methods:',
        `  - \`getClient()\`, \`saveToken()\`, which the token endpoint needs: implement them, or ${checksOnly}`,
        '  - `revokeGrant()`, which the option `grantLifetime` needs: implement it, or leave `grantLifetime` out',
        '3 configuration errors:',
        '1. the model lacks methods:',
        '  - `saveSession()`, `getSession()`, `revokeSession()`, `listApplications()`, `revokeGrantsOf()`, which `pages()` needs: implement them, or leave the feature out',
        '  - `getClaims()`, `getAccessToken()`, which `openid()` needs: implement them, or leave the feature out',
        '2. the model lacks `getUser()`, which `pages()` needs: implement it, or set `password: false`',
        '3. `openid()` requires the option `issuer`: an https URL without query and fragment, or an http URL of localhost',
      ].join('\n'),
    );
  });

  it('fails without getAccessToken() if a controller uses OAuthGuard', async () => {
    const imports = [OAuth2Module.forRoot({ model: MINIMAL_MODEL as never })];
    expect(await startUpErrorOf({ imports, controllers: [NotesController] })).toBe(
      'OAuthGuard requires the model method `getAccessToken()`, which finds the token of a request: implement it',
    );
  });

  it('fails if the model class injects an unknown provider, with the message of Nest and advice where to add it', async () => {
    @Injectable()
    class Needy {
      constructor(@Inject('DATABASE') readonly database: unknown) {}
    }
    const imports = [OAuth2Module.forRoot({ model: Needy as never })];
    const starting = Test.createTestingModule({ imports }).compile();
    await expect(starting).rejects.toThrow(
      /dependencies of the Needy \[the `model`: add .* `imports` or `extraProviders` .*DATABASE.*OAuth2Module/s,
    );
  });

  it('fails if a module uses OAuthGuard without importing OAuth2Module', async () => {
    expect(await startUpErrorOf({ controllers: [NotesController] })).toBe(
      'OAuthGuard finds no OAuth2Server in the module of its controller: import a module there that exports OAuth2Module, ' +
        'or register OAuth2Module with `isGlobal: true`',
    );
  });

  it.each(['forRoot', 'forRootAsync'] as const)(
    'fails with the configuration error even if a guard waits for the server: %s',
    async (method) => {
      const options = { model: {} as never, isGlobal: true };
      const async = { isGlobal: true, useFactory: () => Promise.resolve({ model: {} as never }) };
      const imports = [method === 'forRoot' ? OAuth2Module.forRoot(options) : OAuth2Module.forRootAsync(async)];
      expect(await startUpErrorOf({ imports, controllers: [NotesController] })).toMatch(
        /^the model lacks `getClient\(\)`/,
      );
    },
  );

  it('creates the model itself from a class without dependencies', async () => {
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

describe('the start of an application whose model is valid', () => {
  it('needs only getAccessToken() without endpoints', async () => {
    const model = { getAccessToken: () => undefined } as never;
    const imports = [OAuth2Module.forRoot({ model, controllers: false })];
    const app = await Test.createTestingModule({ imports, controllers: [NotesController] }).compile();
    expect(app.get(OAuth2Server, { strict: false }).options.model).toBe(model);
  });

  it('does not check a guard that a test created with a mock server', () => {
    expect(new OAuthGuard({ authenticate: () => undefined } as never)).toBeInstanceOf(OAuthGuard);
  });
});

/** Method names of real application models that are unrelated to the methods of this library. */
const OWN = `
  setUser getUsers getUserById findUser getTier getOrder getCode getToken getClients getClientById getRefreshTokens
  setAccessToken saveTokens saveUser saveCode revokeTokens revokeGrants revokeGrantsOf revokeUser
  verifyToken validateUser listGrants onModuleInit
`
  .trim()
  .split(/\s+/);

describe('the start of an application whose model has a misspelt method', () => {
  it.each([
    ['getAcessToken', 'getAccessToken'],
    ['getaccesstoken', 'getAccessToken'],
    ['validatedScope', 'validateScope'],
    ['valdateScop', 'validateScope'],
    ['verifyScop', 'verifyScope'],
    ['revokeGrand', 'revokeGrant'],
    ['getUserFormClient', 'getUserFromClient'],
    ['getuser', 'getUser'],
    ['validateRedirectURL', 'validateRedirectUri'],
  ])('fails for `%s`, which probably means `%s`', async (own, meant) => {
    const fault = `the model's method \`${own}()\` looks like a misspelled \`${meant}()\`: correct its name, or choose a more distinct name if it is your own method`;
    expect(await forRootError({ model: { ...MINIMAL_MODEL, [own]() {} } })).toBe(fault);
  });

  it('fails if the misspelt method is inherited', async () => {
    class Base {
      getClient() {}
      saveToken() {}
      validateSkope() {}
    }
    class HostModel extends Base {}
    expect(await forRootError({ model: HostModel })).toMatch(
      /`validateSkope\(\)` looks like a misspelled `validateScope\(\)`/,
    );
  });
});

describe('an application’s own model method', () => {
  it.each(OWN)('is accepted at start-up: `%s`', async (own) => {
    const model = { ...MINIMAL_MODEL, [own]() {} };
    const imports = [OAuth2Module.forRoot({ model: model as never })];
    const app = await Test.createTestingModule({ imports }).compile();
    expect(app.get(OAUTH2_MODEL, { strict: false })).toBe(model);
  });

  it('is accepted if it is not a method, or if the correct method exists too', async () => {
    class HostModel {
      getTokan = 'no method';
      getClient() {}
      saveToken() {}
      saveTokens() {}
      saveTocken() {}
      get validateScop(): never {
        throw new Error('a getter was called');
      }
      validateScope = undefined;
    }
    const imports = [OAuth2Module.forRoot({ model: HostModel as never })];
    const app = await Test.createTestingModule({ imports }).compile();
    expect(app.get(OAUTH2_MODEL, { strict: false })).toBeInstanceOf(HostModel);
  });
});
