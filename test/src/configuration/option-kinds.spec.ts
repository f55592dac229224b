import { Test } from '@nestjs/testing';
import { describe, expect, it, jest } from '@jest/globals';
import { OAuth2Module, OAuth2Server, type Token } from 'nest-oauth2';
import { GrantType } from 'nest-oauth2/features';
import { demoStore } from '../../support/servers/demo.js';
import { forRootError, MINIMAL_MODEL } from '../../support/servers/start-up-error.js';

const seconds = 'must be a positive number of seconds, less than 100 years';
const boolean = 'must be true or false';
const issuer = 'must be an https (or http) URL without query and fragment';
const scope = 'must be scope values, as a list or as text separated by spaces';
const century = 100 * 365 * 24 * 60 * 60;
const given = 'must be a class, an instance or a provider';

const REUSE_INTERVAL =
  "must be a number of seconds, 0 or more and less than 100 years, or 'until-used', or { untilUsed: seconds }";

class VoucherGrantType extends GrantType {
  handle(): Promise<Token> {
    return this.issueToken({ client: { id: 'shop', grants: [] }, user: { id: 1 } });
  }
}

describe('the start of an application with an option of the wrong type', () => {
  it.each<[string, unknown, string]>([
    ['accessTokenLifetime', 0, seconds],
    ['refreshTokenLifetime', -1, seconds],
    ['authorizationCodeLifetime', '5m', seconds],
    ['accessTokenLifetime', Infinity, seconds],
    ['accessTokenLifetime', Number.NaN, seconds],
    ['accessTokenLifetime', century, seconds],
    ['accessTokenLifetime', Date.now(), seconds],
    ['accessTokenLifetime', '', seconds],
    ['accessTokenLifetime', '0x10', seconds],
    ['accessTokenLifetime', true, seconds],
    ['accessTokenLifetime', null, seconds],
    ['refreshTokenLifetime', [60], seconds],
    ['refreshTokenReuseInterval', -1, REUSE_INTERVAL],
    ['refreshTokenReuseInterval', Number.NaN, REUSE_INTERVAL],
    ['refreshTokenReuseInterval', 'until used', REUSE_INTERVAL],
    ['refreshTokenReuseInterval', { untilUsed: 0 }, REUSE_INTERVAL],
    ['refreshTokenReuseInterval', { untilUsed: 60, seconds: 60 }, REUSE_INTERVAL],
    ['addAcceptedScopesHeader', 0, boolean],
    ['addAuthorizedScopesHeader', null, boolean],
    ['allowBearerTokensInQueryString', 'false', boolean],
    ['allowEmptyState', 'false', boolean],
    ['allowExtendedTokenAttributes', 1, boolean],
    ['alwaysIssueNewRefreshToken', 'true', boolean],
    ['enablePlainPKCE', 'no', boolean],
    ['controllers', 'false', boolean],
    ['isGlobal', 'true', boolean],
    ['requirePKCE', true, "must be 'public' or 'all' or 'none'"],
    ['scopeFormat', 'list', "must be 'string' or 'array'"],
    ['authenticateHandler', {}, 'must be an object with a method `handle()`'],
    ['authenticateHandler', () => null, 'must be an object with a method `handle()`'],
    ['events', {}, 'must be an object with a method `emit()`'],
    ['events', null, 'must be an object with a method `emit()`'],
    ['extendedGrantTypes', null, 'must be an object that maps grant types to classes'],
    ['extendedGrantTypes', [], 'must be an object that maps grant types to classes'],
    ['requireClientAuthentication', null, 'must be an object such as `{ password: false }`'],
    ['requireClientAuthentication', false, 'must be an object such as `{ password: false }`'],
    ['issuer', 'me', issuer],
    ['issuer', 'ftp://a.example', issuer],
    ['issuer', 'https://a.example/?', issuer],
    ['issuer', 'https://a.example#a', issuer],
    ['issuer', new URL('https://a.example'), issuer],
    ['scope', '', scope],
    ['scope', 'a  b', scope],
    ['scope', [], scope],
    ['scope', ['a b'], scope],
    ['scope', [undefined], scope],
    ['cors', true, "must be an object such as `{ origins: ['https://app.example.com'] }`"],
    ['cors.origins', [], "must be '*' or a list such as ['https://app.example.com']"],
    ['cors.origins', 'https://a.example', "must be '*' or a list such as ['https://app.example.com']"],
    ['imports', {}, 'must be a list'],
    ['extraProviders', {}, 'must be a list'],
    ['paths', 'oauth', "must be an object such as `{ token: 'oauth/token' }`"],
    ['model', () => demoStore(), `${given}: pass a function as \`{ useFactory }\``],
    ['model', [], given],
    ['model', { usefactory: () => demoStore() }, `${given}: replace \`usefactory\` by \`useFactory\``],
    ['model.useFactory', 5, 'must be a function'],
    ['model.useClass', {}, 'must be a class'],
    ['model.useExisting', null, 'must be an injection token'],
    ['interaction.useFactory', 'login', 'must be a function'],
  ])('fails if `%s` is %p', async (name, value, fault) => {
    const [option = '', member] = name.split('.');
    const options = { model: MINIMAL_MODEL, [option]: member ? { [member]: value } : value };
    expect(await forRootError(options)).toBe(`the option \`${name}\` ${fault}`);
  });

  it.each<[string, object, string]>([
    [
      'a grant type that is not a class',
      { extendedGrantTypes: { 'urn:a': {} } },
      'the grant type `urn:a` in `extendedGrantTypes` must be a class',
    ],
    [
      'an unknown grant type in requireClientAuthentication',
      { requireClientAuthentication: { pasword: false } },
      'unknown grant type `pasword` in `requireClientAuthentication`: the grant types are `authorization_code`, `client_credentials`, `password`, `refresh_token`',
    ],
    [
      'client_credentials without client authentication',
      { requireClientAuthentication: { client_credentials: false } },
      'the grant type `client_credentials` in `requireClientAuthentication` cannot be false: clients must authenticate to use it',
    ],
    [
      'a string instead of a boolean',
      { requireClientAuthentication: { password: 'false' } },
      'the grant type `password` in `requireClientAuthentication` must be true or false',
    ],
    ...[
      'https://a.example/',
      'https://A.example',
      'https://a.example:443',
      'https://*.a.example',
      'null',
      'a.example',
      '*',
    ].map((origin): [string, object, string] => [
      `an origin that browsers do not send, ${origin}`,
      { cors: { origins: ['https://b.example', origin] } },
      `the origin \`${origin}\` in \`cors.origins\` must be written exactly as browsers send it, without path or trailing slash, such as 'https://app.example.com'`,
    ]),
    [
      'undefined as an origin',
      { cors: { origins: [undefined] } },
      "the origin `undefined` in `cors.origins` must be written exactly as browsers send it, without path or trailing slash, such as 'https://app.example.com'",
    ],
    [
      'a misspelt member of cors',
      { cors: { origin: ['https://a.example'] } },
      'unknown option `cors.origin`: the options are `origins`, `resources` and `maxAge`',
    ],
    [
      'an invalid cors.maxAge',
      { cors: { origins: '*', maxAge: 0 } },
      'the option `cors.maxAge` must be a positive number of seconds, less than 100 years',
    ],
    [
      'an inject that is not a list',
      { model: { useFactory: () => demoStore(), inject: 'DATABASE' } },
      'the option `model.inject` must be a list',
    ],
  ])('fails with %s', async (_name, options, sentence) => {
    expect(await forRootError({ model: MINIMAL_MODEL, ...options })).toBe(sentence);
  });
});

describe('the start of an application with a valid option', () => {
  it.each<[string, unknown]>([
    ['accessTokenLifetime', undefined],
    ['accessTokenLifetime', 0.5],
    ['accessTokenLifetime', '60'],
    ['refreshTokenLifetime', century - 1],
    ['refreshTokenReuseInterval', 0],
    ['refreshTokenReuseInterval', 10],
    ['refreshTokenReuseInterval', 'until-used'],
    ['refreshTokenReuseInterval', { untilUsed: 60 }],
    ['allowEmptyState', false],
    ['issuer', 'https://a.example/tenant'],
    ['cors', { origins: '*' }],
    ['cors', { origins: ['https://a.example:8443', 'http://[::1]:1', 'capacitor://localhost'], maxAge: 600 }],
    ['issuer', 'http://127.0.0.1:3000'],
    ['scope', 'a b'],
    ['scope', ['a', 'b']],
    ['events', { emit() {} }],
    ['extendedGrantTypes', { a: VoucherGrantType, b: VoucherGrantType.bind(null), c: jest.fn() }],
    ['requireClientAuthentication', { password: false, refresh_token: true, client_credentials: true }],
  ])('succeeds if `%s` is %p', async (name, value) => {
    const imports = [OAuth2Module.forRoot({ model: demoStore(), [name]: value })];
    const app = await Test.createTestingModule({ imports }).compile();
    expect(app.get(OAuth2Server, { strict: false }).options).toMatchObject({ [name]: value });
  });

  it('succeeds with an extension grant type, which requireClientAuthentication may name', async () => {
    const grants = { extendedGrantTypes: { 'urn:a': VoucherGrantType } };
    const options = { model: demoStore(), ...grants, requireClientAuthentication: { 'urn:a': false } };
    const app = await Test.createTestingModule({ imports: [OAuth2Module.forRoot(options)] }).compile();
    expect(app.get(OAuth2Server, { strict: false })).toBeInstanceOf(OAuth2Server);
  });
});
