import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { createTestModel, type TestModel, WEB } from '../../support/models/model.js';
import { runOperation, summary, tokenRequest } from '../../support/clients/requests.js';

const NOW = Date.UTC(2030, 0);
beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(NOW);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const PASSWORD = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };
const ask = (testModel: TestModel, options: object = {}) =>
  runOperation(testModel, 'token', tokenRequest(PASSWORD), options);

describe('the lifetime of a token', () => {
  const lifetimes = async (options: object, client: object = {}) => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, ...client });
    const { result } = await ask(testModel, options);
    const seconds = (date: unknown) => ((date as Date).getTime() - NOW) / 1000;
    return [seconds(result?.['accessTokenExpiresAt']), seconds(result?.['refreshTokenExpiresAt'])];
  };

  it.each([
    ['an hour for access tokens and two weeks for refresh tokens by default', {}, {}, [3600, 1_209_600]],
    ['the value of the options', { accessTokenLifetime: 10, refreshTokenLifetime: 20 }, {}, [10, 20]],
    [
      'the value of the options, given as a string',
      { accessTokenLifetime: '300', refreshTokenLifetime: '20' },
      {},
      [300, 20],
    ],
    ['the value of the options, even if it is less than a second', { accessTokenLifetime: 0.5 }, {}, [0.5, 1_209_600]],
    [
      'the value of the client',
      { accessTokenLifetime: 10 },
      { accessTokenLifetime: 30, refreshTokenLifetime: 40 },
      [30, 40],
    ],
    [
      'the value of the options if that of the client is 0',
      { accessTokenLifetime: 10 },
      { accessTokenLifetime: 0 },
      [10, 1_209_600],
    ],
  ])('is taken from the client, the options or the default: %s', async (_, options, client, expected) => {
    expect(await lifetimes(options, client)).toEqual(expected);
  });

  it.each(['soon', -1, Number.POSITIVE_INFINITY, 1e18])(
    'causes server_error if a client has the lifetime %j',
    async (accessTokenLifetime) => {
      const testModel = createTestModel();
      testModel.clients.set('web', { ...WEB, accessTokenLifetime: accessTokenLifetime as number });
      const { error, body } = await ask(testModel);
      expect(summary(error)).toBe('500 invalid_argument: Invalid parameter: `accessTokenLifetime`');
      expect(body['error']).toBe('server_error');
    },
  );
});

describe('generators of tokens in the model', () => {
  it('receive client, user and scope, and return the tokens that are issued', async () => {
    const calls: unknown[] = [];
    const generate = (token: string) => (client: object, user: object, scope: unknown) => {
      calls.push([token, client, user, scope]);
      return token;
    };
    const testModel = createTestModel({ generateAccessToken: generate('A'), generateRefreshToken: generate('R') });
    const { body } = await ask(testModel);
    expect([body['access_token'], body['refresh_token']]).toEqual(['A', 'R']);
    expect(calls).toEqual([
      ['A', WEB, { id: 'alice' }, 'read'],
      ['R', WEB, { id: 'alice' }, 'read'],
    ]);
  });

  it.each([undefined, null, '', false])('are replaced by random tokens if they return %j', async (nothing) => {
    const testModel = createTestModel({ generateAccessToken: () => nothing, generateRefreshToken: () => nothing });
    const { body } = await ask(testModel);
    expect(body['access_token']).toMatch(/^[0-9a-f]{64}$/);
    expect(body['refresh_token']).toMatch(/^[0-9a-f]{64}$/);
    expect(body['access_token']).not.toBe(body['refresh_token']);
  });

  it('are optional: without them, random tokens are issued, all different', async () => {
    const testModel = createTestModel();
    const tokens = await Promise.all(
      Array.from({ length: 100 }, async () => (await ask(testModel)).body['access_token']),
    );
    expect(new Set(tokens).size).toBe(100);
  });
});
