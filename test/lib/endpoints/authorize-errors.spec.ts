import { describe, expect, it } from '@jest/globals';

import { CALLBACK, createTestModel, type TestModel, WEB } from '../../support/models/model.js';
import { runOperation, authorizeRequest, CHALLENGE, signedIn, summary } from '../../support/clients/requests.js';

const authorize = (query: object = {}, testModel: TestModel = createTestModel(), options: object = {}) =>
  runOperation(testModel, 'authorize', authorizeRequest({ ...query }), { ...signedIn, ...options });

describe('an error of an authorization request', () => {
  const UNSUPPORTED = 'unsupported_response_type: Unsupported response type: `response_type` is not supported';
  const NO_SCOPE = 'invalid_scope: Invalid parameter: `scope`';

  it.each<[string, object, string, object?]>([
    ['no state', { state: undefined }, 'invalid_request: Missing parameter: `state`'],
    ['an empty state', { state: '' }, 'invalid_request: Missing parameter: `state`'],
    ['a state with forbidden characters', { state: 'é' }, 'invalid_request: Invalid parameter: `state`'],
    ['a repeated state', { state: ['a', 'b'] }, 'invalid_request: Repeated parameter: `state`'],
    ['a malformed scope', { scope: 'a"b' }, NO_SCOPE],
    ['a repeated scope', { scope: ['a', 'b'] }, 'invalid_request: Repeated parameter: `scope`'],
    ['a scope that the model refuses', { scope: 'admin' }, 'invalid_scope: Invalid scope: Requested scope is invalid'],
    ['no response_type', { response_type: undefined }, 'invalid_request: Missing parameter: `response_type`'],
    ['an empty response_type', { response_type: '' }, 'invalid_request: Missing parameter: `response_type`'],
    [
      'a repeated response_type',
      { response_type: ['code', 'code'] },
      'invalid_request: Repeated parameter: `response_type`',
    ],
    ['an unsupported response_type', { response_type: 'id_token' }, UNSUPPORTED],
    ['a response_type that is a method of Object', { response_type: 'toString' }, UNSUPPORTED],
    ['a malformed response_type', { response_type: 'x"y é' }, UNSUPPORTED],
    [
      'the code_challenge_method plain',
      { code_challenge: CHALLENGE, code_challenge_method: 'plain' },
      `invalid_request: Invalid request: \`code_challenge_method\` 'plain' is not allowed; use 'S256'`,
    ],
    [
      'the code_challenge_method plain without a code_challenge',
      { code_challenge_method: 'plain' },
      `invalid_request: Invalid request: \`code_challenge_method\` 'plain' is not allowed; use 'S256'`,
    ],
    [
      'an unknown code_challenge_method',
      { code_challenge_method: 'S512' },
      "invalid_request: Invalid request: transform algorithm 'S512' not supported",
    ],
    [
      'a malformed code_challenge_method',
      { code_challenge_method: '"' },
      'invalid_request: Invalid parameter: `code_challenge_method`',
    ],
    [
      'a code_challenge that is too short',
      { code_challenge: 'abc' },
      'invalid_request: Invalid parameter: `code_challenge`',
    ],
    [
      'a repeated code_challenge',
      { code_challenge: [CHALLENGE, CHALLENGE] },
      'invalid_request: Repeated parameter: `code_challenge`',
    ],
    [
      'a code_challenge_method without a code_challenge',
      { code_challenge_method: 'S256' },
      'invalid_request: Missing parameter: `code_challenge`',
    ],
    [
      'a missing code_challenge if all clients need one',
      {},
      'invalid_request: Missing parameter: `code_challenge`',
      { requirePKCE: 'all' },
    ],
  ])('is returned to the redirect URI for %s', async (_, query, expected, options = {}) => {
    const { error, status, headers, redirected, body } = await authorize(query, createTestModel(), options);
    const [code, ...description] = expected.split(': ');
    expect(summary(error).replaceAll('"', "'")).toBe(`400 ${expected}`);
    const state = 'state' in query ? {} : { state: 'xyz' };
    expect(redirected).toEqual({ error: code, error_description: description.join(': '), ...state });
    expect({ status, body, cache: headers['cache-control'] }).toEqual({ status: 302, body: {}, cache: 'no-store' });
  });

  it('has error, error_description and state in this order, with spaces encoded as %20', async () => {
    const { headers } = await authorize({ scope: 'a"b', state: "it's (a) *state*!~ & 100%" });
    expect(headers['location']).toBe(
      `${CALLBACK}?error=invalid_scope&error_description=Invalid%20parameter%3A%20%60scope%60` +
        "&state=it's%20(a)%20*state*!~%20%26%20100%25",
    );
  });

  it('is returned to the requested redirect URI, or to the only registered one', async () => {
    const named = await authorize({ redirect_uri: 'https://app.example/other?x=1', state: undefined });
    expect(named.headers['location']).toMatch(/^https:\/\/app\.example\/other\?x=1&error=invalid_request&/);
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, redirectUris: [CALLBACK] });
    const unnamed = await authorize({ redirect_uri: undefined, state: undefined }, testModel);
    expect(unnamed.headers['location']).toMatch(/^https:\/\/app\.example\/cb\?error=invalid_request&/);
  });

  it('is unauthorized_client if the client may not use the grant', async () => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, grants: ['password'] });
    const cases = [
      [{}, 'grant_type'],
      [{ response_type: undefined }, 'grant_type'],
      [{ response_type: 'token' }, 'response_type'],
    ] as const;
    for (const [query, parameter] of cases) {
      const { error, status, redirected } = await authorize(query, testModel);
      expect(summary(error)).toBe(
        `400 unauthorized_client: Unauthorized client: this client is not allowed to use this \`${parameter}\`: register the grant for it`,
      );
      expect([status, redirected['error'], redirected['state']]).toEqual([302, 'unauthorized_client', 'xyz']);
    }
  });

  it('is unsupported_response_type if the server does not support the response type', async () => {
    const { error, redirected } = await authorize({ response_type: 'id_token' });
    expect(error?.name).toBe('unsupported_response_type');
    expect(redirected['error']).toBe('unsupported_response_type');
  });

  it('is unsupported_response_type if the form contains a number and the URL a supported response type', async () => {
    const request = authorizeRequest({}, { method: 'POST', body: { response_type: 5 } });
    const { error, redirected } = await runOperation(createTestModel(), 'authorize', request, signedIn);
    expect([error?.name, redirected['error']]).toEqual(['unsupported_response_type', 'unsupported_response_type']);
  });

  it.each([
    [
      'rejects in saveAuthorizationCode()',
      { saveAuthorizationCode: () => Promise.reject(new Error('secret')) },
      'the request could not be handled; the server log has the reason',
    ],
    [
      'returns nothing from saveAuthorizationCode()',
      { saveAuthorizationCode: () => null },
      '`saveAuthorizationCode()` did not return an `authorizationCode`',
    ],
    [
      'returns no code from saveAuthorizationCode()',
      { saveAuthorizationCode: () => ({}) },
      '`saveAuthorizationCode()` did not return an `authorizationCode`',
    ],
    [
      'rejects in validateScope()',
      { validateScope: () => Promise.reject(new Error('secret')) },
      'the request could not be handled; the server log has the reason',
    ],
    [
      'rejects in generateAuthorizationCode()',
      { generateAuthorizationCode: () => Promise.reject(new Error('secret')) },
      'the request could not be handled; the server log has the reason',
    ],
  ])('is server_error if the model %s', async (_, overrides, description) => {
    const { error, redirected } = await authorize({}, createTestModel(overrides));
    expect(error?.code).toBe(503);
    expect(redirected).toEqual({
      error: 'server_error',
      error_description: `Server error: ${description}`,
      state: 'xyz',
    });
  });

  it('is the first one in a fixed order of checks, which all run before validateScope()', async () => {
    const wrong = { state: undefined, scope: 'a"', response_type: undefined, code_challenge_method: 'x' };
    const right = { state: 'xyz', scope: 'admin', response_type: 'code', code_challenge_method: undefined };
    const names: string[] = [];
    for (const name of ['nothing', ...Object.keys(wrong)]) {
      if (name in wrong) Object.assign(wrong, { [name]: right[name as keyof typeof right] });
      const testModel = createTestModel();
      names.push((await authorize(wrong, testModel)).error?.message ?? '');
      const requested = testModel.calls.map(([method]) => method);
      expect(requested).toEqual(name === 'code_challenge_method' ? ['getClient', 'validateScope'] : ['getClient']);
    }
    expect(names).toEqual([
      'Missing parameter: `state`',
      'Invalid parameter: `scope`',
      'Missing parameter: `response_type`',
      "Invalid request: transform algorithm 'x' not supported",
      'Invalid scope: Requested scope is invalid',
    ]);
  });
});
