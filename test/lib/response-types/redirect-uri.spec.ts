import { describe, expect, it } from '@jest/globals';

import { createTestModel, WEB } from '../../support/models/model.js';
import { runOperation, authorizeRequest, signedIn, summary } from '../../support/clients/requests.js';

const authorize = (redirectUri: string | undefined, registered: unknown, overrides: object = {}, client = {}) => {
  const testModel = createTestModel(overrides);
  testModel.clients.set('web', { ...WEB, redirectUris: registered as string[], ...client });
  return runOperation(testModel, 'authorize', authorizeRequest({ redirect_uri: redirectUri }), signedIn);
};
const target = async (...args: Parameters<typeof authorize>) =>
  (await authorize(...args)).headers['location']?.replace(/code=.*/, 'code');

describe('the redirect_uri of an authorization request', () => {
  it.each([
    ['https://app.example/cb', 'https://app.example/cb?code'],
    ['https://app.example', 'https://app.example/?code'],
    ['https://app.example/', 'https://app.example/?code'],
    ['https://app.example?a=b', 'https://app.example/?a=b&code'],
    ['https://app.example/cb?', 'https://app.example/cb?code'],
    ['https://app.example/cb?a=b&c', 'https://app.example/cb?a=b&c&code'],
    ['https://app.example:443/cb', 'https://app.example:443/cb?code'],
    ['https://app.example/%7Ecb/../x', 'https://app.example/%7Ecb/../x?code'],
    ['com.example.app:/cb', 'com.example.app:/cb?code'],
    ['com.example.app://cb', 'com.example.app://cb?code'],
    ['urn:ietf:wg:oauth:2.0:oob', 'urn:ietf:wg:oauth:2.0:oob?code'],
  ])('receives the response for the registered URI %j at %j', async (uri, expected) => {
    expect(await target(uri, [uri])).toBe(expected);
    expect(await target(undefined, [uri])).toBe(expected);
  });

  it.each([
    ['https://app.example/cb/', ['https://app.example/cb']],
    ['https://app.example/cb?x=1', ['https://app.example/cb']],
    ['https://app.example/CB', ['https://app.example/cb']],
    ['https://APP.example/cb', ['https://app.example/cb']],
    ['https://app.example:443/cb', ['https://app.example/cb']],
    ['http://app.example/cb', ['https://app.example/cb']],
    ['https://app.example/cb', ['https://app.example/cb2']],
    ['https://app.example.evil.example/cb', ['https://app.example/cb']],
    ['https://app.example/c', ['https://app.example/cb']],
    ['https://user@app.example/cb', ['https://app.example/cb']],
    ['https://app.example:1234/cb', ['https://app.example/cb']],
    ['http://127.0.0.1:1234/other', ['http://127.0.0.1/cb']],
    ['http://127.0.0.1:1@evil.example/cb', ['http://127.0.0.1/cb']],
    ['http://127.0.0.1.evil.example/cb', ['http://127.0.0.1/cb']],
    ['http://127.0.0.2:1234/cb', ['http://127.0.0.1/cb']],
    ['https://127.0.0.1:1234/cb', ['https://127.0.0.1/cb']],
    ['http://localhost:1234/cb', ['http://127.0.0.1/cb']],
  ])('is rejected if it is %j and the client registered %j', async (uri, registered) => {
    const { error, headers } = await authorize(uri, registered);
    expect(summary(error)).toBe('400 invalid_client: Invalid client: `redirect_uri` does not match client value');
    expect(headers['location']).toBeUndefined();
  });

  it.each([
    ['http://127.0.0.1:51004/cb', 'http://127.0.0.1/cb'],
    ['http://127.0.0.1:51004/cb', 'http://127.0.0.1:80/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:8080/cb'],
    ['http://[::1]:51004/cb?a=b', 'http://[::1]/cb?a=b'],
    ['http://localhost:51004', 'http://localhost'],
  ])('can have any port on a loopback address: %j for the registered %j (RFC 8252 §7.3)', async (uri, registered) => {
    expect(await target(uri, [registered])).toMatch(/[?&]code$/);
    expect((await authorize(uri, [registered])).result?.['redirectUri']).toBe(uri);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'https://app.example/cb#fragment',
    'https://app.example/cb#',
    '/cb',
    'cb',
    '//app.example/cb',
    'https://',
    'https://app example/cb',
    'https://app.example/c\r\nb',
    'https://äpp.example/cb',
    'http://127.0.0.1:99999/cb',
  ])('is rejected even if the client registered it: %j', async (uri) => {
    const named = await authorize(uri, [uri]);
    expect(summary(named.error)).toBe('400 invalid_request: Invalid request: `redirect_uri` is not a valid URI');
    const unnamed = await authorize(undefined, [uri]);
    expect(summary(unnamed.error)).toBe(
      '400 invalid_client: Invalid client: this client has no registered `redirect_uri`',
    );
    expect([named.headers['location'], unnamed.headers['location']]).toEqual([undefined, undefined]);
  });

  it('can be omitted if the client has exactly one valid redirect URI', async () => {
    const registered = ['javascript:x', 5, null, 'https://app.example/b', 'https://app.example/b'];
    expect(await target(undefined, registered)).toBe('https://app.example/b?code');
  });

  it('is required if the client registered several; the error is shown in the browser without a redirect', async () => {
    const registered = ['https://app.example/b', 'https://app.example/a'];
    for (const named of [undefined, '']) {
      const { error, status, headers, body } = await authorize(named, registered);
      expect(summary(error)).toBe('400 invalid_request: Missing parameter: `redirect_uri`');
      expect([status, headers['location'], body['error']]).toEqual([400, undefined, 'invalid_request']);
    }
  });

  it.each([
    ['a client that also registered an https redirect URI', {}, ['http://127.0.0.1/cb', 'https://app.example/cb']],
    [
      "a client with `applicationType: 'web'` that also registered an https redirect URI",
      { applicationType: 'web' },
      ['http://127.0.0.1/cb', 'HTTPS://app.example/'],
    ],
    [
      "a client with `applicationType: 'web'` and only loopback redirect URIs",
      { applicationType: 'web' },
      ['http://127.0.0.1/cb'],
    ],
    ['a client that also registered an http redirect URI', {}, ['http://127.0.0.1/cb', 'http://printer.local/cb']],
  ])('must have the registered port on a loopback address for %s', async (_, client, registered) => {
    const { error, headers } = await authorize('http://127.0.0.1:51004/cb', registered, {}, client);
    expect(summary(error)).toBe('400 invalid_client: Invalid client: `redirect_uri` does not match client value');
    expect(headers['location']).toBeUndefined();
    expect(await target('http://127.0.0.1/cb', registered, {}, client)).toBe('http://127.0.0.1/cb?code');
  });

  it.each([
    [
      "has `applicationType: 'native'`",
      { applicationType: 'native' },
      ['http://127.0.0.1/cb', 'https://app.example/cb'],
    ],
    ['registered only loopback redirect URIs', {}, ['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://localhost/cb']],
    ['also registered a private-use URI scheme', {}, ['http://127.0.0.1/cb', 'com.example.app:/cb']],
  ])('can have any port on a loopback address for a client that %s', async (_, client, registered) => {
    expect(await target('http://127.0.0.1:51004/cb', registered, {}, client)).toBe('http://127.0.0.1:51004/cb?code');
  });
});

describe('model method validateRedirectUri()', () => {
  it('replaces the comparison with the registered redirect URIs', async () => {
    const requested: unknown[] = [];
    const validateRedirectUri = (uri: string, client: { id: string }) => {
      requested.push([uri, client.id]);
      return uri.endsWith('.app.example/cb');
    };
    const registered = ['https://app.example/cb'];
    expect(await target('https://pr-1.app.example/cb', registered, { validateRedirectUri })).toBe(
      'https://pr-1.app.example/cb?code',
    );
    const { error } = await authorize('https://app.example/cb', registered, { validateRedirectUri });
    expect(summary(error)).toBe('400 invalid_client: Invalid client: `redirect_uri` does not match client value');
    expect(requested).toEqual([
      ['https://pr-1.app.example/cb', 'web'],
      ['https://app.example/cb', 'web'],
    ]);
  });

  it('is not called for an unsafe redirect URI, or if the request has no redirect_uri', async () => {
    const validateRedirectUri = () => {
      throw new Error('asked');
    };
    const registered = ['https://app.example/cb'];
    const { error } = await authorize('javascript:alert(1)', registered, { validateRedirectUri });
    expect(error?.name).toBe('invalid_request');
    expect(await target(undefined, registered, { validateRedirectUri })).toBe('https://app.example/cb?code');
  });
});
