import { describe, expect, it } from '@jest/globals';
import { TemporarilyUnavailableError } from 'nest-oauth2/server';

import { createTestModel } from '../../support/model.js';
import { runOperation, authorizeRequest, resourceRequest, signedIn, tokenRequest } from '../../support/requests.js';

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
