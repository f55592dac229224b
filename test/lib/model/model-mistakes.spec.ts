import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { createTestModel, type TestModel, WEB } from '../../support/model.js';
import {
  runOperation,
  authorizeRequest,
  resourceRequest,
  signedIn,
  summary,
  tokenRequest,
} from '../../support/requests.js';

const PASSWORD = { grant_type: 'password', username: 'alice', password: 'wonderland' };

const NO_ID =
  "the model's `getClient()` returned a client without `id`, so its codes and refresh tokens are refused: return the `id`";
const NO_GRANTS =
  "the model's `getClient()` returned a client without `grants`, so its requests are refused: return the list of its grant types";
const NO_EXPIRY =
  "the model's `saveToken()` returned a token without `accessTokenExpiresAt`: `getAccessToken()` must return it as a Date, or all requests are refused";

describe('a mistake in the return value of a model method', () => {
  const warn = jest.spyOn(process, 'emitWarning');
  beforeEach(() => void warn.mockImplementation(() => undefined));
  afterEach(() => void warn.mockReset());

  const clientOf = (client: object): TestModel => createTestModel({ getClient: () => client });
  const { id: _, ...anonymous } = WEB;

  it.each([
    ['a client without `id` at the token endpoint', clientOf(anonymous), 'token', 200, NO_ID],
    ['a client without `id` at the authorization endpoint', clientOf(anonymous), 'authorize', 302, NO_ID],
    ['a client without `grants`', clientOf({ id: 'web', redirectUris: WEB.redirectUris }), 'authorize', 400, NO_GRANTS],
    [
      'a saved token without `accessTokenExpiresAt`',
      createTestModel({
        saveToken: (token: object, client: object, user: object) => ({ accessToken: 'a', client, user }),
      }),
      'token',
      200,
      NO_EXPIRY,
    ],
  ] as const)('causes a single process warning: %s', async (_name, host, operation, status, sentence) => {
    for (let i = 0; i < 2; i++) {
      const request = operation === 'token' ? tokenRequest(PASSWORD) : authorizeRequest();
      expect((await runOperation(host, operation, request, signedIn)).status).toBe(status);
    }
    expect(warn.mock.calls).toEqual([[`nest-oauth2: ${sentence}`]]);
  });

  it('is reported as a 500 error that explains it if `saveToken()` returns nothing', async () => {
    const { error, status } = await runOperation(
      createTestModel({ saveToken: () => undefined }),
      'token',
      tokenRequest(PASSWORD),
    );
    expect([status, summary(error)]).toEqual([
      500,
      '500 invalid_argument: Invalid argument: `saveToken()` of the model returned nothing: it must return the saved token, with `client` and `user`',
    ]);
  });

  it('makes requests fail with 503 if a token from getAccessToken() has no `accessTokenExpiresAt`', async () => {
    const getAccessToken = () => ({ accessToken: 'access', client: WEB, user: { id: 'alice' } });
    const { error } = await runOperation(createTestModel({ getAccessToken }), 'authenticate', resourceRequest());
    expect(summary(error)).toBe('503 server_error: Server error: `accessTokenExpiresAt` must be a Date instance');
  });
});
