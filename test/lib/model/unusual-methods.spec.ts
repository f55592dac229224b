import { describe, expect, it } from '@jest/globals';
import { type Client, type Model, OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { promisify } from 'node:util';

import { addAccessToken, createTestModel, SECRET, type TestModel, WEB } from '../../support/models/model.js';
import { withParameterCount } from '../../support/models/model-styles.js';
import { authorizeRequest, resourceRequest, runOperation, tokenRequest } from '../../support/clients/requests.js';

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

type Done = (error: unknown, result?: unknown) => void;
type Saving = (token: object, client: object, user: object) => Promise<unknown>;

const client = { id: 'web', grants: ['urn:example:grant'] };
const ada = { id: 'ada' };
/** A model in the callback style of oauth2-server 3.x: each method passes its result to a callback. */
const model = {
  getClient: (_id: string, _secret: string, done: Done) => done(null, client),
  getUser: (_name: string, _password: string, done: Done) => done(null, ada),
  saveToken: (token: object, of: object, user: object, done: Done) => done(null, { ...token, client: of, user }),
  *names() {
    yield 'ada';
  },
};
type CallbackModel = typeof model;

/** Runs an extension grant written for oauth2-server 3.x, which saves its token with `save`, and returns the token. */
async function tokenOf(save: (model: CallbackModel, token: object, client: Client) => Promise<unknown>) {
  class ExampleGrant {
    constructor(private readonly options: { model: CallbackModel }) {}
    handle(_request: Request, of: Client) {
      return save(this.options.model, { accessToken: 'saved' }, of) as Promise<object>;
    }
  }
  const extendedGrantTypes = { 'urn:example:grant': ExampleGrant };
  const server = new OAuth2Server({ model: model as unknown as Model, extendedGrantTypes });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = { grant_type: 'urn:example:grant', client_id: 'web', client_secret: 's3cret' };
  return server.token(new Request({ method: 'POST', headers, query: {}, body }), new Response());
}

describe('an extension grant with a model whose methods take callbacks', () => {
  it('can pass its own callback to a model method', async () => {
    const saved = await tokenOf(
      (given, token, of) =>
        new Promise((resolve, reject) =>
          given.saveToken(token, of, ada, (error, result) => (error ? reject(error) : resolve(result))),
        ),
    );
    expect(saved).toEqual({ accessToken: 'saved', client, user: ada });
  });

  it('can pass its own callback to `getUser()` in place of the client argument', async () => {
    const user = await new Promise((resolve) => {
      void tokenOf((given, token, of) => {
        given.getUser('ada', 'any', (_, found) => resolve(found));
        return (given.saveToken as unknown as Saving)(token, of, ada);
      });
    });
    expect(user).toBe(ada);
  });

  it('can promisify a model method', async () => {
    const saved = await tokenOf((given, token, of) => promisify(given.saveToken).call(given, token, of, ada));
    expect(saved.user).toBe(ada);
  });

  it('can omit the callback and await the returned promise', async () => {
    const saved = await tokenOf((given, token, of) => (given.saveToken as unknown as Saving)(token, of, ada));
    expect(saved.user).toBe(ada);
  });

  it('receives generator methods that are not part of the model interface unchanged', async () => {
    const saved = await tokenOf((given, token, of) =>
      (given.saveToken as unknown as Saving)({ ...token, names: [...given.names()] }, of, ada),
    );
    expect(saved['names']).toEqual(['ada']);
  });
});
