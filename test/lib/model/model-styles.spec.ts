import { describe, expect, it } from '@jest/globals';
import type { Model } from 'nest-oauth2/server';

import { ALICE, createHost } from '../../support/model.js';
import { answer, authorizeRequest, resourceRequest, signedIn, summary, tokenRequest } from '../../support/requests.js';

type AnyFunction = (...args: unknown[]) => unknown;
type Style = (method: AnyFunction, arity: number) => AnyFunction;

const ARITY: Record<string, number> = {
  generateAccessToken: 3,
  generateAuthorizationCode: 3,
  generateRefreshToken: 3,
  getAccessToken: 1,
  getAuthorizationCode: 1,
  getClient: 2,
  getRefreshToken: 1,
  getUser: 2,
  getUserFromClient: 1,
  revokeAuthorizationCode: 1,
  revokeToken: 1,
  saveAuthorizationCode: 3,
  saveToken: 3,
  validateScope: 3,
  verifyScope: 2,
};

const declaring = (length: number, method: AnyFunction) => Object.defineProperty(method, 'length', { value: length });
const soon = async () => new Promise((resolve) => setImmediate(resolve));

/** A thenable that is no promise, as those of Bluebird and others. */
class ForeignPromise {
  constructor(private readonly settle: () => unknown) {}

  // oxlint-disable-next-line no-thenable
  then(resolve: AnyFunction): void {
    setImmediate(() => resolve(this.settle()));
  }
}

/** The same model, each of its methods written in another style. */
const STYLES: Record<string, Style> = {
  values: (method) => method,
  promises:
    (method) =>
    (...args) =>
      Promise.resolve(method(...args)),
  'async functions':
    (method) =>
    async (...args) => (await soon(), method(...args)),
  'promises of another make':
    (method) =>
    (...args) =>
      new ForeignPromise(() => method(...args)),
  'generator functions': (method) =>
    function* (...args) {
      yield soon();
      const pair = (yield [Promise.resolve(args), { nested: Promise.resolve(1) }]) as [unknown[]];
      return method(...pair[0]);
    },
  'Node callbacks': (method, arity) =>
    declaring(arity + 1, (...args) => {
      const done = args[arity] as AnyFunction;
      setImmediate(() => done(null, method(...args.slice(0, arity))));
    }),
  'Node callbacks that are called at once': (method, arity) =>
    declaring(arity + 1, (...args) => (args[arity] as AnyFunction)(null, method(...args.slice(0, arity)))),
};

/** A code, its tokens, their successors, a look at a resource: each method of the model is used. */
async function goThrough(model: Model): Promise<unknown> {
  const host = { ...createHost(), model };
  const { redirected } = await answer(host, 'authorize', authorizeRequest(), signedIn);
  const body = { grant_type: 'authorization_code', code: redirected['code'], redirect_uri: 'https://app.example/cb' };
  const issued = await answer(host, 'token', tokenRequest(body));
  const again = await answer(host, 'token', tokenRequest(body));
  const refresh = { grant_type: 'refresh_token', refresh_token: issued.body['refresh_token'] };
  const refreshed = await answer(host, 'token', tokenRequest(refresh));
  const password = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'admin' };
  const refused = await answer(host, 'token', tokenRequest(password));
  const own = await answer(host, 'token', tokenRequest({ grant_type: 'client_credentials', scope: 'write' }));
  const used = await answer(
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

describe('a model', () => {
  it.each(Object.entries(STYLES))('may be written in %s', async (_, style) => {
    const { model } = createHost({
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
      'yields a rejection in a generator',
      function* () {
        yield Promise.reject(THROWN);
      },
    ],
    ['tells a callback', declaring(2, (_, done) => (done as AnyFunction)(THROWN))],
    [
      'throws before it tells a callback',
      declaring(2, () => {
        throw THROWN;
      }),
    ],
  ])('that %s is a fault of which nothing is told', async (_, getAccessToken) => {
    const { error } = await answer(createHost({ getAccessToken }), 'authenticate', resourceRequest());
    expect(summary(error)).toBe('503 server_error: Server error: the request could not be handled');
    expect(error?.inner).toBe(THROWN);
  });

  it('may catch in a generator what it yields', async () => {
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
    const { error } = await answer(createHost({ getAccessToken }), 'authenticate', resourceRequest());
    expect(error?.name).toBe('invalid_token');
  });

  it('takes the first word of a callback for the only one', async () => {
    const getAccessToken = declaring(2, (_, done) => {
      (done as AnyFunction)(null, null);
      (done as AnyFunction)(new Error('twice'));
    });
    expect((await answer(createHost({ getAccessToken }), 'authenticate', resourceRequest())).error?.name).toBe(
      'invalid_token',
    );
  });

  it('is looked at once, when a server is made, not once per call', async () => {
    let looks = 0;
    const model = new Proxy(
      createHost({ getAccessToken: declaring(2, (_, done) => (done as AnyFunction)(null, null)) }).model,
      {
        get: (target, key) => (looks++, Reflect.get(target, key)),
      },
    );
    const host = { ...createHost(), model };
    await answer(host, 'authenticate', resourceRequest());
    const first = looks;
    await answer(host, 'authenticate', resourceRequest());
    expect(looks - first).toBeLessThan(5);
  });
});
