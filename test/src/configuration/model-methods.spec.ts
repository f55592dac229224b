import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { OAUTH2_MODEL, OAuth2Module } from 'nest-oauth2';
import { forRootError, MINIMAL_MODEL } from '../../support/start-up-error.js';

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
