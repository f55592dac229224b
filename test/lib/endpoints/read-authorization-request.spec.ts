import { describe, expect, it } from '@jest/globals';
import { OAuth2Server, OAuthError, Response } from 'nest-oauth2/server';

import { CALLBACK, createTestModel, SPA, WEB } from '../../support/models/model.js';
import { runOperation, authorizeRequest, CHALLENGE, signedIn, summary } from '../../support/clients/requests.js';

const read = async (query: object = {}, options: object = {}, overrides: object = {}) => {
  const testModel = createTestModel(overrides);
  const server = new OAuth2Server({ model: testModel.model, ...options });
  const response = new Response();
  try {
    return {
      testModel,
      response,
      authorization: await server.readAuthorizationRequest(authorizeRequest({ ...query }), response),
    };
  } catch (error) {
    return { testModel, response, error: error as OAuthError };
  }
};

describe('readAuthorizationRequest()', () => {
  it('returns the parsed request, and writes no response', async () => {
    const { testModel, response, authorization } = await read({ scope: 'read  write', code_challenge: CHALLENGE });
    expect(authorization).toEqual({
      client: WEB,
      redirectUri: CALLBACK,
      redirectUriSent: true,
      responseType: 'code',
      responseMode: 'query',
      requestedScope: 'read write',
      state: 'xyz',
      codeChallenge: CHALLENGE,
      codeChallengeMethod: 'S256',
      data: {},
    });
    expect(response).toMatchObject({ status: 200, headers: {}, body: {} });
    expect(testModel.calls).toEqual([['getClient', 'web', null]]);
  });

  it('omits the properties of parameters that the request does not have', async () => {
    const query = { redirect_uri: undefined, scope: undefined, state: undefined };
    const client = { ...WEB, redirectUris: [CALLBACK] };
    const { authorization } = await read(query, { allowEmptyState: true }, { getClient: () => client });
    const response = { responseType: 'code', responseMode: 'query' };
    expect(authorization).toEqual({ client, redirectUri: CALLBACK, redirectUriSent: false, ...response, data: {} });
  });

  it.each([
    { client_id: undefined },
    { client_id: 'who' },
    { redirect_uri: 'https://evil.example/' },
    { state: undefined },
    { scope: 'ä' },
    { response_type: 'none' },
    { response_type: 'token' },
    { response_mode: 'form_post' },
    { client_id: 'spa', redirect_uri: SPA.redirectUris?.[0] },
    { code_challenge_method: 'plain' },
    { state: ['a', 'b'] },
  ])('rejects the parameters %p with the same error as authorize()', async (query) => {
    const { error, response } = await read(query, { issuer: 'https://as' });
    const expected = await runOperation(createTestModel(), 'authorize', authorizeRequest({ ...query }), {
      ...signedIn,
      issuer: 'https://as',
    });
    expect(error).toBeInstanceOf(OAuthError);
    expect(summary(error)).toBe(summary(expected.error));
    const { status, headers, body } = expected;
    expect(response).toMatchObject({ status, headers, body });
  });

  it('returns the scope that would be granted to the given user', async () => {
    const overrides = { validateScope: (user: { id: string }) => (user.id === 'alice' ? 'read' : false) };
    const ask = async (id: string) => {
      const testModel = createTestModel(overrides);
      const server = new OAuth2Server({ model: testModel.model });
      const response = new Response();
      const request = authorizeRequest({ scope: 'read write' });
      const reading = server.readAuthorizationRequest(request, response, { user: { id } });
      return reading
        .then(({ grantableScope }) => grantableScope)
        .catch(({ name }: OAuthError) => [name, response.status]);
    };
    expect(await ask('alice')).toBe('read');
    expect(await ask('bob')).toEqual(['invalid_scope', 302]);
    expect((await read({ scope: 'read write' }, {}, overrides)).authorization?.requestedScope).toBe('read write');
  });

  // No user should sign in for a request that will be rejected.
  it('calls validateClientScope() of the model before the user signs in', async () => {
    const requested: unknown[] = [];
    const overrides = {
      validateClientScope: (...given: unknown[]) => requested.push(given) && !String(given[1]).includes('write'),
    };
    expect((await read({}, {}, overrides)).authorization?.requestedScope).toBe('read');
    expect((await read({ scope: undefined }, {}, overrides)).authorization?.requestedScope).toBeUndefined();
    const { error, response } = await read({ scope: 'read write' }, { scopeFormat: 'array' }, overrides);
    expect(summary(error)).toBe('400 invalid_scope: Invalid scope: Requested scope is invalid');
    expect(response.get('location')).toMatch(/^https:\/\/app\.example\/cb\?error=invalid_scope&.*&state=xyz$/);
    expect(requested).toEqual([
      [WEB, 'read'],
      [WEB, ['read', 'write']],
    ]);
  });

  it('returns an authorization request even for allowed=false, which authorize() would deny', async () => {
    expect((await read({ allowed: 'false' })).authorization?.client).toBe(WEB);
  });

  it('requires getClient() of the model, and instances of Request and Response', async () => {
    const { error, response } = await read({}, {}, { getClient: undefined });
    expect(summary(error)).toBe('500 invalid_argument: Invalid argument: model does not implement `getClient()`');
    expect(response.status).toBe(500);
    const server = new OAuth2Server({ model: createTestModel().model });
    await expect(server.readAuthorizationRequest({} as never, response)).rejects.toThrow('instance of Request');
    const reading = server.readAuthorizationRequest(authorizeRequest(), new Response(), null as never);
    await expect(reading).resolves.toHaveProperty('client', WEB);
  });
});
