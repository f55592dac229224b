import { describe, expect, it } from '@jest/globals';

import { CODE, redeem } from '../../support/models/grants.js';
import { addCode, createTestModel, SPA } from '../../support/models/model.js';
import { runOperation, CHALLENGE, formRequest, summary, VERIFIER } from '../../support/clients/requests.js';

const WITH_CHALLENGE = { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' };

describe('PKCE verification in the authorization code grant (RFC 7636)', () => {
  const WRONG = '400 invalid_grant: Invalid grant: code verifier is invalid';
  const PLAIN = { codeChallenge: VERIFIER, codeChallengeMethod: 'plain' };
  const NOT_ALLOWED =
    '400 invalid_request: Invalid request: `code_challenge_method` "plain" is not allowed; use "S256"';

  it('accepts the correct code_verifier with S256, without a stored method, and with plain if enabled', async () => {
    expect((await redeem({ code_verifier: VERIFIER }, WITH_CHALLENGE)).status).toBe(200);
    expect((await redeem({ code_verifier: VERIFIER }, { codeChallenge: CHALLENGE })).status).toBe(200);
    expect((await redeem({ code_verifier: VERIFIER }, PLAIN, {}, { enablePlainPKCE: true })).status).toBe(200);
  });

  it.each<[string, object, object, string]>([
    ['the code_verifier is missing', {}, WITH_CHALLENGE, '400 invalid_grant: Missing parameter: `code_verifier`'],
    ['the code_verifier is wrong', { code_verifier: 'x'.repeat(43) }, WITH_CHALLENGE, WRONG],
    ['the code_verifier is the challenge itself', { code_verifier: CHALLENGE }, WITH_CHALLENGE, WRONG],
    [
      'no method was stored and the code_verifier is the challenge itself',
      { code_verifier: CHALLENGE },
      { codeChallenge: CHALLENGE },
      WRONG,
    ],
    [
      'the code_verifier is too short',
      { code_verifier: 'x'.repeat(42) },
      WITH_CHALLENGE,
      '400 invalid_request: Invalid parameter: `code_verifier`',
    ],
    [
      'the code_verifier is too long',
      { code_verifier: 'x'.repeat(129) },
      WITH_CHALLENGE,
      '400 invalid_request: Invalid parameter: `code_verifier`',
    ],
    [
      'the code_verifier is repeated',
      { code_verifier: [VERIFIER, VERIFIER] },
      WITH_CHALLENGE,
      '400 invalid_request: Repeated parameter: `code_verifier`',
    ],
    ['a code_verifier is sent but the code has no challenge', { code_verifier: VERIFIER }, {}, WRONG],
    ['a short code_verifier is sent but the code has no challenge', { code_verifier: 'x' }, {}, WRONG],
    ['the stored method is plain, which is no longer allowed', { code_verifier: VERIFIER }, PLAIN, NOT_ALLOWED],
    [
      'the stored method is unknown',
      { code_verifier: VERIFIER },
      { codeChallenge: CHALLENGE, codeChallengeMethod: 'S512' },
      '503 server_error: Server error: no valid hash algorithm available to verify `code_verifier`',
    ],
  ])('rejects the request and consumes the code if %s', async (_, body, code, expected) => {
    const { error, consumed, methods } = await redeem(body, code);
    expect([summary(error), consumed, methods.includes('saveToken')]).toEqual([expected, true, false]);
  });

  it.each<[string, object, boolean]>([
    ['requires a challenge by default', {}, false],
    ["requires a challenge with `requirePKCE: 'all'`", { requirePKCE: 'all' }, false],
    ["requires no challenge with `requirePKCE: 'none'`", { requirePKCE: 'none' }, true],
  ])('verifies that the code of a public client has a challenge: %s', async (_, options, accepted) => {
    const testModel = createTestModel();
    addCode(testModel, { client: SPA, redirectUri: SPA.redirectUris?.[0] });
    const body = { ...CODE, client_id: 'spa', redirect_uri: SPA.redirectUris?.[0] };
    const { error } = await runOperation(testModel, 'token', formRequest(body), options);
    const refusal = '400 invalid_grant: Invalid grant: the authorization request had no `code_challenge`';
    expect(summary(error)).toBe(accepted ? 'no error' : refusal);
  });

  it('requires a challenge from a client that may omit its secret, unless `requirePKCE` is `none`', async () => {
    const withoutSecret = (options: object) => {
      const testModel = createTestModel();
      addCode(testModel);
      const requireClientAuthentication = { authorization_code: false };
      const request = formRequest({ ...CODE, client_id: 'web' });
      return runOperation(testModel, 'token', request, { requireClientAuthentication, ...options });
    };
    expect((await withoutSecret({})).error?.name).toBe('invalid_grant');
    expect((await withoutSecret({ requirePKCE: 'none' })).status).toBe(200);
  });

  it('requires a challenge from a client with a secret if `requirePKCE` is `all`', async () => {
    expect((await redeem({}, {}, {}, { requirePKCE: 'all' })).error?.name).toBe('invalid_grant');
  });
});
