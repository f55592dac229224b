import { describe, expect, it } from '@jest/globals';
import { revocation, type RevocationOptions } from 'nest-oauth2/features';
import {
  type Client,
  InvalidGrantError,
  InvalidTokenError,
  OAuth2Server,
  type Request,
  TemporarilyUnavailableError,
} from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { callEndpoint } from '../../support/clients/call-endpoint.js';
import {
  addAccessToken,
  addRefreshToken,
  ALICE,
  createTestModel,
  earlier,
  type TestModel,
  later,
  SECRET,
  SPA,
  WEB,
} from '../../support/models/model.js';
import {
  runOperation,
  basic,
  FORM,
  formRequest,
  resourceRequest,
  tokenRequest,
} from '../../support/clients/requests.js';

const OTHER: Client = { id: 'other', grants: ['refresh_token', 'password'] };

/** Creates a store with three pairs of tokens for alice: two of the token family `family`, and one of another. */
async function store(): Promise<MemoryStore> {
  const known = { secret: SECRET, scopes: ['read'] };
  const users = { findByCredentials: () => undefined, findById: () => ALICE };
  const model = new MemoryStore({
    clients: [
      { ...WEB, ...known },
      { ...OTHER, ...known },
      { ...SPA, scopes: ['read'] },
    ],
    users,
  });
  await save(model, { grantId: 'family' });
  await save(model, { grantId: 'family' }, 'second ');
  await save(model, { grantId: 'stranger' }, 'strange ');
  return model;
}

function save(model: MemoryStore, more: object, prefix = '', client = WEB) {
  const token = { accessToken: `${prefix}access`, accessTokenExpiresAt: later(), scope: 'read' };
  const refresh = { refreshToken: `${prefix}refresh`, refreshTokenExpiresAt: later() };
  return model.saveToken({ ...token, ...refresh, ...more }, client, ALICE);
}

const TOKENS = ['access', 'second access', 'strange access', 'refresh', 'second refresh', 'strange refresh'];

/** Returns the tokens that are still valid. */
async function validTokens(model: MemoryStore): Promise<string[]> {
  const found = await Promise.all(
    TOKENS.map(async (token) =>
      token.endsWith('access')
        ? await model.getAccessToken(token)
        : await model.getRefreshToken(token).then((row) => !row?.revokedAt && row),
    ),
  );
  return TOKENS.filter((_, index) => found[index]);
}

const serverOf = (model: TestModel['model'] | MemoryStore, options: RevocationOptions = {}, more: object = {}) =>
  new OAuth2Server({ model, features: [revocation(options)], ...more });

/** The outcome of a successful request. */
const DONE = { status: 200, body: {}, error: undefined };
const GONE = (...tokens: string[]) => TOKENS.filter((token) => !tokens.includes(token));

describe('the revocation endpoint (RFC 7009)', () => {
  it.each([
    ['an access token without its grant', 'access', undefined, ['access']],
    ['an access token with the right hint', 'access', 'access_token', ['access']],
    ['an access token with a wrong hint', 'access', 'refresh_token', ['access']],
    ['an access token with an unknown hint', 'access', 'urn:example:"hint"', ['access']],
    [
      'the token family of a refresh token',
      'refresh',
      undefined,
      ['access', 'second access', 'refresh', 'second refresh'],
    ],
    [
      'the token family of a refresh token with a wrong hint',
      'second refresh',
      'access_token',
      GONE('strange access', 'strange refresh'),
    ],
    ['nothing for an unknown token', 'no such token', undefined, []],
  ])('revokes %s', async (_, token, token_type_hint, ended) => {
    const model = await store();
    const answered = await callEndpoint(serverOf(model), 'revocation', tokenRequest({ token, token_type_hint }));
    expect(answered).toMatchObject(DONE);
    expect(answered.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(await validTokens(model)).toEqual(GONE(...ended));
  });

  it('also revokes the grant of an access token if `accessTokenEndsGrant` is true', async () => {
    const model = await store();
    const server = serverOf(model, { accessTokenEndsGrant: true });
    expect(await callEndpoint(server, 'revocation', tokenRequest({ token: 'access' }))).toMatchObject(DONE);
    expect(await validTokens(model)).toEqual(['strange access', 'strange refresh']);
  });

  it('makes a revoked access token invalid for protected resources', async () => {
    const model = await store();
    const server = serverOf(model);
    expect((await runOperation(server, 'authenticate', resourceRequest('Bearer access'))).status).toBe(200);
    await callEndpoint(server, 'revocation', tokenRequest({ token: 'access' }));
    const { status, error } = await runOperation(server, 'authenticate', resourceRequest('Bearer access'));
    expect([status, error?.name]).toEqual([401, 'invalid_token']);
  });

  it('accepts a token that is already revoked', async () => {
    const model = await store();
    const server = serverOf(model);
    for (const token of ['access', 'access', 'refresh', 'refresh']) {
      expect(await callEndpoint(server, 'revocation', tokenRequest({ token }))).toMatchObject(DONE);
    }
    expect(await validTokens(model)).toEqual(['strange access', 'strange refresh']);
  });

  it('revokes the token family of a used refresh token', async () => {
    const model = await store();
    const server = serverOf(model);
    await runOperation(server, 'token', tokenRequest({ grant_type: 'refresh_token', refresh_token: 'refresh' }));
    expect(await callEndpoint(server, 'revocation', tokenRequest({ token: 'refresh' }))).toMatchObject(DONE);
    expect(await validTokens(model)).toEqual(['strange access', 'strange refresh']);
  });

  it.each(['access', 'refresh'])('rejects a request for the %s token of another client', async (token) => {
    const model = await store();
    const request = formRequest({ token, client_id: 'other', client_secret: SECRET });
    const { status, body, error } = await callEndpoint(serverOf(model), 'revocation', request);
    expect([status, body['error']]).toEqual([400, 'invalid_grant']);
    expect(JSON.stringify(body)).not.toContain('web');
    expect(error?.name).toBe('invalid_grant');
    expect(await validTokens(model)).toEqual(TOKENS);
  });

  it('requires no secret for a token of a public client, but one for a token of a confidential client', async () => {
    const model = await store();
    await save(model, { grantId: 'of spa' }, 'spa ', SPA);
    const server = serverOf(model, {}, { requireClientAuthentication: { password: false } });
    const own = formRequest({ token: 'spa access', client_id: 'spa' });
    expect(await callEndpoint(server, 'revocation', own)).toMatchObject(DONE);
    expect(await model.getAccessToken('spa access')).toBeUndefined();
    const unproven = formRequest({ token: 'access', client_id: 'web', grant_type: 'password' });
    expect(await callEndpoint(server, 'revocation', unproven)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    expect(await validTokens(model)).toEqual(TOKENS);
  });

  it('responds with 200 to an expired token, and revokes nothing', async () => {
    const testModel = createTestModel({ revokeAccessToken: () => true } as object);
    addAccessToken(testModel, { accessTokenExpiresAt: earlier(), client: OTHER });
    addRefreshToken(testModel, { refreshTokenExpiresAt: earlier(), client: OTHER });
    for (const token of ['access', 'refresh']) {
      expect(await callEndpoint(serverOf(testModel.model), 'revocation', tokenRequest({ token }))).toMatchObject(DONE);
    }
    expect(testModel.calls.map(([method]) => method).filter((method) => method.startsWith('revoke'))).toEqual([]);
  });

  it('responds with 200 if the model reports an unknown token by an error', async () => {
    const { model } = createTestModel({
      getAccessToken: () => Promise.reject(new InvalidTokenError('Invalid token: unknown')),
      getRefreshToken: () => {
        throw new InvalidGrantError('Invalid grant: unknown');
      },
    });
    expect(await callEndpoint(serverOf(model), 'revocation', tokenRequest({ token: 'unknown' }))).toMatchObject(DONE);
  });

  it('revokes refresh tokens but no access tokens if the model has no token families', async () => {
    const testModel = createTestModel();
    addAccessToken(testModel);
    addRefreshToken(testModel, { refreshTokenExpiresAt: undefined });
    const server = serverOf(testModel.model);
    expect(await callEndpoint(server, 'revocation', tokenRequest({ token: 'refresh' }))).toMatchObject(DONE);
    expect(testModel.refreshTokens.size).toBe(0);
    const { status, body } = await callEndpoint(server, 'revocation', tokenRequest({ token: 'access' }));
    expect([status, body['error']]).toEqual([400, 'unsupported_token_type']);
    expect(testModel.accessTokens.size).toBe(1);
  });

  it.each<[string, Request, string]>([
    ['without a token', tokenRequest({ token: '' }), 'Missing parameter: `token`'],
    ['with a repeated token', tokenRequest({ token: ['access', 'refresh'] }), 'Repeated parameter: `token`'],
    [
      'with a repeated hint',
      tokenRequest({ token: 'access', token_type_hint: ['a', 'b'] }),
      'Repeated parameter: `token_type_hint`',
    ],
    [
      'with the method GET',
      tokenRequest({ token: 'access' }, { method: 'GET' }),
      'Invalid request: method must be POST',
    ],
    ['with the token in its URL', tokenRequest({}, { query: { token: 'access' } }), 'Missing parameter: `token`'],
  ])('rejects a request %s with invalid_request', async (_, request, description) => {
    const model = await store();
    const { status, body } = await callEndpoint(serverOf(model), 'revocation', request);
    expect([status, body]).toEqual([400, { error: 'invalid_request', error_description: description }]);
    expect(await validTokens(model)).toEqual(TOKENS);
  });

  it('responds with 401 and a challenge to a wrong client secret', async () => {
    const model = await store();
    const headers = { ...FORM, authorization: basic('web', 'wrong') };
    const { status, headers: sent } = await callEndpoint(
      serverOf(model),
      'revocation',
      tokenRequest({ token: 'access' }, { headers }),
    );
    expect([status, sent['www-authenticate']]).toEqual([401, 'Basic realm="Service", error="invalid_client"']);
    expect(await validTokens(model)).toEqual(TOKENS);
  });

  it('responds with 503 if the model is temporarily unavailable', async () => {
    const model = await store();
    const unavailable = () =>
      Promise.reject(new TemporarilyUnavailableError('The database is away', { retryAfter: 7 }));
    for (const failing of ['getAccessToken', 'revokeGrant']) {
      const broken = Object.assign(Object.create(model) as MemoryStore, { [failing]: unavailable });
      const token = failing === 'revokeGrant' ? 'refresh' : 'access';
      const { status, headers } = await callEndpoint(serverOf(broken), 'revocation', tokenRequest({ token }));
      expect([status, headers['retry-after']]).toEqual([503, '7']);
    }
    expect(await validTokens(model)).toEqual(TOKENS);
  });

  it('emits events for revoked tokens, and none if no token was revoked', async () => {
    const model = await store();
    const reported: [string, object][] = [];
    const wants = (name: string) => name !== 'client.authenticated';
    const events = { emit: (name: string, payload: object) => reported.push([name, payload]), wants };
    const server = serverOf(model, {}, { events });
    for (const token of ['access', 'refresh', 'refresh', 'no such token']) {
      await callEndpoint(server, 'revocation', tokenRequest({ token }));
    }
    const at: unknown = expect.any(Date);
    const facts = { at, endpoint: 'revocation', clientId: 'web', userId: 'alice', grantId: 'family' };
    expect(reported).toEqual([
      ['token.revoked', { ...facts, kind: 'access token' }],
      ['token.revoked', { ...facts, kind: 'grant' }],
      ['grant.ended', { ...facts, reason: 'revoked' }],
    ]);
    await callEndpoint(
      server,
      'revocation',
      formRequest({ token: 'strange access', client_id: 'other', client_secret: SECRET }),
    );
    expect(reported[3]).toEqual([
      'endpoint.refused',
      expect.objectContaining({ endpoint: 'revocation', clientId: 'other', error: 'invalid_grant', given: 'other' }),
    ]);
  });

  it('rejects a misspelled option at start-up', () => {
    expect(() => serverOf(createTestModel().model, { accessTokenEndGrant: true } as object)).toThrow(
      'unknown option `accessTokenEndGrant` of `revocation()`: the option is `accessTokenEndsGrant`',
    );
  });

  it.each<[string, Record<string, undefined>, RevocationOptions, RegExp]>([
    [
      'cannot revoke tokens',
      { revokeToken: undefined },
      {},
      /`revocation\(\)` requires a model that can find and revoke tokens/,
    ],
    [
      'stores no token families',
      {},
      { accessTokenEndsGrant: true },
      /`accessTokenEndsGrant` of `revocation\(\)` requires a model with `revokeGrant\(\)`/,
    ],
  ])('rejects at start-up a model that %s', (_, methods, options, fault) => {
    expect(() => serverOf(createTestModel(methods).model, options)).toThrow(fault);
  });
});
