import { describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';

import { addAccessToken, createHost, earlier, type Host } from '../../support/model.js';
import { answer, FORM, resourceRequest, summary } from '../../support/requests.js';

const hostWithToken = (properties = {}, overrides = {}): Host => {
  const host = createHost(overrides);
  addAccessToken(host, properties);
  return host;
};
const inQuery = resourceRequest(null, { query: { access_token: 'access' } });
const inForm = (changes = {}) =>
  resourceRequest(null, { method: 'POST', headers: FORM, body: { access_token: 'access' }, ...changes });

describe('a request to a protected resource', () => {
  describe('is let through', () => {
    it('with a token in the header, and resolves to the very object of getAccessToken', async () => {
      const host = hostWithToken();
      const { result, status, headers, body } = await answer(host, 'authenticate', resourceRequest());
      expect(result).toBe(host.accessTokens.get('access'));
      expect({ status, headers, body }).toEqual({ status: 200, headers: {}, body: {} });
      expect(host.calls).toEqual([['getAccessToken', 'access']]);
    });

    it.each(['Bearer access', 'bearer access', 'BEARER access', 'Bearer  access'])('by %j', async (header) => {
      expect((await answer(hostWithToken(), 'authenticate', resourceRequest(header))).error).toBeUndefined();
    });

    it('with a token in a form, whatever the case of the method and with no length given', async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
      for (const request of [inForm(), inForm({ method: 'post', headers })]) {
        expect(summary((await answer(hostWithToken(), 'authenticate', request)).error)).toBe('no error');
      }
    });

    it('with a token in the query, where the host allows that', async () => {
      const options = { allowBearerTokensInQueryString: true };
      expect((await answer(hostWithToken(), 'authenticate', inQuery, options)).result?.['accessToken']).toBe('access');
    });
  });

  it('is judged in the order of the checks: place, form, lookup, user, date, expiry, scope', async () => {
    const bad = { user: undefined, accessTokenExpiresAt: 'x' };
    const options = { scope: 'admin' };
    const messages = [];
    for (const [host, request] of [
      [createHost(), resourceRequest('Basic x', { query: { access_token: 'a' } })],
      [createHost(), resourceRequest('Basic x')],
      [createHost(), resourceRequest()],
      [hostWithToken(bad), resourceRequest()],
      [hostWithToken({ accessTokenExpiresAt: 'x' }), resourceRequest()],
      [hostWithToken({ accessTokenExpiresAt: earlier() }), resourceRequest()],
      [hostWithToken(), resourceRequest()],
    ] as const) {
      messages.push((await answer(host, 'authenticate', request, options)).error?.message.replace(/.*: /, ''));
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

  it('is not read before the host has set the server up', async () => {
    const host = createHost({ getAccessToken: undefined });
    const missing = await answer(host, 'authenticate', resourceRequest());
    expect(summary(missing.error)).toBe(
      '500 invalid_argument: Invalid argument: model does not implement `getAccessToken()`',
    );
    const server = new OAuth2Server({ model: createHost().model });
    await expect(server.authenticate({} as never, {} as never)).rejects.toThrow(
      'Invalid argument: `request` must be an instance of Request',
    );
    await expect(server.authenticate(resourceRequest(), {} as never)).rejects.toThrow(
      'Invalid argument: `response` must be an instance of Response',
    );
  });
});

describe('a header beside a body that is no form', () => {
  it('is the one credential, whatever the body calls `access_token`', async () => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer access' };
    const request = resourceRequest(null, { method: 'POST', headers, body: { access_token: 'a note' } });
    const { error } = await answer(hostWithToken(), 'authenticate', request);
    expect(error).toBeUndefined();
  });
});

describe('a scope that was given and is none', () => {
  it.each([[[undefined]], [['']], [' ']])('fails closed for %j', async (scope) => {
    const { error } = await answer(hostWithToken(), 'authenticate', resourceRequest(), { scope });
    expect(summary(error)).toBe('500 invalid_argument: Invalid parameter: `scope`');
  });
});
