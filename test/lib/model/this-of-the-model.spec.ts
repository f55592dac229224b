import { describe, expect, it } from '@jest/globals';
import type { Model } from 'nest-oauth2/server';

import { createTestModel, type TestModel, WEB } from '../../support/models/model.js';
import { runOperation, authorizeRequest, signedIn, tokenRequest } from '../../support/clients/requests.js';

type AnyFunction = (...args: unknown[]) => unknown;

/** Returns test fixtures whose model is this object itself, completed with methods of the in-memory model. */
const hostOf = (model: object): TestModel => {
  const testModel = createTestModel();
  const rest = Object.entries(testModel.model).filter(([name]) => !(name in model));
  return { ...testModel, model: Object.assign(model, Object.fromEntries(rest)) as Model };
};
const CREDENTIALS = { grant_type: 'client_credentials' };

describe('`this` in a method of the model', () => {
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
      'a function that calls back',
      function (this: Clients, _id: string, _secret: unknown, done: AnyFunction) {
        done(null, this.clients.web);
      },
    ],
  ])('is the model in %s', async (_, getClient) => {
    const model = { clients, getClient };
    expect((await runOperation(hostOf(model), 'authorize', authorizeRequest(), signedIn)).redirected).toHaveProperty(
      'code',
    );
  });

  it('is the unwrapped model, so that its methods can call each other with their original signatures', async () => {
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
    const { result } = await runOperation(hostOf(model), 'token', tokenRequest(CREDENTIALS));
    expect(result?.['user']).toEqual({ id: 'later' });
  });

  it('is the instance of a class with inherited methods and private fields', async () => {
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
    const { result } = await runOperation(
      { ...createTestModel(), model: new Derived() as never },
      'token',
      tokenRequest(CREDENTIALS),
    );
    expect(result).toMatchObject({ user: { id: 'private' }, by: 'Derived' });
  });

  it('stays bound to the service behind a proxy of a dependency injection container', async () => {
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
    const { result } = await runOperation(
      { ...createTestModel(), model: model as never },
      'token',
      tokenRequest(CREDENTIALS),
    );
    expect(result?.['user']).toEqual({ id: 'proxied' });
  });
});
