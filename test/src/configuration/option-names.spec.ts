import { describe, expect, it } from '@jest/globals';
import { SECRET } from '../../support/servers/demo.js';
import { forRootError, forRootAsyncError, MINIMAL_MODEL as model } from '../../support/servers/start-up-error.js';

describe('the start of an application with an unknown option', () => {
  it.each([
    ['accesTokenLifetime', 'accessTokenLifetime'],
    ['requirePkce', 'requirePKCE'],
    ['controller', 'controllers'],
    ['global', 'isGlobal'],
    ['authorisationCodeLifetime', 'authorizationCodeLifetime'],
  ])('fails for `%s` and suggests `%s`', async (name, nearest) => {
    expect(await forRootError({ model, [name]: 60 })).toBe(
      `unknown option \`${name}\` of OAuth2Module: the most similar option is \`${nearest}\``,
    );
  });

  it.each(['ttl', 'keystore', 'jwks'])('fails for `%s` and suggests the documentation', async (name) => {
    const sentence = `unknown option \`${name}\` of OAuth2Module: docs/reference/options.md lists the options`;
    expect(await forRootError({ model, [name]: 60 })).toBe(sentence);
  });

  it.each([
    ['authCodeLifetime', 'is called `authorizationCodeLifetime` now'],
    ['grants', '`getClient()` returns the `grants` of each client instead'],
    ['debug', 'read the `inner` property of a rejection instead'],
    ['clientIdRegex', 'refuse the client in `getClient()` instead, by a falsy value or an error'],
    ['passthroughErrors', 'every operation rejects with its error instead'],
    ['continueAfterResponse', 'the application sends the `Response` and continues as it needs'],
  ])('fails for `%s` of oauth2-server 2.x, and names its replacement', async (name, fate) => {
    const sentence = `the option \`${name}\` of oauth2-server 2.x has no effect (${fate})`;
    expect(await forRootError({ model, [name]: 60 })).toBe(sentence);
    expect(await forRootAsyncError({ useFactory: () => ({ model, [name]: 60 }) })).toBe(sentence);
  });

  it.each<[string, object, string]>([
    [
      'paths from the factory',
      { useFactory: () => ({ model, paths: {} }) },
      'the option `paths` must be known before the factory runs: pass it to OAuth2Module.forRootAsync() next to the factory',
    ],
    [
      'a lifetime next to the factory',
      { useFactory: () => ({ model }), accessTokenLifetime: 60 },
      'the option `accessTokenLifetime` of OAuth2Module.forRootAsync() must be in the options that the factory returns',
    ],
    [
      'a misspelt option from the factory',
      { useFactory: () => ({ model, secrets: SECRET }) },
      'unknown option `secrets` of OAuth2Module: the most similar option is `secret`',
    ],
    [
      'a misspelt option next to the factory',
      { useFactory: () => ({ model }), usefactory: 1 },
      'unknown option `usefactory` of OAuth2Module: the most similar option is `useFactory`',
    ],
  ])('fails in forRootAsync() with %s', async (_name, options, sentence) => {
    expect(await forRootAsyncError(options)).toBe(sentence);
  });
});
