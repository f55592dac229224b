import { describe, expect, it } from '@jest/globals';
import type { Model } from 'nest-oauth2/server';

import { addAccessToken, createTestModel, type TestModel, SECRET, WEB } from '../../support/model.js';
import { withParameterCount } from '../../support/model-styles.js';
import { runOperation, authorizeRequest, resourceRequest, tokenRequest } from '../../support/requests.js';

type AnyFunction = (...args: unknown[]) => unknown;

/** Returns test fixtures whose model is this object itself, completed with methods of the in-memory model. */
const hostOf = (model: object): TestModel => {
  const testModel = createTestModel();
  const rest = Object.entries(testModel.model).filter(([name]) => !(name in model));
  return { ...testModel, model: Object.assign(model, Object.fromEntries(rest)) as Model };
};
const CREDENTIALS = { grant_type: 'client_credentials' };

describe('a method of the model', () => {
  it('can be async and declare an optional parameter, which is not mistaken for a callback', async () => {
    const model = {
      getClient: async (id: string, secret: string | null, tenant?: unknown) =>
        tenant === undefined && (secret === null || secret === SECRET) && id === 'web' ? WEB : null,
    };
    expect((await runOperation(hostOf(model), 'token', tokenRequest(CREDENTIALS))).status).toBe(200);
  });

  it('can return a promise and declare an additional parameter, as compiled async functions do', async () => {
    const model = { getAccessToken: withParameterCount(2, () => Promise.resolve(null)) };
    expect((await runOperation(hostOf(model), 'authenticate', resourceRequest())).error?.name).toBe('invalid_token');
  });

  it('can be replaced after the server was created', async () => {
    const testModel = createTestModel({
      getUserFromClient: (_: unknown, done: AnyFunction) => done(null, { id: 'first' }),
    });
    const options = {};
    expect((await runOperation(testModel, 'token', tokenRequest(CREDENTIALS), options)).result?.['user']).toEqual({
      id: 'first',
    });
    testModel.model.getUserFromClient = () => ({ id: 'second' });
    expect((await runOperation(testModel, 'token', tokenRequest(CREDENTIALS), options)).result?.['user']).toEqual({
      id: 'second',
    });
  });
});

describe('handle() of an `authenticateHandler`', () => {
  it.each<[string, AnyFunction]>([
    ['a plain value', () => ({ id: 'x' })],
    ['a promise', () => Promise.resolve({ id: 'x' })],
    [
      'the return value of a generator',
      function* (): Generator {
        return yield Promise.resolve({ id: 'x' });
      },
    ],
    ['the argument of a callback', (_request, _response, done) => (done as AnyFunction)(null, { id: 'x' })],
  ])('can provide the signed-in user as %s', async (_, handle) => {
    const { result } = await runOperation(createTestModel(), 'authorize', authorizeRequest(), {
      authenticateHandler: { handle },
    });
    expect(result?.['user']).toEqual({ id: 'x' });
  });
});

describe('an access token returned by the model', () => {
  it('can be a class instance with getters on its prototype', async () => {
    class Row {
      readonly #expiresAt = new Date(Date.now() + 1000);
      get accessTokenExpiresAt() {
        return this.#expiresAt;
      }
      get user() {
        return { id: 'row' };
      }
      get scope() {
        return ['read'];
      }
    }
    const testModel = createTestModel();
    addAccessToken(testModel);
    const row = new Row();
    const outcome = await runOperation(
      { ...testModel, model: { ...testModel.model, getAccessToken: () => row } as never },
      'authenticate',
      resourceRequest(),
      { scope: 'read' },
    );
    expect(outcome.result).toBe(row);
  });
});
