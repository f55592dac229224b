import { describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';

import { CALLBACK, createTestModel, type TestModel, WEB } from '../../support/models/model.js';
import { runOperation, authorizeRequest, signedIn, summary } from '../../support/clients/requests.js';
import { withoutWarnings } from '../../support/environment/quiet.js';

const authorize = (query: object = {}, testModel: TestModel = createTestModel(), options: object = signedIn) =>
  runOperation(testModel, 'authorize', authorizeRequest({ ...query }), options);

withoutWarnings();

describe('an error of an authorization request that is not redirected', () => {
  const withClient = (client: object) => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, ...client });
    return testModel;
  };
  const NOT_A_URI = 'invalid_request: Invalid request: `redirect_uri` is not a valid URI';
  const MISMATCH = 'invalid_client: Invalid client: `redirect_uri` does not match client value';
  const NO_URI = 'invalid_client: Invalid client: this client has no registered `redirect_uri`';
  const NO_GRANTS = 'invalid_client: Invalid client: missing client `grants`';

  it.each<[string, object, string, TestModel?]>([
    ['no client_id', { client_id: undefined }, 'invalid_request: Missing parameter: `client_id`'],
    ['an empty client_id', { client_id: '' }, 'invalid_request: Missing parameter: `client_id`'],
    ['a client_id with forbidden characters', { client_id: 'wéb' }, 'invalid_request: Invalid parameter: `client_id`'],
    ['a repeated client_id', { client_id: ['web', 'web'] }, 'invalid_request: Repeated parameter: `client_id`'],
    [
      'an unknown client',
      { client_id: 'who' },
      'invalid_client: Invalid client: the `client_id` is unknown: send the ID of a client that this server has registered',
    ],
    ['a redirect URI that is not a URI', { redirect_uri: 'nowhere' }, NOT_A_URI],
    ['a relative redirect URI', { redirect_uri: '/cb' }, NOT_A_URI],
    ['a redirect URI with a fragment', { redirect_uri: `${CALLBACK}#x` }, NOT_A_URI],
    ['a redirect URI with the scheme javascript', { redirect_uri: 'javascript:alert(1)' }, NOT_A_URI],
    ['an invalid redirect URI of an unknown client', { redirect_uri: 'nowhere', client_id: 'who' }, NOT_A_URI],
    [
      'a repeated redirect_uri',
      { redirect_uri: [CALLBACK, CALLBACK] },
      'invalid_request: Repeated parameter: `redirect_uri`',
    ],
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.example/cb' }, MISMATCH],
    ['a redirect URI with an additional slash', { redirect_uri: `${CALLBACK}/` }, MISMATCH],
    ['a client without grants', {}, NO_GRANTS, withClient({ grants: undefined })],
    ['a client whose grants are a string', {}, NO_GRANTS, withClient({ grants: 'authorization_code' })],
    ['a client without redirect URIs', {}, NO_URI, withClient({ redirectUris: undefined })],
    ['a client with an empty list of redirect URIs', {}, NO_URI, withClient({ redirectUris: [] })],
    ['a client whose redirect URIs are a string', {}, NO_URI, withClient({ redirectUris: CALLBACK })],
    [
      'a client whose only redirect URI has the scheme javascript',
      {},
      MISMATCH,
      withClient({ redirectUris: ['javascript:alert(1)'] }),
    ],
    [
      'no redirect_uri, and a client whose only one has the scheme javascript',
      { redirect_uri: undefined },
      NO_URI,
      withClient({ redirectUris: ['javascript:alert(1)'] }),
    ],
  ])('is shown in the browser for %s', async (_, query, expected, testModel = createTestModel()) => {
    const { error, status, headers, body } = await authorize(query, testModel);
    const [code, ...description] = expected.split(': ');
    expect(summary(error)).toBe(`400 ${expected}`);
    expect({ status, headers, body }).toEqual({
      status: 400,
      headers: { 'cache-control': 'no-store' },
      body: { error: code, error_description: description.join(': ') },
    });
  });

  it('is shown in the browser without details if getClient() fails', async () => {
    const testModel = createTestModel({ getClient: () => Promise.reject(new Error('password=x')) });
    const { error, status, headers, body } = await authorize({}, testModel);
    expect([error?.name, error?.inner?.message, status, headers['location']]).toEqual([
      'server_error',
      'password=x',
      503,
      undefined,
    ]);
    expect(body).toEqual({
      error: 'server_error',
      error_description: 'Server error: the request could not be handled; the server log has the reason',
    });
  });

  it.each([
    [{ authenticateHandler: {} }, {}, 'authenticateHandler does not implement `handle()`'],
    [{}, { getAccessToken: undefined }, 'model does not implement `getAccessToken()`'],
    [signedIn, { getClient: undefined }, 'model does not implement `getClient()`'],
    [signedIn, { saveAuthorizationCode: undefined }, 'model does not implement `saveAuthorizationCode()`'],
  ])('is a generic 500 error for the options %p and the model %p', async (options, overrides, what) => {
    const { error, response } = await authorize({ client_id: undefined }, createTestModel(overrides), options);
    expect(summary(error)).toBe(`500 invalid_argument: Invalid argument: ${what}`);
    expect(response).toMatchObject({
      status: 500,
      body: {
        error: 'server_error',
        error_description: 'Server error: the request could not be handled; the server log has the reason',
      },
    });
  });

  it.each([
    [0, 'Missing parameter: `authorizationCodeLifetime`'],
    ['soon', 'Invalid parameter: `authorizationCodeLifetime`'],
  ])('is a 500 error for a code lifetime of %j', async (authorizationCodeLifetime, message) => {
    const { error, status } = await authorize({}, createTestModel(), { ...signedIn, authorizationCodeLifetime });
    expect([summary(error), status]).toEqual([`500 invalid_argument: ${message}`, 500]);
  });

  it('rejects the promise of authorize() if its arguments are not instances of Request and Response', async () => {
    const server = new OAuth2Server({ model: createTestModel().model, ...signedIn });
    await expect(server.authorize({} as never, {} as never)).rejects.toThrow(
      '`request` must be an instance of Request',
    );
    await expect(server.authorize(authorizeRequest(), {} as never)).rejects.toThrow(
      '`response` must be an instance of',
    );
  });
});
