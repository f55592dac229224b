import { describe, expect, it, jest } from '@jest/globals';
import { GrantType } from 'nest-oauth2/features';
import * as engine from 'nest-oauth2/server';

import {
  addAccessToken,
  addCode,
  addRefreshToken,
  ALICE,
  CALLBACK,
  createTestModel,
  type TestModel,
  OTHER_CALLBACK,
  SECRET,
  SPA,
  WEB,
} from '../support/models/model.js';
import {
  runOperation,
  authorizeRequest,
  basic,
  CHALLENGE,
  FORM,
  formRequest,
  resourceRequest,
  signedIn,
  tokenRequest,
  VERIFIER,
} from '../support/clients/requests.js';
import { withoutWarnings } from '../support/environment/quiet.js';

// One test for each problem of `oauth2-server` that docs/reference/differences.md lists, with its number in that page.

const { OAuth2Server, OAuthError, Response } = engine;
const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
const REFRESH = { grant_type: 'refresh_token', refresh_token: 'refresh' };
const CREDENTIALS = { grant_type: 'client_credentials' };
const withClient = (client: object, overrides: object = {}): TestModel => {
  const testModel = createTestModel(overrides);
  testModel.clients.set('web', { ...WEB, ...client });
  return testModel;
};
const authorize = (query: object = {}, testModel = createTestModel(), options: object = {}) =>
  runOperation(testModel, 'authorize', authorizeRequest({ ...query }), { ...signedIn, ...options });
const nothingMinted = (testModel: TestModel) => testModel.calls.every(([method]) => method !== 'saveToken');

describe('security problems of oauth2-server that this library avoids (numbers of docs/reference/differences.md)', () => {
  withoutWarnings();

  it('1. does not match parts of redirect URIs or grants that are registered as a string', async () => {
    const text = withClient({ redirectUris: 'https://a.example.com/cb' });
    for (const redirect_uri of ['https://a.example.c', 'https://a.example.com/cb', undefined]) {
      expect((await authorize({ redirect_uri }, text)).headers['location']).toBeUndefined();
    }
    const grants = withClient({ grants: 'authorization_code,client_credentials' });
    expect((await authorize({}, grants)).headers['location']).toBeUndefined();
    expect((await runOperation(grants, 'token', tokenRequest(CREDENTIALS))).status).toBe(503);
  });

  it('2. redeems a code or refresh token only once for concurrent requests', async () => {
    for (const body of [CODE, REFRESH]) {
      const testModel = createTestModel();
      addCode(testModel);
      addRefreshToken(testModel);
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () => runOperation(testModel, 'token', tokenRequest(body))),
      );
      expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(outcomes.filter(({ error }) => error?.name === 'invalid_grant')).toHaveLength(4);
    }
  });

  it('3. revokes the token family of a replayed code or refresh token, if the model can revoke families', async () => {
    for (const [body, add] of [
      [CODE, addCode],
      [REFRESH, addRefreshToken],
    ] as const) {
      const revoked: unknown[] = [];
      const testModel = createTestModel({ revokeGrant: (grantId: string) => void revoked.push(grantId) });
      const events: unknown[] = [];
      add(testModel, { grantId: 'family', revokedAt: new Date() });
      const options = { events: { emit: (name: string) => events.push(name) } };
      const { error } = await runOperation(testModel, 'token', tokenRequest(body), options);
      expect([error?.name, revoked, events, nothingMinted(testModel)]).toEqual([
        'invalid_grant',
        ['family'],
        ['client.authenticated', 'token.reuse_detected', 'grant.ended', 'token.refused'],
        true,
      ]);
    }
  });

  it('3. rejects a replay and revokes nothing if the model or the replayed token has no token family', async () => {
    for (const body of [CODE, REFRESH]) {
      const revoked: unknown[] = [];
      const knowing = createTestModel({ revokeGrant: (grantId: string) => void revoked.push(grantId) });
      const unknowing = createTestModel();
      for (const add of [addCode, addRefreshToken]) {
        add(knowing, { revokedAt: new Date() });
        add(unknowing, { grantId: 'family', revokedAt: new Date() });
      }
      for (const testModel of [knowing, unknowing]) {
        expect((await runOperation(testModel, 'token', tokenRequest(body))).error?.name).toBe('invalid_grant');
      }
      expect(revoked).toEqual([]);
    }
  });

  it('4. never shows the text of a model exception in a body, redirect or header', async () => {
    const failing = () => {
      throw new Error('CANARY');
    };
    for (const method of ['getClient', 'validateScope', 'saveAuthorizationCode', 'saveToken', 'getAccessToken']) {
      const testModel = createTestModel({ [method]: failing });
      const outcomes = [
        await authorize({}, testModel),
        await runOperation(testModel, 'token', tokenRequest(CREDENTIALS)),
        await runOperation(testModel, 'authenticate', resourceRequest()),
      ];
      expect(outcomes.some(({ error }) => error?.inner?.message === 'CANARY')).toBe(true);
      expect(JSON.stringify(outcomes.map(({ headers, body }) => [headers, body]))).not.toContain('CANARY');
    }
  });

  it('5. treats codes and tokens with an invalid Date as expired', async () => {
    const never = new Date(Number.NaN);
    const testModel = createTestModel();
    addAccessToken(testModel, { accessTokenExpiresAt: never });
    addCode(testModel, { expiresAt: never });
    addRefreshToken(testModel, { refreshTokenExpiresAt: never });
    expect((await runOperation(testModel, 'authenticate', resourceRequest())).error?.message).toContain('has expired');
    for (const body of [CODE, REFRESH]) {
      expect((await runOperation(testModel, 'token', tokenRequest(body))).error?.message).toContain('has expired');
    }
  });

  it('6. does not treat two clients without an id as the same client', async () => {
    const testModel = createTestModel({ getClient: () => ({ grants: WEB.grants, redirectUris: WEB.redirectUris }) });
    addCode(testModel, { client: { grants: [] } as never });
    addRefreshToken(testModel, { client: { grants: [] } as never });
    for (const body of [CODE, REFRESH]) {
      expect((await runOperation(testModel, 'token', tokenRequest(body))).error?.name).toBe('invalid_grant');
    }
  });

  it('7. does not accept a code_verifier or an empty secret in place of a client secret', async () => {
    const testModel = createTestModel();
    addCode(testModel, { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' });
    const verified = { ...CODE, client_id: 'web', code_verifier: VERIFIER };
    expect((await runOperation(testModel, 'token', formRequest(verified))).status).toBe(401);
    expect((await runOperation(testModel, 'token', formRequest({ ...verified, client_secret: '' }))).status).toBe(401);
    const excused = { requireClientAuthentication: { authorization_code: false } };
    const declared = withClient({ tokenEndpointAuthMethod: 'client_secret_post' });
    addCode(declared, { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' });
    expect((await runOperation(declared, 'token', formRequest(verified), excused)).status).toBe(401);
  });

  it('8. does not let extended attributes reveal codes or secrets, or replace standard members', async () => {
    const extras = { access_token: 'evil', client_secret: 'x', passwordHash: 'x', id_token: 'jwt' };
    const saveToken = (token: object, client: object, user: object) => ({ ...token, ...extras, client, user });
    const testModel = createTestModel({ saveToken });
    addCode(testModel);
    const { body } = await runOperation(testModel, 'token', tokenRequest(CODE), { allowExtendedTokenAttributes: true });
    expect(Object.keys(body)).toEqual([
      'access_token',
      'token_type',
      'expires_in',
      'refresh_token',
      'scope',
      'id_token',
    ]);
    expect(body['access_token']).toHaveLength(64);
  });

  it('9. requires a valid code_challenge of public clients, and consumes the code on a wrong verifier', async () => {
    const query = { client_id: 'spa', redirect_uri: SPA.redirectUris?.[0] };
    expect((await authorize(query)).error?.message).toBe('Missing parameter: `code_challenge`');
    expect((await authorize({ ...query, code_challenge: 'abc' })).error?.message).toBe(
      'Invalid parameter: `code_challenge`',
    );
    const testModel = createTestModel();
    addCode(testModel, { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' });
    const statuses = [];
    for (const code_verifier of ['w'.repeat(43), VERIFIER]) {
      statuses.push((await runOperation(testModel, 'token', tokenRequest({ ...CODE, code_verifier }))).status);
    }
    expect(statuses).toEqual([400, 400]);
  });

  it('10. parses the whole Authorization header instead of searching it', async () => {
    const testModel = createTestModel();
    addAccessToken(testModel);
    for (const header of [
      'Digest Bearer access def',
      'x Bearer access',
      'Bearer access, Bearer b',
      'Bearer access b',
    ]) {
      expect((await runOperation(testModel, 'authenticate', resourceRequest(header))).error?.message).toContain(
        'malformed',
      );
    }
  });

  it('11. never redirects to a script or a fragment, and allows any port of a loopback redirect URI', async () => {
    for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'https://app.example/cb#x']) {
      const testModel = withClient({ redirectUris: [uri] });
      for (const redirect_uri of [uri, undefined]) {
        expect((await authorize({ redirect_uri }, testModel)).headers['location']).toBeUndefined();
      }
    }
    const native = withClient({ redirectUris: ['http://127.0.0.1/cb'] });
    const { headers } = await authorize({ redirect_uri: 'http://127.0.0.1:49152/cb' }, native);
    expect(headers['location']).toMatch(/^http:\/\/127\.0\.0\.1:49152\/cb\?code=/);
  });

  it('12. never passes a repeated parameter to the model', async () => {
    const twice = ['a', 'b'];
    const requests: [operation: 'authenticate' | 'authorize' | 'token', request: Parameters<typeof runOperation>[2]][] =
      [
        ['authorize', authorizeRequest({ client_id: twice })],
        ['authorize', authorizeRequest({ redirect_uri: twice })],
        ['token', formRequest({ ...CREDENTIALS, client_id: twice, client_secret: SECRET })],
        ['token', formRequest({ ...CREDENTIALS, client_id: 'web', client_secret: twice })],
        ['authenticate', resourceRequest(null, { query: { access_token: twice } })],
        ['authenticate', resourceRequest(null, { method: 'POST', headers: FORM, body: { access_token: twice } })],
      ];
    for (const [operation, request] of requests) {
      const testModel = createTestModel();
      const { error } = await runOperation(testModel, operation, request, {
        allowBearerTokensInQueryString: true,
        ...signedIn,
      });
      expect([error?.name, error?.message.startsWith('Repeated parameter'), testModel.calls]).toEqual([
        'invalid_request',
        true,
        [],
      ]);
    }
    for (const name of ['scope', 'username', 'password', 'grant_type']) {
      const body = { grant_type: 'password', username: 'alice', password: 'wonderland', [name]: twice };
      const testModel = createTestModel();
      const { error } = await runOperation(testModel, 'token', tokenRequest(body));
      expect([error?.message, testModel.calls.length]).toEqual([`Repeated parameter: \`${name}\``, 1]);
    }
  });

  it('13. accepts one client authentication method per request, and form-decodes Basic credentials', async () => {
    const both = tokenRequest({ ...CREDENTIALS, client_id: 'web', client_secret: SECRET });
    expect((await runOperation(createTestModel(), 'token', both)).error?.message).toContain(
      'only one client authentication method',
    );
    const authorization = basic('we%62', 's3cre%74');
    const encoded = tokenRequest(CREDENTIALS, { headers: { ...FORM, authorization } });
    expect((await runOperation(createTestModel(), 'token', encoded)).status).toBe(200);
  });

  it('14. issues no refresh token to a client without the grant type refresh_token', async () => {
    const testModel = withClient({ grants: ['authorization_code', 'password'] });
    addCode(testModel);
    const password = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    for (const body of [CODE, password]) {
      const { result, body: sent } = await runOperation(testModel, 'token', tokenRequest(body));
      expect([sent['access_token'], sent['refresh_token'], result?.['refreshToken']]).toEqual([
        expect.any(String),
        undefined,
        undefined,
      ]);
    }
  });

  it('15. rejects an unregistered redirect_uri for a code that was saved without one', async () => {
    const testModel = createTestModel();
    addCode(testModel, { redirectUri: undefined });
    const { error } = await runOperation(
      testModel,
      'token',
      tokenRequest({ ...CODE, redirect_uri: 'https://evil.example/cb' }),
    );
    expect(error?.name).toBe('invalid_grant');
  });

  it('16. keeps a refresh token valid after a request for a wider scope or for a part of a scope name', async () => {
    const testModel = createTestModel();
    addRefreshToken(testModel);
    for (const scope of ['read write admin', 'rea']) {
      expect((await runOperation(testModel, 'token', tokenRequest({ ...REFRESH, scope }))).error?.name).toBe(
        'invalid_scope',
      );
    }
    expect((await runOperation(testModel, 'token', tokenRequest(REFRESH))).status).toBe(200);
  });

  it('17. consumes the code on a wrong redirect_uri, but not on a scope that the model refuses', async () => {
    const testModel = createTestModel();
    addCode(testModel);
    expect(
      (await runOperation(testModel, 'token', tokenRequest({ ...CODE, redirect_uri: 'https://x.example' }))).status,
    ).toBe(400);
    expect(testModel.codes.size).toBe(0);
    const refusing = createTestModel({ validateScope: () => false });
    addCode(refusing);
    expect((await runOperation(refusing, 'token', tokenRequest(CODE))).error?.name).toBe('invalid_scope');
    expect(refusing.codes.size).toBe(1);
  });
});

describe('protocol problems of oauth2-server that this library avoids (numbers of docs/reference/differences.md)', () => {
  it('18. returns error, error_description and state to a redirect URI that has a query', async () => {
    const { headers } = await authorize({ redirect_uri: OTHER_CALLBACK, scope: 'a"' });
    expect(headers['location']).toBe(
      `${OTHER_CALLBACK}&error=invalid_scope&error_description=Invalid%20parameter%3A%20%60scope%60&state=xyz`,
    );
  });

  it('19. requires redirect_uri only if it was in the authorization request; a wrong one is invalid_grant', async () => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, redirectUris: [CALLBACK] });
    const { redirected } = await authorize({ redirect_uri: undefined }, testModel);
    const body = { grant_type: 'authorization_code', code: redirected['code'] };
    expect((await runOperation(testModel, 'token', tokenRequest(body))).status).toBe(200);
    addCode(testModel);
    const { error } = await runOperation(testModel, 'token', tokenRequest({ ...CODE, redirect_uri: OTHER_CALLBACK }));
    expect(error?.name).toBe('invalid_grant');
  });

  it('20. responds with 401 and a challenge if it cannot identify the client', async () => {
    for (const request of [
      formRequest(CREDENTIALS),
      tokenRequest(CREDENTIALS, { headers: { ...FORM, authorization: 'Basic ?' } }),
    ]) {
      const { status, headers } = await runOperation(createTestModel(), 'token', request);
      expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="Service", error="invalid_client"']);
    }
  });

  it('21. rejects with an OAuthError even if getClient() or the authenticate handler fails', async () => {
    const failing = () => Promise.reject(new TypeError('x'));
    const noClient = await authorize({}, createTestModel({ getClient: failing }));
    const noUser = await authorize({}, createTestModel(), { authenticateHandler: { handle: failing } });
    for (const { error } of [noClient, noUser]) expect(error).toBeInstanceOf(engine.ServerError);
  });

  it('22. never throws synchronously: operations reject or call back with the error', async () => {
    const server = new OAuth2Server({ model: {} as never });
    for (const name of ['authenticate', 'authorize', 'token'] as const) {
      const operation = server[name].bind(server) as (...args: unknown[]) => Promise<unknown>;
      await expect(operation()).rejects.toBeInstanceOf(OAuthError);
      await expect(operation(authorizeRequest(), new Response(), { accessTokenLifetime: 0 })).rejects.toBeInstanceOf(
        OAuthError,
      );
      const reported = await new Promise((resolve) => {
        void operation(authorizeRequest({ client_id: undefined }), new Response(), null, resolve);
      });
      expect(reported).toBeInstanceOf(OAuthError);
    }
  });

  it('23. returns server_error for a mistake of the application, and invalid_scope for a malformed scope', async () => {
    const mistaken = await runOperation(
      createTestModel({ getUserFromClient: undefined }),
      'token',
      tokenRequest(CREDENTIALS),
    );
    expect([mistaken.error?.name, mistaken.body['error']]).toEqual(['invalid_argument', 'server_error']);
    expect(JSON.stringify(mistaken.body)).not.toContain('getUserFromClient');
    const redirected = await authorize(
      { response_type: 'token' },
      createTestModel({ getClient: () => ({ ...WEB, grants: ['implicit'] }), saveToken: () => null }),
    );
    expect([redirected.error?.name, redirected.redirected['error']]).toEqual(['invalid_argument', 'server_error']);
    const badScope = await runOperation(createTestModel(), 'token', tokenRequest({ ...CREDENTIALS, scope: 'ä' }));
    expect([badScope.status, badScope.body['error']]).toEqual([400, 'invalid_scope']);
  });

  it('24. reads a lifetime in a string as seconds, also across a change to or from daylight saving time', async () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-10-25T00:58:00Z'));
    const { result } = await authorize({}, createTestModel(), { authorizationCodeLifetime: '300' });
    now.mockRestore();
    expect(result?.['expiresAt']).toEqual(new Date('2026-10-25T01:03:00Z'));
  });

  it('25. does not hang if an async model method has an additional parameter', async () => {
    const getUserFromClient = async (client: engine.Client, trace?: unknown) => trace ?? { id: client.id };
    expect(
      (await runOperation(createTestModel({ getUserFromClient }), 'token', tokenRequest(CREDENTIALS))).status,
    ).toBe(200);
  });

  it('26. accepts a form without a Content-Length header', async () => {
    const headers = { 'content-type': FORM['content-type'], authorization: basic('web', 's3cret') };
    expect((await runOperation(createTestModel(), 'token', tokenRequest(CREDENTIALS, { headers }))).status).toBe(200);
  });

  it('27. responds with the HTTP status of the error in every operation', async () => {
    const outcomes = [
      await runOperation(createTestModel(), 'authenticate', resourceRequest(null)),
      await runOperation(createTestModel(), 'authenticate', resourceRequest('Basic x')),
      await authorize({ client_id: 'who' }),
      await runOperation(createTestModel(), 'authorize', authorizeRequest()),
      await runOperation(createTestModel(), 'token', tokenRequest(CREDENTIALS, { method: 'GET' })),
      await runOperation(createTestModel(), 'token', formRequest(CREDENTIALS, { headers: {} })),
    ];
    for (const { error, status } of outcomes) expect(status).toBe(error?.code);
    expect(outcomes.map(({ status }) => status)).toEqual([401, 400, 400, 401, 400, 400]);
  });

  it('28. validates response_type before it calls more than getClient(), and ignores an empty scope', async () => {
    const testModel = createTestModel({ generateAuthorizationCode: () => 'x' });
    await authorize({ response_type: 'nonsense' }, testModel);
    expect(testModel.calls.map(([method]) => method)).toEqual(['getClient']);
    for (const scope of ['', ' ']) {
      expect((await authorize({ scope })).redirected).toHaveProperty('code');
      expect((await runOperation(createTestModel(), 'token', tokenRequest({ ...CREDENTIALS, scope }))).status).toBe(
        200,
      );
    }
  });

  it('29. accepts method and scheme in any case, and returns descriptions without double quotes', async () => {
    expect((await runOperation(createTestModel(), 'token', tokenRequest(CREDENTIALS, { method: 'post' }))).status).toBe(
      200,
    );
    expect((await runOperation(createTestModel(), 'authenticate', resourceRequest('bearer x'))).error?.name).toBe(
      'invalid_token',
    );
    const { redirected } = await authorize({ code_challenge_method: 'plain' });
    expect(redirected['error_description']).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  it('30. accepts emoji together with other characters in user names and passwords', async () => {
    const getUser = (name: string, password: string) => ({ id: name + password });
    const body = { grant_type: 'password', username: 'ann 😀', password: 'p@ss 🔑 wörd' };
    const { result } = await runOperation(createTestModel({ getUser }), 'token', tokenRequest(body));
    expect(result?.['user']).toEqual({ id: 'ann 😀p@ss 🔑 wörd' });
  });

  it('31. supports the implicit grant, and names the issuer in authorization responses', async () => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, grants: ['implicit'] });
    const { headers } = await authorize({ response_type: 'token' }, testModel, { issuer: 'https://as.example' });
    expect(headers['location']).toMatch(
      /#access_token=[0-9a-f]{64}&token_type=Bearer&.*&state=xyz&iss=https%3A%2F%2Fas\.example$/,
    );
  });

  it('32. validates the scope of an extension grant that does not await its validation', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    class Issuing extends GrantType {
      handle(request: engine.Request, client: engine.Client) {
        return this.issueToken({ client, user: ALICE, scope: this.getScope(request) });
      }
    }
    const extendedGrantTypes = { 'urn:example:extension': Issuing };
    const request = tokenRequest({ grant_type: 'urn:example:extension', scope: 'admin' });
    const { error } = await runOperation(createTestModel(), 'token', request, { extendedGrantTypes });
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect([error?.name, unhandled.mock.calls]).toEqual(['invalid_scope', []]);
  });

  it('33. names errors after their classes, and ignores a header named __proto__', () => {
    expect(engine.InvalidRequestError.name).toBe('InvalidRequestError');
    const headers = JSON.parse('{"__proto__":{"authorization":"Bearer x"}}') as object;
    const request = new engine.Request({ method: 'GET', headers, query: {} });
    expect(request.get('authorization')).toBeUndefined();
    expect(request.headers['authorization']).toBeUndefined();
  });
});
