import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { createTestModel, SPA, WEB } from '../../support/models/model.js';
import {
  runOperation,
  authorizeRequest,
  CHALLENGE,
  signedIn,
  summary,
  VERIFIER,
} from '../../support/clients/requests.js';

const authorize = (query: object = {}, options: object = {}, overrides: object = {}) =>
  runOperation(createTestModel(overrides), 'authorize', authorizeRequest({ ...query }), { ...signedIn, ...options });

afterEach(() => {
  jest.restoreAllMocks();
});

describe('an authorization code', () => {
  it.each([
    ['five minutes by default', {}, 300],
    ['the number of seconds in `authorizationCodeLifetime`', { authorizationCodeLifetime: 60 }, 60],
    [
      'the number of seconds in `authorizationCodeLifetime`, given as a string',
      { authorizationCodeLifetime: '300' },
      300,
    ],
  ])('expires after a lifetime of %s', async (_, options, seconds) => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0));
    const { result } = await authorize({}, options);
    expect(result?.['expiresAt']).toEqual(new Date(Date.UTC(2030, 0) + seconds * 1000));
  });

  it.each([
    ['2026-03-29T00:59:00Z', 'the change to daylight saving time in Europe'],
    ['2026-10-25T00:59:00Z', 'the change from daylight saving time in Europe'],
    ['2028-02-28T23:59:00Z', 'the end of February in a leap year'],
  ])('expires five minutes after %s, despite %s', async (at) => {
    const now = Date.parse(at);
    jest.spyOn(Date, 'now').mockReturnValue(now);
    const { result } = await authorize();
    expect(result?.['expiresAt']).toEqual(new Date(now + 300_000));
  });

  it('is saved with its code challenge and challenge method', async () => {
    const challenged = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const saved = { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' };
    expect((await authorize(challenged)).result).toMatchObject(saved);
    expect((await authorize({ code_challenge: CHALLENGE })).result).toMatchObject(saved);
    expect((await authorize()).result).not.toHaveProperty('codeChallenge');
    expect((await authorize()).result).not.toHaveProperty('codeChallengeMethod');
  });

  it('can have a plain code challenge, also by default, if `enablePlainPKCE` is set', async () => {
    const plain = { codeChallenge: VERIFIER, codeChallengeMethod: 'plain' };
    const options = { enablePlainPKCE: true };
    expect(
      (await authorize({ code_challenge: VERIFIER, code_challenge_method: 'plain' }, options)).result,
    ).toMatchObject(plain);
    expect((await authorize({ code_challenge: VERIFIER }, options)).result).toMatchObject(plain);
    expect((await authorize({ code_challenge: CHALLENGE, code_challenge_method: 'S256' }, options)).status).toBe(302);
  });

  it.each([
    [{}, SPA, false],
    [{ requirePKCE: 'public' }, SPA, false],
    [{ requirePKCE: 'all' }, SPA, false],
    [{ requirePKCE: 'none' }, SPA, true],
    [{}, WEB, true],
    [{ requirePKCE: 'all' }, WEB, false],
  ])(
    'can be requested without a code challenge with options %j and client %j: %j',
    async (options, client, without) => {
      const query = { client_id: client.id, redirect_uri: client.redirectUris?.[0] };
      const { error } = await authorize(query, options);
      expect(summary(error)).toBe(without ? 'no error' : '400 invalid_request: Missing parameter: `code_challenge`');
      expect((await authorize({ ...query, code_challenge: CHALLENGE }, options)).redirected).toHaveProperty('code');
    },
  );

  it('is saved with the ID of a token family only if the model implements `revokeGrant()`', async () => {
    expect((await authorize()).result).not.toHaveProperty('grantId');
    const { result } = await authorize({}, {}, { revokeGrant: () => undefined });
    expect(result?.['grantId']).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('the `iss` parameter of an authorization response (RFC 9207)', () => {
  const issuer = 'https://as.example/tenant';

  it('is sent in success and error responses if the option `issuer` is set', async () => {
    expect((await authorize({}, { issuer })).headers['location']).toMatch(
      /&state=xyz&iss=https%3A%2F%2Fas\.example%2Ftenant$/,
    );
    expect((await authorize({ scope: 'a"' }, { issuer })).redirected['iss']).toBe(issuer);
    expect((await authorize({ allowed: 'false' }, { issuer })).redirected['iss']).toBe(issuer);
    expect((await authorize({ response_type: 'token' }, { issuer })).redirected['iss']).toBe(issuer);
    expect((await authorize({}, { issuer, allowEmptyState: true })).redirected['iss']).toBe(issuer);
  });

  it('is omitted if the option `issuer` is not set', async () => {
    expect((await authorize()).redirected).not.toHaveProperty('iss');
  });
});
