import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { ALICE, CALLBACK, createTestModel, type TestModel, OTHER_CALLBACK, WEB } from '../../support/models/model.js';
import { runOperation, authorizeRequest, signedIn, summary } from '../../support/clients/requests.js';
import { withoutWarnings } from '../../support/environment/quiet.js';

const withImplicit = (overrides: object = {}, client: object = {}): TestModel => {
  const testModel = createTestModel(overrides);
  testModel.clients.set('web', { ...WEB, grants: ['implicit'], ...client });
  return testModel;
};
const authorize = (query: object = {}, testModel = withImplicit(), options: object = {}) =>
  runOperation(testModel, 'authorize', authorizeRequest({ response_type: 'token', ...query }), {
    ...signedIn,
    ...options,
  });

afterEach(() => {
  jest.restoreAllMocks();
});

withoutWarnings();

describe('the implicit grant', () => {
  it('returns an access token in the fragment, and resolves to the token that saveToken() returned', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0));
    const testModel = withImplicit();
    const { result, status, headers, body } = await authorize({}, testModel);
    const token = result?.['accessToken'] as string;
    expect(result).toBe(testModel.accessTokens.get(token));
    expect({ status, body, cache: headers['cache-control'] }).toEqual({ status: 302, body: {}, cache: 'no-store' });
    expect(headers['location']).toBe(
      `${CALLBACK}#access_token=${token}&token_type=Bearer&expires_in=3600&scope=read&state=xyz`,
    );
    expect(testModel.calls.at(-1)).toEqual([
      'saveToken',
      { accessToken: token, accessTokenExpiresAt: new Date(Date.UTC(2030, 0, 1, 1)), scope: 'read' },
      testModel.clients.get('web'),
      ALICE,
    ]);
  });

  it('is refused to a client without the grant type `implicit`', async () => {
    const { error, redirected } = await authorize({}, createTestModel());
    expect(summary(error)).toBe(
      '400 unauthorized_client: Unauthorized client: this client is not allowed to use this `response_type`: register the grant for it',
    );
    expect(redirected['access_token']).toBeUndefined();
  });

  it('does not let a client request a code if `implicit` is its only grant type', async () => {
    expect((await authorize({ response_type: 'code' })).error?.name).toBe('unauthorized_client');
  });

  it('returns no refresh token, even if the client may refresh or the model returns one', async () => {
    const saveToken = (token: object, client: object, user: object) => ({ ...token, client, user, refreshToken: 'R' });
    const testModel = withImplicit({ saveToken }, { grants: ['implicit', 'refresh_token', 'authorization_code'] });
    const { redirected } = await authorize({}, testModel);
    expect(Object.keys(redirected)).toEqual(['access_token', 'token_type', 'expires_in', 'scope', 'state']);
  });

  it('reads the properties of the saved token from its getters', async () => {
    class Row {
      readonly client = WEB;
      readonly user = ALICE;
      get accessToken(): string {
        return 'from a getter';
      }
    }
    const { headers } = await authorize({}, withImplicit({ saveToken: () => new Row() }));
    expect(headers['location']).toBe(`${CALLBACK}#access_token=from%20a%20getter&token_type=Bearer&state=xyz`);
  });

  it.each([
    ['the options', { accessTokenLifetime: 60 }, {}, '60'],
    [
      'the client, which takes precedence over the options',
      { accessTokenLifetime: 60 },
      { accessTokenLifetime: 30 },
      '30',
    ],
  ])('returns the `accessTokenLifetime` as `expires_in`, configured for %s', async (_, options, client, expected) => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0));
    expect((await authorize({}, withImplicit({}, client), options)).redirected['expires_in']).toBe(expected);
  });

  it('returns errors in the fragment', async () => {
    const { headers } = await authorize({ state: undefined });
    expect(headers['location']).toBe(
      `${CALLBACK}#error=invalid_request&error_description=Missing%20parameter%3A%20%60state%60`,
    );
  });

  it('returns errors in the fragment even if the request body has an empty response_type', async () => {
    const request = authorizeRequest({ response_type: 'token', state: undefined }, { body: { response_type: '' } });
    const { headers } = await runOperation(withImplicit(), 'authorize', request, signedIn);
    expect(headers['location']).toMatch(/^https:\/\/app\.example\/cb#error=invalid_request&/);
  });

  it('returns only the parameters of RFC 6749 §4.2.2, even with `allowExtendedTokenAttributes`', async () => {
    const saveToken = (token: object, client: object, user: object) => ({ ...token, client, user, id_token: 'jwt' });
    const { redirected } = await authorize({}, withImplicit({ saveToken }), { allowExtendedTokenAttributes: true });
    expect(Object.keys(redirected)).toEqual(['access_token', 'token_type', 'expires_in', 'scope', 'state']);
  });

  it('returns access_denied in the fragment if the user denies access', async () => {
    const { headers } = await authorize({ allowed: 'false' });
    expect(headers['location']).toMatch(/^https:\/\/app\.example\/cb#error=access_denied&.*&state=xyz$/);
  });

  it('keeps the query of the redirect URI', async () => {
    const { headers } = await authorize({ redirect_uri: OTHER_CALLBACK });
    expect(headers['location']).toMatch(/^https:\/\/app\.example\/other\?x=1#access_token=/);
  });

  it('requires saveToken() in the model, but no saveAuthorizationCode() and no code challenge', async () => {
    const testModel = withImplicit({ saveAuthorizationCode: undefined });
    testModel.clients.set('web', { ...WEB, grants: ['implicit'], tokenEndpointAuthMethod: 'none' });
    expect((await authorize({}, testModel)).redirected['access_token']).toHaveLength(64);
    const { error } = await authorize({}, withImplicit({ saveToken: undefined }));
    expect(error?.message).toBe('Invalid argument: model does not implement `saveToken()`');
  });

  it('cannot be combined with a code in response_type=code token', async () => {
    expect((await authorize({ response_type: 'code token' })).error?.name).toBe('unsupported_response_type');
  });
});
