import { describe, expect, it } from '@jest/globals';
import type { Model } from 'nest-oauth2/server';

import { addAccessToken, createHost, type Host, SECRET, WEB } from '../../support/model.js';
import { declaring } from '../../support/model-styles.js';
import { answer, authorizeRequest, resourceRequest, tokenRequest } from '../../support/requests.js';

type AnyFunction = (...args: unknown[]) => unknown;

/** A host whose model is this very object, with the methods of the in-memory one for the rest. */
const hostOf = (model: object): Host => {
  const host = createHost();
  const rest = Object.entries(host.model).filter(([name]) => !(name in model));
  return { ...host, model: Object.assign(model, Object.fromEntries(rest)) as Model };
};
const CREDENTIALS = { grant_type: 'client_credentials' };

describe('a method of the model', () => {
  it('may be async, with an optional parameter more than it is given', async () => {
    const model = {
      getClient: async (id: string, secret: string | null, tenant?: unknown) =>
        tenant === undefined && (secret === null || secret === SECRET) && id === 'web' ? WEB : null,
    };
    expect((await answer(hostOf(model), 'token', tokenRequest(CREDENTIALS))).status).toBe(200);
  });

  it('may be compiled to a plain function that returns a promise, with a parameter more', async () => {
    const model = { getAccessToken: declaring(2, () => Promise.resolve(null)) };
    expect((await answer(hostOf(model), 'authenticate', resourceRequest())).error?.name).toBe('invalid_token');
  });

  it('may be replaced after the server was made', async () => {
    const host = createHost({ getUserFromClient: (_: unknown, done: AnyFunction) => done(null, { id: 'first' }) });
    const options = {};
    expect((await answer(host, 'token', tokenRequest(CREDENTIALS), options)).result?.['user']).toEqual({ id: 'first' });
    host.model.getUserFromClient = () => ({ id: 'second' });
    expect((await answer(host, 'token', tokenRequest(CREDENTIALS), options)).result?.['user']).toEqual({
      id: 'second',
    });
  });
});

describe('the handler of a user', () => {
  it.each<[string, AnyFunction]>([
    ['a value', () => ({ id: 'x' })],
    ['a promise', () => Promise.resolve({ id: 'x' })],
    [
      'a generator',
      function* (): Generator {
        return yield Promise.resolve({ id: 'x' });
      },
    ],
    ['a callback', (_request, _response, done) => (done as AnyFunction)(null, { id: 'x' })],
  ])('may answer by %s', async (_, handle) => {
    const { result } = await answer(createHost(), 'authorize', authorizeRequest(), { authenticateHandler: { handle } });
    expect(result?.['user']).toEqual({ id: 'x' });
  });
});

describe('a token of the model', () => {
  it('may be an instance with getters on its prototype', async () => {
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
    const host = createHost();
    addAccessToken(host);
    const row = new Row();
    const outcome = await answer(
      { ...host, model: { ...host.model, getAccessToken: () => row } as never },
      'authenticate',
      resourceRequest(),
      { scope: 'read' },
    );
    expect(outcome.result).toBe(row);
  });
});
