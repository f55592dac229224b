import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Feature, introspection, resourceIndicators } from 'nest-oauth2/features';
import {
  type Client,
  InvalidTokenError,
  type Model,
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
import { runOperation, basic, FORM, formRequest, tokenRequest } from '../../support/clients/requests.js';

const ISSUER = 'https://id.example';
const NOTES = 'https://api.example/notes';
const INACTIVE = { active: false };

/** A resource server. It never requests a token. */
const API: Client = { id: 'api', grants: [], resources: ['https://API.example/notes', 'https://other.example'] };
/** A resource server for resources that the tests do not request. */
const OTHER: Client = { id: 'other', grants: [], resources: ['https://api.example'] };

const requested = (token: unknown, more: object = {}): Request => tokenRequest({ token, ...more });
/** Returns an introspection request of the client `id`. */
const requestedBy = (id: string, token: string, more: object = {}): Request =>
  tokenRequest({ token, ...more }, { headers: { ...FORM, authorization: basic(id, SECRET) } });

function serverOf(model: Model | MemoryStore, more: object = {}, features: Feature[] = []): OAuth2Server {
  return new OAuth2Server({ model, issuer: ISSUER, features: [introspection(), ...features], ...more });
}

async function bodyOf(server: OAuth2Server, request: Request): Promise<Record<string, unknown>> {
  const { status, body, headers } = await callEndpoint(server, 'introspection', request);
  expect([status, headers['cache-control'], headers['pragma']]).toEqual([200, 'no-store', 'no-cache']);
  return body;
}

/** Returns a method that reports an unknown token by an error, as some models of oauth2-server 3.x do. */
const refusing =
  (method: (token: string) => unknown) =>
  (token: string): never => {
    method(token);
    throw new InvalidTokenError('Invalid token: unknown');
  };

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

describe('the introspection endpoint (RFC 7662)', () => {
  let host: TestModel;
  let expiresAt: Date;

  beforeEach(() => {
    host = createTestModel();
    for (const client of [API, OTHER]) host.clients.set(client.id, client);
    expiresAt = later(100);
    const token = { user: { ...ALICE, username: 'Alice', email: 'alice@example.com' }, resource: [NOTES] };
    addAccessToken(host, { accessTokenExpiresAt: expiresAt, ...token });
    addRefreshToken(host, { refreshTokenExpiresAt: expiresAt, ...token });
  });

  it('returns the properties of an access token to its client', async () => {
    expect(await bodyOf(serverOf(host.model), requested('access'))).toEqual({
      active: true,
      token_type: 'Bearer',
      client_id: 'web',
      sub: 'alice',
      username: 'Alice',
      scope: 'read write',
      exp: seconds(expiresAt),
      aud: NOTES,
      iss: ISSUER,
    });
  });

  it('returns stored claims such as iat, nbf and cnf, and no private properties of the token', async () => {
    addAccessToken(host, {
      iat: 1_700_000_000,
      nbf: 1_700_000_001,
      cnf: { jkt: 'print' },
      secretNote: 'x',
      grantId: 'g',
    });
    const { iat, nbf, cnf, ...rest } = await bodyOf(serverOf(host.model), requested('access'));
    expect([iat, nbf, cnf]).toEqual([1_700_000_000, 1_700_000_001, { jkt: 'print' }]);
    expect(Object.keys(rest).toSorted()).toEqual(['active', 'client_id', 'exp', 'iss', 'scope', 'sub', 'token_type']);
  });

  it('returns a refresh token to its client as active, with token_use and without token_type', async () => {
    const { token_type, ...said } = await bodyOf(serverOf(host.model), requested('refresh'));
    expect(token_type).toBeUndefined();
    expect(said).toMatchObject({
      active: true,
      token_use: 'refresh_token',
      client_id: 'web',
      sub: 'alice',
      scope: 'read write',
      aud: NOTES,
    });
    addRefreshToken(host, {
      refreshTokenExpiresAt: undefined,
      resource: [NOTES],
      refreshTokenResource: [NOTES, ISSUER],
    } as object);
    const eternal = await bodyOf(serverOf(host.model), requested('refresh'));
    expect(eternal).toMatchObject({ active: true, aud: [NOTES, ISSUER] });
    expect(eternal).not.toHaveProperty('exp');
  });

  it.each(['access_token', 'refresh_token', 'urn:example:"kind"'])(
    'finds access tokens and refresh tokens, whatever `token_type_hint` is: `%s`',
    async (hint) => {
      const server = serverOf(host.model);
      for (const token of ['access', 'refresh']) {
        expect(await bodyOf(server, requested(token, { token_type_hint: hint }))).toMatchObject({ active: true });
      }
    },
  );

  it('returns a token to the resource server that it is for, and to no other one', async () => {
    const server = serverOf(host.model);
    expect(await bodyOf(server, requestedBy('api', 'access'))).toMatchObject({ active: true, sub: 'alice' });
    expect(await bodyOf(server, requestedBy('other', 'access'))).toEqual(INACTIVE);
    expect(await bodyOf(server, requestedBy('api', 'refresh'))).toEqual(INACTIVE);
    addAccessToken(host);
    expect(await bodyOf(server, requestedBy('api', 'access'))).toEqual(INACTIVE);
  });

  it('returns tokens only to the clients that mayIntrospect() of the model accepts, if it is implemented', async () => {
    const calls: unknown[][] = [];
    const mayIntrospect = (client: Client, token: object) => {
      calls.push([client.id, 'refreshToken' in token]);
      return client.id === 'other';
    };
    const server = serverOf(Object.assign(host.model, { mayIntrospect }));
    expect(await bodyOf(server, requestedBy('other', 'refresh'))).toMatchObject({ active: true });
    expect(await bodyOf(server, requested('access'))).toEqual(INACTIVE);
    expect(calls).toEqual([
      ['other', true],
      ['web', false],
    ]);
  });

  it.each<[string, () => void, string?]>([
    ['unknown', () => host.accessTokens.clear()],
    [
      'reported as unknown by an error of the model',
      () => Object.assign(host.model, { getAccessToken: refusing(host.model.getAccessToken!) }),
    ],
    ['expired', () => addAccessToken(host, { accessTokenExpiresAt: earlier() })],
    ['of another issuer', () => addAccessToken(host, { issuer: 'https://other.example' })],
    ['issued to another client', () => addAccessToken(host, { client: SPA })],
    ['a used refresh token', () => addRefreshToken(host, { revokedAt: earlier() }), 'refresh'],
    ['an expired refresh token', () => addRefreshToken(host, { refreshTokenExpiresAt: earlier() }), 'refresh'],
  ])(
    'returns only `active: false` for a token that is %s, after the same model calls',
    async (_, change, token = 'access') => {
      change();
      host.calls.splice(0);
      expect(await bodyOf(serverOf(host.model), requested(token))).toEqual(INACTIVE);
      expect(host.calls.map(([method]) => method)).toEqual(['getClient', 'getAccessToken', 'getRefreshToken']);
    },
  );

  it('returns `active: false` for a refresh token whose grant has expired by `grantLifetime`', async () => {
    const families = createTestModel({ revokeGrant: () => true });
    addRefreshToken(families, { grantedAt: earlier(60) });
    expect(await bodyOf(serverOf(families.model, { grantLifetime: 90 }), requested('refresh'))).toMatchObject({
      active: true,
    });
    expect(await bodyOf(serverOf(families.model, { grantLifetime: 30 }), requested('refresh'))).toEqual(INACTIVE);
  });

  it('adds members of the `describe` hook of a feature, but does not let them replace its own ones', async () => {
    const liar: Feature = {
      id: 'liar',
      install: () => ({
        token: {
          describe: ({ user }) => ({
            active: false,
            sub: 'mallory',
            exp: 0,
            act: { sub: 'agent' },
            token_type: 'DPoP',
            email: user['email'],
          }),
        },
      }),
    };
    expect(await bodyOf(serverOf(host.model, {}, [liar]), requested('access'))).toMatchObject({
      active: true,
      sub: 'alice',
      exp: seconds(expiresAt),
      act: { sub: 'agent' },
      token_type: 'DPoP',
      email: 'alice@example.com',
    });
  });

  it.each<[string, Request]>([
    ['a public client', formRequest({ token: 'access', client_id: 'spa' })],
    [
      'a public client with a secret that the model accepts',
      formRequest({ token: 'access', client_id: 'spa', client_secret: SECRET }),
    ],
    [
      'a confidential client that sends no secret',
      formRequest({ token: 'access', client_id: 'web', grant_type: 'password' }),
    ],
    ['a request without client', formRequest({ token: 'access' })],
    [
      'a bearer token in place of client authentication',
      tokenRequest({ token: 'access' }, { headers: { ...FORM, authorization: 'Bearer access' } }),
    ],
    [
      'a client with a wrong secret',
      tokenRequest({ token: 'access' }, { headers: { ...FORM, authorization: basic('web', 'no') } }),
    ],
  ])('rejects %s with 401', async (_, request) => {
    addAccessToken(host, { client: SPA });
    const server = serverOf(host.model, { requireClientAuthentication: { password: false } });
    const { status, body, headers } = await callEndpoint(server, 'introspection', request);
    expect([status, body['error']]).toEqual([401, 'invalid_client']);
    expect(headers['www-authenticate']).toBe('Basic realm="Service", error="invalid_client"');
    expect(host.calls.map(([method]) => method)).not.toContain('getAccessToken');
  });

  it.each<[string, Request, string]>([
    ['without a token', requested(''), 'Missing parameter: `token`'],
    ['with a repeated token', requested(['access', 'refresh']), 'Repeated parameter: `token`'],
    [
      'with the method GET',
      tokenRequest({ token: 'access' }, { method: 'GET' }),
      'Invalid request: method must be POST',
    ],
    ['with the token in its URL', tokenRequest({}, { query: { token: 'access' } }), 'Missing parameter: `token`'],
  ])('rejects a request %s with invalid_request', async (_, request, error_description) => {
    const { status, body } = await callEndpoint(serverOf(host.model), 'introspection', request);
    expect([status, body]).toEqual([400, { error: 'invalid_request', error_description }]);
  });

  it('responds with 503 if the model is temporarily unavailable, and not with `active: false`', async () => {
    const unavailable = () => Promise.reject(new TemporarilyUnavailableError('away', { retryAfter: 7 }));
    for (const failing of ['getAccessToken', 'getRefreshToken', 'mayIntrospect']) {
      const model = { ...host.model, [failing]: unavailable };
      const token = failing === 'getRefreshToken' ? 'unknown' : 'access';
      const { status, body, headers } = await callEndpoint(serverOf(model), 'introspection', requested(token));
      expect([status, body['error'], headers['retry-after']]).toEqual([503, 'temporarily_unavailable', '7']);
    }
  });

  it('cannot be added to a server whose model lacks getAccessToken()', () => {
    const { model } = createTestModel({ getAccessToken: undefined });
    expect(() => serverOf(model)).toThrow('the model lacks `getAccessToken()`, which `introspection()` needs');
  });
});

describe('introspection of tokens that the server issued', () => {
  const clients = [
    { ...WEB, secret: SECRET, scopes: ['read'] },
    { ...API, secret: SECRET },
  ];
  const users = { findByCredentials: () => ALICE, findById: () => ALICE };

  it('returns iat, exp and aud, and reports a used refresh token as inactive', async () => {
    const model = new MemoryStore({ clients, users });
    const server = serverOf(model, {}, [resourceIndicators({ resources: [NOTES] })]);
    const before = seconds(new Date());
    const password = { grant_type: 'password', username: 'alice', password: 'x', scope: 'read', resource: NOTES };
    const { body } = await runOperation(server, 'token', tokenRequest(password));
    expect(Object.keys(body)).not.toContain('iat');
    const { iat, exp, ...said } = await bodyOf(server, requestedBy('api', String(body['access_token'])));
    expect(iat).toBeGreaterThanOrEqual(before);
    expect(iat).toBeLessThanOrEqual(seconds(new Date()));
    expect(Number(exp) - Number(iat)).toBe(3600);
    const facts = { active: true, client_id: 'web', sub: 'alice', scope: 'read', aud: NOTES, iss: ISSUER };
    expect(said).toEqual({ ...facts, token_type: 'Bearer' });
    const refresh = await bodyOf(server, requested(body['refresh_token']));
    expect(refresh).toEqual({ ...facts, iat, exp: Number(iat) + 1_209_600, token_use: 'refresh_token' });
    await runOperation(
      server,
      'token',
      tokenRequest({ grant_type: 'refresh_token', refresh_token: body['refresh_token'] }),
    );
    expect(await bodyOf(server, requested(body['refresh_token']))).toEqual(INACTIVE);
  });

  it('returns the client as sub, and no username, for a client credentials token', async () => {
    const server = serverOf(new MemoryStore({ clients, users }));
    const { body } = await runOperation(
      server,
      'token',
      tokenRequest({ grant_type: 'client_credentials', scope: 'read' }),
    );
    const said = await bodyOf(server, requested(body['access_token']));
    expect(said).toMatchObject({ active: true, client_id: 'web', sub: 'web' });
    expect(said).not.toHaveProperty('username');
  });

  it('omits iat if the time of issue was not stored', async () => {
    const model = new MemoryStore({ clients, users });
    const plain = new OAuth2Server({ model });
    const { body } = await runOperation(
      plain,
      'token',
      tokenRequest({ grant_type: 'client_credentials', scope: 'read' }),
    );
    const said = await bodyOf(serverOf(model), requested(body['access_token']));
    expect(said).toMatchObject({ active: true, iss: ISSUER });
    expect(said).not.toHaveProperty('iat');
  });
});
