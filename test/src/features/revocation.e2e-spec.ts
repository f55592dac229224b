import { afterEach, describe, expect, it } from '@jest/globals';
import { introspection, revocation } from 'nest-oauth2/features';
import { TemporarilyUnavailableError } from 'nest-oauth2/server';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { GLOBAL_ENHANCERS } from '../../support/servers/global-enhancers.js';
import { DemoClient, SPA, WEB, WEB_SECRET } from '../../support/clients/client.js';
import { demoModule, demoStore } from '../../support/servers/demo.js';
import { readResponse, basic, bearer, get, NO_STORE, post, expectedRefusal } from '../../support/clients/http.js';
import {
  type Platform,
  ANY_PLATFORM,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';

const insecure = { [oauth.allowInsecureRequests]: true };
const APP = 'https://app.example';
const DONE = { status: 200, headers: NO_STORE, body: {} };

/** Starts an application with both features, and clients of two libraries with its endpoints. */
async function start(platform: Platform, options: object = {}, providers: object = {}) {
  const features = [revocation(), introspection()];
  const { url } = await startApplication(platform, { ...demoModule({ features, ...options }), ...providers });
  const client = new DemoClient(url);
  const endpoints = { revocation_endpoint: `${url}/oauth/revoke`, introspection_endpoint: `${url}/oauth/introspect` };
  const server = Object.assign(client.server, endpoints);
  const configuration = new openid.Configuration(server, 'web', 'web-secret');
  openid.allowInsecureRequests(configuration);
  return { url, client, server, configuration };
}

/** Whether the access token is accepted, and whether the refresh token can be redeemed. */
async function usable(client: DemoClient, tokens: { access_token: string; refresh_token?: string }) {
  const letIn = (await get(`${client.url}/notes`, bearer(tokens.access_token))).status === 200;
  return [letIn, (await client.refresh(tokens.refresh_token!)).status === 200];
}

describe.each(ANY_PLATFORM)('token revocation on %s', (platform) => {
  afterEach(stopApplications);

  it('revokes only the access token, as requested by oauth4webapi', async () => {
    const { client, server } = await start(platform);
    const tokens = await client.obtainTokens();
    const revoke = (token: string) => oauth.revocationRequest(server, WEB, WEB_SECRET, token, insecure);
    for (let time = 0; time < 2; time += 1) {
      await oauth.processRevocationResponse(await revoke(tokens.access_token));
    }
    expect(await usable(client, tokens)).toEqual([false, true]);
  });

  it('revokes all tokens of the grant with a refresh token, as requested by openid-client', async () => {
    const { client, configuration } = await start(platform);
    const [tokens, stranger] = [await client.obtainTokens(), await client.obtainTokens()];
    await openid.tokenRevocation(configuration, tokens.refresh_token!, { token_type_hint: 'refresh_token' });
    await openid.tokenRevocation(configuration, 'no such token');
    expect(await usable(client, tokens)).toEqual([false, false]);
    expect(await usable(client, stranger)).toEqual([true, true]);
    expect(await openid.tokenIntrospection(configuration, tokens.access_token)).toEqual({ active: false });
  });

  it('lets a public client revoke its own token with its client_id, but not the tokens of others', async () => {
    const { url, client, server } = await start(platform);
    const redeemed = await client.redeem(SPA, oauth.None(), await client.obtainCode(SPA));
    const own = (await oauth.processAuthorizationCodeResponse(server, SPA, redeemed)).access_token;
    const other = (await client.obtainTokens()).access_token;
    const revoke = (token: string) => oauth.revocationRequest(server, SPA, oauth.None(), token, insecure);
    await oauth.processRevocationResponse(await revoke(own));
    await expect(oauth.processRevocationResponse(await revoke(other))).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    });
    const letIn = await Promise.all([own, other].map((token) => get(`${url}/notes`, bearer(token))));
    expect(letIn.map(({ status }) => status)).toEqual([401, 200]);
    expect(await readResponse(post(`${url}/oauth/revoke`, { token: other, client_id: 'web' }))).toEqual(
      expectedRefusal('invalid_client', 'Invalid client: cannot retrieve client credentials', 401, {
        'www-authenticate': 'Basic realm="Service", error="invalid_client"',
      }),
    );
  });

  it('returns an empty JSON object, regardless of the application’s global enhancers', async () => {
    const { url } = await start(platform, {}, { providers: GLOBAL_ENHANCERS });
    const revoke = (form: Record<string, string>) =>
      readResponse(post(`${url}/oauth/revoke`, form, basic('web', 'web-secret')));
    expect(await revoke({ token: 'no such token', token_type_hint: 'urn:example:hint' })).toEqual(DONE);
    expect(await revoke({})).toEqual(expectedRefusal('invalid_request', 'Missing parameter: `token`'));
    expect(await readResponse(get(`${url}/oauth/revoke?token=x`, basic('web', 'web-secret')))).toEqual(
      expectedRefusal('invalid_request', 'Invalid request: method must be POST', 405, { allow: 'POST' }),
    );
  });

  it('allows cross-origin requests from a client’s pages', async () => {
    const { url } = await start(platform, { cors: { origins: [APP] } });
    const preflight = { origin: APP, 'access-control-request-method': 'POST' };
    const requested = await readResponse(fetch(`${url}/oauth/revoke`, { method: 'OPTIONS', headers: preflight }));
    expect([requested.status, requested.headers['access-control-allow-origin']]).toEqual([204, APP]);
    const { status, headers } = await readResponse(
      post(`${url}/oauth/revoke`, { token: 'x', client_id: 'spa' }, { origin: APP }),
    );
    expect([status, headers['access-control-allow-origin']]).toEqual([200, APP]);
  });

  it('responds with 503 if the model is unavailable, as the token remains valid', async () => {
    const store = demoStore();
    const away = () => Promise.reject(new TemporarilyUnavailableError('away', { retryAfter: 3 }));
    const model = new Proxy(store, {
      get: (target, key) => (key === 'revokeAccessToken' ? away : (Reflect.get(target, key) as unknown)),
    });
    const { url, client } = await start(platform, { model });
    const tokens = await client.obtainTokens();
    const { status, headers, body } = await readResponse(
      post(`${url}/oauth/revoke`, { token: tokens.access_token }, basic('web', 'web-secret')),
    );
    expect([status, headers['retry-after'], body]).toEqual([
      503,
      '3',
      { error: 'temporarily_unavailable', error_description: expect.any(String) },
    ]);
    expect(await usable(client, tokens)).toEqual([true, true]);
  });
});
