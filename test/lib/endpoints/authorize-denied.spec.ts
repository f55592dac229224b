import { describe, expect, it } from '@jest/globals';

import { createHost, type Host } from '../../support/model.js';
import { answer, authorizeRequest, signedIn, summary } from '../../support/requests.js';

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
  it.each([undefined, ''])('lets a request with the state %j through, and sends none back', async (state) => {
    const { redirected } = await authorize({ state }, createHost(), { allowEmptyState: true });
    expect(Object.keys(redirected)).toEqual(['code']);
  });

  it('does not let through one of forbidden characters', async () => {
    const { error } = await authorize({ state: 'é' }, createHost(), { allowEmptyState: true });
    expect(error?.message).toBe('Invalid parameter: `state`');
  });
});
