import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readResponse, basic, NO_STORE, post, expectedRefusal } from '../../support/clients/http.js';
import { ADAPTERS, startDemo, stopDemos } from '../../support/servers/every-adapter.js';

const credentials = basic('web', 'web-secret');
const challenge = { 'www-authenticate': 'Basic realm="Service", error="invalid_client"' };

describe.each(ADAPTERS)('invalid parameters at the token endpoint on %s', (adapter) => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await startDemo(adapter));
  });
  afterAll(stopDemos);

  const token = (form: Parameters<typeof post>[1], headers = {}) =>
    readResponse(post(`${url}/oauth/token`, form, headers));

  it.each([
    [
      'an empty request',
      '',
      {},
      expectedRefusal('invalid_client', 'Invalid client: cannot retrieve client credentials', 401, challenge),
    ],
    [
      'an unknown client',
      { grant_type: 'client_credentials' },
      basic('nobody', 'x'),
      expectedRefusal('invalid_client', 'Invalid client: client is invalid', 401, challenge),
    ],
    [
      'a malformed Basic header',
      { grant_type: 'client_credentials' },
      { authorization: 'Basic ###' },
      expectedRefusal('invalid_client', 'Invalid client: cannot retrieve client credentials', 401, challenge),
    ],
    [
      'Basic credentials without a colon',
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${Buffer.from('web').toString('base64')}` },
      expectedRefusal('invalid_client', 'Invalid client: cannot retrieve client credentials', 401, challenge),
    ],
    [
      'Basic credentials that cannot be decoded',
      { grant_type: 'client_credentials' },
      basic('web', 'web-secret%'),
      expectedRefusal(
        'invalid_client',
        'Invalid client: credentials in the authorization header must be form-encoded',
        401,
        challenge,
      ),
    ],
    [
      'a scope with too many values',
      { grant_type: 'client_credentials', scope: Array.from({ length: 9000 }, (_, index) => `s${index}`).join(' ') },
      credentials,
      expectedRefusal('invalid_scope', 'Invalid parameter: `scope`'),
    ],
    ['no grant type', {}, credentials, expectedRefusal('invalid_request', 'Missing parameter: `grant_type`')],
    [
      'the name of an object method as grant type',
      { grant_type: 'constructor' },
      credentials,
      expectedRefusal('unsupported_grant_type', 'Unsupported grant type: `grant_type` is invalid'),
    ],
    [
      'a NUL character in a code',
      { grant_type: 'authorization_code', code: 'a\0b' },
      credentials,
      expectedRefusal('invalid_request', 'Invalid parameter: `code`'),
    ],
    [
      'bad percent-encoding',
      'grant_type=authorization_code&code=%E0%A4%A',
      credentials,
      expectedRefusal('invalid_grant', 'Invalid grant: authorization code is invalid'),
    ],
    [
      'a nested parameter',
      'grant_type[a]=client_credentials',
      credentials,
      expectedRefusal('invalid_request', 'Missing parameter: `grant_type`'),
    ],
  ])('rejects %s', async (name, form, headers, expected) => {
    const response = await token(form, headers);
    // The form parser of Express turns a nested parameter into an object, that of Fastify into a parameter with an
    // unusual name.
    const nested = name === 'a nested parameter' && adapter === 'express';
    // The form parser of Node.js replaces invalid bytes by U+FFFD.
    const replaced = name === 'bad percent-encoding' && adapter === 'node:http';
    const parameter = nested ? 'grant_type' : replaced ? 'code' : undefined;
    expect(response).toEqual(
      parameter ? expectedRefusal('invalid_request', `Invalid parameter: \`${parameter}\``) : expected,
    );
  });

  it.each(['grant_type', 'scope', 'client_id'])('rejects a request in which `%s` occurs twice', async (name) => {
    const form: [string, string][] = [['grant_type', 'client_credentials'], ['scope', 'notes:read']]; // prettier-ignore
    form.push([name, 'client_credentials'], [name, 'client_credentials']);
    const { status, body } = await token(form, credentials);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'invalid_request' });
  });

  it.each(['__proto__=1', '__proto__[a]=1', 'constructor[prototype][a]=1', 'hasOwnProperty=1', 'toString=x', '%ZZ=%'])(
    'rejects the form `%s`',
    async (form) => {
      const { status, headers, body } = await token(form, credentials);
      expect({ status, headers }).toEqual({ status: 400, headers: NO_STORE });
      expect(body).toMatchObject({ error: 'invalid_request' });
    },
  );
});
