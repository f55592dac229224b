import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { registration, serverMetadata } from 'nest-oauth2/features';

import { decide } from '../../support/clients/consent.js';
import { CALLBACK, demoModule } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, get, NO_STORE, post } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const insecure = { [oauth.allowInsecureRequests]: true };
const REGISTER = '/oauth/register';
const JSON_TYPE = { 'content-type': 'application/json' };

const send = (url: string, method: string, body?: unknown, headers = {}) =>
  fetch(url, {
    method,
    headers: { ...(body !== undefined && JSON_TYPE), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

describe.each(PLATFORMS)('dynamic client registration on %s', (platform) => {
  let url: string;
  let as: oauth.AuthorizationServer;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const options = { open: true, scopes: ['notes:read', 'notes:write'], rate: { requests: 1000, per: 60 } };
    const features = [serverMetadata(), registration(options)];
    await startApplication(platform, demoModule({ features, issuer: url }), { port });
    const found = await oauth.discoveryRequest(new URL(url), { algorithm: 'oauth2', ...insecure });
    as = await oauth.processDiscoveryResponse(new URL(url), found);
  });
  afterAll(stopApplications);

  async function register(metadata: Partial<oauth.Client>) {
    const response = await oauth.dynamicClientRegistrationRequest(as, metadata, insecure);
    return (await oauth.processDynamicClientRegistrationResponse(response)) as oauth.Client & Record<string, string>;
  }

  it('is announced in the server metadata', () => {
    expect(as.registration_endpoint).toBe(url + REGISTER);
  });

  it.each(['client_secret_basic', 'client_secret_post', 'none'])(
    'registers a client of oauth4webapi that gets and refreshes a user’s token: %s',
    async (method) => {
      const client = await register({
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: method,
        client_name: 'Notes for all',
        scope: 'notes:read',
      });
      const auth = {
        client_secret_basic: oauth.ClientSecretBasic(String(client.client_secret)),
        client_secret_post: oauth.ClientSecretPost(String(client.client_secret)),
        none: oauth.None(),
      }[method]!;
      const verifier = oauth.generateRandomCodeVerifier();
      const parameters = {
        response_type: 'code',
        client_id: client.client_id,
        redirect_uri: CALLBACK,
        scope: 'notes:read',
        state: oauth.generateRandomState(),
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      const landed = await decide(url, parameters, 'bob', 'allow');
      const callback = oauth.validateAuthResponse(as, client, landed, parameters.state);
      const given = await oauth.authorizationCodeGrantRequest(as, client, auth, callback, CALLBACK, verifier, insecure);
      const tokens = await oauth.processAuthorizationCodeResponse(as, client, given);
      expect(tokens).toMatchObject({ scope: 'notes:read' });
      const again = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token!, insecure);
      expect(await oauth.processRefreshTokenResponse(as, client, again)).toMatchObject({ scope: 'notes:read' });
    },
  );

  it('registers a client of openid-client', async () => {
    const metadata = { redirect_uris: [CALLBACK], client_name: 'Notes', 'client_name#ja': 'ノート' };
    const execute = [openid.allowInsecureRequests];
    const config = await openid.dynamicClientRegistration(new URL(url), metadata, undefined, {
      algorithm: 'oauth2',
      execute,
    });
    expect(config.clientMetadata()).toMatchObject({ ...metadata, client_secret: expect.any(String) });
  });

  it('returns all registered metadata, with no-store', async () => {
    const requested = { redirect_uris: [CALLBACK], client_name: 'Notes', consent: 'never', id: 'web', unknown: 1 };
    const { status, headers, body } = await readResponse(send(url + REGISTER, 'POST', requested));
    expect({ status, headers }).toEqual({ status: 201, headers: NO_STORE });
    const { client_id } = body as { client_id: string };
    expect(body).toEqual({
      client_id: expect.stringMatching(/^dcr_[\da-f]{32}$/),
      client_id_issued_at: expect.closeTo(Date.now() / 1000, -1),
      client_secret: expect.stringMatching(/^[\da-f]{64}$/),
      client_secret_expires_at: 0,
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      client_name: 'Notes',
      scope: 'notes:read notes:write',
      registration_access_token: expect.stringMatching(/^[\da-f]{64}$/),
      registration_client_uri: `${url}${REGISTER}?client_id=${client_id}`,
    });
  });

  it('lets only the holder of the registration access token read, replace and delete the client', async () => {
    const client = await register({
      redirect_uris: [CALLBACK],
      client_name: 'Notes',
      client_uri: 'https://a.example/',
    });
    const { registration_access_token: token, registration_client_uri: uri = '', client_secret, ...rest } = client;
    const mine = { authorization: `Bearer ${token}` };
    const read = await readResponse(send(uri, 'GET', undefined, mine));
    const { client_secret_expires_at, ...known } = rest as Record<string, unknown>;
    const reported = { registration_access_token: token, registration_client_uri: uri };
    expect(read).toEqual({ status: 200, headers: NO_STORE, body: { ...known, ...reported } });

    const change = { client_id: client.client_id, redirect_uris: [`${CALLBACK}/2`], client_secret };
    const changed = await readResponse(send(uri, 'PUT', change, mine));
    const { client_name, client_uri, ...kept } = known;
    expect(changed).toMatchObject({ status: 200, body: { ...kept, ...reported, redirect_uris: [`${CALLBACK}/2`] } });
    expect(changed.body).not.toHaveProperty('client_name');
    expect(await readResponse(send(uri, 'GET', undefined, mine))).toMatchObject({ body: changed.body as object });

    const refused = {
      status: 401,
      headers: { ...NO_STORE, 'www-authenticate': 'Bearer realm="Service", error="invalid_token"' },
      body: { error: 'invalid_token', error_description: 'Invalid token: registration access token is invalid' },
    };
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic eDp5' }]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        expect(await readResponse(send(uri, method, method === 'PUT' ? change : undefined, headers))).toEqual(refused);
      }
    }
    expect(await readResponse(send(uri.replace('dcr_', 'dcr_0'), 'GET', undefined, mine))).toEqual(refused);
    expect(await readResponse(send(uri, 'DELETE', undefined, mine))).toMatchObject({ status: 204, body: '' });
    expect(await readResponse(send(uri, 'GET', undefined, mine))).toEqual(refused);
    const form = { grant_type: 'authorization_code', code: 'x', client_id: client.client_id, client_secret };
    expect(await readResponse(post(`${url}/oauth/token`, form as never))).toMatchObject({ status: 401 });
  });

  it('rejects malformed metadata and other methods', async () => {
    const refusal = (error: string, error_description: string, status = 400) =>
      expect.objectContaining({ status, body: { error, error_description } });
    expect(await readResponse(send(url + REGISTER, 'POST', '{'))).toEqual(
      refusal('invalid_request', 'Invalid request: content cannot be read'),
    );
    expect(await readResponse(send(url + REGISTER, 'POST', '[]'))).toEqual(
      refusal('invalid_client_metadata', 'Invalid client metadata: it must be a JSON object'),
    );
    expect(await readResponse(post(url + REGISTER, { client_name: 'a' }))).toEqual(
      refusal('invalid_request', 'Invalid request: content must be application/json'),
    );
    expect(await readResponse(send(url + REGISTER, 'POST', { a: 'x'.repeat(20_000) }))).toEqual(
      refusal('invalid_request', 'Invalid request: it is longer than 16384 characters', 413),
    );
    expect(await readResponse(send(url + REGISTER, 'POST', { a: 'x'.repeat(200_000) }))).toEqual(
      refusal('invalid_request', 'Invalid request: content is too large', 413),
    );
    expect(await readResponse(send(url + REGISTER, 'PATCH', {}))).toMatchObject({ status: 405 });
    expect(await readResponse(get(url + REGISTER))).toMatchObject({ status: 401 });
  });
});

describe.each(PLATFORMS)('dynamic client registration without body parsers on %s', (platform) => {
  afterAll(stopApplications);

  it('parses JSON itself, and limits the rate per address', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const features = [registration({ open: true, rate: { requests: 2, per: 3600 } })];
    await startApplication(platform, demoModule({ features, issuer: url }), { port, bodyParser: false });
    const requested = { redirect_uris: [CALLBACK] };
    const register = () => readResponse(send(url + REGISTER, 'POST', requested));
    const answers = [await register(), await register(), await register()];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(answers[2]).toMatchObject({
      headers: { ...NO_STORE, 'retry-after': expect.stringMatching(/^\d+$/) },
      body: { error: 'temporarily_unavailable' },
    });
  });
});
