import { EventEmitter } from 'node:events';

import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from 'nest-oauth2/server';
import type { Client, Model, User } from 'nest-oauth2/server';
import { checkModel, type TestSubject } from 'nest-oauth2/testing';

import { GRANTS, CorrectModel, subject } from './correct-model.js';

type Done = (error: unknown, value?: unknown) => void;
type Methods = Record<string, (...args: never[]) => Promise<unknown>>;

const METHODS = ['getClient', 'getUser', 'getUserFromClient', 'saveToken', 'getAccessToken'].concat(
  ['saveAuthorizationCode', 'getAuthorizationCode', 'revokeAuthorizationCode'],
  ['getRefreshToken', 'revokeToken', 'revokeGrant'],
);

/** Returns a correct model with some of its methods, each rewritten. */
function rewritten(names: readonly string[], rewrite: (method: (...args: never[]) => Promise<unknown>) => unknown) {
  const honest = new CorrectModel();
  const methods = honest as unknown as Methods;
  return Object.fromEntries(names.map((name) => [name, rewrite(methods[name]!.bind(honest))])) as Partial<Model>;
}

/** Wraps a method in the style of oauth2-server 3.x: `function (a, b, callback)`, recognized by its parameter count. */
function withCallback(method: (...args: never[]) => Promise<unknown>): unknown {
  const call = (args: unknown[], done: Done) => {
    // oxlint-disable-next-line promise/no-callback-in-promise
    method(...(args as never[])).then((value) => done(null, value), done);
  };
  const one = (a: unknown, done: Done) => call([a], done);
  const two = (a: unknown, b: unknown, done: Done) => call([a, b], done);
  const three = (a: unknown, b: unknown, c: unknown, done: Done) => call([a, b, c], done);
  return [one, one, two, three][method.length];
}

function withGenerator(method: (...args: never[]) => Promise<unknown>): unknown {
  return function* (...args: never[]): Generator<unknown, unknown> {
    return yield method(...args);
  };
}

/** Returns a model whose clients are stored by the application, so that it cannot create clients. */
const elsewhere = (honest: CorrectModel): CorrectModel =>
  Object.assign(honest, {
    canRegister: () => false,
    createClient: () => Promise.reject(new InvalidArgumentError('Invalid argument: the clients are those of the host')),
  });

/** Returns a test subject with a public client, such as a browser application. */
function publicSubject(): TestSubject {
  const honest = new CorrectModel();
  const app: Client = {
    id: 'app',
    grants: ['authorization_code', 'refresh_token'],
    redirectUris: ['https://app.example/callback'],
    tokenEndpointAuthMethod: 'none',
  };
  honest.getClient = async (id, secret) => (id === 'app' && secret === null ? app : undefined);
  return { model: elsewhere(honest), client: { id: 'app' } };
}

describe('the model contract', () => {
  it('holds for a model with nothing but client credentials', async () => {
    const model = rewritten(['getClient', 'getUserFromClient', 'saveToken', 'getAccessToken'], (method) => method);
    const report = await checkModel(() => subject(model));
    expect(report.failures).toEqual([]);
    expect(report.guarantees).toEqual({
      'client authentication': 'kept',
      'access tokens': 'kept',
      'authorization codes': 'absent',
      'refresh tokens': 'absent',
      'token families': 'absent',
      'token revocation': 'absent',
      'pushed requests': 'absent',
      'device codes': 'absent',
      'exchanged tokens': 'absent',
      'administered clients': 'absent',
      'registered clients': 'absent',
      'signing keys': 'absent',
      'single-use values': 'absent',
      sessions: 'absent',
      passwords: 'absent',
      'client credentials': 'kept',
    });
  });

  it('holds for a model that only finds access tokens', async () => {
    const report = await checkModel(() => rewritten(['getAccessToken'], (method) => method));
    expect(report.failures).toEqual([]);
    expect(new Set(Object.values(report.guarantees))).toEqual(new Set(['absent']));
  });

  it('ignores the unrelated `once()` of an event emitter', async () => {
    const model = Object.assign(new EventEmitter(), { getAccessToken: async () => undefined });
    const report = await checkModel(() => model as never);
    expect(report.failures).toEqual([]);
    expect(report.guarantees['single-use values']).toBe('absent');
  });

  it('holds for a model of oauth2-server 3.x, which has no token families and deletes used codes and tokens', async () => {
    const report = await checkModel(() => {
      const honest = new CorrectModel();
      const model = { ...rewritten(METHODS.slice(0, -1), (method) => method) };
      model.saveAuthorizationCode = honest.saveAuthorizationCode.bind(honest);
      model.getAuthorizationCode = honest.getAuthorizationCode.bind(honest);
      model.revokeAuthorizationCode = async ({ authorizationCode }) => honest.codes.delete(authorizationCode);
      return subject(model);
    });
    expect(report.failures).toEqual([]);
    expect(report.guarantees).toMatchObject({ 'authorization codes': 'atomic', 'token families': 'absent' });
  });

  it.each([
    ['Node callbacks', withCallback],
    ['generators', withGenerator],
  ])('holds for a model written with %s', async (_style, style) => {
    const report = await checkModel(() => subject(rewritten(METHODS, style)));
    expect(report.failures).toEqual([]);
    expect(report.guarantees).toMatchObject({ 'refresh tokens': 'atomic', 'token families': 'atomic' });
  });

  it('holds for a model with a public client', async () => {
    const report = await checkModel(publicSubject);
    expect(report.failures).toEqual([]);
    expect(report.guarantees).toMatchObject({ 'authorization codes': 'atomic', 'client credentials': 'absent' });
    expect(report.outcomes.filter(({ result }) => result === 'skipped')).toContainEqual(
      expect.objectContaining({
        name: 'rejects a client with a wrong secret',
        reason: '`client` in the fixtures has no `secret`',
      }),
    );
    expect(report.guarantees).toMatchObject({ 'administered clients': 'absent', 'registered clients': 'absent' });
  });

  it('holds for a model with scopes as lists and numeric ids', async () => {
    const report = await checkModel(() => {
      const honest = new CorrectModel();
      const numbered = { id: 7 as never, grants: GRANTS, redirectUris: ['https://app.example/callback'] };
      honest.getClient = async (id, secret) =>
        id === 'shop' && (secret === null || secret === 'x1') ? numbered : undefined;
      honest.getUser = async (name, password) => (name === 'bob' && password === 'p' ? { id: 1 } : undefined);
      const validateScope = (_user: User, _client: Client, scope: unknown) => Array.isArray(scope);
      return {
        model: Object.assign(elsewhere(honest), { validateScope }),
        client: { id: 'shop', secret: 'x1' },
        user: { username: 'bob', password: 'p' },
        scopes: ['a', 'b'],
        server: { scopeFormat: 'array' },
      };
    });
    expect(report.failures).toEqual([]);
  });

  it.each([null, false, 0, ''])('holds for a model that returns %j if it finds nothing', async (nothing) => {
    const finders = METHODS.filter((name) => name.startsWith('get'));
    const report = await checkModel(() => {
      const honest = new CorrectModel();
      const methods = honest as unknown as Methods;
      const answers = finders.map((name) => {
        const find = methods[name]!.bind(honest);
        return [name, async (...args: never[]) => (await find(...args)) ?? nothing];
      });
      return subject(Object.assign(honest, Object.fromEntries(answers)));
    });
    expect(report.failures).toEqual([]);
    expect(report.guarantees).toMatchObject({ 'refresh tokens': 'atomic', 'token families': 'atomic' });
  });

  it('holds for a model that hides expired tokens and refuses to save them', async () => {
    const report = await checkModel(() => {
      const honest = new CorrectModel();
      const { saveToken, getAccessToken } = CorrectModel.prototype;
      honest.saveToken = async (token, client, user) => {
        if (token.accessTokenExpiresAt < new Date()) throw new RangeError('ERR invalid expire time');
        return saveToken.call(honest, token, client, user);
      };
      honest.getAccessToken = async (token) => {
        const found = await getAccessToken.call(honest, token);
        return found && found.accessTokenExpiresAt > new Date() ? found : undefined;
      };
      return subject(honest);
    });
    expect(report.failures).toEqual([]);
  });
});
