import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { InvalidArgumentError } from 'nest-oauth2/server';

import { createTestModel, type TestModel, WEB } from '../../support/models/model.js';
import { runOperation, summary, tokenRequest } from '../../support/clients/requests.js';
import { withoutWarnings } from '../../support/environment/quiet.js';

const NOW = Date.UTC(2030, 0);
beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(NOW);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const PASSWORD = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };
const ask = (host: TestModel, options: object = {}) => runOperation(host, 'token', tokenRequest(PASSWORD), options);
/** Returns test fixtures whose saveToken() returns the saved token with `changes`. */
const saving = (changes: object) =>
  createTestModel({
    saveToken: (token: object, client: object, user: object) => ({ ...token, client, user, ...changes }),
  });

const NOTHING =
  'Invalid argument: `saveToken()` of the model returned nothing: it must return the saved token, with `client` and `user`';

withoutWarnings();

describe('the token response', () => {
  it('contains the parameters of RFC 6749 §5.1 in their order', async () => {
    const { body } = await ask(saving({ accessToken: 'A', refreshToken: 'R', unknown: 1 }));
    expect(JSON.stringify(body)).toBe(
      '{"access_token":"A","token_type":"Bearer","expires_in":3600,"refresh_token":"R","scope":"read"}',
    );
  });

  it.each([
    ['has an expires_in with the seconds until the saved expiry', { accessTokenExpiresAt: new Date(NOW + 59_400) }, 59],
    [
      'has an expires_in with the configured lifetime of a new token',
      { accessTokenExpiresAt: new Date(NOW + 59_990) },
      60,
    ],
    ['omits expires_in without an expiry', { accessTokenExpiresAt: undefined }, undefined],
    [
      'omits expires_in in the last half second before the expiry',
      { accessTokenExpiresAt: new Date(NOW + 499) },
      undefined,
    ],
    ['omits expires_in of an expired token', { accessTokenExpiresAt: new Date(NOW - 5000) }, undefined],
    ['omits expires_in if the expiry is an invalid Date', { accessTokenExpiresAt: new Date(Number.NaN) }, undefined],
  ])('%s', async (_, changes, expected) => {
    expect((await ask(saving(changes))).body['expires_in']).toBe(expected);
  });

  it.each([
    [{ scope: 'read write' }, 'read write'],
    [{ scope: ['read', 'write'] }, 'read write'],
    [{ scope: '' }, undefined],
    [{ scope: [] }, undefined],
    [{ scope: undefined }, undefined],
    [{ scope: null }, undefined],
    [{ scope: true }, undefined],
  ])('contains the saved scope as a string, and no scope if it is empty or invalid: %j', async (changes, expected) => {
    expect((await ask(saving(changes))).body['scope']).toBe(expected);
  });

  it('contains no refresh token if none was saved', async () => {
    expect(await ask(saving({ refreshToken: undefined }))).not.toHaveProperty('body.refresh_token');
  });

  it.each([
    [null, NOTHING],
    [undefined, NOTHING],
    ['a text', 'Missing parameter: `accessToken`'],
    [{}, 'Missing parameter: `accessToken`'],
    [{ accessToken: 'A' }, 'Missing parameter: `client`'],
    [{ accessToken: 'A', client: {} }, 'Missing parameter: `user`'],
    [
      { accessToken: 'A', client: {}, user: {}, accessTokenExpiresAt: '2999' },
      'Invalid parameter: `accessTokenExpiresAt`',
    ],
    [
      { accessToken: 'A', client: {}, user: {}, refreshTokenExpiresAt: 1 },
      'Invalid parameter: `refreshTokenExpiresAt`',
    ],
  ])('is a generic server_error if saveToken() returns %j', async (saved, message) => {
    const { error, status, body } = await ask(createTestModel({ saveToken: () => saved }));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(summary(error)).toBe(`500 invalid_argument: ${message}`);
    expect({ status, body }).toEqual({
      status: 500,
      body: {
        error: 'server_error',
        error_description: 'Server error: the request could not be handled; the server log has the reason',
      },
    });
  });
});

describe('the option `allowExtendedTokenAttributes`', () => {
  const extras = { id_token: 'jwt', tenant: { id: 7 }, zero: 0 };

  it('copies additional properties of the saved token into the response only if it is true', async () => {
    expect((await ask(saving(extras), { allowExtendedTokenAttributes: true })).body).toMatchObject(extras);
    for (const options of [{}, { allowExtendedTokenAttributes: undefined }, { allowExtendedTokenAttributes: false }]) {
      expect(Object.keys((await ask(saving(extras), options)).body)).toEqual([
        'access_token',
        'token_type',
        'expires_in',
        'refresh_token',
        'scope',
      ]);
    }
  });

  it.each([
    [{ access_token: 'evil', token_type: 'mac', expires_in: 9, refresh_token: 'evil', scope: 'read', error: 'evil' }],
    [
      {
        authorizationCode: 'code',
        code: 'code',
        codeChallenge: 'c',
        codeChallengeMethod: 'S256',
      },
    ],
    [{ client: { secret: 'x', ...WEB }, user: { passwordHash: 'x', id: 1 } }],
    [{ grantId: 'family', revokedAt: new Date(NOW) }],
    [{ clientSecret: 'x', client_secret: 'x', password: 'x', secret: 'x' }],
    [{ save: () => undefined }],
  ])('never copies the properties %j', async (changes) => {
    const { body } = await ask(saving({ accessToken: 'A', ...changes }), { allowExtendedTokenAttributes: true });
    expect(body).toEqual({
      access_token: 'A',
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      scope: 'read',
    });
  });

  it('adds no refresh_token and no scope that was not issued', async () => {
    const changes = { refreshToken: undefined, refresh_token: 'evil', scope: undefined };
    const { body } = await ask(saving(changes), { allowExtendedTokenAttributes: true });
    expect(Object.keys(body)).toEqual(['access_token', 'token_type', 'expires_in']);
  });

  it('does not let a property named `__proto__` change the prototype of the response', async () => {
    const saved = JSON.parse('{"accessToken":"A","client":{},"user":{},"__proto__":{"polluted":1}}') as object;
    const { body } = await ask(createTestModel({ saveToken: () => saved }), { allowExtendedTokenAttributes: true });
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(body).toEqual({ access_token: 'A', token_type: 'Bearer' });
  });
});
