import { describe, expect, it } from '@jest/globals';
import type { Model } from 'nest-oauth2/server';

import { addAccessToken, createHost, type Host, SECRET, WEB } from '../../support/model.js';
import { answer, authorizeRequest, resourceRequest, signedIn, tokenRequest } from '../../support/requests.js';

type AnyFunction = (...args: unknown[]) => unknown;

/** A host whose model is this very object, with the methods of the in-memory one for the rest. */
const hostOf = (model: object): Host => {
  const host = createHost();
  const rest = Object.entries(host.model).filter(([name]) => !(name in model));
  return { ...host, model: Object.assign(model, Object.fromEntries(rest)) as Model };
};
const CREDENTIALS = { grant_type: 'client_credentials' };

describe('the this of a method of the model', () => {
  const clients = { web: WEB };
  type Clients = { clients: typeof clients };

  it.each<[string, (this: Clients, ...args: never[]) => unknown]>([
    [
      'a function',
      function (this: Clients) {
        return this.clients.web;
      },
    ],
    [
      'an async function',
      async function (this: Clients) {
        return this.clients.web;
      },
    ],
    [
      'a generator function',
      function* (this: Clients) {
        return (yield Promise.resolve(this.clients.web)) as unknown;
      },
    ],
    [
      'a function that tells a callback',
      function (this: Clients, _id: string, _secret: unknown, done: AnyFunction) {
        done(null, this.clients.web);
      },
    ],
  ])('is the model: %s', async (_, getClient) => {
    const model = { clients, getClient };
    expect((await answer(hostOf(model), 'authorize', authorizeRequest(), signedIn)).redirected).toHaveProperty('code');
  });

  it('is the raw model, so that its own methods call each other as they were written', async () => {
    const model = {
      find: (id: string, done: AnyFunction) => done(null, id === 'web' ? WEB : null),
      getClient(id: string, _secret: unknown, done: AnyFunction) {
        this.find(id, done);
      },
      *getUserFromClient(): Generator {
        return yield (done: AnyFunction) => this.getUserLater(done);
      },
      getUserLater: (done: AnyFunction) => setImmediate(done, null, { id: 'later' }),
    };
    const { result } = await answer(hostOf(model), 'token', tokenRequest(CREDENTIALS));
    expect(result?.['user']).toEqual({ id: 'later' });
  });

  it('is the instance, of a class with methods on its prototype and private fields', async () => {
    class Base {
      readonly #clients = new Map([['web', WEB]]);
      getClient(id: string) {
        return this.#clients.get(id);
      }
    }
    class Derived extends Base {
      readonly #user = { id: 'private' };
      getUserFromClient(_: unknown, done: AnyFunction) {
        done(null, this.#user);
      }
      saveToken(token: object, client: object, user: object) {
        return { ...token, client, user, by: this.constructor.name };
      }
    }
    const { result } = await answer(
      { ...createHost(), model: new Derived() as never },
      'token',
      tokenRequest(CREDENTIALS),
    );
    expect(result).toMatchObject({ user: { id: 'private' }, by: 'Derived' });
  });

  it('is kept by a proxy that a container put before the model', async () => {
    class Service {
      readonly #clients = new Map([['web', WEB]]);
      async getClient(id: string) {
        return this.#clients.get(id);
      }
      getUserFromClient(_: unknown, done: AnyFunction) {
        done(null, { id: 'proxied' });
      }
      saveToken = (token: object, client: object, user: object) => ({ ...token, client, user });
    }
    const service = new Service();
    const model = new Proxy({} as Service, {
      get(_, key) {
        const value: unknown = Reflect.get(service, key);
        return typeof value === 'function' ? (value.bind(service) as unknown) : value;
      },
      has: (_, key) => key in service,
    });
    const { result } = await answer({ ...createHost(), model: model as never }, 'token', tokenRequest(CREDENTIALS));
    expect(result?.['user']).toEqual({ id: 'proxied' });
  });
});

describe('a method of the model', () => {
  it('may be async, with an optional parameter more than it is given', async () => {
    const model = {
      getClient: async (id: string, secret: string | null, tenant?: unknown) =>
        tenant === undefined && (secret === null || secret === SECRET) && id === 'web' ? WEB : null,
    };
    expect((await answer(hostOf(model), 'token', tokenRequest(CREDENTIALS))).status).toBe(200);
  });

  it('may be compiled to a plain function that returns a promise, with a parameter more', async () => {
    const model = { getAccessToken: (_token: string, _context: unknown) => Promise.resolve(null) };
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

describe('getUser with three parameters', () => {
  const ask = async (getUser: unknown) => {
    const request = tokenRequest({ grant_type: 'password', username: 'alice', password: 'x' });
    const { error, result } = await answer(hostOf({ getUser }), 'token', request);
    return error?.name ?? result?.['user'];
  };
  const find = (name: unknown, client: unknown) => ({ id: name, of: (client as { id: string }).id });

  it.each<[string, unknown]>([
    ['by a value', (name: string, _password: string, client: unknown) => find(name, client)],
    [
      'by a value, the client taken apart',
      (name: string, _password: string, { id }: { id: string }) => find(name, { id }),
    ],
    ['by a promise', (name: string, _password: string, client: unknown) => Promise.resolve(find(name, client))],
    [
      'by a promise, whatever it calls the client',
      (name: string, _: string, who: unknown) => Promise.resolve(find(name, who)),
    ],
    ['asynchronously', async (name: string, _password: string, who: unknown) => find(name, who)],
    [
      'by a generator',
      function* (name: string, _password: string, who: unknown): Generator {
        return find(name, yield Promise.resolve(who));
      },
    ],
    [
      'by a callback in the fourth place',
      (name: string, _password: string, client: unknown, done: AnyFunction) => done(null, find(name, client)),
    ],
  ])('as in 5.x is given the client, and answers %s', async (_, getUser) => {
    expect(await ask(getUser)).toEqual({ id: 'alice', of: 'web' });
  });

  it.each<[string, unknown]>([
    ['callback', (id: string, _password: string, callback: AnyFunction) => callback(null, { id })],
    ['cb', (id: string, _password: string, cb: AnyFunction) => void setImmediate(cb, null, { id })],
    // oxlint-disable-next-line no-useless-call
    ['a name that says nothing', (id: string, _password: string, x: AnyFunction) => x.call(null, null, { id })],
    [
      'done, and applied',
      (id: string, _password: string, done: AnyFunction) => Reflect.apply(done, null, [null, { id }]),
    ],
    ['clientCallback', (id: string, _password: string, clientCallback: AnyFunction) => clientCallback(null, { id })],
  ])('as in 3.x is given a callback, and calls it %s', async (_, getUser) => {
    expect(await ask(getUser)).toEqual({ id: 'alice' });
  });

  it('finds nobody in either meaning', async () => {
    expect(await ask((_name: string, _password: string, client: unknown) => (client ? null : {}))).toBe(
      'invalid_grant',
    );
    expect(await ask((_name: string, _password: string, done: AnyFunction) => done(null, false))).toBe('invalid_grant');
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
