import { EventEmitter } from 'node:events';

import { describe, expect, it, jest } from '@jest/globals';
import type { EventSink, OAuth2Events, Request } from 'nest-oauth2/server';

import {
  addAccessToken,
  addCode,
  addRefreshToken,
  CALLBACK,
  createTestModel,
  earlier,
  type TestModel,
  OTHER_CALLBACK,
  SECRET,
  SPA,
  WEB,
} from '../../support/models/model.js';
import {
  runOperation,
  authorizeRequest,
  basic,
  FORM,
  formRequest,
  type Operation,
  resourceRequest,
  signedIn,
  tokenRequest,
} from '../../support/clients/requests.js';

type Told = [name: string, payload: object];

/** Returns the events of one request. */
async function reported(testModel: TestModel, operation: Operation, request: Request, options = {}): Promise<Told[]> {
  const events: Told[] = [];
  await runOperation(testModel, operation, request, {
    ...options,
    events: { emit: (...event: Told) => events.push(event) },
  });
  return events;
}

const PASSWORD = { grant_type: 'password', username: 'alice', password: 'wonderland' };
const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
const REFRESH = { grant_type: 'refresh_token', refresh_token: 'refresh' };
const families = { revokeGrant: () => true };

function fullHost(): TestModel {
  const testModel = createTestModel(families);
  testModel.clients.set('web', { ...WEB, grants: [...WEB.grants, 'implicit'] });
  addAccessToken(testModel, { grantId: 'g' });
  addCode(testModel, { grantId: 'g' });
  addRefreshToken(testModel, { grantId: 'g' });
  return testModel;
}

const AUTHENTICATED: Told = [
  'client.authenticated',
  { at: expect.any(Date), endpoint: 'token', clientId: 'web', method: 'client_secret_basic' },
];

describe('events of granted requests', () => {
  const facts = { at: expect.any(Date), clientId: 'web', userId: 'alice', grantId: expect.any(String) };

  it.each<[string, Operation, Request, object, Told[]]>([
    [
      'an authorization code',
      'authorize',
      authorizeRequest(),
      signedIn,
      [
        ['authorization.granted', { endpoint: 'authorize', ...facts, responseType: 'code', scope: 'read' }],
        ['code.issued', { endpoint: 'authorize', ...facts, responseType: 'code', scope: 'read' }],
      ],
    ],
    [
      'an access token of the implicit grant',
      'authorize',
      authorizeRequest({ response_type: 'token' }),
      signedIn,
      [
        ['authorization.granted', { endpoint: 'authorize', ...facts, responseType: 'token', scope: 'read' }],
        ['token.issued', { endpoint: 'authorize', ...facts, responseType: 'token', scope: 'read' }],
      ],
    ],
    [
      'a token issued for an authorization code',
      'token',
      tokenRequest(CODE),
      {},
      [
        AUTHENTICATED,
        ['token.issued', { endpoint: 'token', ...facts, grantType: 'authorization_code', scope: 'read' }],
      ],
    ],
    [
      'a token issued for a password',
      'token',
      tokenRequest({ ...PASSWORD, scope: 'write' }),
      {},
      [AUTHENTICATED, ['token.issued', { endpoint: 'token', ...facts, grantType: 'password', scope: 'write' }]],
    ],
    [
      'a refreshed token',
      'token',
      tokenRequest(REFRESH),
      {},
      [
        AUTHENTICATED,
        ['token.refreshed', { endpoint: 'token', ...facts, grantType: 'refresh_token', scope: 'read write' }],
      ],
    ],
    ['no event if a guarded request is accepted', 'authenticate', resourceRequest(), {}, []],
  ])('contain client, user, scope and grant: %s', async (_name, operation, request, options, events) => {
    expect(await reported(fullHost(), operation, request, options)).toEqual(events);
  });
});

describe('events of refused requests', () => {
  const when = earlier(60);
  const withCode = (properties: object) => (testModel: TestModel) =>
    addCode(testModel, { grantId: 'g', ...properties });
  const withToken = (properties: object) => (testModel: TestModel) => addAccessToken(testModel, properties);
  const nothing = () => undefined;

  it.each<[string, (testModel: TestModel) => unknown, Operation, Request, object, keyof OAuth2Events, object]>([
    [
      'a client without its secret',
      nothing,
      'token',
      formRequest({ ...PASSWORD, client_id: 'web' }),
      {},
      'client.refused',
      {
        endpoint: 'token',
        clientId: 'web',
        error: 'invalid_client',
        reason: 'client must authenticate, but sent no credentials',
      },
    ],
    [
      'an unknown client',
      nothing,
      'token',
      formRequest(PASSWORD, { headers: { ...FORM, authorization: basic('who', 'x') } }),
      {},
      'client.refused',
      { clientId: 'who', status: 401, reason: 'no client with this `client_id` exists' },
    ],
    [
      'a client credentials token for a public client',
      (testModel) => testModel.clients.set('spa', { ...SPA, grants: ['client_credentials'] }),
      'token',
      formRequest({ grant_type: 'client_credentials', client_id: 'spa' }),
      {},
      'token.refused',
      {
        clientId: 'spa',
        grantType: 'client_credentials',
        error: 'unauthorized_client',
        reason: 'client is public, and grant_type=client_credentials requires client authentication',
      },
    ],
    [
      'a grant type that the client may not use',
      (testModel) => testModel.clients.set('web', { ...WEB, grants: ['refresh_token'] }),
      'token',
      tokenRequest(PASSWORD),
      {},
      'token.refused',
      {
        clientId: 'web',
        grantType: 'password',
        error: 'unauthorized_client',
        reason: 'client is not allowed to use the requested grant type',
        expected: ['refresh_token'],
        given: 'password',
      },
    ],
    [
      'an unsupported grant type',
      nothing,
      'token',
      tokenRequest({ grant_type: 'telepathy' }),
      {},
      'token.refused',
      { expected: ['authorization_code', 'client_credentials', 'password', 'refresh_token'], given: 'telepathy' },
    ],
    [
      'an expired authorization code',
      withCode({ expiresAt: when }),
      'token',
      tokenRequest(CODE),
      {},
      'token.refused',
      { error: 'invalid_grant', reason: 'authorization code has expired', given: when },
    ],
    [
      'an authorization code of another client',
      withCode({ client: { ...WEB, id: 'other' } }),
      'token',
      tokenRequest(CODE),
      {},
      'token.refused',
      { reason: 'authorization code was issued to another client', expected: 'other', given: 'web' },
    ],
    [
      'an authorization code with another redirect URI',
      withCode({}),
      'token',
      tokenRequest({ ...CODE, redirect_uri: OTHER_CALLBACK }),
      {},
      'token.refused',
      {
        reason: '`redirect_uri` differs from the one in the authorization request',
        expected: CALLBACK,
        given: OTHER_CALLBACK,
      },
    ],
    [
      'a refresh for a wider scope than granted',
      (testModel) => addRefreshToken(testModel, { scope: 'read' }),
      'token',
      tokenRequest({ ...REFRESH, scope: 'read write' }),
      {},
      'token.refused',
      { error: 'invalid_scope', expected: 'read', given: 'read write' },
    ],
    [
      'a scope that the model does not grant',
      nothing,
      'token',
      tokenRequest({ ...PASSWORD, scope: 'admin' }),
      {},
      'token.refused',
      { error: 'invalid_scope', scope: 'admin', reason: '`validateScope()` did not grant the scope', given: 'admin' },
    ],
    [
      'an unregistered redirect URI',
      nothing,
      'authorize',
      authorizeRequest({ redirect_uri: 'https://evil.example/' }),
      signedIn,
      'authorization.refused',
      {
        endpoint: 'authorize',
        clientId: 'web',
        error: 'invalid_client',
        reason: 'redirect URI is not registered for the client',
        expected: [CALLBACK, OTHER_CALLBACK],
        given: 'https://evil.example/',
      },
    ],
    [
      'a user who denies access',
      nothing,
      'authorize',
      authorizeRequest({ allowed: 'false' }),
      signedIn,
      'consent.denied',
      { clientId: 'web', error: 'access_denied', responseType: 'code', scope: 'read' },
    ],
    [
      'a request without a token',
      nothing,
      'authenticate',
      resourceRequest(null),
      { scope: 'read' },
      'access.refused',
      { endpoint: 'resource', error: 'unauthorized_request', status: 401, scope: 'read' },
    ],
    [
      'a request of a public client without code_challenge',
      nothing,
      'authorize',
      authorizeRequest({ client_id: 'spa', redirect_uri: 'https://spa.example/cb' }),
      signedIn,
      'authorization.refused',
      {
        clientId: 'spa',
        reason: 'the option `requirePKCE` requires a code challenge from this client',
        expected: 'public',
      },
    ],
    [
      'a request without state and code_challenge',
      nothing,
      'authorize',
      authorizeRequest({ state: undefined }),
      signedIn,
      'authorization.refused',
      { reason: '`state` is missing, and neither PKCE nor the option `allowEmptyState` makes it optional' },
    ],
    [
      'an unsupported response type',
      nothing,
      'authorize',
      authorizeRequest({ response_type: 'id_token' }),
      signedIn,
      'authorization.refused',
      { reason: 'response type is not supported', expected: ['code', 'token'], given: 'id_token' },
    ],
    [
      'a client credentials request of a public client',
      nothing,
      'token',
      formRequest({ grant_type: 'client_credentials', client_id: 'spa' }),
      {},
      'token.refused',
      { clientId: 'spa', reason: 'client is public, and grant_type=client_credentials requires client authentication' },
    ],
    [
      'an unknown access token',
      nothing,
      'authenticate',
      resourceRequest('Bearer other'),
      {},
      'access.refused',
      { error: 'invalid_token', reason: '`getAccessToken()` returned no token' },
    ],
    [
      'an expired access token',
      withToken({ accessTokenExpiresAt: when }),
      'authenticate',
      resourceRequest(),
      {},
      'access.refused',
      { clientId: 'web', userId: 'alice', error: 'invalid_token', reason: 'access token has expired', given: when },
    ],
    [
      'an access token without the required scope',
      withToken({ scope: 'read' }),
      'authenticate',
      resourceRequest(),
      { scope: 'read write' },
      'access.refused',
      {
        status: 403,
        reason: 'access token lacks the scope that the route requires',
        expected: 'read write',
        given: 'read',
      },
    ],
  ])('contain reason and compared values: %s', async (_name, prepare, operation, request, options, name, payload) => {
    const testModel = createTestModel(families);
    prepare(testModel);
    const events = await reported(testModel, operation, request, options);
    const refusals = events.filter(([heard]) => heard !== 'client.authenticated');
    expect(refusals).toEqual([[name, expect.objectContaining({ at: expect.any(Date), ...payload })]]);
  });

  it('have details that neither the response nor a serialized error contains', async () => {
    const testModel = createTestModel();
    const { error, body } = await runOperation(testModel, 'token', tokenRequest({ grant_type: 'telepathy' }));
    expect(body).toEqual({
      error: 'unsupported_grant_type',
      error_description: 'Unsupported grant type: `grant_type` is invalid',
    });
    expect(JSON.stringify(Object.entries(error!))).not.toContain('telepathy');
  });

  it('are not emitted for server errors caused by the model', async () => {
    const getClient = () => Promise.reject(new Error('down'));
    expect(await reported(createTestModel({ getClient }), 'token', tokenRequest(PASSWORD))).toEqual([]);
    const getAccessToken = () => Promise.reject(new Error('down'));
    expect(await reported(createTestModel({ getAccessToken }), 'authenticate', resourceRequest())).toEqual([]);
  });
});

describe('an event without listener', () => {
  it('is not created if `wants()` of the sink returns false', async () => {
    const wants = jest.fn((name: string) => name === 'token.refused');
    const emit = jest.fn<EventSink['emit']>();
    await runOperation(fullHost(), 'token', tokenRequest(PASSWORD), { events: { emit, wants } });
    await runOperation(createTestModel(), 'token', tokenRequest({ grant_type: 'telepathy' }), {
      events: { emit, wants },
    });
    const proven = 'client.authenticated';
    expect(wants.mock.calls.flat()).toEqual([proven, 'token.issued', proven, 'token.refused']);
    expect(emit.mock.calls.map(([name]) => name)).toEqual(['token.refused']);
  });

  it('has no payload created if an EventEmitter of Node has no listener for it', async () => {
    const events = new EventEmitter();
    const read = jest.fn(() => 'web');
    const client = Object.defineProperty({ ...WEB }, 'id', { get: read, enumerable: true });
    const testModel = createTestModel({ getClient: (_: string, secret: string) => secret === SECRET && client });
    await runOperation(testModel, 'token', tokenRequest(PASSWORD), { events });
    const unheard = read.mock.calls.length;
    events.on('token.issued', () => undefined);
    await runOperation(testModel, 'token', tokenRequest(PASSWORD), { events });
    expect(read.mock.calls.length - unheard).toBe(unheard + 1);
  });

  it('is still passed to an emitter that overrides emit()', async () => {
    class Own extends EventEmitter {
      readonly heard: string[] = [];
      override emit(name: string): boolean {
        this.heard.push(name);
        return true;
      }
    }
    const events = new Own();
    await runOperation(fullHost(), 'token', tokenRequest(PASSWORD), { events });
    expect(events.heard).toEqual(['client.authenticated', 'token.issued']);
  });
});
