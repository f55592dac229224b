import { describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';

import { createHost, type Host, WEB } from '../../support/model.js';
import { answer, authorizeRequest, CHALLENGE, signedIn, summary } from '../../support/requests.js';

const authorize = (query: object = {}, host: Host = createHost(), options: object = {}) =>
  answer(host, 'authorize', authorizeRequest({ ...query }), { ...signedIn, ...options });
const DENIED = 'Access denied: user denied access to application';

describe('a denied authorization request', () => {
  const NOT_ASKED = { authenticateHandler: { handle: () => Promise.reject(new Error('asked')) } };

  it.each([
    ['in the query', { query: { allowed: 'false' } }],
    ['in the body', { body: { allowed: 'false' } }],
    ['in query and body, which disagree', { query: { allowed: 'true' }, body: { allowed: 'false' } }],
    ['twice', { query: { allowed: ['true', 'false'] } }],
    ['twice, alike', { query: { allowed: ['false', 'false'] } }],
  ])(
    '%s is told to the client, and asks nobody else',
    async (_, { query = {}, body = {} }: { query?: object; body?: object }) => {
      const host = createHost();
      const request = authorizeRequest({ ...query }, { body });
      const { error, status, redirected } = await answer(host, 'authorize', request, NOT_ASKED);
      expect(summary(error)).toBe(`400 access_denied: ${DENIED}`);
      expect([status, redirected]).toEqual([302, { error: 'access_denied', error_description: DENIED, state: 'xyz' }]);
      expect(host.calls.map(([method]) => method)).toEqual(['getClient']);
    },
  );

  it.each(['true', 'FALSE', '0', '', false, undefined])('is not one that says allowed=%j', async (allowed) => {
    expect((await authorize({ allowed })).redirected).toHaveProperty('code');
  });

  it.each([{ client_id: undefined }, { client_id: 'who' }, { redirect_uri: 'https://evil.example/' }])(
    'with %j is denied, and redirected nowhere',
    async (query) => {
      const { error, status, headers, body } = await authorize({ allowed: 'false', ...query });
      expect(summary(error)).toBe(`400 access_denied: ${DENIED}`);
      expect([status, headers['location']]).toEqual([400, undefined]);
      expect(body).toEqual({ error: 'access_denied', error_description: DENIED });
    },
  );

  it('without a state is denied all the same', async () => {
    const { redirected } = await authorize({ allowed: 'false', state: undefined });
    expect(redirected).toEqual({ error: 'access_denied', error_description: DENIED });
  });
});

describe('allowEmptyState', () => {
  const MISSING = '400 invalid_request: Missing parameter: `state`';
  const challenged = { state: undefined, code_challenge: CHALLENGE, code_challenge_method: 'S256' };

  // Issue 9, 3: OAuth 2.1 §4.1.1
  it('left out, lets through what brings a PKCE challenge in its place', async () => {
    const { redirected } = await authorize(challenged);
    expect(Object.keys(redirected)).toEqual(['code']);
    const unset = await authorize(challenged, createHost(), { allowEmptyState: undefined });
    expect(Object.keys(unset.redirected)).toEqual(['code']);
  });

  it.each([
    ['left out, refuses what brings neither', {}, { state: undefined }, MISSING],
    [
      'left out, refuses what brings a challenge that is none',
      {},
      { ...challenged, code_challenge: 'short' },
      '400 invalid_request: Invalid parameter: `code_challenge`',
    ],
    [
      'left out, refuses a request for a token, which nothing proves',
      {},
      { ...challenged, response_type: 'token' },
      MISSING,
    ],
    ['as false refuses a challenge without it', { allowEmptyState: false }, challenged, MISSING],
  ])('%s', async (_name, options, query, message) => {
    const host = createHost();
    host.clients.set('web', { ...WEB, grants: ['authorization_code', 'implicit'] });
    expect(summary((await authorize(query, host, options)).error)).toBe(message);
    const server = new OAuth2Server({ model: host.model, ...options });
    expect(summary((await answer(server, 'authorize', authorizeRequest(query), signedIn)).error)).toBe(message);
  });

  it.each([undefined, ''])('lets a request with the state %j through, and sends none back', async (state) => {
    const { redirected } = await authorize({ state }, createHost(), { allowEmptyState: true });
    expect(Object.keys(redirected)).toEqual(['code']);
  });

  it('does not let through one of forbidden characters', async () => {
    const { error } = await authorize({ state: 'é' }, createHost(), { allowEmptyState: true });
    expect(error?.message).toBe('Invalid parameter: `state`');
  });
});
