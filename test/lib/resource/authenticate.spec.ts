import { describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';

import { addAccessToken, createTestModel, earlier, type TestModel } from '../../support/models/model.js';
import { runOperation, FORM, resourceRequest, summary } from '../../support/clients/requests.js';

const hostWithToken = (properties = {}, overrides = {}): TestModel => {
  const testModel = createTestModel(overrides);
  addAccessToken(testModel, properties);
  return testModel;
};
const inQuery = resourceRequest(null, { query: { access_token: 'access' } });
const inForm = (changes = {}) =>
  resourceRequest(null, { method: 'POST', headers: FORM, body: { access_token: 'access' }, ...changes });

describe('authenticate()', () => {
  describe('with a valid token', () => {
    it('accepts it in the header, and resolves to the object that getAccessToken() returned', async () => {
      const testModel = hostWithToken();
      const { result, status, headers, body } = await runOperation(testModel, 'authenticate', resourceRequest());
      expect(result).toBe(testModel.accessTokens.get('access'));
      expect({ status, headers, body }).toEqual({ status: 200, headers: {}, body: {} });
      expect(testModel.calls).toEqual([['getAccessToken', 'access']]);
    });

    it.each(['Bearer access', 'bearer access', 'BEARER access', 'Bearer  access'])(
      'accepts the Authorization header %j',
      async (header) => {
        expect((await runOperation(hostWithToken(), 'authenticate', resourceRequest(header))).error).toBeUndefined();
      },
    );

    it('accepts it in a form, with any case of the HTTP method and without Content-Length', async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
      for (const request of [inForm(), inForm({ method: 'post', headers })]) {
        expect(summary((await runOperation(hostWithToken(), 'authenticate', request)).error)).toBe('no error');
      }
    });

    it('accepts it in the query if `allowBearerTokensInQueryString` is set', async () => {
      const options = { allowBearerTokensInQueryString: true };
      expect((await runOperation(hostWithToken(), 'authenticate', inQuery, options)).result?.['accessToken']).toBe(
        'access',
      );
    });
  });

  it('validates location, syntax, existence, user, type of expiry, expiry and scope in this order', async () => {
    const bad = { user: undefined, accessTokenExpiresAt: 'x' };
    const options = { scope: 'admin' };
    const messages = [];
    for (const [testModel, request] of [
      [createTestModel(), resourceRequest('Basic x', { query: { access_token: 'a' } })],
      [createTestModel(), resourceRequest('Basic x')],
      [createTestModel(), resourceRequest()],
      [hostWithToken(bad), resourceRequest()],
      [hostWithToken({ accessTokenExpiresAt: 'x' }), resourceRequest()],
      [hostWithToken({ accessTokenExpiresAt: earlier() }), resourceRequest()],
      [hostWithToken(), resourceRequest()],
    ] as const) {
      messages.push(
        (await runOperation(testModel, 'authenticate', request, options)).error?.message.replace(/.*: /, ''),
      );
    }
    expect(messages).toEqual([
      'only one authentication method is allowed',
      'malformed authorization header',
      'access token is invalid',
      '`getAccessToken()` did not return a `user` object',
      '`accessTokenExpiresAt` must be a Date instance',
      'access token has expired',
      'authorized scope is insufficient',
    ]);
  });

  it('fails if the model lacks getAccessToken(), or for arguments that are not Request and Response', async () => {
    const testModel = createTestModel({ getAccessToken: undefined });
    const missing = await runOperation(testModel, 'authenticate', resourceRequest());
    expect(summary(missing.error)).toBe(
      '500 invalid_argument: Invalid argument: model does not implement `getAccessToken()`',
    );
    const server = new OAuth2Server({ model: createTestModel().model });
    await expect(server.authenticate({} as never, {} as never)).rejects.toThrow(
      'Invalid argument: `request` must be an instance of Request',
    );
    await expect(server.authenticate(resourceRequest(), {} as never)).rejects.toThrow(
      'Invalid argument: `response` must be an instance of Response',
    );
  });
});

describe('authenticate() for an Authorization header and a body that is not a form', () => {
  it('uses the header and ignores an `access_token` member of the body', async () => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer access' };
    const request = resourceRequest(null, { method: 'POST', headers, body: { access_token: 'a note' } });
    const { error } = await runOperation(hostWithToken(), 'authenticate', request);
    expect(error).toBeUndefined();
  });
});

describe('option `scope` of authenticate()', () => {
  it.each([[[undefined]], [['']], [' ']])('causes a configuration error if it is %j', async (scope) => {
    const { error } = await runOperation(hostWithToken(), 'authenticate', resourceRequest(), { scope });
    expect(summary(error)).toBe('500 invalid_argument: Invalid parameter: `scope`');
  });
});
