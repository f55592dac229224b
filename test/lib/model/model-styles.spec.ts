import { describe, expect, it } from '@jest/globals';
import type { Model } from 'nest-oauth2/server';

import { ALICE, createTestModel } from '../../support/models/model.js';
import { type AnyFunction, ARITY, withParameterCount, soon, STYLES } from '../../support/models/model-styles.js';
import {
  runOperation,
  authorizeRequest,
  resourceRequest,
  signedIn,
  summary,
  tokenRequest,
} from '../../support/clients/requests.js';

/**
 * Issues a code, redeems it, refreshes the tokens and authenticates a request, so that all model methods are called.
 */
async function goThrough(model: Model): Promise<unknown> {
  const host = { ...createTestModel(), model };
  const { redirected } = await runOperation(host, 'authorize', authorizeRequest(), signedIn);
  const body = { grant_type: 'authorization_code', code: redirected['code'], redirect_uri: 'https://app.example/cb' };
  const issued = await runOperation(host, 'token', tokenRequest(body));
  const again = await runOperation(host, 'token', tokenRequest(body));
  const refresh = { grant_type: 'refresh_token', refresh_token: issued.body['refresh_token'] };
  const refreshed = await runOperation(host, 'token', tokenRequest(refresh));
  const password = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'admin' };
  const refused = await runOperation(host, 'token', tokenRequest(password));
  const own = await runOperation(host, 'token', tokenRequest({ grant_type: 'client_credentials', scope: 'write' }));
  const used = await runOperation(
    host,
    'authenticate',
    resourceRequest(`Bearer ${String(refreshed.body['access_token'])}`),
    'read' as never,
  );
  const outcomes = [issued, again, refreshed, refused, own, used];
  return outcomes.map(({ error, result }) => (error ? summary(error) : result?.['user']));
}

const EXPECTED = [
  ALICE,
  '400 invalid_grant: Invalid grant: authorization code is invalid',
  ALICE,
  '400 invalid_scope: Invalid scope: Requested scope is invalid',
  { id: 'client:web' },
  ALICE,
];

describe('the model of a server', () => {
  it.each(Object.entries(STYLES))('works if its methods return their results through %s', async (_, style) => {
    const { model } = createTestModel({
      verifyScope: (token: { scope: string }, scope: string) => token.scope.split(' ').includes(scope),
      generateAccessToken: () => `access-${Math.random()}`,
      generateRefreshToken: () => `refresh-${Math.random()}`,
      generateAuthorizationCode: () => `code-${Math.random()}`,
    });
    const styled = Object.fromEntries(
      Object.entries(model as unknown as Record<string, AnyFunction>).map(([name, method]) => [
        name,
        style(method, ARITY[name]!),
      ]),
    ) as unknown as Model;
    expect(await goThrough(styled)).toEqual(EXPECTED);
    expect(await goThrough(Object.freeze({ ...styled }))).toEqual(EXPECTED);
  });

  const THROWN = new Error('secret');
  it.each<[string, AnyFunction]>([
    [
      'throws',
      () => {
        throw THROWN;
      },
    ],
    ['rejects', () => Promise.reject(THROWN)],
    [
      'throws in a generator',
      function* () {
        yield soon();
        throw THROWN;
      },
    ],
    [
      'yields a rejected promise in a generator',
      function* () {
        yield Promise.reject(THROWN);
      },
    ],
    ['calls back with an error', withParameterCount(2, (_, done) => (done as AnyFunction)(THROWN))],
    [
      'throws before it calls back',
      withParameterCount(2, () => {
        throw THROWN;
      }),
    ],
  ])('causes a server error without details if its getAccessToken() %s', async (_, getAccessToken) => {
    const { error } = await runOperation(createTestModel({ getAccessToken }), 'authenticate', resourceRequest());
    expect(summary(error)).toBe(
      '503 server_error: Server error: the request could not be handled; the server log has the reason',
    );
    expect(error?.inner).toBe(THROWN);
  });

  it('can catch the rejection of a promise that it yields in a generator', async () => {
    function* nothing(): Generator {
      return yield (done: AnyFunction) => done(null, null);
    }
    function* getAccessToken(): Generator {
      try {
        return yield Promise.reject(new Error('no'));
      } catch {
        return yield nothing();
      }
    }
    const { error } = await runOperation(createTestModel({ getAccessToken }), 'authenticate', resourceRequest());
    expect(error?.name).toBe('invalid_token');
  });

  it('can call a callback twice, where only the first call counts', async () => {
    const getAccessToken = withParameterCount(2, (_, done) => {
      (done as AnyFunction)(null, null);
      (done as AnyFunction)(new Error('twice'));
    });
    expect(
      (await runOperation(createTestModel({ getAccessToken }), 'authenticate', resourceRequest())).error?.name,
    ).toBe('invalid_token');
  });

  it('is inspected once when the server is created, not once for each call', async () => {
    let looks = 0;
    const model = new Proxy(
      createTestModel({ getAccessToken: withParameterCount(2, (_, done) => (done as AnyFunction)(null, null)) }).model,
      {
        get: (target, key) => (looks++, Reflect.get(target, key)),
      },
    );
    const host = { ...createTestModel(), model };
    await runOperation(host, 'authenticate', resourceRequest());
    const first = looks;
    await runOperation(host, 'authenticate', resourceRequest());
    expect(looks - first).toBeLessThan(5);
  });
});
