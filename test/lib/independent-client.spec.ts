import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';

import { EngineServer } from '../support/servers/engine-server.js';
import { createTestModel, SPA, WEB } from '../support/models/model.js';
import { signedIn } from '../support/clients/requests.js';

// `oauth4webapi`, a strict client library that is independent of this one, reads each response.

const SECRET = 'a:b c%20+é'.replace('é', '~');
const CALLBACK = WEB.redirectUris![0]!;
const insecure = { [oauth.allowInsecureRequests]: true };
const server = new EngineServer();
let as: oauth.AuthorizationServer;
const client: oauth.Client = { client_id: 'web' };

beforeAll(async () => {
  const getClient = (id: string, secret: string | null) =>
    secret === null || secret === SECRET
      ? new Map([
          ['web', WEB],
          ['spa', SPA],
        ]).get(id)
      : null;
  await server.start({ model: createTestModel({ getClient }).model, ...signedIn });
  as = {
    issuer: server.issuer,
    authorization_endpoint: `${server.issuer}/authorize`,
    token_endpoint: `${server.issuer}/token`,
    authorization_response_iss_parameter_supported: true,
  };
});
afterAll(() => server.stop());

async function authorize(parameters: Record<string, string>): Promise<URL> {
  const url = new URL(as.authorization_endpoint!);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: 'web',
    redirect_uri: CALLBACK,
    ...parameters,
  }).toString();
  const { headers, status } = await fetch(url, { redirect: 'manual' });
  expect(status).toBe(302);
  return new URL(headers.get('location')!);
}

async function codeFlow(
  from: oauth.Client,
  auth: oauth.ClientAuth,
  redirectUri: string,
): Promise<oauth.TokenEndpointResponse> {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const callback = await authorize({
    client_id: from.client_id,
    redirect_uri: redirectUri,
    scope: 'read write',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const parameters = oauth.validateAuthResponse(as, from, callback, state);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    from,
    auth,
    parameters,
    redirectUri,
    verifier,
    insecure,
  );
  return oauth.processAuthorizationCodeResponse(as, from, response);
}

describe('client library oauth4webapi', () => {
  it.each([
    ['client_secret_basic', oauth.ClientSecretBasic(SECRET)],
    ['client_secret_post', oauth.ClientSecretPost(SECRET)],
  ])('obtains a client credentials token with %s', async (_, auth) => {
    const parameters = new URLSearchParams({ scope: 'read' });
    const response = await oauth.clientCredentialsGrantRequest(as, client, auth, parameters, insecure);
    const token = await oauth.processClientCredentialsResponse(as, client, response);
    expect(token).toMatchObject({ token_type: 'bearer', scope: 'read', expires_in: expect.any(Number) });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('redeems a code with PKCE, uses the access token, and uses the refresh token only once', async () => {
    const auth = oauth.ClientSecretBasic(SECRET);
    const token = await codeFlow(client, auth, CALLBACK);
    const resource = new URL(`${server.issuer}/resource`);
    const use = (accessToken: string) =>
      oauth.protectedResourceRequest(accessToken, 'GET', resource, new Headers(), null, insecure);
    expect((await use(token.access_token)).headers.get('x-oauth-scopes')).toBe('read write');

    const refresh = () => oauth.refreshTokenGrantRequest(as, client, auth, token.refresh_token!, insecure);
    const refreshed = await oauth.processRefreshTokenResponse(as, client, await refresh());
    expect(refreshed.refresh_token).not.toBe(token.refresh_token);
    expect((await use(refreshed.access_token)).status).toBe(200);
    await expect(
      refresh().then((response) => oauth.processRefreshTokenResponse(as, client, response)),
    ).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    });
  });

  it('redeems a code as a public client with an arbitrary loopback port', async () => {
    const token = await codeFlow({ client_id: 'spa' }, oauth.None(), 'http://127.0.0.1:49152/cb');
    expect(token.refresh_token).toHaveLength(64);
  });

  it('reads the error and the challenge for a wrong client secret', async () => {
    const response = await oauth.clientCredentialsGrantRequest(as, client, oauth.ClientSecretBasic('x'), {}, insecure);
    await expect(oauth.processClientCredentialsResponse(as, client, response)).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'basic', parameters: { realm: 'Service' } }],
    });
  });

  it('reads the challenge of a protected resource', async () => {
    const request = oauth.protectedResourceRequest(
      'unknown',
      'GET',
      new URL(`${server.issuer}/resource`),
      undefined,
      null,
      insecure,
    );
    await expect(request).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'bearer', parameters: { realm: 'Service', error: 'invalid_token' } }],
    });
  });

  it('rejects authorization responses of another issuer, and reads errors of the right one', async () => {
    const callback = await authorize({ state: 'abc', scope: 'admin' });
    expect(() => oauth.validateAuthResponse(as, client, callback, 'abc')).toThrow(
      expect.objectContaining({
        error: 'invalid_scope',
        error_description: 'Invalid scope: Requested scope is invalid',
      }),
    );
    const good = await authorize({ state: 'abc' });
    expect(oauth.validateAuthResponse(as, client, good, 'abc').get('iss')).toBe(as.issuer);
    expect(() => oauth.validateAuthResponse({ ...as, issuer: 'https://other.example' }, client, good, 'abc')).toThrow(
      'issuer',
    );
    good.searchParams.delete('iss');
    expect(() => oauth.validateAuthResponse(as, client, good, 'abc')).toThrow('iss');
  });
});
