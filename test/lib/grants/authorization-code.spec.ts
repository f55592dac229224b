import { describe, expect, it } from '@jest/globals';

import { redeem } from '../../support/models/grants.js';
import { ALICE, CALLBACK, earlier, SPA, WEB } from '../../support/models/model.js';
import { summary } from '../../support/clients/requests.js';
import { withoutWarnings } from '../../support/environment/quiet.js';

withoutWarnings();

describe('the authorization code grant', () => {
  it('consumes the code, then saves and returns the tokens', async () => {
    const { testModel, consumed, body, result } = await redeem();
    expect(consumed).toBe(true);
    const code = { authorizationCode: 'code', redirectUri: CALLBACK, expiresAt: expect.any(Date), scope: 'read' };
    const token = {
      accessToken: body['access_token'],
      accessTokenExpiresAt: expect.any(Date),
      authorizationCode: 'code',
      refreshToken: body['refresh_token'],
      refreshTokenExpiresAt: expect.any(Date),
      scope: 'read',
    };
    expect(testModel.calls).toEqual([
      ['getClient', 'web', 's3cret'],
      ['getAuthorizationCode', 'code'],
      ['validateScope', ALICE, WEB, 'read'],
      ['revokeAuthorizationCode', { ...code, client: WEB, user: ALICE }],
      ['saveToken', token, WEB, ALICE],
    ]);
    expect(result).toBe(testModel.accessTokens.get(body['access_token'] as string));
    expect(Object.keys(body)).toEqual(['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope']);
  });

  it('passes the object that getAuthorizationCode() returned to revokeAuthorizationCode()', async () => {
    class Row {
      #deleted = false;
      readonly client = WEB;
      readonly user = ALICE;
      get expiresAt(): Date {
        return new Date(Date.now() + 1000);
      }
      delete(): boolean {
        return !this.#deleted && (this.#deleted = true);
      }
    }
    const row = new Row();
    const overrides = { getAuthorizationCode: () => row, revokeAuthorizationCode: (code: Row) => code.delete() };
    const { result, status } = await redeem({}, {}, overrides);
    expect([status, result?.['authorizationCode'], row.delete()]).toEqual([200, 'code', false]);
  });

  it.each([
    ['', 'invalid_request: Missing parameter: `code`'],
    [undefined, 'invalid_request: Missing parameter: `code`'],
    ['cöde', 'invalid_request: Invalid parameter: `code`'],
    [{ a: 1 }, 'invalid_request: Invalid parameter: `code`'],
    [['code', 'code'], 'invalid_request: Repeated parameter: `code`'],
    ['other', 'invalid_grant: Invalid grant: authorization code is invalid'],
  ])('rejects the code parameter %j', async (code, expected) => {
    const { error, consumed } = await redeem({ code });
    expect([summary(error), consumed]).toEqual([`400 ${expected}`, false]);
  });

  const UNSAVED = (what: string) =>
    `503 server_error: Server error: \`getAuthorizationCode()\` did not return a \`${what}\` object`;
  const INVALID = '400 invalid_grant: Invalid grant: authorization code is invalid';
  it.each<[string, object, string]>([
    ['has no client', { client: undefined }, UNSAVED('client')],
    ['has no user', { user: undefined }, UNSAVED('user')],
    ['was issued to another client', { client: SPA }, INVALID],
    ['was issued to a client without an id', { client: {} }, INVALID],
    ['was issued to a client whose id is null', { client: { id: null } }, INVALID],
    [
      'has an expiry that is a string',
      { expiresAt: '2999-01-01' },
      '503 server_error: Server error: `expiresAt` must be a Date instance',
    ],
    ['has no expiry', { expiresAt: undefined }, '503 server_error: Server error: `expiresAt` must be a Date instance'],
    ['has expired', { expiresAt: earlier() }, '400 invalid_grant: Invalid grant: authorization code has expired'],
    [
      'has an invalid Date as expiry',
      { expiresAt: new Date(Number.NaN) },
      '400 invalid_grant: Invalid grant: authorization code has expired',
    ],
    [
      'has an invalid redirect URI',
      { redirectUri: 'nowhere' },
      '400 invalid_grant: Invalid grant: `redirect_uri` is not a valid URI',
    ],
  ])('rejects a code that %s, without consuming it', async (_, code, expected) => {
    const { error, consumed } = await redeem({}, code);
    expect([summary(error), consumed]).toEqual([expected, false]);
  });

  it('does not treat two clients without an id as the same client', async () => {
    const { error } = await redeem({}, { client: {} }, { getClient: () => ({ grants: ['authorization_code'] }) });
    expect(summary(error)).toBe(INVALID);
  });

  it.each([false, null, undefined, 0])('fails if revokeAuthorizationCode() returns %j', async (revoked) => {
    const { error, methods } = await redeem({}, {}, { revokeAuthorizationCode: () => revoked });
    expect([summary(error), methods.includes('saveToken')]).toEqual([INVALID, false]);
  });

  it('rejects a scope that the model no longer grants, without consuming the code', async () => {
    const { error, consumed } = await redeem({}, { scope: 'admin' });
    expect([summary(error), consumed]).toEqual(['400 invalid_scope: Invalid scope: Requested scope is invalid', false]);
  });
});
