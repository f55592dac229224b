import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IntrospectedTokens, type IntrospectedTokensOptions } from 'nest-oauth2/features';
import { InvalidArgumentError, isClientItself, OAuth2Server, type OAuthError } from 'nest-oauth2/server';

import { IntrospectionServer, json, WELL_KNOWN } from '../../../support/servers/introspection-server.js';
import { runOperation, basic, resourceRequest } from '../../../support/clients/requests.js';

const remote = new IntrospectionServer();
const credentials = { id: 'notes-api', secret: 'api-secret' };
const soon = () => Math.floor(Date.now() / 1000) + 600;
const active = (members: object = {}) => ({ active: true, client_id: 'web', sub: 'alice', exp: soon(), ...members });

const modelOf = (options: Partial<IntrospectedTokensOptions> = {}) =>
  new IntrospectedTokens({ issuer: remote.url, credentials, audience: null, ...options });

/** Sends a request with a token to an API that introspects it at the remote server. */
const call = (model: IntrospectedTokens, token = 'token', scope?: string) =>
  runOperation(new OAuth2Server({ model }), 'authenticate', resourceRequest(`Bearer ${token}`), scope ? { scope } : {});

const requested = () => remote.requestsTo('/introspect');

/** The response to a request whose token cannot be verified at the moment. */
const LATER = { status: 503, error: { name: 'temporarily_unavailable', message: expect.any(String) } };
const reasonOf = (error: OAuthError | undefined) => error?.inner?.message;

let warnings: jest.SpiedFunction<typeof process.emitWarning>;

beforeAll(() => remote.start());
afterAll(() => remote.stop());
beforeEach(() => {
  remote.reset(active());
  warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});
afterEach(() => {
  jest.useRealTimers();
  warnings.mockRestore();
});

describe('IntrospectedTokens with an active token', () => {
  it('returns the token with all members of the introspection response', async () => {
    const exp = soon();
    const said = { scope: 'read write', username: 'Alice', aud: ['api'], iss: remote.url, act: { sub: 'bot' }, iat: 1 };
    remote.reset(active({ ...said, exp, token_type: 'Bearer' }));
    const { status, result } = await call(modelOf(), 'abc', 'read');
    expect(status).toBe(200);
    expect(result).toEqual({
      ...said,
      accessToken: 'abc',
      accessTokenExpiresAt: new Date(exp * 1000),
      client: { id: 'web', grants: [] },
      client_id: 'web',
      exp,
      resource: ['api'],
      sub: 'alice',
      token_type: 'Bearer',
      user: { id: 'alice', username: 'Alice' },
    });
  });

  it('rejects the token if its scope is insufficient', async () => {
    remote.reset(active({ scope: 'read' }));
    expect(await call(modelOf(), 'abc', 'write')).toMatchObject({ status: 403, error: { name: 'insufficient_scope' } });
    remote.reset(active());
    expect(await call(modelOf(), 'abc', 'read')).toMatchObject({ status: 403, error: { name: 'insufficient_scope' } });
  });

  it.each([
    ['a user by its `sub`', { sub: 'alice' }, false, 'alice'],
    ['a user without `sub` by its name and without an id', { sub: undefined, username: 'alice' }, false, undefined],
    ['a client that is its own subject as a client', { sub: 'web' }, true, 'oauth2:client:web'],
    ['a client without a subject as a client', { sub: undefined }, true, 'oauth2:client:web'],
    [
      'no user for a token without subject and client',
      { sub: undefined, client_id: undefined },
      true,
      'oauth2:client:',
    ],
    ['a client whose subject is null as a client', { sub: null, username: null }, true, 'oauth2:client:web'],
  ])('derives the user from `sub`, `username` and `client_id`, and returns %s', async (_, members, isClient, id) => {
    remote.reset(active(members));
    const { result } = await call(modelOf());
    expect(isClientItself(result!['user'] as object)).toBe(isClient);
    expect((result!['user'] as { id?: string }).id).toBe(id);
  });

  it('returns an expiry in one minute if the token has none', async () => {
    remote.reset(active({ exp: undefined }));
    const { result } = await call(modelOf());
    const left = (result!['accessTokenExpiresAt'] as Date).getTime() - Date.now();
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  it('is not affected by changes of the application to the returned token', async () => {
    const model = modelOf();
    const { result } = await call(model);
    Object.assign(result!, { scope: 'admin' });
    Object.assign(result!['user'] as object, { id: 'mallory' });
    expect(await call(model)).toMatchObject({ result: { user: { id: 'alice' } } });
    expect(await call(model, 'token', 'admin')).toMatchObject({ status: 403 });
  });
});

describe('IntrospectedTokens', () => {
  const audience = 'https://api.example';
  const rules: [string, object, Partial<IntrospectedTokensOptions>, string][] = [
    ['that is not active', { active: false }, {}, 'access token is invalid'],
    ['that has expired', { exp: soon() - 3600 }, {}, 'access token has expired'],
    ['whose expiry is not a valid date', { exp: -1e300 }, {}, 'access token has expired'],
    ['of another issuer', { iss: 'https://other.example' }, {}, 'it was issued by another issuer'],
    ['for another resource', { aud: 'https://other.example' }, { audience }, 'it is not intended for this resource'],
    [
      'for several other resources',
      { aud: ['a', 'https://api.example/v1', 'https://api.example.com'] },
      { audience },
      'it is not intended for this resource',
    ],
    ['for no resource', {}, { audience: [audience] }, 'it is not intended for this resource'],
    ['of another type', { token_type: 'MAC' }, {}, 'its token type is not accepted'],
    ['of the type DPoP that is not sender-constrained', { token_type: 'DPoP' }, {}, 'its token type is not accepted'],
    [
      'that is a refresh token according to `token_use`',
      { token_use: 'refresh_token' },
      {},
      'it is not an access token',
    ],
    ['that is a refresh token according to `typ`', { typ: 'Offline' }, {}, 'it is not an access token'],
  ];
  it.each(rules)(
    'rejects with invalid_token, after a single introspection request, a token %s',
    async (_, members, options, reason) => {
      remote.reset(active(members));
      const model = modelOf(options);
      const refused = { status: 401, error: { name: 'invalid_token', message: `Invalid token: ${reason}` } };
      const first = await call(model);
      expect(first).toMatchObject(refused);
      expect(first.headers['www-authenticate']).toBe('Bearer realm="Service",error="invalid_token"');
      // The result is cached, so that a made-up token causes only one introspection request.
      expect(await call(model)).toMatchObject(refused);
      expect(requested()).toHaveLength(1);
    },
  );

  it('emits an event with the reason if it rejects a token', async () => {
    remote.reset(active({ aud: 'https://other.example' }));
    const heard: unknown[] = [];
    const events = { emit: (name: string, payload: object) => heard.push({ name, ...payload }) };
    const server = new OAuth2Server({ model: modelOf({ audience }), events });
    await runOperation(server, 'authenticate', resourceRequest());
    const reason = {
      reason: 'token is not intended for this resource',
      expected: audience,
      given: 'https://other.example',
    };
    expect(heard).toMatchObject([{ name: 'access.refused', error: 'invalid_token', ...reason }]);
  });

  it.each([
    ['for this and another resource', { aud: ['x', audience] }, { audience }],
    ['for this resource in another spelling', { aud: 'HTTPS://api.example/' }, { audience }],
    ['for one of several names of this resource', { aud: audience }, { audience: ['https://old.example', audience] }],
    ['that is called an access token', { token_use: 'access_token', typ: 'Bearer' }, {}],
    ['with its type in lower case', { token_type: 'bearer' }, {}],
    ['for any resource if no `audience` is set', { aud: 'x' }, {}],
  ])('accepts an active token %s', async (_, members, options) => {
    remote.reset(active(members));
    expect(await call(modelOf(options))).toMatchObject({ status: 200 });
  });
});

describe('IntrospectedTokens responds with 503 if the authorization server', () => {
  const replies: [string, Parameters<typeof json> | undefined, string][] = [
    ['responds with 500', [{ error: 'oops' }, 500], 'the status 500'],
    ['responds with 429', [{}, 429, { 'retry-after': '17' }], 'the status 429'],
    ['redirects', [{}, 307, { location: '/elsewhere' }], 'the status 307'],
    ['redirects with 302', [{}, 302, { location: '/elsewhere' }], 'the status 302'],
    ['responds with 404', [{}, 404], 'the status 404'],
    ['sends no content', ['', 200], 'content that is not JSON'],
    ['sends incomplete JSON', ['{"active":tr', 200], 'content that is not JSON'],
    [
      'sends a content type other than JSON',
      ['{"active":true}', 200, { 'content-type': 'text/html' }],
      'content that is not JSON',
    ],
    ['sends a list', [[{ active: true }]], 'the body is not an object'],
    ['sends null', ['null'], 'the body is not an object'],
    ['sends `active` as a string', [{ active: 'true' }], '`active` is not a boolean'],
    ['omits `active`', [{ sub: 'alice' }], '`active` is not a boolean'],
    ['sends an expiry that is not a number', [{ active: true, exp: '99999999999' }], '`exp` has the wrong type'],
    ['sends an invalid scope', [{ active: true, scope: { read: true } }], '`scope` has the wrong type'],
    ['sends a subject that is not a string', [{ active: true, sub: 7 }], '`sub` has the wrong type'],
    ['sends an invalid audience', [{ active: true, aud: [7] }], '`aud` has the wrong type'],
    ['sends too much content', [{ active: true, sub: 'a'.repeat(70_000) }], 'larger than 65536 bytes'],
  ];
  it.each(replies)(
    'sends an unusable introspection response, and does not cache the failure: %s',
    async (_, reply, reason) => {
      const model = modelOf();
      remote.replies['/introspect'] = json(...reply!);
      const failed = await call(model);
      expect(failed).toMatchObject(LATER);
      expect(failed.headers).toEqual({ 'retry-after': reason.endsWith('429') ? '17' : '1' });
      expect(reasonOf(failed.error)).toContain(reason);
      expect(reasonOf(failed.error)).not.toContain('token=');
      expect(remote.requestsTo('/elsewhere')).toEqual([]);

      // The failure is not cached.
      remote.replies['/introspect'] = json(active());
      expect(await call(model)).toMatchObject({ status: 200 });
    },
  );

  it.each([
    ['sends nothing but headers', () => undefined],
    [
      'stops in the middle of its content',
      (response: { write(text: string): unknown }) => response.write('{"active":'),
    ],
  ])('does not complete its introspection response within the timeout: %s', async (_, hang) => {
    remote.replies['/introspect'] = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      hang(response);
    };
    const failed = await call(modelOf({ timeout: 0.1 }));
    expect(failed).toMatchObject(LATER);
    expect(failed.headers).toEqual({ 'retry-after': '1' });
    expect(reasonOf(failed.error)).toBe('The authorization server did not respond within 0.1 s');
  });

  it('never responds to introspection or discovery', async () => {
    remote.replies['/introspect'] = () => undefined;
    expect(await call(modelOf({ timeout: 0.1 }))).toMatchObject(LATER);
    remote.replies[WELL_KNOWN] = () => undefined;
    expect(await call(modelOf({ timeout: 0.1 }))).toMatchObject(LATER);
  });

  it('closes the connection before or during its response', async () => {
    remote.replies['/introspect'] = (response) => response.socket!.destroy();
    expect(await call(modelOf())).toMatchObject(LATER);
    // The server may have closed a connection that is reused. The request is repeated once.
    expect(requested()).toHaveLength(2);
    remote.replies['/introspect'] = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"active":true', () => response.socket!.destroy());
    };
    expect(await call(modelOf())).toMatchObject(LATER);
  });

  it('is down, and accepts tokens again when it is back', async () => {
    const model = modelOf();
    const apart = modelOf({ introspectionEndpoint: `${remote.url}/introspect` });
    await remote.stop();
    for (const one of [model, apart]) {
      const failed = await call(one);
      expect(failed).toMatchObject(LATER);
      expect(reasonOf(failed.error)).toContain('ECONNREFUSED');
    }
    await remote.start();
    for (const one of [model, apart]) expect(await call(one)).toMatchObject({ status: 200 });
    expect(warnings).not.toHaveBeenCalled();
  });

  it.each([
    [400, { error: 'invalid_client' }, '400 invalid_client'],
    [401, { error: 'invalid_client' }, '401 invalid_client'],
    [401, 'no JSON', '401'],
    [403, { error: '<script>' }, '403'],
  ])('rejects the credentials of the API with %d and %j, and emits one warning', async (status, body, said) => {
    const model = modelOf();
    remote.replies['/introspect'] = json(body, status);
    for (const token of ['one', 'other']) {
      const failed = await call(model, token);
      expect(failed).toMatchObject(LATER);
      expect(failed.headers).toEqual({ 'retry-after': '30' });
    }
    const sentence = `${remote.url}/introspect rejected the client \`notes-api\` (${said}): verify that it is registered there with this secret and may introspect tokens`;
    expect(warnings.mock.calls).toEqual([[`nest-oauth2: ${sentence}`]]);

    remote.replies['/introspect'] = json(active());
    expect(await call(model, 'one')).toMatchObject({ status: 200 });
  });
});

describe('client authentication of IntrospectedTokens', () => {
  const secret = 'a:b c%20+é/';
  const encoded = 'a%3Ab+c%2520%2B%C3%A9%2F';
  it.each([
    ['form-encoded by default', {}, {}],
    ['if the metadata allows it', {}, { introspection_endpoint_auth_methods_supported: ['x', 'client_secret_basic'] }],
    [
      'if the option `method` requires it',
      { method: 'client_secret_basic' as const },
      { introspection_endpoint_auth_methods_supported: ['client_secret_post'] },
    ],
  ])('sends the credentials in the Authorization header by client_secret_basic: %s', async (_, how, metadata) => {
    remote.reset(active(), metadata);
    await call(modelOf({ credentials: { id: 'an api', secret, ...how } }), 'a+b/c==');
    expect(requested()).toMatchObject([
      {
        method: 'POST',
        headers: {
          accept: 'application/json',
          authorization: basic('an+api', encoded),
          'content-type': 'application/x-www-form-urlencoded',
        },
        form: { token: 'a+b/c==', token_type_hint: 'access_token' },
      },
    ]);
    expect(Object.keys(requested()[0]!.form)).toEqual(['token', 'token_type_hint']);
  });

  it.each([
    ['of the introspection endpoint', { introspection_endpoint_auth_methods_supported: ['client_secret_post'] }],
    ['of the token endpoint', { token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_post'] }],
  ])(
    'sends the credentials in the form by client_secret_post if the authentication methods %s require it',
    async (_, metadata) => {
      remote.reset(active(), metadata);
      await call(modelOf({ credentials: { id: 'an api', secret } }));
      expect(requested()[0]!.headers.authorization).toBeUndefined();
      expect(requested()[0]!.form).toMatchObject({ client_id: 'an api', client_secret: secret, token: 'token' });
    },
  );
});

describe('options of IntrospectedTokens', () => {
  const issuer = 'https://id.example';
  it.each([
    ['requires the `issuer` of the authorization server', { issuer: undefined }],
    [
      'unknown option `audiences` of IntrospectedTokens: the options are `issuer`,',
      { audiences: ['https://api.example'] },
    ],
    ['unknown option `ttl` of `cache` of IntrospectedTokens: the options are `lifetime`', { cache: { ttl: 5 } }],
    [
      'unknown option `clientId` of `credentials` of IntrospectedTokens: the options are `id`, `secret` and `method`',
      { credentials: { ...credentials, clientId: 'api' } },
    ],
    [
      "`issuer` of IntrospectedTokens must be an https URL (http only for this machine). Got 'http://id.example'",
      { issuer: 'http://id.example' },
    ],
    [
      "`introspectionEndpoint` of IntrospectedTokens must be an https URL (http only for this machine). Got '/x'",
      { introspectionEndpoint: '/x' },
    ],
    ['`issuer` of IntrospectedTokens must have no query and no fragment', { issuer: 'https://id.example?x' }],
    ['requires `credentials`', { credentials: undefined }],
    ['`credentials` of IntrospectedTokens requires `secret`', { credentials: { id: 'api', secret: undefined } }],
    [
      "must be 'client_secret_basic' or 'client_secret_post'",
      { credentials: { ...credentials, method: 'private_key_jwt' } },
    ],
    ['IntrospectedTokens requires `audience`: the resource URI of this API', { audience: undefined }],
    ['An empty list would accept every token', { audience: [] }],
    ['An empty list would accept every token', { audience: '' }],
    ['`timeout` of IntrospectedTokens must be a number of seconds above 0', { timeout: 0 }],
    ['`lifetime` in `cache` of IntrospectedTokens must be a number of seconds', { cache: { lifetime: '30' } }],
    ['`size` in `cache` of IntrospectedTokens must be a whole number above 0', { cache: { size: 1.5 } }],
    ['`concurrency` of IntrospectedTokens must be a whole number above 0', { concurrency: Infinity }],
  ])('are rejected with an error: %s', (sentence, options) => {
    const make = () => new IntrospectedTokens({ issuer, credentials, audience: null, ...options } as never);
    expect(make).toThrow(InvalidArgumentError);
    expect(make).toThrow(sentence);
  });
});
