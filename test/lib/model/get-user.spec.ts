import { describe, expect, it } from '@jest/globals';

import { createHost } from '../../support/model.js';
import { answer, tokenRequest } from '../../support/requests.js';

type AnyFunction = (...args: unknown[]) => unknown;

describe('getUser with three parameters', () => {
  const ask = async (getUser: unknown) => {
    const host = createHost();
    const request = tokenRequest({ grant_type: 'password', username: 'alice', password: 'x' });
    const { error, result } = await answer(
      { ...host, model: { ...host.model, getUser: getUser as never } },
      'token',
      request,
    );
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

describe('getUser and getUserFromClient', () => {
  it('need return nobody with an id', async () => {
    const nameless = () => ({ name: 'Ann' });
    const host = createHost({ getUser: nameless, getUserFromClient: nameless });
    for (const body of [
      { grant_type: 'password', username: 'a', password: 'b' },
      { grant_type: 'client_credentials' },
    ]) {
      expect((await answer(host, 'token', tokenRequest(body))).result?.['user']).toEqual({ name: 'Ann' });
    }
  });
});
