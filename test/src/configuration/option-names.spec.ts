import { describe, expect, it } from '@jest/globals';
import { SECRET } from '../../support/demo.js';
import { faultOfRoot, faultOfRootAsync, LEAST_MODEL as model } from '../../support/fault.js';

describe('an option that nobody reads stops the application', () => {
  it.each([
    ['accesTokenLifetime', 'accessTokenLifetime'],
    ['requirePkce', 'requirePKCE'],
    ['controller', 'controllers'],
    ['global', 'isGlobal'],
    ['authorisationCodeLifetime', 'authorizationCodeLifetime'],
  ])('`%s`, which may stand for `%s`', async (name, nearest) => {
    expect(await faultOfRoot({ model, [name]: 60 })).toBe(
      `unknown option \`${name}\` of OAuth2Module; the nearest known one is \`${nearest}\``,
    );
  });

  it.each<[string, object, string]>([
    [
      'paths from the factory',
      { useFactory: () => ({ model, paths: {} }) },
      'the option `paths` must be known at once: give it to OAuth2Module.forRootAsync() beside the factory',
    ],
    [
      'a lifetime beside the factory',
      { useFactory: () => ({ model }), accessTokenLifetime: 60 },
      'the option `accessTokenLifetime` of OAuth2Module.forRootAsync() belongs into what the factory returns',
    ],
    [
      'a misspelt option from the factory',
      { useFactory: () => ({ model, secrets: SECRET }) },
      'unknown option `secrets` of OAuth2Module; the nearest known one is `secret`',
    ],
    [
      'a misspelt option beside the factory',
      { useFactory: () => ({ model }), usefactory: 1 },
      'unknown option `usefactory` of OAuth2Module; the nearest known one is `useFactory`',
    ],
  ])('in forRootAsync(): %s', async (_name, options, sentence) => {
    expect(await faultOfRootAsync(options)).toBe(sentence);
  });
});
