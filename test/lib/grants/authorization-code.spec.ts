import { describe, expect, it } from '@jest/globals';

import { addCode, ALICE, CALLBACK, createHost, earlier, OTHER_CALLBACK, SPA, WEB } from '../../support/model.js';
import { answer, CHALLENGE, formRequest, summary, tokenRequest, VERIFIER } from '../../support/requests.js';

const BODY = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
const redeem = async (body: object = {}, code: object = {}, overrides: object = {}, options: object = {}) => {
  const host = createHost(overrides);
  addCode(host, code);
  const outcome = await answer(host, 'token', tokenRequest({ ...BODY, ...body }), options);
  return { ...outcome, host, spent: !host.codes.has('code'), methods: host.calls.map(([method]) => method) };
};
const WITH_CHALLENGE = { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' };

describe('the authorization code grant', () => {
  it('spends the code, then saves and sends the tokens', async () => {
    const { host, spent, body, result } = await redeem();
    expect(spent).toBe(true);
    const code = { authorizationCode: 'code', redirectUri: CALLBACK, expiresAt: expect.any(Date), scope: 'read' };
    const token = {
      accessToken: body['access_token'],
      accessTokenExpiresAt: expect.any(Date),
      authorizationCode: 'code',
      refreshToken: body['refresh_token'],
      refreshTokenExpiresAt: expect.any(Date),
      scope: 'read',
    };
    expect(host.calls).toEqual([
      ['getClient', 'web', 's3cret'],
      ['getAuthorizationCode', 'code'],
      ['validateScope', ALICE, WEB, 'read'],
      ['revokeAuthorizationCode', { ...code, client: WEB, user: ALICE }],
      ['saveToken', token, WEB, ALICE],
    ]);
    expect(result).toBe(host.accessTokens.get(body['access_token'] as string));
    expect(Object.keys(body)).toEqual(['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope']);
  });

  it('hands the model back the very code it returned, methods and all', async () => {
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
  ])('refuses the code %j', async (code, expected) => {
    const { error, spent } = await redeem({ code });
    expect([summary(error), spent]).toEqual([`400 ${expected}`, false]);
  });

  const UNSAVED = (what: string) =>
    `503 server_error: Server error: \`getAuthorizationCode()\` did not return a \`${what}\` object`;
  const INVALID = '400 invalid_grant: Invalid grant: authorization code is invalid';
  it.each<[string, object, string]>([
    ['has no client', { client: undefined }, UNSAVED('client')],
    ['has no user', { user: undefined }, UNSAVED('user')],
    ['is of another client', { client: SPA }, INVALID],
    ['is of a client without an id', { client: {} }, INVALID],
    ['is of a client whose id is null', { client: { id: null } }, INVALID],
    [
      'has an expiry that is text',
      { expiresAt: '2999-01-01' },
      '503 server_error: Server error: `expiresAt` must be a Date instance',
    ],
    ['has no expiry', { expiresAt: undefined }, '503 server_error: Server error: `expiresAt` must be a Date instance'],
    ['is expired', { expiresAt: earlier() }, '400 invalid_grant: Invalid grant: authorization code has expired'],
    [
      'expires on an impossible date',
      { expiresAt: new Date(Number.NaN) },
      '400 invalid_grant: Invalid grant: authorization code has expired',
    ],
    [
      'has a redirect URI that is none',
      { redirectUri: 'nowhere' },
      '400 invalid_grant: Invalid grant: `redirect_uri` is not a valid URI',
    ],
  ])('refuses a code that %s, without spending it', async (_, code, expected) => {
    const { error, spent } = await redeem({}, code);
    expect([summary(error), spent]).toEqual([expected, false]);
  });

  it('never takes two missing ids for one client', async () => {
    const { error } = await redeem({}, { client: {} }, { getClient: () => ({ grants: ['authorization_code'] }) });
    expect(summary(error)).toBe(INVALID);
  });

  it.each([false, null, undefined, 0])('refuses when the model says %j to revoking the code', async (revoked) => {
    const { error, methods } = await redeem({}, {}, { revokeAuthorizationCode: () => revoked });
    expect([summary(error), methods.includes('saveToken')]).toEqual([INVALID, false]);
  });

  it('refuses a scope the model no longer grants before it spends the code', async () => {
    const { error, spent } = await redeem({}, { scope: 'admin' });
    expect([summary(error), spent]).toEqual(['400 invalid_scope: Invalid scope: Requested scope is invalid', false]);
  });

  describe('compares the redirect URI', () => {
    const MISMATCH = '400 invalid_grant: Invalid grant: `redirect_uri` is invalid';

    it.each([
      ['left out', { redirect_uri: undefined }],
      ['empty', { redirect_uri: '' }],
      ['another registered one', { redirect_uri: OTHER_CALLBACK }],
      ['of a longer path', { redirect_uri: `${CALLBACK}/` }],
      ['that is no URI', { redirect_uri: 'nowhere' }],
    ])('and spends the code when it is %s', async (_, body) => {
      const { error, spent, methods } = await redeem(body);
      expect([summary(error), spent, methods.includes('saveToken')]).toEqual([MISMATCH, true, false]);
    });

    it('and refuses two of them', async () => {
      const { error } = await redeem({ redirect_uri: [CALLBACK, CALLBACK] });
      expect(summary(error)).toBe('400 invalid_request: Repeated parameter: `redirect_uri`');
    });

    it('to the letter, ports of loopback addresses included', async () => {
      const { error } = await redeem(
        { redirect_uri: 'http://127.0.0.1:2/cb' },
        { redirectUri: 'http://127.0.0.1:1/cb' },
      );
      expect(summary(error)).toBe(MISMATCH);
    });

    it('in the query as in the form', async () => {
      const host = createHost();
      addCode(host);
      const request = tokenRequest({ ...BODY, redirect_uri: undefined }, { query: { redirect_uri: CALLBACK } });
      expect((await answer(host, 'token', request)).status).toBe(200);
    });

    it.each([[undefined], [null]])(
      'of a code saved with %j: left out, or the first one registered',
      async (redirectUri) => {
        expect((await redeem({ redirect_uri: undefined }, { redirectUri })).status).toBe(200);
        expect((await redeem({}, { redirectUri })).status).toBe(200);
        expect(summary((await redeem({ redirect_uri: OTHER_CALLBACK }, { redirectUri })).error)).toBe(MISMATCH);
        expect(summary((await redeem({ redirect_uri: 'https://evil.example/' }, { redirectUri })).error)).toBe(
          MISMATCH,
        );
      },
    );
  });

  describe('verifies the code challenge', () => {
    const WRONG = '400 invalid_grant: Invalid grant: code verifier is invalid';
    const PLAIN = { codeChallenge: VERIFIER, codeChallengeMethod: 'plain' };
    const NOT_ALLOWED =
      '400 invalid_request: Invalid request: `code_challenge_method` "plain" is not allowed; use "S256"';

    it('by its verifier', async () => {
      expect((await redeem({ code_verifier: VERIFIER }, WITH_CHALLENGE)).status).toBe(200);
      expect((await redeem({ code_verifier: VERIFIER }, { codeChallenge: CHALLENGE })).status).toBe(200);
      expect((await redeem({ code_verifier: VERIFIER }, PLAIN, {}, { enablePlainPKCE: true })).status).toBe(200);
    });

    it.each<[string, object, object, string]>([
      ['there is no verifier', {}, WITH_CHALLENGE, '400 invalid_grant: Missing parameter: `code_verifier`'],
      ['the verifier is another', { code_verifier: 'x'.repeat(43) }, WITH_CHALLENGE, WRONG],
      ['the verifier is the challenge', { code_verifier: CHALLENGE }, WITH_CHALLENGE, WRONG],
      [
        'the method was not kept and the verifier is the challenge',
        { code_verifier: CHALLENGE },
        { codeChallenge: CHALLENGE },
        WRONG,
      ],
      [
        'the verifier is too short',
        { code_verifier: 'x'.repeat(42) },
        WITH_CHALLENGE,
        '400 invalid_request: Invalid parameter: `code_verifier`',
      ],
      [
        'the verifier is too long',
        { code_verifier: 'x'.repeat(129) },
        WITH_CHALLENGE,
        '400 invalid_request: Invalid parameter: `code_verifier`',
      ],
      [
        'there are two verifiers',
        { code_verifier: [VERIFIER, VERIFIER] },
        WITH_CHALLENGE,
        '400 invalid_request: Repeated parameter: `code_verifier`',
      ],
      ['there is a verifier and no challenge', { code_verifier: VERIFIER }, {}, WRONG],
      ['there is a short verifier and no challenge', { code_verifier: 'x' }, {}, WRONG],
      ['plain is not allowed any more', { code_verifier: VERIFIER }, PLAIN, NOT_ALLOWED],
      [
        'the method is unknown',
        { code_verifier: VERIFIER },
        { codeChallenge: CHALLENGE, codeChallengeMethod: 'S512' },
        '503 server_error: Server error: no valid hash algorithm available to verify `code_verifier`',
      ],
    ])('and spends the code when %s', async (_, body, code, expected) => {
      const { error, spent, methods } = await redeem(body, code);
      expect([summary(error), spent, methods.includes('saveToken')]).toEqual([expected, true, false]);
    });

    it.each<[string, object, boolean]>([
      ['a public client', {}, false],
      ['a public client, where the host asks it of all', { requirePKCE: 'all' }, false],
      ['a public client, where the host asks it of none', { requirePKCE: 'none' }, true],
    ])('which must be there for %s', async (_, options, accepted) => {
      const host = createHost();
      addCode(host, { client: SPA, redirectUri: SPA.redirectUris?.[0] });
      const body = { ...BODY, client_id: 'spa', redirect_uri: SPA.redirectUris?.[0] };
      const { error } = await answer(host, 'token', formRequest(body), options);
      const refusal = '400 invalid_grant: Invalid grant: the authorization request had no `code_challenge`';
      expect(summary(error)).toBe(accepted ? 'no error' : refusal);
    });

    it('which must be there for a client excused from its secret, unless the host asks it of none', async () => {
      const withoutSecret = (options: object) => {
        const host = createHost();
        addCode(host);
        const requireClientAuthentication = { authorization_code: false };
        const request = formRequest({ ...BODY, client_id: 'web' });
        return answer(host, 'token', request, { requireClientAuthentication, ...options });
      };
      expect((await withoutSecret({})).error?.name).toBe('invalid_grant');
      expect((await withoutSecret({ requirePKCE: 'none' })).status).toBe(200);
    });

    it('which must be there for a client with a secret, where the host asks it of all', async () => {
      expect((await redeem({}, {}, {}, { requirePKCE: 'all' })).error?.name).toBe('invalid_grant');
    });
  });
});
