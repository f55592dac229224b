import { describe, expect, it } from '@jest/globals';
import { InvalidClientError, UnauthorizedClientError } from 'nest-oauth2/server';

import { createTestModel, SECRET, WEB } from '../../support/models/model.js';
import { runOperation, basic, FORM, formRequest, summary, tokenRequest } from '../../support/clients/requests.js';

const GRANT = { grant_type: 'password', username: 'alice', password: 'wonderland' };
const withHeader = (authorization: unknown, body = {}) =>
  tokenRequest({ ...GRANT, ...body }, { headers: { ...FORM, authorization } });
const inForm = (body: object, headers = {}) => formRequest({ ...GRANT, ...body }, { headers: { ...FORM, ...headers } });
const CHALLENGE = {
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'www-authenticate': 'Basic realm="Service", error="invalid_client"',
};

describe('client authentication', () => {
  it.each([
    ['in the Authorization header', withHeader(basic('web', SECRET))],
    [
      'in the Authorization header, with its scheme in any case',
      withHeader(basic('web', SECRET).replace('Basic', 'bAsIc')),
    ],
    [
      'in the Authorization header, with the same client_id in the form',
      withHeader(basic('web', SECRET), { client_id: 'web' }),
    ],
    ['in the Authorization header, form-encoded', withHeader(basic('w%65b', 's3cret'))],
    ['in the form', inForm({ client_id: 'web', client_secret: SECRET })],
    [
      'in the form, with an Authorization header of another scheme',
      inForm({ client_id: 'web', client_secret: SECRET }, { authorization: 'Bearer x' }),
    ],
  ])('accepts a client secret %s', async (_, request) => {
    const testModel = createTestModel();
    const { status } = await runOperation(testModel, 'token', request);
    expect(status).toBe(200);
    expect(testModel.calls[0]).toEqual(['getClient', 'web', SECRET]);
    expect(testModel.calls.filter(([method]) => method === 'getClient')).toHaveLength(1);
  });

  const UNKNOWN = 'Invalid client: client is invalid';
  const NOBODY = 'Invalid client: cannot retrieve client credentials';
  it.each([
    ['is unknown', withHeader(basic('who', 'x')), UNKNOWN],
    ['has a wrong secret in the header', withHeader(basic('web', 'wrong')), UNKNOWN],
    ['has a wrong secret in the form', inForm({ client_id: 'web', client_secret: 'wrong' }), UNKNOWN],
    [
      'has a wrong secret in the form and a bearer token in the header',
      inForm({ client_id: 'web', client_secret: 'wrong' }, { authorization: 'Bearer x' }),
      UNKNOWN,
    ],
    ['sends no credentials', inForm({}), NOBODY],
    ['sends only a secret', inForm({ client_secret: SECRET }), NOBODY],
    ['sends only its id', inForm({ client_id: 'web' }), NOBODY],
    ['sends its id and an empty secret', inForm({ client_id: 'web', client_secret: '' }), NOBODY],
    ['sends only an unknown id', inForm({ client_id: 'who' }), NOBODY],
    ['sends a header that is not base64', withHeader('Basic %%%'), NOBODY],
    ['sends a header without a colon', withHeader(`Basic ${Buffer.from('web').toString('base64')}`), NOBODY],
    ['sends an empty header', withHeader('Basic'), NOBODY],
    [
      'sends an invalid header and correct credentials in the form',
      withHeader('Basic ?', { client_id: 'web', client_secret: SECRET }),
      NOBODY,
    ],
    ['sends only its id and a code_verifier', inForm({ client_id: 'web', code_verifier: 'v'.repeat(43) }), NOBODY],
  ])('responds with 401 and a challenge to a client that %s', async (_, request, message) => {
    const { error, status, headers, body } = await runOperation(createTestModel(), 'token', request);
    expect(summary(error)).toBe(`401 invalid_client: ${message}`);
    const said = { error: 'invalid_client', error_description: message };
    expect({ status, headers, body }).toEqual({ status: 401, headers: CHALLENGE, body: said });
  });

  it.each([
    ['an empty id', withHeader(basic('', SECRET)), 'Missing parameter: `client_id`'],
    ['an empty secret', withHeader(basic('web', '')), 'Missing parameter: `client_secret`'],
    [
      'an id with forbidden characters in the form',
      inForm({ client_id: 'wéb', client_secret: 'x' }),
      'Invalid parameter: `client_id`',
    ],
    ['an id with forbidden characters in the header', withHeader(basic('wéb', 'x')), 'Invalid parameter: `client_id`'],
    [
      'a secret with forbidden characters in the form',
      inForm({ client_id: 'web', client_secret: 'é' }),
      'Invalid parameter: `client_secret`',
    ],
    [
      'a secret with forbidden characters in the header',
      withHeader(basic('web', 'é')),
      'Invalid parameter: `client_secret`',
    ],
    ['an id that is an object', inForm({ client_id: { a: 1 } }), 'Invalid parameter: `client_id`'],
    ['a repeated id', inForm({ client_id: ['web', 'web'], client_secret: 'x' }), 'Repeated parameter: `client_id`'],
    [
      'a repeated secret',
      inForm({ client_id: 'web', client_secret: ['x', 'y'] }),
      'Repeated parameter: `client_secret`',
    ],
    [
      'credentials in header and form',
      withHeader(basic('web', SECRET), { client_id: 'web', client_secret: SECRET }),
      'Invalid request: only one client authentication method is allowed',
    ],
    [
      'credentials in the header and a secret in the form',
      withHeader(basic('web', SECRET), { client_secret: SECRET }),
      'Invalid request: only one client authentication method is allowed',
    ],
    [
      'different ids in header and form',
      withHeader(basic('web', SECRET), { client_id: 'spa' }),
      'Invalid request: `client_id` does not match the authorization header',
    ],
  ])('rejects %s with 400 and without a challenge', async (_, request, message) => {
    const testModel = createTestModel();
    const { error, status, headers } = await runOperation(testModel, 'token', request);
    expect(summary(error)).toBe(`400 invalid_request: ${message}`);
    expect({ status, challenge: headers['www-authenticate'] }).toEqual({ status: 400, challenge: undefined });
    expect(testModel.calls.filter(([method]) => method === 'getUser')).toEqual([]);
  });

  it('accepts colons, spaces and percent signs in credentials that are form-encoded in the header', async () => {
    const secret = 'a:b c%20d+e';
    const getClient = (id: string, given: string) => (id === 'we:b' && given === secret ? WEB : null);
    const encoded = new URLSearchParams({ 'we:b': secret }).toString().replace('=', ':');
    expect(
      (
        await runOperation(
          createTestModel({ getClient }),
          'token',
          withHeader(`Basic ${Buffer.from(encoded).toString('base64')}`),
        )
      ).status,
    ).toBe(200);
  });

  it.each(['100%', '%', '%2', '%zz', '%ff', 'a+b%'])(
    'rejects the id or secret %j in the header without a lookup, since it is not form-encoded',
    async (secret) => {
      const testModel = createTestModel({ getClient: () => WEB });
      for (const credentials of [basic('web', secret), basic(secret, SECRET)]) {
        const { error, headers } = await runOperation(testModel, 'token', withHeader(credentials));
        const message = 'Invalid client: credentials in the authorization header must be form-encoded';
        expect(summary(error)).toBe(`401 invalid_client: ${message}`);
        expect(headers).toEqual(CHALLENGE);
      }
      expect(testModel.calls).toEqual([]);
    },
  );

  it('lets getClient() refuse a client with an error of its own', async () => {
    const refusing = (error: Error) =>
      createTestModel({
        getClient: () => {
          throw error;
        },
      });
    const unknown = await runOperation(
      refusing(new InvalidClientError('Invalid client: suspended')),
      'token',
      inForm({ client_id: 'web', client_secret: 'x' }),
    );
    expect(summary(unknown.error)).toBe('401 invalid_client: Invalid client: suspended');
    expect(unknown.headers).toEqual(CHALLENGE);
    const grant = await runOperation(
      refusing(new UnauthorizedClientError('No passwords here')),
      'token',
      withHeader(basic('web', 'x')),
    );
    expect(summary(grant.error)).toBe('400 unauthorized_client: No passwords here');
    expect(grant.body).toEqual({ error: 'unauthorized_client', error_description: 'No passwords here' });
  });

  it.each([
    ['without grants', { grants: undefined }, 'Server error: missing client `grants`'],
    ['whose grants are a string', { grants: 'password' }, 'Server error: `grants` must be an array'],
  ])('fails with 503 if the model returns a client %s', async (_, changes, message) => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, ...(changes as object) });
    const { error, status, body } = await runOperation(testModel, 'token', tokenRequest(GRANT));
    expect(summary(error)).toBe(`503 server_error: ${message}`);
    expect({ status, body }).toEqual({ status: 503, body: { error: 'server_error', error_description: message } });
  });
});
