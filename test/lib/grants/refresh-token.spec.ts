import { describe, expect, it } from '@jest/globals';

import { REFRESH, refresh } from '../../support/models/grants.js';
import { addRefreshToken, ALICE, createTestModel, earlier, SPA, WEB } from '../../support/models/model.js';
import { runOperation, formRequest, summary } from '../../support/clients/requests.js';

const INVALID = '400 invalid_grant: Invalid grant: refresh token is invalid';

describe('the refresh token grant', () => {
  it('consumes the token, then saves and returns a rotated one with the same scope and user', async () => {
    const { testModel, consumed, body } = await refresh();
    expect(consumed).toBe(true);
    expect(testModel.calls).toEqual([
      ['getClient', 'web', 's3cret'],
      ['getRefreshToken', 'refresh'],
      ['revokeToken', expect.objectContaining({ refreshToken: 'refresh', client: WEB, user: ALICE })],
      [
        'saveToken',
        {
          accessToken: body['access_token'],
          accessTokenExpiresAt: expect.any(Date),
          refreshToken: body['refresh_token'],
          refreshTokenExpiresAt: expect.any(Date),
          scope: 'read write',
        },
        WEB,
        ALICE,
      ],
    ]);
    expect(body['refresh_token']).toMatch(/^[0-9a-f]{64}$/);
    expect(body['scope']).toBe('read write');
  });

  it('passes the object that getRefreshToken() returned to revokeToken()', async () => {
    const row = Object.create({ client: WEB, user: ALICE }) as object;
    const given: unknown[] = [];
    const overrides = { getRefreshToken: () => row, revokeToken: (token: unknown) => given.push(token) };
    expect((await refresh({}, {}, overrides)).status).toBe(200);
    expect(given[0]).toBe(row);
  });

  it.each([
    ['', 'invalid_request: Missing parameter: `refresh_token`'],
    [undefined, 'invalid_request: Missing parameter: `refresh_token`'],
    ['rëfresh', 'invalid_request: Invalid parameter: `refresh_token`'],
    [['refresh', 'refresh'], 'invalid_request: Repeated parameter: `refresh_token`'],
    ['other', 'invalid_grant: Invalid grant: refresh token is invalid'],
  ])('rejects the refresh_token parameter %j', async (token, expected) => {
    const { error, consumed } = await refresh({ refresh_token: token });
    expect([summary(error), consumed]).toEqual([`400 ${expected}`, false]);
  });

  const UNSAVED = (what: string) =>
    `503 server_error: Server error: \`getRefreshToken()\` did not return a \`${what}\` object`;
  const NO_DATE = '503 server_error: Server error: `refreshTokenExpiresAt` must be a Date instance';
  const EXPIRED = '400 invalid_grant: Invalid grant: refresh token has expired';
  it.each<[string, object, string]>([
    ['has no client', { client: undefined }, UNSAVED('client')],
    ['has no user', { user: null }, UNSAVED('user')],
    ['was issued to another client', { client: SPA }, INVALID],
    ['was issued to a client without an id', { client: {} }, INVALID],
    ['has an expiry that is a string', { refreshTokenExpiresAt: '2999-01-01' }, NO_DATE],
    ['has an expiry that is a number', { refreshTokenExpiresAt: 4e12 }, NO_DATE],
    ['has expired', { refreshTokenExpiresAt: earlier() }, EXPIRED],
    ['has an invalid Date as expiry', { refreshTokenExpiresAt: new Date(Number.NaN) }, EXPIRED],
  ])('rejects a token that %s, without consuming it', async (_, token, expected) => {
    const { error, consumed } = await refresh({}, token);
    expect([summary(error), consumed]).toEqual([expected, false]);
  });

  it.each([undefined, null])('accepts a token whose expiry is %j as one that never expires', async (date) => {
    expect((await refresh({}, { refreshTokenExpiresAt: date })).status).toBe(200);
  });

  it.each([false, null, undefined])('rejects the request if revokeToken() returns %j', async (revoked) => {
    const { error, methods } = await refresh({}, {}, { revokeToken: () => revoked });
    expect([summary(error), methods.includes('saveToken')]).toEqual([INVALID, false]);
  });

  it.each([
    ['read', 'read write', 'read'],
    ['write read', 'read write', 'write read'],
    ['read', ['read', 'write'], 'read'],
    [undefined, ['read', 'write'], 'read write'],
    ['', 'read write', 'read write'],
    [undefined, undefined, undefined],
  ])('issues for the requested %j of the granted %j the scope %j', async (requested, granted, expected) => {
    expect((await refresh({ scope: requested }, { scope: granted })).body['scope']).toBe(expected);
  });

  it.each([
    ['admin', 'read write'],
    ['read admin', 'read write'],
    ['rea', 'read write'],
    ['read', undefined],
    ['read', ''],
    ['read', null],
    ['ead wri', ['read', 'write']],
  ])('rejects the requested scope %j if %j was granted, without consuming the token', async (requested, granted) => {
    const { error, consumed } = await refresh({ scope: requested }, { scope: granted });
    expect([summary(error), consumed]).toEqual(['400 invalid_scope: Invalid scope: Unable to add extra scopes', false]);
  });

  it('rejects a malformed scope without consuming the token', async () => {
    const { error, consumed } = await refresh({ scope: 'a"b' });
    expect([summary(error), consumed]).toEqual(['400 invalid_scope: Invalid parameter: `scope`', false]);
  });

  it('keeps the token valid and returns no new one if `alwaysIssueNewRefreshToken` is false', async () => {
    const { body, result, consumed, methods } = await refresh({}, {}, {}, { alwaysIssueNewRefreshToken: false });
    expect([consumed, methods.includes('revokeToken')]).toEqual([false, false]);
    expect(Object.keys(body)).toEqual(['access_token', 'token_type', 'expires_in', 'scope']);
    expect(result).not.toHaveProperty('refreshToken');
  });

  it('always rotates tokens of public clients, whatever `alwaysIssueNewRefreshToken` is (RFC 9700 §2.2.2)', async () => {
    const testModel = createTestModel();
    addRefreshToken(testModel, { client: SPA });
    const request = () => formRequest({ ...REFRESH, client_id: 'spa' });
    const { status, body } = await runOperation(testModel, 'token', request(), { alwaysIssueNewRefreshToken: false });
    expect([status, body['refresh_token']]).toEqual([200, expect.stringMatching(/^[\da-f]{64}$/)]);
    const again = await runOperation(testModel, 'token', request(), { alwaysIssueNewRefreshToken: false });
    expect(summary(again.error)).toBe(INVALID);
  });

  it('does not rotate the token of a confidential client that may omit its secret, if rotation is off', async () => {
    const testModel = createTestModel();
    addRefreshToken(testModel);
    const options = { alwaysIssueNewRefreshToken: false, requireClientAuthentication: { refresh_token: false } };
    const { body } = await runOperation(testModel, 'token', formRequest({ ...REFRESH, client_id: 'web' }), options);
    expect([body['refresh_token'], testModel.refreshTokens.has('refresh')]).toEqual([undefined, true]);
  });

  it('accepts a public client', async () => {
    const testModel = createTestModel();
    addRefreshToken(testModel, { client: SPA });
    expect((await runOperation(testModel, 'token', formRequest({ ...REFRESH, client_id: 'spa' }))).status).toBe(200);
  });
});
