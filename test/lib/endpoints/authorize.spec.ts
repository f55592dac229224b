import { describe, expect, it } from '@jest/globals';
import { OAuth2Server, ServerError } from 'nest-oauth2/server';

import { addAccessToken, ALICE, CALLBACK, createHost, type Host, OTHER_CALLBACK, WEB } from '../../support/model.js';
import { answer, authorizeRequest, resourceRequest, signedIn, summary } from '../../support/requests.js';

const authorize = (query: object = {}, host: Host = createHost(), options: object = signedIn) =>
  answer(host, 'authorize', authorizeRequest({ ...query }), options);

describe('an authorization request', () => {
  it('is answered by a redirect with a code, and resolves to what saveAuthorizationCode returned', async () => {
    const host = createHost();
    const { result, status, headers, body } = await authorize({}, host);
    const code = result?.['authorizationCode'] as string;
    expect(result).toBe(host.codes.get(code));
    expect({ status, headers, body }).toEqual({
      status: 302,
      headers: { location: `${CALLBACK}?code=${code}&state=xyz`, 'cache-control': 'no-store' },
      body: {},
    });
    expect(host.calls).toEqual([
      ['getClient', 'web', null],
      ['validateScope', ALICE, WEB, 'read'],
      [
        'saveAuthorizationCode',
        { authorizationCode: code, expiresAt: expect.any(Date), redirectUri: CALLBACK, scope: 'read' },
        WEB,
        ALICE,
      ],
    ]);
    expect(code).toMatch(/^[0-9a-f]{64}$/);
  });

  it('may have its parameters in the body, which are read before those of the query', async () => {
    const query = { client_id: 'who', state: 'query' };
    const body = { client_id: 'web', response_type: 'code', redirect_uri: OTHER_CALLBACK, state: 'body' };
    const request = authorizeRequest(query, { method: 'POST', body });
    const { redirected, headers } = await answer(createHost(), 'authorize', request, signedIn);
    expect([redirected['state'], headers['location']?.startsWith(`${OTHER_CALLBACK}&code=`)]).toEqual(['body', true]);
  });

  it('finds in the query what is empty in the body', async () => {
    const request = authorizeRequest({}, { method: 'POST', body: { client_id: '', state: '', scope: null } });
    expect((await answer(createHost(), 'authorize', request, signedIn)).redirected['state']).toBe('xyz');
  });

  it('is answered at the first registered redirect URI when it names none, which is then not saved', async () => {
    const { headers, result } = await authorize({ redirect_uri: undefined });
    expect(headers['location']).toMatch(/^https:\/\/app\.example\/cb\?code=/);
    expect(result).not.toHaveProperty('redirectUri');
  });

  it('takes the code of the model, and that of saveAuthorizationCode over it', async () => {
    const generateAuthorizationCode = () => 'mine';
    expect((await authorize({}, createHost({ generateAuthorizationCode }))).redirected['code']).toBe('mine');
    const saveAuthorizationCode = () => ({ authorizationCode: 'saved as' });
    const host = createHost({ generateAuthorizationCode, saveAuthorizationCode });
    expect((await authorize({}, host)).headers['location']).toBe(`${CALLBACK}?code=saved%20as&state=xyz`);
    expect((await authorize({}, createHost({ generateAuthorizationCode: () => '' }))).redirected['code']).toHaveLength(
      64,
    );
  });
});

describe('an authorization request that must not be redirected', () => {
  const withClient = (client: object) => {
    const host = createHost();
    host.clients.set('web', { ...WEB, ...client });
    return host;
  };
  const NOT_A_URI = 'invalid_request: Invalid request: `redirect_uri` is not a valid URI';
  const MISMATCH = 'invalid_client: Invalid client: `redirect_uri` does not match client value';
  const NO_URI = 'invalid_client: Invalid client: missing client `redirectUri`';
  const NO_GRANTS = 'invalid_client: Invalid client: missing client `grants`';

  it.each<[string, object, string, Host?]>([
    ['no client_id', { client_id: undefined }, 'invalid_request: Missing parameter: `client_id`'],
    ['an empty client_id', { client_id: '' }, 'invalid_request: Missing parameter: `client_id`'],
    ['a client_id of forbidden characters', { client_id: 'wéb' }, 'invalid_request: Invalid parameter: `client_id`'],
    ['two client_ids', { client_id: ['web', 'web'] }, 'invalid_request: Repeated parameter: `client_id`'],
    ['an unknown client', { client_id: 'who' }, 'invalid_client: Invalid client: client credentials are invalid'],
    ['a redirect URI that is none', { redirect_uri: 'nowhere' }, NOT_A_URI],
    ['a relative redirect URI', { redirect_uri: '/cb' }, NOT_A_URI],
    ['a redirect URI with a fragment', { redirect_uri: `${CALLBACK}#x` }, NOT_A_URI],
    ['a redirect URI that is a script', { redirect_uri: 'javascript:alert(1)' }, NOT_A_URI],
    ['a redirect URI that is none, of an unknown client', { redirect_uri: 'nowhere', client_id: 'who' }, NOT_A_URI],
    [
      'two redirect URIs',
      { redirect_uri: [CALLBACK, CALLBACK] },
      'invalid_request: Repeated parameter: `redirect_uri`',
    ],
    ['another redirect URI', { redirect_uri: 'https://evil.example/cb' }, MISMATCH],
    ['a longer redirect URI', { redirect_uri: `${CALLBACK}/` }, MISMATCH],
    ['a client without grants', {}, NO_GRANTS, withClient({ grants: undefined })],
    ['a client whose grants are a text', {}, NO_GRANTS, withClient({ grants: 'authorization_code' })],
    ['a client without redirect URIs', {}, NO_URI, withClient({ redirectUris: undefined })],
    ['a client with an empty list of them', {}, NO_URI, withClient({ redirectUris: [] })],
    ['a client with a text for a list', {}, NO_URI, withClient({ redirectUris: CALLBACK })],
    ['a client with nothing but a script', {}, MISMATCH, withClient({ redirectUris: ['javascript:alert(1)'] })],
    [
      'that client without a redirect URI',
      { redirect_uri: undefined },
      NO_URI,
      withClient({ redirectUris: ['javascript:alert(1)'] }),
    ],
  ])('for %s', async (_, query, expected, host = createHost()) => {
    const { error, status, headers, body } = await authorize(query, host);
    const [code, ...description] = expected.split(': ');
    expect(summary(error)).toBe(`400 ${expected}`);
    expect({ status, headers, body }).toEqual({
      status: 400,
      headers: { 'cache-control': 'no-store' },
      body: { error: code, error_description: description.join(': ') },
    });
  });

  it('for a failure of getClient, of which nothing is told', async () => {
    const host = createHost({ getClient: () => Promise.reject(new Error('password=x')) });
    const { error, status, headers, body } = await authorize({}, host);
    expect([error?.name, error?.inner?.message, status, headers['location']]).toEqual([
      'server_error',
      'password=x',
      503,
      undefined,
    ]);
    expect(body).toEqual({
      error: 'server_error',
      error_description: 'Server error: the request could not be handled',
    });
  });

  it.each([
    [{ authenticateHandler: {} }, {}, 'authenticateHandler does not implement `handle()`'],
    [{}, { getAccessToken: undefined }, 'model does not implement `getAccessToken()`'],
    [signedIn, { getClient: undefined }, 'model does not implement `getClient()`'],
    [signedIn, { saveAuthorizationCode: undefined }, 'model does not implement `saveAuthorizationCode()`'],
  ])('for a server set up with %j and %j', async (options, overrides, what) => {
    const { error, response } = await authorize({ client_id: undefined }, createHost(overrides), options);
    expect(summary(error)).toBe(`500 invalid_argument: Invalid argument: ${what}`);
    expect(response).toMatchObject({ status: 200, headers: {}, body: {} });
  });

  it.each([
    [0, 'Missing parameter: `authorizationCodeLifetime`'],
    ['soon', 'Invalid parameter: `authorizationCodeLifetime`'],
  ])('for a code lifetime of %j', async (authorizationCodeLifetime, message) => {
    const { error, status } = await authorize({}, createHost(), { ...signedIn, authorizationCodeLifetime });
    expect([summary(error), status]).toEqual([`500 invalid_argument: ${message}`, 200]);
  });

  it('for wrappers that are none', async () => {
    const server = new OAuth2Server({ model: createHost().model, ...signedIn });
    await expect(server.authorize({} as never, {} as never)).rejects.toThrow(
      '`request` must be an instance of Request',
    );
    await expect(server.authorize(authorizeRequest(), {} as never)).rejects.toThrow(
      '`response` must be an instance of',
    );
  });
});

describe('the user of an authorization request', () => {
  it('is found by the authenticate handler, which keeps its this and is given the wrappers', async () => {
    const handler = {
      user: { id: 'bob' },
      handle(request: unknown, response: unknown) {
        return request === asked && response !== undefined ? this.user : null;
      },
    };
    const asked = authorizeRequest();
    const { result } = await answer(createHost(), 'authorize', asked, { authenticateHandler: handler });
    expect(result?.['user']).toBe(handler.user);
  });

  it.each([null, undefined, false, 0, ''])(
    'is demanded: a handler that returns %j is a fault, told to nobody else',
    async (user) => {
      const { error, status, headers, body } = await authorize({}, createHost(), {
        authenticateHandler: { handle: () => user },
      });
      const message = 'Server error: `handle()` did not return a `user` object';
      expect(error).toBeInstanceOf(ServerError);
      expect(summary(error)).toBe(`503 server_error: ${message}`);
      expect({ status, location: headers['location'], body }).toEqual({
        status: 503,
        location: undefined,
        body: { error: 'server_error', error_description: message },
      });
    },
  );

  it('is nobody when the handler fails, of which nothing is told', async () => {
    const failing = { authenticateHandler: { handle: () => Promise.reject(new Error('secret')) } };
    const { error, body } = await authorize({}, createHost(), failing);
    expect([error?.name, JSON.stringify(body).includes('secret')]).toEqual(['server_error', false]);
  });

  it('is not looked for when the request cannot be answered', async () => {
    let asked = 0;
    const counting = { authenticateHandler: { handle: () => ++asked } };
    await authorize({ client_id: 'who' }, createHost(), counting);
    await authorize({ redirect_uri: 'https://evil.example/' }, createHost(), counting);
    await authorize({ response_type: 'token' }, createHost(), counting);
    expect(asked).toBe(0);
  });

  it('may be sent by the handler to a login page, which is then the answer', async () => {
    const handle = (_: unknown, response: { redirect(url: string): void }) =>
      response.redirect('https://as.example/login');
    const { error, status, headers, body } = await authorize({}, createHost(), { authenticateHandler: { handle } });
    expect([error?.name, status, headers, body]).toEqual([
      'server_error',
      302,
      { location: 'https://as.example/login' },
      {},
    ]);
  });

  it('is that of the bearer token of the request where there is no handler', async () => {
    const host = createHost();
    addAccessToken(host, { user: { id: 'carol' } });
    const { headers } = resourceRequest();
    const { result } = await answer(host, 'authorize', authorizeRequest({}, { headers }), {});
    expect(result?.['user']).toEqual({ id: 'carol' });
  });

  it.each([
    [{}, 401, 'unauthorized_request: Unauthorized request: no authentication given', 'Bearer realm="Service"'],
    [
      { authorization: 'Bearer bad' },
      401,
      'invalid_token: Invalid token: access token is invalid',
      'Bearer realm="Service",error="invalid_token"',
    ],
  ])('is nobody with the headers %j, which is told to the user', async (given, code, expected, challenge) => {
    const { error, status, headers, body } = await answer(
      createHost(),
      'authorize',
      authorizeRequest({}, { headers: given }),
      {},
    );
    expect(summary(error)).toBe(`${code} ${expected}`);
    expect({ status, headers }).toEqual({
      status: code,
      headers: { 'www-authenticate': challenge, 'cache-control': 'no-store' },
    });
    expect(`${String(body['error'])}: ${String(body['error_description'])}`).toBe(expected);
  });
});
