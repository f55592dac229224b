import { describe, expect, it } from '@jest/globals';
import { InvalidClientError, UnauthorizedClientError } from 'nest-oauth2/server';

import { createHost, SECRET, WEB } from '../../support/model.js';
import { answer, basic, FORM, formRequest, summary, tokenRequest } from '../../support/requests.js';

const GRANT = { grant_type: 'password', username: 'alice', password: 'wonderland' };
const withHeader = (authorization: unknown, body = {}) =>
  tokenRequest({ ...GRANT, ...body }, { headers: { ...FORM, authorization } });
const inForm = (body: object, headers = {}) => formRequest({ ...GRANT, ...body }, { headers: { ...FORM, ...headers } });
const CHALLENGE = {
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'www-authenticate': 'Basic realm="Service", error="invalid_client"',
};

describe('a client', () => {
  it.each([
    ['in the header', withHeader(basic('web', SECRET))],
    ['in the header, however its scheme is spelt', withHeader(basic('web', SECRET).replace('Basic', 'bAsIc'))],
    ['in the header, and repeats its id in the form', withHeader(basic('web', SECRET), { client_id: 'web' })],
    ['in the header, form-encoded', withHeader(basic('w%65b', 's3cret'))],
    ['in the form', inForm({ client_id: 'web', client_secret: SECRET })],
    [
      'in the form, beside a header that is not for it',
      inForm({ client_id: 'web', client_secret: SECRET }, { authorization: 'Bearer x' }),
    ],
  ])('that proves itself %s is answered', async (_, request) => {
    const host = createHost();
    const { status } = await answer(host, 'token', request);
    expect(status).toBe(200);
    expect(host.calls[0]).toEqual(['getClient', 'web', SECRET]);
    expect(host.calls.filter(([method]) => method === 'getClient')).toHaveLength(1);
  });

  const UNKNOWN = 'Invalid client: client is invalid';
  const NOBODY = 'Invalid client: cannot retrieve client credentials';
  it.each([
    ['is unknown', withHeader(basic('who', 'x')), UNKNOWN],
    ['has a wrong secret in the header', withHeader(basic('web', 'wrong')), UNKNOWN],
    ['has a wrong secret in the form', inForm({ client_id: 'web', client_secret: 'wrong' }), UNKNOWN],
    [
      'has a wrong secret in the form, beside a bearer token',
      inForm({ client_id: 'web', client_secret: 'wrong' }, { authorization: 'Bearer x' }),
      UNKNOWN,
    ],
    ['says nothing of itself', inForm({}), NOBODY],
    ['gives a secret only', inForm({ client_secret: SECRET }), NOBODY],
    ['gives its id only', inForm({ client_id: 'web' }), NOBODY],
    ['gives its id and an empty secret', inForm({ client_id: 'web', client_secret: '' }), NOBODY],
    ['gives an unknown id only', inForm({ client_id: 'who' }), NOBODY],
    ['has a header that is no base64', withHeader('Basic %%%'), NOBODY],
    ['has a header without a colon', withHeader(`Basic ${Buffer.from('web').toString('base64')}`), NOBODY],
    ['has an empty header', withHeader('Basic'), NOBODY],
    ['has a broken header and the form', withHeader('Basic ?', { client_id: 'web', client_secret: SECRET }), NOBODY],
    ['has a code verifier for its only proof', inForm({ client_id: 'web', code_verifier: 'v'.repeat(43) }), NOBODY],
  ])('that %s is refused by 401 and the challenge', async (_, request, message) => {
    const { error, status, headers, body } = await answer(createHost(), 'token', request);
    expect(summary(error)).toBe(`401 invalid_client: ${message}`);
    const said = { error: 'invalid_client', error_description: message };
    expect({ status, headers, body }).toEqual({ status: 401, headers: CHALLENGE, body: said });
  });

  it.each([
    ['an empty id', withHeader(basic('', SECRET)), 'Missing parameter: `client_id`'],
    ['an empty secret', withHeader(basic('web', '')), 'Missing parameter: `client_secret`'],
    [
      'an id of forbidden characters',
      inForm({ client_id: 'wéb', client_secret: 'x' }),
      'Invalid parameter: `client_id`',
    ],
    ['such an id in the header', withHeader(basic('wéb', 'x')), 'Invalid parameter: `client_id`'],
    [
      'a secret of forbidden characters',
      inForm({ client_id: 'web', client_secret: 'é' }),
      'Invalid parameter: `client_secret`',
    ],
    ['such a secret in the header', withHeader(basic('web', 'é')), 'Invalid parameter: `client_secret`'],
    ['an id that is an object', inForm({ client_id: { a: 1 } }), 'Invalid parameter: `client_id`'],
    ['two ids', inForm({ client_id: ['web', 'web'], client_secret: 'x' }), 'Repeated parameter: `client_id`'],
    ['two secrets', inForm({ client_id: 'web', client_secret: ['x', 'y'] }), 'Repeated parameter: `client_secret`'],
    [
      'header and form',
      withHeader(basic('web', SECRET), { client_id: 'web', client_secret: SECRET }),
      'Invalid request: only one client authentication method is allowed',
    ],
    [
      'header and a secret in the form',
      withHeader(basic('web', SECRET), { client_secret: SECRET }),
      'Invalid request: only one client authentication method is allowed',
    ],
    [
      'another id in the form than in the header',
      withHeader(basic('web', SECRET), { client_id: 'spa' }),
      'Invalid request: `client_id` does not match the authorization header',
    ],
  ])('that brings %s is refused as malformed, with no challenge', async (_, request, message) => {
    const host = createHost();
    const { error, status, headers } = await answer(host, 'token', request);
    expect(summary(error)).toBe(`400 invalid_request: ${message}`);
    expect({ status, challenge: headers['www-authenticate'] }).toEqual({ status: 400, challenge: undefined });
    expect(host.calls.filter(([method]) => method === 'getUser')).toEqual([]);
  });

  it('may have a secret with colons, spaces and percent signs, form-encoded in the header', async () => {
    const secret = 'a:b c%20d+e';
    const getClient = (id: string, given: string) => (id === 'we:b' && given === secret ? WEB : null);
    const encoded = new URLSearchParams({ 'we:b': secret }).toString().replace('=', ':');
    expect(
      (await answer(createHost({ getClient }), 'token', withHeader(`Basic ${Buffer.from(encoded).toString('base64')}`)))
        .status,
    ).toBe(200);
  });

  // Issue 10, 1.16
  it.each(['100%', '%', '%2', '%zz', '%ff', 'a+b%'])(
    'with the undecodable secret %j in the header is not looked up',
    async (secret) => {
      const host = createHost({ getClient: () => WEB });
      for (const credentials of [basic('web', secret), basic(secret, SECRET)]) {
        const { error, headers } = await answer(host, 'token', withHeader(credentials));
        const message = 'Invalid client: credentials in the authorization header must be form-encoded';
        expect(summary(error)).toBe(`401 invalid_client: ${message}`);
        expect(headers).toEqual(CHALLENGE);
      }
      expect(host.calls).toEqual([]);
    },
  );

  it('may be refused by getClient with an error of its own', async () => {
    const refusing = (error: Error) =>
      createHost({
        getClient: () => {
          throw error;
        },
      });
    const unknown = await answer(
      refusing(new InvalidClientError('Invalid client: suspended')),
      'token',
      inForm({ client_id: 'web', client_secret: 'x' }),
    );
    expect(summary(unknown.error)).toBe('401 invalid_client: Invalid client: suspended');
    expect(unknown.headers).toEqual(CHALLENGE);
    const grant = await answer(
      refusing(new UnauthorizedClientError('No passwords here')),
      'token',
      withHeader(basic('web', 'x')),
    );
    expect(summary(grant.error)).toBe('400 unauthorized_client: No passwords here');
    expect(grant.body).toEqual({ error: 'unauthorized_client', error_description: 'No passwords here' });
  });

  it.each([
    ['without grants', { grants: undefined }, 'Server error: missing client `grants`'],
    ['whose grants are a text', { grants: 'password' }, 'Server error: `grants` must be an array'],
  ])('that the model returns %s is a fault of the server', async (_, changes, message) => {
    const host = createHost();
    host.clients.set('web', { ...WEB, ...(changes as object) });
    const { error, status, body } = await answer(host, 'token', tokenRequest(GRANT));
    expect(summary(error)).toBe(`503 server_error: ${message}`);
    expect({ status, body }).toEqual({ status: 503, body: { error: 'server_error', error_description: message } });
  });
});
