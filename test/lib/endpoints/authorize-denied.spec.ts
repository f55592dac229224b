import { describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';

import { createTestModel, type TestModel, WEB } from '../../support/models/model.js';
import { runOperation, authorizeRequest, CHALLENGE, signedIn, summary } from '../../support/clients/requests.js';

const authorize = (query: object = {}, testModel: TestModel = createTestModel(), options: object = {}) =>
  runOperation(testModel, 'authorize', authorizeRequest({ ...query }), { ...signedIn, ...options });
const DENIED = 'Access denied: user denied access to application';

describe('the parameter `allowed` of an authorization request', () => {
  const NOT_ASKED = { authenticateHandler: { handle: () => Promise.reject(new Error('asked')) } };

  it.each([
    ['in the query', { query: { allowed: 'false' } }],
    ['in the body', { body: { allowed: 'false' } }],
    ['in the body, and true in the query', { query: { allowed: 'true' }, body: { allowed: 'false' } }],
    ['in one of two values', { query: { allowed: ['true', 'false'] } }],
    ['in both of two values', { query: { allowed: ['false', 'false'] } }],
  ])(
    'causes access_denied without a lookup of the user if it is false %s',
    async (_, { query = {}, body = {} }: { query?: object; body?: object }) => {
      const testModel = createTestModel();
      const request = authorizeRequest({ ...query }, { body });
      const { error, status, redirected } = await runOperation(testModel, 'authorize', request, NOT_ASKED);
      expect(summary(error)).toBe(`400 access_denied: ${DENIED}`);
      expect([status, redirected]).toEqual([302, { error: 'access_denied', error_description: DENIED, state: 'xyz' }]);
      expect(testModel.calls.map(([method]) => method)).toEqual(['getClient']);
    },
  );

  it.each(['true', 'FALSE', '0', '', false, undefined])('does not deny access if it is %j', async (allowed) => {
    expect((await authorize({ allowed })).redirected).toHaveProperty('code');
  });

  it.each([{ client_id: undefined }, { client_id: 'who' }, { redirect_uri: 'https://evil.example/' }])(
    'causes access_denied without a redirect if it is false and the request has %j',
    async (query) => {
      const { error, status, headers, body } = await authorize({ allowed: 'false', ...query });
      expect(summary(error)).toBe(`400 access_denied: ${DENIED}`);
      expect([status, headers['location']]).toEqual([400, undefined]);
      expect(body).toEqual({ error: 'access_denied', error_description: DENIED });
    },
  );

  it('causes access_denied even without a state', async () => {
    const { redirected } = await authorize({ allowed: 'false', state: undefined });
    expect(redirected).toEqual({ error: 'access_denied', error_description: DENIED });
  });
});

describe('the option `allowEmptyState`', () => {
  const MISSING = '400 invalid_request: Missing parameter: `state`';
  const challenged = { state: undefined, code_challenge: CHALLENGE, code_challenge_method: 'S256' };

  it('lets a request with a code_challenge omit the state by default (OAuth 2.1 §4.1.1)', async () => {
    const { redirected } = await authorize(challenged);
    expect(Object.keys(redirected)).toEqual(['code']);
    const unset = await authorize(challenged, createTestModel(), { allowEmptyState: undefined });
    expect(Object.keys(unset.redirected)).toEqual(['code']);
  });

  it.each([
    ['rejects a request without state and code_challenge by default', {}, { state: undefined }, MISSING],
    [
      'rejects a request without state and with a malformed code_challenge by default',
      {},
      { ...challenged, code_challenge: 'short' },
      '400 invalid_request: Invalid parameter: `code_challenge`',
    ],
    [
      'rejects response_type=token without state by default, even with a code_challenge',
      {},
      { ...challenged, response_type: 'token' },
      MISSING,
    ],
    [
      'rejects a request without state, even with a code_challenge, if it is false',
      { allowEmptyState: false },
      challenged,
      MISSING,
    ],
  ])(
    'requires a state for response_type=token, and without a valid code_challenge or if it is false: %s',
    async (_name, options, query, message) => {
      const testModel = createTestModel();
      testModel.clients.set('web', { ...WEB, grants: ['authorization_code', 'implicit'] });
      expect(summary((await authorize(query, testModel, options)).error)).toBe(message);
      const server = new OAuth2Server({ model: testModel.model, ...options });
      expect(summary((await runOperation(server, 'authorize', authorizeRequest(query), signedIn)).error)).toBe(message);
    },
  );

  it.each([undefined, ''])('lets a request have the state %j, and returns no state, if it is true', async (state) => {
    const { redirected } = await authorize({ state }, createTestModel(), { allowEmptyState: true });
    expect(Object.keys(redirected)).toEqual(['code']);
  });

  it('does not let a request have a state with forbidden characters', async () => {
    const { error } = await authorize({ state: 'é' }, createTestModel(), { allowEmptyState: true });
    expect(error?.message).toBe('Invalid parameter: `state`');
  });
});
