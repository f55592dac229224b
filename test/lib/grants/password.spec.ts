import { describe, expect, it } from '@jest/globals';

import { ALICE, createTestModel, WEB } from '../../support/models/model.js';
import { runOperation, summary, tokenRequest } from '../../support/clients/requests.js';

const BODY = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };
const grant = (body: object = {}, overrides: object = {}) => {
  const testModel = createTestModel(overrides);
  return runOperation(testModel, 'token', tokenRequest({ ...BODY, ...body })).then((outcome) => ({
    ...outcome,
    testModel,
  }));
};

describe('the password grant', () => {
  it('calls the model methods in order, then saves and returns the token', async () => {
    const { testModel, result, body } = await grant();
    expect(testModel.calls).toEqual([
      ['getClient', 'web', 's3cret'],
      ['getUser', 'alice', 'wonderland', WEB],
      ['validateScope', ALICE, WEB, 'read'],
      [
        'saveToken',
        {
          accessToken: expect.stringMatching(/^[0-9a-f]{64}$/),
          accessTokenExpiresAt: expect.any(Date),
          scope: 'read',
          refreshToken: expect.stringMatching(/^[0-9a-f]{64}$/),
          refreshTokenExpiresAt: expect.any(Date),
        },
        WEB,
        ALICE,
      ],
    ]);
    expect(result).toBe(testModel.accessTokens.get(body['access_token'] as string));
    expect(body).toEqual({
      access_token: result?.['accessToken'],
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      refresh_token: result?.['refreshToken'],
      scope: 'read',
    });
  });

  it.each([
    [{ username: '' }, 'Missing parameter: `username`'],
    [{ username: undefined }, 'Missing parameter: `username`'],
    [{ password: '' }, 'Missing parameter: `password`'],
    [{ username: 'al\nice' }, 'Invalid parameter: `username`'],
    [{ username: '\u{d800}' }, 'Invalid parameter: `username`'],
    [{ password: 'a\u{0}b' }, 'Invalid parameter: `password`'],
    [{ password: { toString: 'x' } }, 'Invalid parameter: `password`'],
    [{ username: ['alice', 'bob'] }, 'Repeated parameter: `username`'],
    [{ password: ['a'] }, 'Repeated parameter: `password`'],
    [{ username: '', password: '' }, 'Missing parameter: `username`'],
  ])('rejects the parameters %j without calling getUser(): %s', async (body, message) => {
    const { error, testModel } = await grant(body);
    expect(summary(error)).toBe(`400 invalid_request: ${message}`);
    expect(testModel.calls.filter(([method]) => method === 'getUser')).toEqual([]);
  });

  it.each(['tab\tbed', 'alice\u0080', 'al\u200Dice', '\ue000'])(
    'rejects the user name %j with an invisible character without calling getUser()',
    async (username) => {
      const { error, testModel } = await grant({ username });
      expect(summary(error)).toBe('400 invalid_grant: Invalid grant: user credentials are invalid');
      expect(testModel.calls.filter(([method]) => method === 'getUser')).toEqual([]);
    },
  );

  it('rejects the wrong password number 201 of one user with 429, and no other user', async () => {
    const testModel = createTestModel({ getUser: (name: string) => name === 'bob' && { id: 'bob' } });
    const ask = (username: string) => runOperation(testModel, 'token', tokenRequest({ ...BODY, username }));
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 201; attempt += 1) statuses.push((await ask('alice')).status);
    expect(statuses).toEqual([...Array<number>(200).fill(400), 429]);
    expect((await ask('bob')).status).toBe(200);
  });

  it.each(['ünïcode', '😀', 'mixed 😀 text', '"quoted" \\ '])(
    'passes the user name %j unchanged to getUser()',
    async (username) => {
      const { testModel } = await grant({ username });
      expect(testModel.calls[1]?.slice(0, 3)).toEqual(['getUser', username, 'wonderland']);
    },
  );

  it.each([null, undefined, false, 0, ''])('fails with invalid_grant if getUser() returns %j', async (user) => {
    const { error, body } = await grant({}, { getUser: () => user });
    expect(summary(error)).toBe('400 invalid_grant: Invalid grant: user credentials are invalid');
    expect(body).toEqual({ error: 'invalid_grant', error_description: 'Invalid grant: user credentials are invalid' });
  });

  it('validates the syntax of the scope first, and calls validateScope() last', async () => {
    expect(summary((await grant({ scope: 'a"b', username: '' })).error)).toBe(
      '400 invalid_scope: Invalid parameter: `scope`',
    );
    const { error, testModel } = await grant({ scope: 'admin' });
    expect(summary(error)).toBe('400 invalid_scope: Invalid scope: Requested scope is invalid');
    expect(testModel.calls.map(([method]) => method)).toEqual(['getClient', 'getUser', 'validateScope']);
  });

  it('issues no refresh token to a client without the grant type `refresh_token`', async () => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, grants: ['password'] });
    const { body, result } = await runOperation(testModel, 'token', tokenRequest(BODY));
    expect(body).not.toHaveProperty('refresh_token');
    expect(result).not.toHaveProperty('refreshToken');
  });
});

describe('the client credentials grant', () => {
  it('calls getUserFromClient(), and issues no refresh token', async () => {
    const testModel = createTestModel();
    const { body } = await runOperation(
      testModel,
      'token',
      tokenRequest({ grant_type: 'client_credentials', scope: 'write' }),
    );
    const user = { id: 'client:web' };
    expect(testModel.calls.slice(1)).toEqual([
      ['getUserFromClient', WEB],
      ['validateScope', user, WEB, 'write'],
      [
        'saveToken',
        { accessToken: body['access_token'], accessTokenExpiresAt: expect.any(Date), scope: 'write' },
        WEB,
        user,
      ],
    ]);
    expect(Object.keys(body)).toEqual(['access_token', 'token_type', 'expires_in', 'scope']);
  });

  it.each([null, undefined, false])('fails with invalid_grant if getUserFromClient() returns %j', async (user) => {
    const testModel = createTestModel({ getUserFromClient: () => user });
    const { error } = await runOperation(testModel, 'token', tokenRequest({ grant_type: 'client_credentials' }));
    expect(summary(error)).toBe('400 invalid_grant: Invalid grant: user credentials are invalid');
  });

  it('validates the syntax of the scope before it calls getUserFromClient()', async () => {
    const testModel = createTestModel();
    const { error } = await runOperation(
      testModel,
      'token',
      tokenRequest({ grant_type: 'client_credentials', scope: 'ä' }),
    );
    expect(summary(error)).toBe('400 invalid_scope: Invalid parameter: `scope`');
    expect(testModel.calls).toHaveLength(1);
  });
});
