import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { clientIdDocuments, redirectTarget, serverMetadata } from 'nest-oauth2/features';

import { decide, openConsentPage } from '../../support/clients/consent.js';
import { CALLBACK, demoModule } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, bearer, get, NO_STORE, post } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';

const insecure = { [oauth.allowInsecureRequests]: true };
const documents = new TlsServer();

/** All host names in these tests resolve to this machine, and the feature may connect to it. */
const fetch = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };

beforeAll(() => documents.start());
afterAll(() => documents.stop());
afterEach(() => documents.reset());

describe.each(ANY_PLATFORM)('clients identified by a metadata document, on %s', (platform) => {
  let url: string;
  let as: oauth.AuthorizationServer;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const documented = clientIdDocuments({ scopes: ['notes:read'], fetch, pause: 0.05 });
    const features = [serverMetadata(), documented];
    await startApplication(platform, demoModule({ features, issuer: url, requirePKCE: 'public' }), { port });
    const found = await oauth.discoveryRequest(new URL(url), { algorithm: 'oauth2', ...insecure });
    as = await oauth.processDiscoveryResponse(new URL(url), found);
  });
  afterAll(stopApplications);

  let count = 0;

  /** Publishes a new document for each test. */
  function publish(more: object = {}, headers = {}): oauth.Client {
    const path = `/${platform}/${count++}.json`;
    const client_id = documents.url(path);
    const described = { client_id, redirect_uris: [CALLBACK], client_name: 'Notes', ...usual, ...more };
    documents.replies[path] = json(described, headers);
    return { client_id };
  }
  const usual = { grant_types: ['authorization_code', 'refresh_token'], token_endpoint_auth_method: 'none' };

  async function requested({ client_id }: oauth.Client, more: Record<string, string> = {}) {
    const verifier = oauth.generateRandomCodeVerifier();
    const parameters = {
      response_type: 'code',
      client_id,
      redirect_uri: CALLBACK,
      scope: 'notes:read',
      state: oauth.generateRandomState(),
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...more,
    };
    return { verifier, parameters };
  }

  async function obtain(client: oauth.Client) {
    const { verifier, parameters } = await requested(client);
    const landed = await decide(url, parameters, 'alice', 'allow');
    const callback = oauth.validateAuthResponse(as, client, landed, parameters.state);
    const auth = oauth.None();
    const given = await oauth.authorizationCodeGrantRequest(as, client, auth, callback, CALLBACK, verifier, insecure);
    return oauth.processAuthorizationCodeResponse(as, client, given);
  }

  const refused = (error: string, error_description: string) =>
    expect.objectContaining({ status: 400, body: { error, error_description } });
  const UNUSABLE = refused('invalid_client', 'Invalid client: its metadata document cannot be used');
  const UNKNOWN = refused(
    'invalid_client',
    'Invalid client: the `client_id` is unknown: send the ID of a client that this server has registered',
  );

  it('are announced in the server metadata', () => {
    expect(as).toMatchObject({ client_id_metadata_document_supported: true });
  });

  it('get, use and refresh tokens of a user, while their document is fetched once', async () => {
    const client = publish();
    const tokens = await obtain(client);
    expect(tokens).toMatchObject({ scope: 'notes:read', refresh_token: expect.any(String) });
    const notes = await readResponse(get(`${url}/notes`, bearer(tokens.access_token)));
    expect(notes).toMatchObject({ status: 200, body: { user: 'alice', client: client.client_id } });
    const again = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token!, insecure);
    expect(await oauth.processRefreshTokenResponse(as, client, again)).toMatchObject({ scope: 'notes:read' });
    expect(documents.requests).toHaveLength(1);
  });

  it('can use their tokens after their document was deleted', async () => {
    const client = publish();
    const { access_token } = await obtain(client);
    documents.reset();
    expect(await readResponse(get(`${url}/notes`, bearer(access_token)))).toMatchObject({ status: 200 });
    expect(documents.requests).toEqual([]);
  });

  it('cannot authenticate with a secret', async () => {
    const { client_id } = publish();
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id };
    for (const client_secret of ['a', 'b']) {
      expect(await readResponse(post(`${url}/oauth/token`, { ...form, client_secret }))).toMatchObject({ status: 401 });
    }
    expect(documents.requests).toEqual([]);
    const itself = { grant_type: 'client_credentials', client_id };
    expect(await readResponse(post(`${url}/oauth/token`, itself))).toMatchObject({ status: 400 });
  });

  it.each([
    ['another client_id', { client_id: 'https://client.example/other' }],
    ['an equivalent but different client_id', { client_id: 'HTTPS://client.example/' }],
    ['no client_id', { client_id: undefined }],
    ['a secret', { client_secret: 'x' }],
    ['an expiry of a secret', { client_secret_expires_at: 0 }],
    ['an authentication method that uses a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['an authentication method that uses a secret as a key', { token_endpoint_auth_method: 'client_secret_jwt' }],
    ['private keys', { jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' }] } }],
    ['a symmetric key', { jwks: { keys: [{ kty: 'oct', k: 'x' }] } }],
    ['no redirect URI', { redirect_uris: [] }],
    ['a javascript: redirect URI', { redirect_uris: ['javascript:alert(1)'] }],
    ['an http: redirect URI', { redirect_uris: ['http://app.example/callback'] }],
    ['a name that reverses the text direction', { client_name: 'Notes \u202emoc.elgoog' }],
    ['a javascript: link', { client_uri: 'javascript:alert(1)' }],
  ])('are rejected if their document contains %s', async (_, more) => {
    const { parameters } = await requested(publish(more));
    expect(await openConsentPage(url, parameters, 'alice')).toEqual(UNUSABLE);
  });

  it.each([
    ['a redirect', json({}, { location: 'https://client.example/' }, 302)],
    ['status 404', json({}, {}, 404)],
    ['status 410', json({}, {}, 410)],
    ['an HTML page', json('<p>', { 'content-type': 'text/html' })],
    ['a document that is too large', json({ a: 'x'.repeat(5200) })],
  ])('are rejected if their document URL responds with %s', async (_, reply) => {
    const client = publish();
    documents.replies[new URL(client.client_id).pathname] = reply;
    expect(await openConsentPage(url, (await requested(client)).parameters, 'alice')).toEqual(UNUSABLE);
  });

  it.each([
    'https://client.example',
    'https://client.example:443/a.json',
    'https://CLIENT.example/a.json',
    'https://client.example/a/../b.json',
    'https://client.example/%2e%2e/b.json',
    'https://client.example/a.json#b',
    'https://user@client.example/a.json',
    'http://client.example/a.json',
    'https://10.0.0.1/a.json',
    'https://[::1]/a.json',
    'https://localhost/a.json',
    `https://client.example/${'a'.repeat(255)}`,
  ])('are not fetched from %s', async (client_id) => {
    expect(await openConsentPage(url, (await requested({ client_id })).parameters, 'alice')).toEqual(UNKNOWN);
    expect(documents.requests).toEqual([]);
  });

  it('are redirected only to the URIs in their document', async () => {
    const client = publish({
      redirect_uris: [`${CALLBACK}/a`, 'http://127.0.0.1/callback', 'com.example.app:/callback'],
    });
    for (const redirect_uri of [CALLBACK, `${CALLBACK}/a/`, 'https://evil.example/', 'http://127.0.0.1:99/callback']) {
      const { parameters } = await requested(client, { redirect_uri });
      expect(await openConsentPage(url, parameters, 'alice')).toEqual(
        refused('invalid_client', 'Invalid client: `redirect_uri` does not match client value'),
      );
    }
    const native = publish({ redirect_uris: ['http://127.0.0.1/callback'], application_type: 'native' });
    const { parameters } = await requested(native, { redirect_uri: 'http://127.0.0.1:49152/callback' });
    expect(await openConsentPage(url, parameters, 'alice')).toMatchObject({ status: 200 });
  });

  it('are fetched once for concurrent requests', async () => {
    const { client_id } = publish();
    const { pathname } = new URL(client_id);
    const reply = documents.replies[pathname]!;
    documents.replies[pathname] = (...given) => setTimeout(() => reply(...given), 50);
    const { parameters } = await requested({ client_id });
    const pages = await Promise.all(Array.from({ length: 20 }, () => openConsentPage(url, parameters, 'alice')));
    expect(pages.every(({ status }) => status === 200)).toBe(true);
    expect(documents.count(pathname)).toBe(1);
  });

  it('get 503 with Retry-After while their document cannot be fetched', async () => {
    const client = publish();
    documents.replies[new URL(client.client_id).pathname] = (response) => response.socket?.destroy();
    const { parameters } = await requested(client);
    expect(await openConsentPage(url, parameters, 'alice')).toEqual({
      status: 503,
      headers: { 'cache-control': 'no-store', 'content-type': NO_STORE['content-type'], 'retry-after': '5' },
      body: { error: 'temporarily_unavailable', error_description: 'Temporarily unavailable: try again later' },
    });
  });
});

describe('redirectTarget() for a client from a metadata document at client.example', () => {
  const client = { id: 'https://client.example/id', clientIdHost: 'client.example', grants: [] };

  it.each([
    ['https://client.example/callback', 'own'],
    ['https://client.example:444/callback', 'elsewhere'],
    ['https://www.client.example/callback', 'elsewhere'],
    ['http://127.0.0.1:3000/', 'device'],
    ['http://localhost/', 'device'],
    ['com.example.app:/callback', 'device'],
  ])('classifies the redirect URI %s as %s', (redirectUri, place) => {
    expect(redirectTarget(client, redirectUri)).toBe(place);
    expect(redirectTarget({ ...client, clientIdHost: undefined }, redirectUri)).toBeUndefined();
  });
});
