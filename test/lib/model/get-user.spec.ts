import { describe, expect, it } from '@jest/globals';

import { createTestModel } from '../../support/models/model.js';
import { runOperation, tokenRequest } from '../../support/clients/requests.js';

type AnyFunction = (...args: unknown[]) => unknown;

describe('model method getUser() declared with three parameters', () => {
  const ask = async (getUser: unknown) => {
    const testModel = createTestModel();
    const request = tokenRequest({ grant_type: 'password', username: 'alice', password: 'x' });
    const { error, result } = await runOperation(
      { ...testModel, model: { ...testModel.model, getUser: getUser as never } },
      'token',
      request,
    );
    return error?.name ?? result?.['user'];
  };
  const find = (name: unknown, client: unknown) => ({ id: name, of: (client as { id: string }).id });

  it.each<[string, unknown]>([
    ['returns a value', (name: string, _password: string, client: unknown) => find(name, client)],
    [
      'returns a value and destructures the client',
      (name: string, _password: string, { id }: { id: string }) => find(name, { id }),
    ],
    ['returns a promise', (name: string, _password: string, client: unknown) => Promise.resolve(find(name, client))],
    [
      'returns a promise and names its third parameter `who`',
      (name: string, _: string, who: unknown) => Promise.resolve(find(name, who)),
    ],
    ['is an async function', async (name: string, _password: string, who: unknown) => find(name, who)],
    [
      'is a generator function',
      function* (name: string, _password: string, who: unknown): Generator {
        return find(name, yield Promise.resolve(who));
      },
    ],
    [
      'calls back through a fourth parameter',
      (name: string, _password: string, client: unknown, done: AnyFunction) => done(null, find(name, client)),
    ],
  ])('receives the client as third argument, as in oauth2-server 5.x, if it %s', async (_, getUser) => {
    expect(await ask(getUser)).toEqual({ id: 'alice', of: 'web' });
  });

  it.each<[string, unknown]>([
    ['is named `callback`', (id: string, _password: string, callback: AnyFunction) => callback(null, { id })],
    [
      'is named `cb` and called later',
      (id: string, _password: string, cb: AnyFunction) => void setImmediate(cb, null, { id }),
    ],
    [
      'is named `x` and invoked with call()',
      // oxlint-disable-next-line no-useless-call
      (id: string, _password: string, x: AnyFunction) => x.call(null, null, { id }),
    ],
    [
      'is named `done` and invoked with Reflect.apply()',
      (id: string, _password: string, done: AnyFunction) => Reflect.apply(done, null, [null, { id }]),
    ],
    [
      'is named `clientCallback`',
      (id: string, _password: string, clientCallback: AnyFunction) => clientCallback(null, { id }),
    ],
  ])('receives a callback as third argument, as in oauth2-server 3.x, if that parameter %s', async (_, getUser) => {
    expect(await ask(getUser)).toEqual({ id: 'alice' });
  });

  it('makes the request fail with invalid_grant if it finds no user, whether its third parameter is the client or a callback', async () => {
    expect(await ask((_name: string, _password: string, client: unknown) => (client ? null : {}))).toBe(
      'invalid_grant',
    );
    expect(await ask((_name: string, _password: string, done: AnyFunction) => done(null, false))).toBe('invalid_grant');
  });
});

describe('model methods getUser() and getUserFromClient()', () => {
  it('can return a user without an `id`', async () => {
    const nameless = () => ({ name: 'Ann' });
    const testModel = createTestModel({ getUser: nameless, getUserFromClient: nameless });
    for (const body of [
      { grant_type: 'password', username: 'a', password: 'b' },
      { grant_type: 'client_credentials' },
    ]) {
      expect((await runOperation(testModel, 'token', tokenRequest(body))).result?.['user']).toEqual({ name: 'Ann' });
    }
  });
});
