import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { OAUTH2_MODEL, OAuth2Module } from 'nest-oauth2';
import { forRootError, MINIMAL_MODEL } from '../../support/start-up-error.js';

/** Names that models of hosts have beside ours. */
const OWN = `
  setUser getUsers getUserById findUser getTier getOrder getCode getToken getClients getClientById getRefreshTokens
  setAccessToken saveTokens saveUser saveCode revokeTokens revokeGrants revokeGrantsOf revokeUser
  verifyToken validateUser listGrants onModuleInit
`
  .trim()
  .split(/\s+/);

describe('a misspelt method of the model stops the application', () => {
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
  ])('`%s`, which stands for `%s`', async (own, meant) => {
    const fault = `the model's method \`${own}()\` looks like a misspelled \`${meant}()\`: correct its name, or choose a more distinct name if it is your own method`;
    expect(await forRootError({ model: { ...MINIMAL_MODEL, [own]() {} } })).toBe(fault);
  });

  it('also when the class it extends has misspelt it', async () => {
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

describe('a method of the host’s own', () => {
  it.each(OWN)('is left alone: `%s`', async (own) => {
    const model = { ...MINIMAL_MODEL, [own]() {} };
    const imports = [OAuth2Module.forRoot({ model: model as never })];
    const app = await Test.createTestingModule({ imports }).compile();
    expect(app.get(OAUTH2_MODEL, { strict: false })).toBe(model);
  });

  it('is left alone when it is no method, or the right one is there too', async () => {
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
