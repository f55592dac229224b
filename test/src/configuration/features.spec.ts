import { describe, expect, it } from '@jest/globals';
import { type Feature, formPost } from 'nest-oauth2/features';
import { mcp } from 'nest-oauth2/mcp';
import { openid } from 'nest-oauth2/openid';
import { ECHO_FEATURE } from '../../support/servers/echo-feature.js';
import { forRootError, forRootAsyncError, MINIMAL_MODEL as model } from '../../support/servers/start-up-error.js';

const endpoint = (path: string) => ({ path, methods: ['POST'], make: () => ({ async handle() {} }) });
const one: Feature = { id: 'one', endpoints: { one: endpoint('oauth/one') } };
const notOne = (place: string) =>
  `\`${place}\` must be a feature: the result of a function such as \`revocation()\`, or an object with an \`id\``;
function revocation() {
  return one;
}

describe('the start of an application with invalid features', () => {
  it.each<[string, unknown, string]>([
    ['features that are not a list', one, 'the option `features` must be a list such as `[revocation()]`'],
    [
      'a feature function that was not called',
      [revocation],
      '`features[0]` is a function instead of a feature: call it, as `revocation()`',
    ],
    ['undefined in the list', [one, undefined], notOne('features[1]')],
    ['an object that is not a feature', [{ path: 'a' }], notOne('features[0]')],
    ['a number in a nested list of features', [one, [ECHO_FEATURE, 1]], notOne('features[1][1]')],
    [
      'the same feature twice',
      [one, ECHO_FEATURE, one],
      'the feature `one()` is listed twice in `features`: remove one of them',
    ],
    [
      'the same profile twice, with other options',
      [mcp(), mcp({ registration: false })],
      'the feature `mcp()` is listed twice in `features`: remove one of them',
    ],
    [
      'an endpoint that two features add',
      [one, { id: 'two', endpoints: { one: endpoint('two') } }],
      'the features `one()` and `two()` both add `one` to `endpoints`: remove one of them from `features`',
    ],
    [
      'an endpoint that exists already',
      [{ id: 'two', endpoints: { token: endpoint('a') } }],
      'the features `RFC 6749` and `two()` both add `token` to `endpoints`: remove one of them from `features`',
    ],
    [
      'a grant type that exists already',
      [{ id: 'two', install: () => ({ grants: { password: () => null } }) }],
      'the features `RFC 6749 §4.3` and `two()` both add `password` to `grants`: remove one of them from `features`',
    ],
    [
      'an endpoint without make()',
      [{ id: 'two', endpoints: { a: { path: 'a', methods: ['GET'] } } }],
      'the endpoint `a` of the feature `two()` needs `path`, `methods` and `make()`',
    ],
    [
      'an endpoint whose id is an option of `paths`',
      [{ id: 'two', endpoints: { prefix: endpoint('a') } }],
      'the endpoint `prefix` of the feature `two()` needs another id: `prefix` has a special meaning in the option `paths`',
    ],
    [
      'two endpoints with one path',
      [{ id: 'two', endpoints: { a: endpoint('/oauth/token') } }],
      'the endpoints `token` and `a` have the same path `oauth/token`: change one of them with `paths`',
    ],
    [
      'a feature whose model method is missing',
      [{ id: 'two', requires: ['doIt'] }],
      'the model lacks `doIt()`, which `two()` needs: implement it, or leave the feature out',
    ],
    [
      'missing methods and missing features, reported in one message',
      [revocation(), openid()],
      [
        '2 configuration errors:',
        '1. the model lacks `getClaims()`, `getAccessToken()`, which `openid()` needs: implement them, or leave the feature out',
        '2. `openid()` requires the option `issuer`: an https URL without query and fragment, or an http URL of localhost',
      ].join('\n'),
    ],
    [
      'a response mode that two features add, named as the application calls them',
      [formPost(), { id: 'two', install: () => ({ responseModes: { form_post: { write() {} } } }) }],
      'the features `formPost()` and `two()` both add `form_post` to `responseModes`: remove one of them from `features`',
    ],
    [
      'an error that the feature itself reports',
      [{ id: 'two', install: () => ({ misconfigurations: () => ['two goes with three'] }) }],
      'two goes with three',
    ],
  ])('fails with %s', async (_name, features, sentence) => {
    expect(await forRootError({ model, features })).toBe(sentence);
    expect(await forRootAsyncError({ model: { useValue: model }, features, useFactory: () => ({}) })).toBe(sentence);
  });

  it('fails with features returned by the factory', async () => {
    expect(await forRootAsyncError({ useFactory: () => ({ model, features: [one] }) })).toBe(
      'the option `features` must be known before the factory runs: pass it to OAuth2Module.forRootAsync() next to the factory',
    );
  });

  it.each<[string, object, string]>([
    [
      'of an unknown endpoint',
      { tokens: 'a' },
      'unknown endpoint `paths.tokens`: the known ones are `authorize`, `token`, `echo`, `internal` and `status`',
    ],
    [
      'of a well-known document',
      { document: 'a' },
      'remove `paths.document`: the path of a well-known document is fixed',
    ],
    ['with a query', { echo: 'a?b' }, "the option `paths.echo` must be a path without a query, such as 'oauth/echo'"],
    ['that is empty', { prefix: '' }, "the option `paths.prefix` must be a path without a query, such as 'oauth'"],
    [
      'that another endpoint has',
      { prefix: 'x', echo: 'x/token' },
      'the endpoints `token` and `echo` have the same path `x/token`: change one of them with `paths`',
    ],
  ])('fails with a path %s', async (_name, paths, sentence) => {
    expect(await forRootError({ model, features: [ECHO_FEATURE], paths })).toBe(sentence);
  });

  it('fails for an unknown grant type in requireClientAuthentication, but allows the grant types of features', async () => {
    const features = [{ id: 'two', grantTypes: ['urn:x'], install: () => ({ grants: { 'urn:x': () => null } }) }];
    const options = { features, requireClientAuthentication: { 'urn:y': false } };
    const known = '`authorization_code`, `client_credentials`, `password`, `refresh_token`, `urn:x`';
    const sentence = `unknown grant type \`urn:y\` in \`requireClientAuthentication\`: the grant types are ${known}`;
    expect(await forRootError({ model, ...options })).toBe(sentence);
    const { requireClientAuthentication } = options;
    expect(
      await forRootAsyncError({
        model: { useValue: model },
        features,
        useFactory: () => ({ requireClientAuthentication }),
      }),
    ).toBe(sentence);
  });

  it('fails with the errors in `features` before those in options that depend on them', async () => {
    const options = { model, requireClientAuthentication: { password: false } };
    expect(await forRootError({ ...options, features: {} })).toMatch(/^the option `features` must be a list/);
    expect(await forRootError({ ...options, features: [null] })).toMatch(/^`features\[0\]` must be a feature/);
  });
});
