import { describe, expect, it } from '@jest/globals';
import { type Feature, formPost } from 'nest-oauth2/features';
import { openid } from 'nest-oauth2/openid';
import { ECHO_FEATURE } from '../../support/echo-feature.js';
import { forRootError, forRootAsyncError, MINIMAL_MODEL as model } from '../../support/start-up-error.js';

const endpoint = (path: string) => ({ path, methods: ['POST'], make: () => ({ async handle() {} }) });
const one: Feature = { id: 'one', endpoints: { one: endpoint('oauth/one') } };
const notOne = (place: string) =>
  `\`${place}\` must be a feature: the result of a function such as \`revocation()\`, or an object with an \`id\``;
function revocation() {
  return one;
}

describe('features that will not do stop the application', () => {
  it.each<[string, unknown, string]>([
    ['no list', one, 'the option `features` must be a list such as `[revocation()]`'],
    [
      'a factory that was not called',
      [revocation],
      '`features[0]` is a function instead of a feature: call it, as `revocation()`',
    ],
    ['nothing', [one, undefined], notOne('features[1]')],
    ['no feature', [{ path: 'a' }], notOne('features[0]')],
    ['no feature in a profile', [one, [ECHO_FEATURE, 1]], notOne('features[1][1]')],
    ['one twice', [one, ECHO_FEATURE, one], 'the feature `one()` is listed twice in `features`: remove one of them'],
    [
      'an endpoint twice',
      [one, { ...one, id: 'two' }],
      'the features `one()` and `two()` both add `one` to `endpoints`: remove one of them from `features`',
    ],
    [
      'an endpoint that there is',
      [{ id: 'two', endpoints: { token: endpoint('a') } }],
      'the features `RFC 6749` and `two()` both add `token` to `endpoints`: remove one of them from `features`',
    ],
    [
      'a grant that there is',
      [{ id: 'two', install: () => ({ grants: { password: () => null } }) }],
      'the features `RFC 6749 §4.3` and `two()` both add `password` to `grants`: remove one of them from `features`',
    ],
    [
      'an endpoint without its maker',
      [{ id: 'two', endpoints: { a: { path: 'a', methods: ['GET'] } } }],
      'the endpoint `a` of the feature `two()` needs `path`, `methods` and `make()`',
    ],
    [
      'an endpoint named as an option of `paths`',
      [{ id: 'two', endpoints: { prefix: endpoint('a') } }],
      'the endpoint `prefix` of the feature `two()` needs another id: `prefix` has a special meaning in the option `paths`',
    ],
    [
      'one path for two',
      [{ id: 'two', endpoints: { a: endpoint('/oauth/token') } }],
      'the endpoints `token` and `a` have the same path `oauth/token`: change one of them with `paths`',
    ],
    [
      'what the model has no method for',
      [{ id: 'two', requires: ['doIt'] }],
      'the model lacks `doIt()`, which `two()` needs: implement it, or leave the feature out',
    ],
    [
      'reports missing methods and missing features in one message',
      [revocation(), openid()],
      [
        '2 configuration errors:',
        '1. the model lacks `getClaims()`, `getAccessToken()`, which `openid()` needs: implement them, or leave the feature out',
        '2. `openid()` requires the option `issuer`: an https URL without query and fragment, or an http URL of localhost',
      ].join('\n'),
    ],
    [
      'what two add, by the names that the host wrote',
      [formPost(), { id: 'two', install: () => ({ responseModes: { form_post: { write() {} } } }) }],
      'the features `formPost()` and `two()` both add `form_post` to `responseModes`: remove one of them from `features`',
    ],
    [
      'what it finds itself',
      [{ id: 'two', install: () => ({ misconfigurations: () => ['two goes with three'] }) }],
      'two goes with three',
    ],
  ])('%s', async (_name, features, sentence) => {
    expect(await forRootError({ model, features })).toBe(sentence);
    expect(await forRootAsyncError({ model: { useValue: model }, features, useFactory: () => ({}) })).toBe(sentence);
  });

  it('in what the factory returns', async () => {
    expect(await forRootAsyncError({ useFactory: () => ({ model, features: [one] }) })).toBe(
      'the option `features` must be known before the factory runs: pass it to OAuth2Module.forRootAsync() next to the factory',
    );
  });

  it.each<[string, object, string]>([
    [
      'of no endpoint',
      { tokens: 'a' },
      'unknown endpoint `paths.tokens`: the known ones are `authorize`, `token`, `told`, `whispered` and `heard`',
    ],
    ['of a document', { known: 'a' }, 'remove `paths.known`: the path of a well-known document is fixed'],
    ['with a query', { told: 'a?b' }, "the option `paths.told` must be a path without a query, such as 'oauth/told'"],
    ['empty', { prefix: '' }, "the option `paths.prefix` must be a path without a query, such as 'oauth'"],
    [
      'of another',
      { prefix: 'x', told: 'x/token' },
      'the endpoints `token` and `told` have the same path `x/token`: change one of them with `paths`',
    ],
  ])('by a path %s', async (_name, paths, sentence) => {
    expect(await forRootError({ model, features: [ECHO_FEATURE], paths })).toBe(sentence);
  });

  it('but a grant of theirs may go without a secret', async () => {
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

  it('and are looked at before what is judged by them', async () => {
    const options = { model, requireClientAuthentication: { password: false } };
    expect(await forRootError({ ...options, features: {} })).toMatch(/^the option `features` must be a list/);
    expect(await forRootError({ ...options, features: [null] })).toMatch(/^`features\[0\]` must be a feature/);
  });
});
