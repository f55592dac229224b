import { describe, expect, it } from '@jest/globals';

import { CODE, redeem } from '../../support/grants.js';
import { addCode, createHost, SPA } from '../../support/model.js';
import { answer, CHALLENGE, formRequest, summary, VERIFIER } from '../../support/requests.js';

const WITH_CHALLENGE = { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' };

describe('the code challenge', () => {
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
    const body = { ...CODE, client_id: 'spa', redirect_uri: SPA.redirectUris?.[0] };
    const { error } = await answer(host, 'token', formRequest(body), options);
    const refusal = '400 invalid_grant: Invalid grant: the authorization request had no `code_challenge`';
    expect(summary(error)).toBe(accepted ? 'no error' : refusal);
  });

  it('which must be there for a client excused from its secret, unless the host asks it of none', async () => {
    const withoutSecret = (options: object) => {
      const host = createHost();
      addCode(host);
      const requireClientAuthentication = { authorization_code: false };
      const request = formRequest({ ...CODE, client_id: 'web' });
      return answer(host, 'token', request, { requireClientAuthentication, ...options });
    };
    expect((await withoutSecret({})).error?.name).toBe('invalid_grant');
    expect((await withoutSecret({ requirePKCE: 'none' })).status).toBe(200);
  });

  it('which must be there for a client with a secret, where the host asks it of all', async () => {
    expect((await redeem({}, {}, {}, { requirePKCE: 'all' })).error?.name).toBe('invalid_grant');
  });
});
