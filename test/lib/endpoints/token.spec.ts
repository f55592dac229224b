import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError, OAuth2Server } from 'nest-oauth2/server';

import { createTestModel, SPA, WEB } from '../../support/models/model.js';
import { runOperation, FORM, formRequest, summary, tokenRequest } from '../../support/clients/requests.js';

const GRANT = { grant_type: 'client_credentials' };
const UNCACHED = { 'cache-control': 'no-store', pragma: 'no-cache' };
const HIDDEN = {
  error: 'server_error',
  error_description: 'Server error: the request could not be handled; the server log has the reason',
};

describe('the token endpoint', () => {
  it('returns JSON with headers that forbid caching', async () => {
    const { result, status, headers, body } = await runOperation(createTestModel(), 'token', tokenRequest(GRANT));
    expect({ status, headers }).toEqual({ status: 200, headers: UNCACHED });
    expect(body['access_token']).toBe(result?.['accessToken']);
  });

  it.each([
    ['GET', 'method must be POST'],
    ['PUT', 'method must be POST'],
    [{}, 'method must be POST'],
  ])('rejects the HTTP method %j', async (method, reason) => {
    const request = tokenRequest(GRANT, { method: method as string });
    const { error, status, headers, body } = await runOperation(createTestModel(), 'token', request);
    expect(summary(error)).toBe(`400 invalid_request: Invalid request: ${reason}`);
    const said = { error: 'invalid_request', error_description: `Invalid request: ${reason}` };
    expect({ status, headers, body }).toEqual({ status: 400, headers: UNCACHED, body: said });
  });

  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', '', undefined, ['a']])(
    'rejects the content type %j',
    async (type) => {
      const { error } = await runOperation(
        createTestModel(),
        'token',
        formRequest(GRANT, { headers: { 'content-type': type } }),
      );
      expect(summary(error)).toBe(
        '400 invalid_request: Invalid request: content must be application/x-www-form-urlencoded',
      );
    },
  );

  it.each([
    ['post', FORM],
    ['POST', { 'content-type': 'Application/X-WWW-Form-URLencoded; charset=UTF-8' }],
  ])('accepts the HTTP method %s with the headers %j', async (method, headers) => {
    const credentials = { client_id: 'web', client_secret: 's3cret' };
    const request = formRequest({ ...GRANT, ...credentials }, { method, headers });
    expect((await runOperation(createTestModel(), 'token', request)).status).toBe(200);
  });
});

describe('the parameter `grant_type` of a token request', () => {
  it.each<[unknown, string]>([
    [undefined, 'invalid_request: Missing parameter: `grant_type`'],
    ['', 'invalid_request: Missing parameter: `grant_type`'],
    ['a b', 'invalid_request: Invalid parameter: `grant_type`'],
    ['pässword', 'invalid_request: Invalid parameter: `grant_type`'],
    [{ a: 1 }, 'invalid_request: Invalid parameter: `grant_type`'],
    [['password', 'password'], 'invalid_request: Repeated parameter: `grant_type`'],
    ['PASSWORD', 'unsupported_grant_type: Unsupported grant type: `grant_type` is invalid'],
    ['urn:example:none', 'unsupported_grant_type: Unsupported grant type: `grant_type` is invalid'],
    ['toString', 'unsupported_grant_type: Unsupported grant type: `grant_type` is invalid'],
    ['__proto__', 'unsupported_grant_type: Unsupported grant type: `grant_type` is invalid'],
    ['constructor', 'unsupported_grant_type: Unsupported grant type: `grant_type` is invalid'],
    ['implicit', 'unsupported_grant_type: Unsupported grant type: `grant_type` is invalid'],
  ])('with the value %j causes %s', async (grantType, expected) => {
    const { error, status, headers, body } = await runOperation(
      createTestModel(),
      'token',
      tokenRequest({ grant_type: grantType }),
    );
    expect(summary(error)).toBe(`400 ${expected}`);
    const [code, ...description] = expected.split(': ');
    const said = { error: code, error_description: description.join(': ') };
    expect({ status, headers, body }).toEqual({ status: 400, headers: UNCACHED, body: said });
  });

  it('causes unauthorized_client if the client may not use it', async () => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, grants: ['password'] });
    const { error, status, body } = await runOperation(testModel, 'token', tokenRequest(GRANT));
    expect(summary(error)).toBe(
      '400 unauthorized_client: Unauthorized client: this client is not allowed to use this `grant_type`: register the grant for it',
    );
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error: 'unauthorized_client',
        error_description:
          'Unauthorized client: this client is not allowed to use this `grant_type`: register the grant for it',
      },
    });
  });

  it('is validated after client authentication', async () => {
    const request = tokenRequest({}, { headers: { ...FORM, authorization: 'Basic eDp5' } });
    expect((await runOperation(createTestModel(), 'token', request)).error?.name).toBe('invalid_client');
  });

  it.each([
    ['authorization_code', ['getAuthorizationCode', 'revokeAuthorizationCode', 'saveToken']],
    ['client_credentials', ['getUserFromClient', 'saveToken']],
    ['password', ['getUser', 'saveToken']],
    ['refresh_token', ['getRefreshToken', 'revokeToken', 'saveToken']],
  ])(
    'with the value %s requires the model methods %j, without naming them to the client',
    async (grantType, methods) => {
      const missing: Record<string, undefined> = Object.fromEntries(methods.map((method) => [method, undefined]));
      for (const method of methods) {
        const request = tokenRequest({ grant_type: grantType });
        const { error, status, body } = await runOperation(createTestModel(missing), 'token', request);
        expect(summary(error)).toBe(`500 invalid_argument: Invalid argument: model does not implement \`${method}()\``);
        expect({ status, body }).toEqual({ status: 500, body: HIDDEN });
        delete missing[method];
      }
    },
  );
});

describe('an error of the token endpoint', () => {
  it.each([
    [{ accessTokenLifetime: 0 }, {}, 'Missing parameter: `accessTokenLifetime`'],
    [{ accessTokenLifetime: 'soon' }, {}, 'Invalid parameter: `accessTokenLifetime`'],
    [{ accessTokenLifetime: -1 }, {}, 'Invalid parameter: `accessTokenLifetime`'],
    [{ accessTokenLifetime: Number.POSITIVE_INFINITY }, {}, 'Invalid parameter: `accessTokenLifetime`'],
    [{ refreshTokenLifetime: null }, {}, 'Missing parameter: `refreshTokenLifetime`'],
    [{}, { getClient: undefined }, 'Invalid argument: model does not implement `getClient()`'],
  ])('does not reveal a misconfiguration: options %p, model %p', async (options, overrides, message) => {
    const { error, response } = await runOperation(createTestModel(overrides), 'token', tokenRequest(GRANT), options);
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error?.message).toBe(message);
    const body = {
      error: 'server_error',
      error_description: 'Server error: the request could not be handled; the server log has the reason',
    };
    expect(response).toMatchObject({ status: 500, body });
  });

  it('rejects the promise of token() if its arguments are not instances of Request and Response', async () => {
    const server = new OAuth2Server({ model: createTestModel().model });
    await expect(server.token({} as never, {} as never)).rejects.toThrow(
      'Invalid argument: `request` must be an instance of Request',
    );
    await expect(server.token(tokenRequest(GRANT), {} as never)).rejects.toThrow(
      'Invalid argument: `response` must be an instance of Response',
    );
  });

  it.each<[object, readonly string[]]>([
    [{}, SPA.grants],
    [{ client_secret: '' }, SPA.grants],
    [{}, ['client_credentials']],
  ])(
    'is unauthorized_client for client_credentials of a public client with %j and the grants %j',
    async (form, grants) => {
      const testModel = createTestModel();
      testModel.clients.set('spa', { ...SPA, grants });
      const { error, headers } = await runOperation(
        testModel,
        'token',
        formRequest({ ...GRANT, client_id: 'spa', ...form }),
      );
      expect(summary(error)).toBe(
        '400 unauthorized_client: Unauthorized client: a public client is not allowed to use this `grant_type`',
      );
      expect(headers['www-authenticate']).toBeUndefined();
    },
  );
});
