import { describe, expect, it } from '@jest/globals';
import { type Request } from 'nest-oauth2/server';

import { addAccessToken, createTestModel, earlier, type TestModel } from '../../support/models/model.js';
import { runOperation, FORM, resourceRequest, summary } from '../../support/clients/requests.js';

const hostWithToken = (properties = {}, overrides = {}): TestModel => {
  const testModel = createTestModel(overrides);
  addAccessToken(testModel, properties);
  return testModel;
};
const inQuery = resourceRequest(null, { query: { access_token: 'access' } });
const inForm = (changes = {}) =>
  resourceRequest(null, { method: 'POST', headers: FORM, body: { access_token: 'access' }, ...changes });

describe('authenticate()', () => {
  const PLAIN = 'Bearer realm="Service"';
  const challenge = (code: string) => `${PLAIN},error="${code}"`;
  const malformed = 'Invalid request: malformed authorization header';
  const twice = 'Invalid request: only one authentication method is allowed';

  it.each<[string, Request, string]>([
    ['a token in header and query', resourceRequest('Bearer a', { query: { access_token: 'a' } }), twice],
    ['a token in header and body', inForm({ headers: { ...FORM, authorization: 'Bearer a' } }), twice],
    ['a token in query and body', inForm({ query: { access_token: 'access' } }), twice],
    ['another authentication scheme', resourceRequest('Basic YTpi'), malformed],
    ['the authentication scheme without a token', resourceRequest('Bearer'), malformed],
    ['another scheme with a bearer token in its value', resourceRequest('Digest Bearer access x'), malformed],
    ['a token of more than 64 KB', resourceRequest(`Bearer ${'a'.repeat(65_536)}`), malformed],
    ['text after the token', resourceRequest('Bearer access x'), malformed],
    ['characters that tokens must not contain', resourceRequest('Bearer äccess'), malformed],
    ['two Authorization headers', resourceRequest(['Bearer access', 'Bearer access']), malformed],
    ['a token in the query', inQuery, 'Invalid request: do not send bearer tokens in query URLs'],
    [
      'a token in the body of a GET request',
      inForm({ method: 'GET' }),
      'Invalid request: token may not be passed in the body when using the GET verb',
    ],
    [
      'a token in a body that is not a form',
      inForm({ headers: { 'content-type': 'application/json' } }),
      'Invalid request: content must be application/x-www-form-urlencoded',
    ],
    [
      'a repeated access_token parameter',
      inForm({ body: { access_token: ['a', 'a'] } }),
      'Repeated parameter: `access_token`',
    ],
    [
      'an access_token parameter that is not a string',
      inForm({ body: { access_token: { a: 1 } } }),
      'Invalid parameter: `access_token`',
    ],
  ])('rejects %s with 400 invalid_request', async (_, request, message) => {
    const { error, status, headers, body } = await runOperation(hostWithToken(), 'authenticate', request);
    expect(summary(error)).toBe(`400 invalid_request: ${message}`);
    expect({ status, headers, body }).toEqual({
      status: 400,
      headers: { 'www-authenticate': challenge('invalid_request') },
      body: {},
    });
  });

  it('rejects a request without token by a challenge without error code (RFC 6750 §3.1)', async () => {
    const { error, status, headers, body } = await runOperation(
      createTestModel(),
      'authenticate',
      resourceRequest(null),
    );
    expect(summary(error)).toBe('401 unauthorized_request: Unauthorized request: no authentication given');
    expect({ status, headers, body }).toEqual({ status: 401, headers: { 'www-authenticate': PLAIN }, body: {} });
  });

  const EXPIRED = '401 invalid_token: Invalid token: access token has expired';
  it.each<[string, TestModel, string]>([
    ['unknown to the model', createTestModel(), '401 invalid_token: Invalid token: access token is invalid'],
    ['expired', hostWithToken({ accessTokenExpiresAt: earlier() }), EXPIRED],
    [
      'expired because its expiry is an invalid Date',
      hostWithToken({ accessTokenExpiresAt: new Date(Number.NaN) }),
      EXPIRED,
    ],
  ])('rejects a token that is %s with 401 invalid_token', async (_, testModel, expected) => {
    const { error, status, headers } = await runOperation(testModel, 'authenticate', resourceRequest());
    expect(summary(error)).toBe(expected);
    expect({ status, headers }).toEqual({ status: 401, headers: { 'www-authenticate': challenge('invalid_token') } });
  });

  const ID_TOKEN = 'it is an ID token, and an access token is required';
  const jwt = (claims: unknown) => `eyJhIjoxfQ.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  it.each<[unknown, string]>([
    [{ aud: 'web', nonce: 'n' }, ID_TOKEN],
    [{ aud: 'web', sid: 's' }, ID_TOKEN],
    [{ aud: 'web' }, 'access token is invalid'],
    [{ nonce: 'n' }, 'access token is invalid'],
    [{ aud: 'web', nonce: 'n', scope: 'read' }, 'access token is invalid'],
    [{ aud: 'web', nonce: 'n', client_id: 'web' }, 'access token is invalid'],
    [null, 'access token is invalid'],
  ])('rejects an unknown JWT with the claims %j: %s', async (claims, message) => {
    const request = resourceRequest(`Bearer ${jwt(claims)}`);
    const { error } = await runOperation(createTestModel(), 'authenticate', request);
    expect(summary(error)).toBe(`401 invalid_token: Invalid token: ${message}`);
  });

  it.each<[string, unknown]>([
    ['a DPoP key', { jkt: 'x' }],
    ['a certificate', { 'x5t#S256': 'x' }],
    ['a key by an unknown confirmation method', { kid: 'x' }],
    ['something that is no object', 'x'],
    ['an empty confirmation', {}],
  ])('rejects a token bound to %s as a bearer token if no feature verifies it (RFC 7800 §3.1)', async (_, cnf) => {
    const { error, result } = await runOperation(hostWithToken({ cnf }), 'authenticate', resourceRequest());
    expect([error?.name, result]).toEqual(['invalid_token', undefined]);
  });

  it.each([undefined, null])('accepts a token as a bearer token if its `cnf` is %p', async (cnf) => {
    const { error } = await runOperation(hostWithToken({ cnf }), 'authenticate', resourceRequest());
    expect(error).toBeUndefined();
  });

  const NO_DATE = '503 server_error: Server error: `accessTokenExpiresAt` must be a Date instance';
  it.each<[string, TestModel, string]>([
    [
      'without a user',
      hostWithToken({ user: undefined }),
      '503 server_error: Server error: `getAccessToken()` did not return a `user` object',
    ],
    ['with an expiry that is a string', hostWithToken({ accessTokenExpiresAt: '2999' }), NO_DATE],
    ['without an expiry', hostWithToken({ accessTokenExpiresAt: undefined }), NO_DATE],
  ])('fails with 503 if getAccessToken() returns a token %s', async (_, testModel, expected) => {
    const { error, status, headers } = await runOperation(testModel, 'authenticate', resourceRequest());
    expect(summary(error)).toBe(expected);
    expect({ status, headers }).toEqual({ status: 503, headers: {} });
  });

  it('fails with 503 if the model throws, and keeps the original error in `inner`', async () => {
    const failure = new Error('SELECT * FROM tokens');
    const testModel = createTestModel({ getAccessToken: () => Promise.reject(failure) });
    const { error, status, headers } = await runOperation(testModel, 'authenticate', resourceRequest());
    expect(summary(error)).toBe(
      '503 server_error: Server error: the request could not be handled; the server log has the reason',
    );
    expect(error?.inner).toBe(failure);
    expect({ status, headers }).toEqual({ status: 503, headers: {} });
  });

  it('rejects an access_token that is only an inherited property of the query', async () => {
    const request = resourceRequest(null, {
      query: Object.create({ access_token: 'access' }) as Record<string, unknown>,
    });
    const { error } = await runOperation(hostWithToken(), 'authenticate', request, {
      allowBearerTokensInQueryString: true,
    });
    expect(summary(error)).toBe('400 invalid_request: Invalid parameter: `access_token`');
  });
});
