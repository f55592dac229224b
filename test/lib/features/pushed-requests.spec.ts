import { EventEmitter } from 'node:events';

import { describe, expect, it, jest } from '@jest/globals';
import { pushedRequests, type PushedRequestOptions, resourceIndicators, type Feature } from 'nest-oauth2/features';
import { AccessDeniedError, type Client, OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { callEndpoint } from '../../support/clients/call-endpoint.js';
import { ALICE, CALLBACK, OTHER_CALLBACK, SECRET, SPA, WEB } from '../../support/models/model.js';
import {
  runOperation,
  basic,
  CHALLENGE,
  FORM,
  formRequest,
  type Outcome,
  signedIn,
  tokenRequest,
  VERIFIER,
} from '../../support/clients/requests.js';

type Parameters = Record<string, unknown>;

const STRICT: Client = { ...WEB, id: 'strict', requirePushedAuthorizationRequests: true };

/** Creates a store whose methods a test can replace, and a server with it. */
function make(options: PushedRequestOptions = {}, more: object = {}, features: Feature[] = []) {
  const known = { secret: SECRET, scopes: ['read', 'write'] };
  const clients = [
    { ...WEB, ...known },
    { ...STRICT, ...known },
    { ...SPA, scopes: ['read'] },
    { id: 'machine', grants: ['client_credentials'], ...known },
  ];
  const store = new MemoryStore({ clients, users: { findByCredentials: () => null, findById: () => ALICE } });
  const server = new OAuth2Server({
    model: store,
    features: [pushedRequests(options), ...features],
    ...signedIn,
    ...more,
  });
  return { store, server };
}

const ASKED = { response_type: 'code', client_id: 'web', redirect_uri: CALLBACK, scope: 'read', state: 'xyz' };

const push = (server: OAuth2Server, parameters: Parameters = {}, changes: object = {}) =>
  callEndpoint(server, 'pushed_authorization_request', tokenRequest({ ...ASKED, ...parameters }, changes));

/** Pushes a valid request and returns its request_uri. */
async function pushed(server: OAuth2Server, parameters: Parameters = {}): Promise<string> {
  const { status, body } = await push(server, parameters);
  expect([status, body['error_description']]).toEqual([201, undefined]);
  return String(body['request_uri']);
}

/** Sends an authorization request with `client_id`, `request_uri` and the given parameters. */
const visit = (server: OAuth2Server, request_uri: unknown, more: Parameters = {}) =>
  runOperation(
    server,
    'authorize',
    new Request({ method: 'GET', headers: {}, query: { client_id: 'web', request_uri, ...more } }),
  );

const shown = ({ status, body, redirected }: Outcome) => ({ status, ...body, redirected });
/** The error is shown in the browser, without a redirect to the client. */
const NO_SUCH = {
  status: 400,
  error: 'invalid_request',
  error_description: 'Invalid request: `request_uri` is unknown, expired or already used',
  redirected: {},
};
const said = (error: string, error_description: string, status = 400) => ({
  status,
  body: { error, error_description },
});

describe('the pushed authorization request endpoint (RFC 9126)', () => {
  it('responds with 429 to too many requests of public clients from one network', async () => {
    const { server } = make({ rate: { requests: 2, per: 60 } });
    const { state: _, ...rest } = ASKED;
    const sent = { ...rest, client_id: SPA.id, code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const statuses = [];
    for (const ip of ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1', '192.0.2.2']) {
      const request = formRequest({ ...sent, redirect_uri: SPA.redirectUris![0]! });
      statuses.push(
        (await callEndpoint(server, 'pushed_authorization_request', Object.assign(request, { native: { ip } }))).status,
      );
    }
    expect(statuses).toEqual([201, 201, 429, 201]);
  });

  it('responds with 429 to too many requests of a dynamically registered client, but not of other confidential clients', async () => {
    const { server, store } = make({ rate: { requests: 2, per: 60 } });
    await store.createClient({ ...WEB, id: 'dcr_web', secret: SECRET, scopes: ['read'] });
    const statuses = async (client_id: string) => {
      const seen = [];
      for (let count = 0; count < 3; count += 1) {
        const request = formRequest({ ...ASKED, client_id, client_secret: SECRET });
        const native = { ip: '192.0.2.1' };
        seen.push(
          (await callEndpoint(server, 'pushed_authorization_request', Object.assign(request, { native }))).status,
        );
      }
      return seen;
    };
    expect(await statuses('dcr_web')).toEqual([201, 201, 429]);
    expect(await statuses('web')).toEqual([201, 201, 201]);
  });

  it('returns a request_uri that cannot be guessed, with its lifetime', async () => {
    const { server } = make();
    const { status, headers, body } = await push(server);
    expect({ status, body }).toEqual({
      status: 201,
      body: { request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\da-f]{64}$/), expires_in: 60 },
    });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(await pushed(server)).not.toBe(body['request_uri']);
  });

  it('stores all parameters except client credentials', async () => {
    const { server, store } = make();
    const proof = { client_secret: SECRET, client_assertion: 'x', client_assertion_type: 'y' };
    const more = { resource: ['https://a.example/', 'https://b.example/'], login_hint: 'alice', prompt: '' };
    const request = formRequest({ ...ASKED, ...proof, ...more });
    const { body } = await callEndpoint(server, 'pushed_authorization_request', request);
    const found = await store.getPushedRequest(String(body['request_uri']));
    expect(found?.parameters).toEqual({ ...ASKED, resource: more.resource, login_hint: 'alice' });
    expect(found?.clientId).toBe('web');
  });

  it.each<[string, Parameters, ReturnType<typeof said>]>([
    ['a missing client_id', { client_id: undefined }, said('invalid_request', 'Missing parameter: `client_id`')],
    [
      'a client_id other than that of the authenticated client',
      { client_id: 'spa' },
      said('invalid_request', 'Invalid request: `client_id` does not match the authorization header'),
    ],
    [
      'a request_uri',
      { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
      said('invalid_request', 'Invalid request: the parameter `request_uri` cannot be pushed'),
    ],
    [
      'a missing response_type',
      { response_type: undefined },
      said('invalid_request', 'Missing parameter: `response_type`'),
    ],
    [
      'an unknown response_type',
      { response_type: 'x' },
      said('unsupported_response_type', 'Unsupported response type: `response_type` is not supported'),
    ],
    [
      'a redirect_uri that is not registered',
      { redirect_uri: 'https://evil.example/' },
      said('invalid_request', 'Invalid request: `redirect_uri` does not match client value'),
    ],
    [
      'a missing redirect_uri if several are registered',
      { redirect_uri: undefined },
      said('invalid_request', 'Missing parameter: `redirect_uri`'),
    ],
    ['a missing state', { state: undefined }, said('invalid_request', 'Missing parameter: `state`')],
    [
      'a scope that the client may not request',
      { scope: 'admin' },
      said('invalid_scope', 'Invalid scope: Requested scope is invalid'),
    ],
    [
      'a malformed code_challenge',
      { code_challenge: 'x' },
      said('invalid_request', 'Invalid parameter: `code_challenge`'),
    ],
    ['a repeated parameter', { state: ['a', 'b'] }, said('invalid_request', 'Repeated parameter: `state`')],
    [
      'a parameter that is not a string',
      { login_hint: { a: 1 } },
      said('invalid_request', 'Invalid parameter: `login_hint`'),
    ],
    [
      'more than 16384 characters',
      { claims: 'x'.repeat(20_000) },
      said('invalid_request', 'Invalid request: it is longer than 16384 characters', 413),
    ],
  ])('rejects %s with a JSON error, and stores nothing', async (_, parameters, wanted) => {
    const { server, store } = make();
    const save = jest.spyOn(store, 'savePushedRequest');
    const { status, headers, body } = await push(server, parameters);
    expect({ status, body }).toEqual(wanted);
    expect(headers['location']).toBeUndefined();
    expect(save).not.toHaveBeenCalled();
  });

  it.each<[string, Request, ReturnType<typeof said>]>([
    [
      'JSON content',
      tokenRequest(ASKED, { headers: { 'content-type': 'application/json' } }),
      said('invalid_request', 'Invalid request: content must be application/x-www-form-urlencoded'),
    ],
    [
      'the method GET',
      tokenRequest(ASKED, { method: 'GET' }),
      said('invalid_request', 'Invalid request: method must be POST'),
    ],
    [
      'a wrong client secret',
      formRequest({ ...ASKED, client_secret: 'wrong' }),
      said('invalid_client', 'Invalid client: client is invalid', 401),
    ],
    [
      'a missing client secret',
      formRequest(ASKED),
      said('invalid_client', 'Invalid client: cannot retrieve client credentials', 401),
    ],
    [
      'a client without redirect URIs',
      formRequest({ ...ASKED, client_id: 'machine', client_secret: SECRET, redirect_uri: undefined }),
      said('invalid_request', 'Invalid request: this client has no registered `redirect_uri`'),
    ],
    [
      'a public client without a code_challenge',
      formRequest({ ...ASKED, client_id: 'spa', redirect_uri: 'https://spa.example/cb' }),
      said('invalid_request', 'Missing parameter: `code_challenge`'),
    ],
  ])('rejects %s, and stores nothing', async (_, request, wanted) => {
    const { server, store } = make();
    const save = jest.spyOn(store, 'savePushedRequest');
    const { status, body } = await callEndpoint(server, 'pushed_authorization_request', request);
    expect({ status, body }).toEqual(wanted);
    expect(save).not.toHaveBeenCalled();
  });

  it('accepts requests of public clients', async () => {
    const { server } = make();
    const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const requested = { ...ASKED, client_id: 'spa', redirect_uri: 'https://spa.example/cb', ...challenge };
    const { status, body } = await callEndpoint(server, 'pushed_authorization_request', formRequest(requested));
    expect(status).toBe(201);
    expect(await visit(server, body['request_uri'], { client_id: 'spa' })).toMatchObject({ status: 302 });
  });

  it('requires no secret if `requireClientAuthentication` does not require it for codes', async () => {
    const lenient = { requireClientAuthentication: { authorization_code: false } };
    const request = () => formRequest(ASKED);
    expect(await callEndpoint(make({}, lenient).server, 'pushed_authorization_request', request())).toMatchObject({
      status: 201,
    });
    const other = { requireClientAuthentication: { password: false } };
    const excused = formRequest({ ...ASKED, grant_type: 'password' });
    expect(await callEndpoint(make({}, other).server, 'pushed_authorization_request', excused)).toMatchObject({
      status: 401,
    });
  });

  it('rejects a client without an id', async () => {
    const { server, store } = make();
    const save = jest.spyOn(store, 'savePushedRequest');
    const nameless = { ...WEB, id: undefined, scopes: ['read'] };
    store.getClient = () => Promise.resolve(nameless as never);
    expect(await push(server)).toMatchObject({
      status: 400,
      body: { error_description: 'Invalid request: `client_id` belongs to another client' },
    });
    expect(save).not.toHaveBeenCalled();
  });

  it('lets other features validate the request', async () => {
    const indicators = resourceIndicators({ resources: ['https://a.example/'] });
    const { server } = make({}, {}, [indicators]);
    expect(await push(server, { resource: 'https://b.example/' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_target' },
    });
    expect(await push(server, { resource: 'https://a.example/' })).toMatchObject({ status: 201 });
  });

  it('accepts requests only from the configured origins that belong to the client', async () => {
    const { server } = make({}, { cors: { origins: ['https://app.example', 'https://other.example'] } });
    const from = (origin: string) =>
      push(server, {}, { headers: { ...FORM, authorization: basic('web', SECRET), origin } });
    const { status, headers } = await from('https://app.example');
    expect([status, headers['access-control-allow-origin']]).toEqual([201, 'https://app.example']);
    expect(await from('https://other.example')).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('emits one event if it rejects a request', async () => {
    const heard: [string, object][] = [];
    const events = { emit: (name: string, payload: object) => heard.push([name, payload]) };
    const { server } = make({}, { events });
    await push(server, { redirect_uri: 'https://evil.example/' });
    const reason = 'redirect URI is not registered for the client';
    const facts = { endpoint: 'pushed_authorization_request', clientId: 'web', error: 'invalid_request', reason };
    expect(heard.slice(1)).toEqual([['endpoint.refused', expect.objectContaining(facts)]]);
  });

  it('responds with 503, without details, if the request cannot be stored', async () => {
    const { server, store } = make();
    store.savePushedRequest = () => Promise.reject(new Error('secret'));
    const { status, body } = await push(server);
    expect([status, body['error'], JSON.stringify(body).includes('secret')]).toEqual([503, 'server_error', false]);
  });
});

describe('an authorization request with a request_uri', () => {
  it('uses the pushed parameters only, and ignores those in the URL', async () => {
    const { server, store } = make();
    const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const request_uri = await pushed(server, { redirect_uri: OTHER_CALLBACK, scope: 'read write', ...challenge });
    const more = {
      redirect_uri: CALLBACK,
      scope: 'admin',
      state: 'abc',
      response_type: 'token',
      response_mode: 'fragment',
    };
    const { response, redirected } = await visit(server, request_uri, more);
    expect(response.get('location')).toMatch(/^https:\/\/app\.example\/other\?x=1&code=/);
    expect(redirected).toMatchObject({ state: 'xyz', code: expect.any(String) });
    const code = await store.getAuthorizationCode(String(redirected['code']));
    expect(code).toMatchObject({ scope: 'read write', redirectUri: OTHER_CALLBACK, codeChallenge: CHALLENGE });
    const redeemed = { grant_type: 'authorization_code', code: redirected['code'], redirect_uri: OTHER_CALLBACK };
    const tokens = await runOperation(server, 'token', tokenRequest({ ...redeemed, code_verifier: VERIFIER }));
    expect(tokens).toMatchObject({ status: 200, body: { scope: 'read write' } });
  });

  it('can be sent as a form', async () => {
    const { server } = make();
    const body = { client_id: 'web', request_uri: await pushed(server) };
    const request = new Request({ method: 'POST', headers: {}, query: {}, body });
    expect(await runOperation(server, 'authorize', request)).toMatchObject({ status: 302 });
  });

  it('returns request_uri_not_supported to the client if the request_uri is an https URL', async () => {
    const { server } = make();
    const requested = { ...ASKED, client_id: 'web' };
    expect(shown(await visit(server, 'https://app.example/request.jwt', requested))).toMatchObject({
      status: 302,
      redirected: { error: 'request_uri_not_supported', state: 'xyz' },
    });
  });

  it.each<[string, (uri: string) => [unknown, Parameters?]]>([
    ['that is unknown', (uri) => [`${uri.slice(0, -1)}${uri.endsWith('0') ? '1' : '0'}`]],
    ['in upper case', (uri) => [uri.toUpperCase()]],
    ['that only begins like a pushed one', () => ['urn:ietf:params:oauth:request_uri:https://app.example/request.jwt']],
    ['of another client', (uri) => [uri, { client_id: 'strict' }]],
    ['of an unknown client', (uri) => [uri, { client_id: 'nobody' }]],
  ])('causes an error in the browser for a request_uri %s', async (_, bring) => {
    const { server } = make();
    const request_uri = await pushed(server);
    const [uri, more] = bring(request_uri);
    expect(shown(await visit(server, uri, { ...ASKED, client_id: 'web', ...more }))).toEqual(NO_SUCH);
    expect(await visit(server, request_uri)).toMatchObject({ status: 302 });
  });

  it('needs a single request_uri and a client_id', async () => {
    const { server } = make();
    const request_uri = await pushed(server);
    const twice = await visit(server, [request_uri, request_uri]);
    expect(shown(twice)).toMatchObject({ status: 400, error_description: 'Repeated parameter: `request_uri`' });
    const nobody = await visit(server, request_uri, { client_id: undefined });
    expect(shown(nobody)).toMatchObject({ status: 400, error_description: 'Missing parameter: `client_id`' });
  });

  it('cannot use a request_uri again after a code was issued', async () => {
    const { server } = make();
    const request_uri = await pushed(server);
    expect((await visit(server, request_uri)).redirected).toHaveProperty('code');
    expect(shown(await visit(server, request_uri))).toEqual(NO_SUCH);
  });

  it('cannot use a request_uri again after the user denied access', async () => {
    const { server } = make();
    const request_uri = await pushed(server);
    expect((await visit(server, request_uri, { allowed: 'false' })).redirected).toMatchObject({
      error: 'access_denied',
    });
    expect(shown(await visit(server, request_uri))).toEqual(NO_SUCH);
  });

  it('issues one code to concurrent requests', async () => {
    const { server, store } = make();
    const save = jest.spyOn(store, 'saveAuthorizationCode');
    const request_uri = await pushed(server);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => visit(server, request_uri)));
    expect(outcomes.filter(({ status }) => status === 302)).toHaveLength(1);
    expect(outcomes.filter(({ status, body }) => status === 400 && body['error'] === 'invalid_request')).toHaveLength(
      19,
    );
    expect(save).toHaveBeenCalledTimes(1);
  });

  it('issues one code even if the request is open in several browser pages', async () => {
    const { server } = make();
    const request_uri = await pushed(server);
    const read = () =>
      server.readAuthorizationRequest(
        new Request({ method: 'GET', headers: {}, query: { client_id: 'web', request_uri } }),
        new Response(),
      );
    const [first, second, third] = [await read(), await read(), await read()];
    expect(first).toMatchObject({ requestedScope: 'read', redirectUri: CALLBACK, state: 'xyz' });
    const response = new Response();
    await server.decide(first, { user: ALICE }, response);
    expect(response.get('location')).toContain('code=');
    for (const [late, decision] of [
      [second, { user: ALICE }],
      [third, { error: new AccessDeniedError('No') }],
    ] as const) {
      const refused = new Response();
      await expect(server.decide(late, decision, refused)).rejects.toMatchObject({ name: 'invalid_request' });
      expect([refused.status, refused.get('location')]).toEqual([400, undefined]);
    }
  });

  it('is validated again, with the current permissions of the client', async () => {
    const { server, store } = make();
    const request_uri = await pushed(server, { scope: 'read write' });
    store.validateClientScope = () => false;
    store.validateScope = () => Promise.resolve(false);
    expect((await visit(server, request_uri)).redirected).toMatchObject({ error: 'invalid_scope', state: 'xyz' });
  });

  it('cannot use a request_uri that was pushed to another issuer', async () => {
    const { server, store } = make({}, { issuer: 'https://one.example' });
    const request_uri = await pushed(server);
    const other = new OAuth2Server({
      model: store,
      features: [pushedRequests()],
      issuer: 'https://two.example',
      ...signedIn,
    });
    expect(shown(await visit(other, request_uri))).toEqual(NO_SUCH);
    expect(await visit(server, request_uri)).toMatchObject({ status: 302, redirected: { iss: 'https://one.example' } });
  });
});

describe('the lifetime of a request_uri', () => {
  /** Runs a test with a fake clock. */
  async function byClock(run: (pass: (seconds: number) => void) => Promise<void>): Promise<void> {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    try {
      await run((seconds) => jest.setSystemTime(Date.now() + seconds * 1000));
    } finally {
      jest.useRealTimers();
    }
  }
  const read = (server: OAuth2Server, request_uri: string) =>
    server.readAuthorizationRequest(
      new Request({ method: 'GET', headers: {}, query: { client_id: 'web', request_uri } }),
      new Response(),
    );

  it('ends if the browser does not use it, and cannot be extended afterwards', () =>
    byClock(async (pass) => {
      const { server } = make();
      const request_uri = await pushed(server);
      pass(61);
      expect(shown(await visit(server, request_uri))).toEqual(NO_SUCH);
      expect(shown(await visit(server, request_uri))).toEqual(NO_SUCH);
    }));

  it('is extended for the login once the browser has used it', () =>
    byClock(async (pass) => {
      const { server } = make();
      const request_uri = await pushed(server);
      pass(59);
      expect(await read(server, request_uri)).toMatchObject({ requestedScope: 'read' });
      pass(1790);
      expect(await read(server, request_uri)).toMatchObject({ requestedScope: 'read' });
      expect((await visit(server, request_uri)).redirected).toHaveProperty('code');
      expect(shown(await visit(server, request_uri))).toEqual(NO_SUCH);
    }));

  it('ends within 31 minutes by default, even if the browser has used it', () =>
    byClock(async (pass) => {
      const { server } = make();
      const request_uri = await pushed(server);
      await read(server, request_uri);
      pass(60 + 1800 + 1);
      expect(shown(await visit(server, request_uri))).toEqual(NO_SUCH);
    }));

  it('is set by the options `lifetime` and `interactionLifetime`', () =>
    byClock(async (pass) => {
      const { server } = make({ lifetime: 5, interactionLifetime: 10 });
      const { body } = await push(server);
      expect(body['expires_in']).toBe(5);
      await read(server, String(body['request_uri']));
      pass(14);
      await read(server, String(body['request_uri']));
      pass(2);
      await expect(read(server, String(body['request_uri']))).rejects.toMatchObject({ name: 'invalid_request' });
    }));

  it('is not extended by a request of another client', () =>
    byClock(async (pass) => {
      const { server } = make();
      const request_uri = await pushed(server);
      await visit(server, request_uri, { client_id: 'strict' });
      pass(61);
      expect(shown(await visit(server, request_uri))).toEqual(NO_SUCH);
    }));
});

describe('an authorization request that was not pushed', () => {
  const plain = (server: OAuth2Server, more: Parameters = {}) =>
    runOperation(server, 'authorize', new Request({ method: 'GET', headers: {}, query: { ...ASKED, ...more } }));
  const MUST = {
    error: 'invalid_request',
    error_description: 'Invalid request: authorization requests must be pushed (RFC 9126)',
  };

  it('is accepted unless the client must push its requests', async () => {
    const { server } = make();
    expect((await plain(server)).redirected).toHaveProperty('code');
    expect((await plain(server, { request_uri: '' })).redirected).toHaveProperty('code');
    expect((await plain(server, { client_id: 'strict' })).redirected).toMatchObject({ ...MUST, state: 'xyz' });
  });

  it('is rejected if the option `required` is true', async () => {
    const { server } = make({ required: true });
    for (const client_id of ['web', 'strict']) {
      expect((await plain(server, { client_id })).redirected).toMatchObject({ ...MUST, state: 'xyz' });
    }
    expect((await visit(server, await pushed(server))).redirected).toHaveProperty('code');
  });

  it('can be pushed by a client that must push its requests', async () => {
    const { server } = make();
    const requested = { ...ASKED, client_id: 'strict', client_secret: SECRET };
    const { body } = await callEndpoint(server, 'pushed_authorization_request', formRequest(requested));
    expect((await visit(server, body['request_uri'], { client_id: 'strict' })).redirected).toHaveProperty('code');
  });
});

describe('pushedRequests()', () => {
  const started = (options: object, model: object = make().store) => {
    try {
      return void new OAuth2Server({ model: model as never, features: [pushedRequests(options)] });
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    [
      'a misspelled option',
      { lifetimes: 60 },
      'unknown option `lifetimes` of `pushedRequests()`: the options are `required`, `lifetime`, `interactionLifetime` and `rate`. Did you mean `lifetime`?',
    ],
    [
      'a lifetime of 0 seconds',
      { lifetime: 0 },
      '`lifetime` of `pushedRequests()` must be a number of seconds, from 1 to 86400. Got 0',
    ],
    [
      'a lifetime that is a string',
      { lifetime: '60' },
      "`lifetime` of `pushedRequests()` must be a number of seconds, from 1 to 86400. Got '60'",
    ],
    [
      'an infinite lifetime of the interaction',
      { interactionLifetime: Infinity },
      '`interactionLifetime` of `pushedRequests()` must be a number of seconds, from 1 to 86400. Got Infinity',
    ],
  ])('rejects %s', (_, options, wanted) => {
    expect(started(options)).toBe(`Invalid argument: ${wanted}`);
  });

  it('rejects a model that lacks a required method', () => {
    const { savePushedRequest, getPushedRequest, revokePushedRequest, once, getClient, saveToken } = make().store;
    const model = { savePushedRequest, getPushedRequest, revokePushedRequest, once, getClient, saveToken };
    expect(started({}, model)).toBeUndefined();
    for (const name of ['savePushedRequest', 'getPushedRequest', 'revokePushedRequest', 'once']) {
      expect(started({}, { ...model, [name]: undefined })).toBe(
        `Invalid argument: the model lacks \`${name}()\`, which \`pushedRequests()\` needs: implement it, or leave the feature out`,
      );
    }
    const emitter = Object.assign(new EventEmitter(), { ...model, once: EventEmitter.prototype.once });
    expect(started({}, emitter)).toMatch(/requires a model with `once\(\)`/);
  });

  it('declares in the metadata whether requests must be pushed', () => {
    const metadata = (options: PushedRequestOptions) => {
      const server = new OAuth2Server({ model: make().store, features: [pushedRequests(options)] });
      return server.context.installed.find(({ feature }) => feature.id === 'pushedRequests')!.parts.metadata!(
        undefined,
      );
    };
    expect(metadata({})).toEqual({ require_pushed_authorization_requests: false });
    expect(metadata({ required: true })).toEqual({ require_pushed_authorization_requests: true });
  });
});
