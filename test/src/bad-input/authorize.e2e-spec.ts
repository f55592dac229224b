import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openConsentPage } from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, CALLBACK, demoModule } from '../../support/servers/demo.js';
import { readResponse, get, NO_STORE, expectedRefusal } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

/** Returns the expected error response to the user's browser, without a redirect to the client. */
const reported = (error: string, description: string, status = 400) => ({
  status,
  headers: { 'cache-control': 'no-store', 'content-type': NO_STORE['content-type'] },
  body: { error, error_description: description },
});

describe.each(PLATFORMS)('bad input at the authorization endpoint on %s', (platform) => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await startApplication(platform, demoModule()));
  });
  afterAll(stopApplications);

  it.each([
    ['no client_id', { client_id: '' }, reported('invalid_request', 'Missing parameter: `client_id`')],
    [
      'an unknown client',
      { client_id: 'nobody' },
      reported(
        'invalid_client',
        'Invalid client: the `client_id` is unknown: send the ID of a client that this server has registered',
      ),
    ],
    [
      'a foreign redirect URI',
      { redirect_uri: 'https://evil.example/callback' },
      reported('invalid_client', 'Invalid client: `redirect_uri` does not match client value'),
    ],
    [
      'a part of the registered redirect URI',
      { redirect_uri: CALLBACK.slice(0, -1) },
      reported('invalid_client', 'Invalid client: `redirect_uri` does not match client value'),
    ],
    [
      'a javascript: URI as redirect URI',
      { redirect_uri: 'javascript:alert(1)' },
      reported('invalid_request', 'Invalid request: `redirect_uri` is not a valid URI'),
    ],
    [
      'no redirect URI although several are registered',
      { client_id: 'several', redirect_uri: '' },
      reported('invalid_request', 'Missing parameter: `redirect_uri`'),
    ],
    [
      'a NUL character in the client_id',
      { client_id: 'web\0' },
      reported('invalid_request', 'Invalid parameter: `client_id`'),
    ],
  ])('shows the user an error and does not redirect, for %s', async (_name, change, expected) => {
    expect(await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, ...change }, 'alice')).toEqual(expected);
  });

  it('does not redirect if client_id or redirect_uri occurs twice', async () => {
    for (const name of ['client_id', 'redirect_uri'] as const) {
      const query = new URLSearchParams([
        ...Object.entries(AUTHORIZATION_PARAMETERS),
        [name, AUTHORIZATION_PARAMETERS[name]],
      ]).toString();
      const response = await readResponse(get(`${url}/oauth/authorize?${query}`, { cookie: 'user=alice' }));
      expect(response).toEqual(reported('invalid_request', `Repeated parameter: \`${name}\``));
    }
  });

  it.each(['scope', 'response_type', 'code_challenge'])(
    'returns an error to the client if `%s` occurs twice',
    async (name) => {
      const query = new URLSearchParams([
        ...Object.entries(AUTHORIZATION_PARAMETERS),
        [name, 'a'],
        [name, 'b'],
      ]).toString();
      const { status, headers } = await readResponse(get(`${url}/oauth/authorize?${query}`, { cookie: 'user=alice' }));
      expect(status).toBe(302);
      const location = new URL(headers['location']!);
      expect(location.origin + location.pathname).toBe(CALLBACK);
      expect(Object.fromEntries(location.searchParams)).toEqual({
        error: 'invalid_request',
        error_description: `Repeated parameter: \`${name}\``,
        state: 'xyz',
      });
    },
  );

  it.each(['__proto__=1', 'constructor=1', 'hasOwnProperty=1', 'a[b]=c', '%ZZ=%', 'client_id[x]=web', '&&&==='])(
    'rejects the query string `%s`',
    async (query) => {
      const response = await readResponse(get(`${url}/oauth/authorize?${query}`, { cookie: 'user=alice' }));
      expect(response).toEqual(reported('invalid_request', 'Missing parameter: `client_id`'));
    },
  );

  it('ignores unknown and malformed parameters next to valid ones', async () => {
    const query = `${new URLSearchParams(AUTHORIZATION_PARAMETERS).toString()}&__proto__=1&hasOwnProperty=2&toString=3&%ZZ=%E0%A4%A`;
    const { status, body } = await readResponse(get(`${url}/oauth/authorize?${query}`, { cookie: 'user=alice' }));
    expect({ status, body }).toEqual({ status: 200, body: expect.stringContaining('"csrf_token"') });
  });

  it.each(['PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'])('rejects %s and lists the allowed methods', async (method) => {
    const response = await readResponse(
      fetch(`${url}/oauth/authorize?${new URLSearchParams(AUTHORIZATION_PARAMETERS).toString()}`, { method }),
    );
    const refusal = expectedRefusal('invalid_request', 'Invalid request: method must be GET or POST', 405, {
      allow: 'GET, POST',
    });
    expect(response).toEqual(method === 'HEAD' ? { ...refusal, body: '' } : refusal);
  });
});
