import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as engine from 'nest-oauth2/server';
import { TemporarilyUnavailableError } from 'nest-oauth2/server';

import { createTestModel, type TestModel, WEB } from '../../support/models/model.js';
import {
  authorizeRequest,
  resourceRequest,
  runOperation,
  signedIn,
  summary,
  tokenRequest,
} from '../../support/clients/requests.js';

describe('an error thrown by a model method', () => {
  const failing = (error: unknown) =>
    createTestModel({
      getUserFromClient: () => {
        throw error;
      },
    });
  const whatIsSaid = async (thrown: unknown) => {
    const { error, status, body } = await runOperation(
      failing(thrown),
      'token',
      tokenRequest({ grant_type: 'client_credentials' }),
    );
    return { same: error === thrown, status, body };
  };
  const HIDDEN = {
    error: 'server_error',
    error_description: 'Server error: the request could not be handled; the server log has the reason',
  };

  it('is returned to the client unchanged if it is an OAuthError', async () => {
    const thrown = new engine.OAuthError('Slow down', { name: 'slow_down', code: 429 });
    const body = { error: 'slow_down', error_description: 'Slow down' };
    expect(await whatIsSaid(thrown)).toEqual({ same: true, status: 429, body });
  });

  it.each([
    ['is an Error', new Error('secret')],
    ['is a string', 'secret'],
    ['is undefined', undefined],
    ['is null', null],
    ['has the name of an OAuth error but no status', Object.assign(new Error('secret'), { name: 'invalid_grant' })],
    [
      'has the name of an OAuth error but two different statuses',
      Object.assign(new Error('secret'), { name: 'invalid_grant', code: 400, statusCode: 500 }),
    ],
    [
      'has a status but an unknown name',
      Object.assign(new Error('secret'), { name: 'secret', code: 400, statusCode: 400 }),
    ],
  ])('is hidden behind a generic 503 server_error if it %s', async (_, thrown) => {
    expect(await whatIsSaid(thrown)).toEqual({ same: false, status: 503, body: HIDDEN });
  });

  it('does not reveal the message of the error that a ServerError or an OAuthError wraps', async () => {
    const thrown = new engine.ServerError(new Error('secret'));
    expect(await whatIsSaid(thrown)).toEqual({ same: true, status: 503, body: HIDDEN });
    const plain = new engine.OAuthError(new Error('secret'));
    expect(await whatIsSaid(plain)).toEqual({ same: true, status: 500, body: HIDDEN });
  });

  it('is recognized as an OAuth error even if another copy of the library created it', async () => {
    const foreign = Object.assign(new Error('Invalid grant: locked'), {
      name: 'invalid_grant',
      code: 400,
      statusCode: 400,
    });
    const { error, body } = await runOperation(
      failing(foreign),
      'token',
      tokenRequest({ grant_type: 'client_credentials' }),
    );
    expect(error).toBeInstanceOf(engine.InvalidGrantError);
    expect(body).toEqual({ error: 'invalid_grant', error_description: 'Invalid grant: locked' });
  });

  it('is returned without the characters that RFC 6749 §5.2 forbids, in the body and in the redirect', async () => {
    const thrown = new engine.InvalidGrantError('quotes " and \\ and ü and \n', { name: 'bad"name\r\nX: y' });
    const said = { error: 'server_error', error_description: "quotes ' and ? and ? and ?" };
    expect((await whatIsSaid(thrown)).body).toEqual(said);
    const testModel = createTestModel({
      saveAuthorizationCode: () => {
        throw thrown;
      },
    });
    expect((await runOperation(testModel, 'authorize', authorizeRequest(), signedIn)).redirected).toEqual({
      ...said,
      state: 'xyz',
    });
  });
});

describe('a TemporarilyUnavailableError thrown by a model method', () => {
  const busy = (retryAfter?: number) =>
    new TemporarilyUnavailableError('Temporarily unavailable: busy', retryAfter === undefined ? {} : { retryAfter });
  const failing = (thrown: unknown) => () => {
    throw thrown;
  };
  const tokens = tokenRequest({ grant_type: 'client_credentials' });
  const said = { error: 'temporarily_unavailable', error_description: 'Temporarily unavailable: busy' };

  it.each([
    ['getClient() at the token endpoint', 'token', 'getClient', tokens],
    ['saveToken() at the token endpoint', 'token', 'saveToken', tokens],
    ['getClient() at the authorization endpoint', 'authorize', 'getClient', authorizeRequest()],
  ] as const)('is returned as 503 with a Retry-After header if thrown by %s', async (_, operation, method, request) => {
    const { status, headers, body } = await runOperation(
      createTestModel({ [method]: failing(busy(2.1)) }),
      operation,
      request,
    );
    expect([status, headers['retry-after'], body]).toEqual([503, '3', said]);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('makes a guarded request fail with 503 without a WWW-Authenticate challenge', async () => {
    const testModel = createTestModel({ getAccessToken: failing(busy(1)) });
    const { status, headers } = await runOperation(testModel, 'authenticate', resourceRequest());
    expect([status, headers]).toEqual([503, { 'retry-after': '1' }]);
  });

  it('is returned to the client in the redirect, without a Retry-After header', async () => {
    const testModel = createTestModel({ saveAuthorizationCode: failing(busy(1)) });
    const { status, headers, redirected } = await runOperation(testModel, 'authorize', authorizeRequest(), signedIn);
    expect([status, headers['retry-after'], redirected]).toEqual([302, undefined, { ...said, state: 'xyz' }]);
  });

  it.each([undefined, Number.NaN, -1, Infinity])(
    'has no Retry-After header if `retryAfter` is %p',
    async (retryAfter) => {
      const { status, headers } = await runOperation(
        createTestModel({ saveToken: failing(busy(retryAfter)) }),
        'token',
        tokens,
      );
      expect([status, headers['retry-after']]).toEqual([503, undefined]);
    },
  );

  it('does not reveal the message of the error that it wraps', async () => {
    const thrown = new TemporarilyUnavailableError(new Error('secret'), { retryAfter: 1 });
    const { status, headers, body } = await runOperation(
      createTestModel({ saveToken: failing(thrown) }),
      'token',
      tokens,
    );
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(body).toEqual({ ...said, error_description: 'Temporarily unavailable: try again later' });
  });

  it('is recognized even if another copy of the library created it', async () => {
    const foreign = Object.assign(new Error('busy'), {
      name: 'temporarily_unavailable',
      code: 503,
      statusCode: 503,
      retryAfter: 4,
    });
    const { error, headers } = await runOperation(createTestModel({ saveToken: failing(foreign) }), 'token', tokens);
    expect(error).toBeInstanceOf(TemporarilyUnavailableError);
    expect(headers['retry-after']).toBe('4');
  });
});

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
