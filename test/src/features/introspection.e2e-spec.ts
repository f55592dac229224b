import { afterEach, describe, expect, it } from '@jest/globals';
import { introspection, resourceIndicators } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { GLOBAL_ENHANCERS } from '../../support/servers/global-enhancers.js';
import { DemoClient, WEB, WEB_SECRET } from '../../support/clients/client.js';
import { demoModule } from '../../support/servers/demo.js';
import { readResponse, basic, NO_STORE, post, expectedRefusal } from '../../support/clients/http.js';
import {
  type Platform,
  ANY_PLATFORM,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';

const insecure = { [oauth.allowInsecureRequests]: true };
const NOTES = 'https://api.example/notes';

/** Starts an application whose tokens are for the resource server `api` and not for `other`. */
async function start(platform: Platform, options: object = {}, more: object = {}) {
  const alice = { id: 'alice', username: 'Alice' };
  const model = new MemoryStore({
    clients: [
      {
        id: 'web',
        secret: 'web-secret',
        grants: ['password', 'client_credentials', 'refresh_token'],
        scopes: ['read'],
      },
      { id: 'api', secret: 'api-secret', grants: [], resources: [NOTES] },
      { id: 'other', secret: 'other-secret', grants: [], resources: ['https://other.example'] },
      { id: 'spa', tokenEndpointAuthMethod: 'none', grants: ['password'], scopes: ['read'] },
    ],
    users: { findById: () => alice, findByCredentials: () => alice },
  });
  const features = [introspection(), resourceIndicators({ resources: [NOTES] })];
  const { url } = await startApplication(platform, { ...demoModule({ model, features, ...options }), ...more });
  const server = Object.assign(new DemoClient(url).server, { introspection_endpoint: `${url}/oauth/introspect` });
  const form = { grant_type: 'password', username: 'alice', password: 'x', scope: 'read', resource: NOTES };
  const { body } = await readResponse(post(`${url}/oauth/token`, form, basic('web', 'web-secret')));
  return { url, server, tokens: body as { access_token: string; refresh_token: string } };
}

function configurationOf(server: oauth.AuthorizationServer, id: string) {
  const configuration = new openid.Configuration(server, id, `${id}-secret`);
  openid.allowInsecureRequests(configuration);
  return configuration;
}

describe.each(ANY_PLATFORM)('introspection on %s', (platform) => {
  afterEach(stopApplications);

  it('returns the properties of a token to a resource server, as requested by oauth4webapi', async () => {
    const { server, tokens } = await start(platform);
    const [client, secret] = [{ client_id: 'api' }, oauth.ClientSecretBasic('api-secret')];
    const response = await oauth.introspectionRequest(server, client, secret, tokens.access_token, insecure);
    const said = await oauth.processIntrospectionResponse(server, client, response);
    const { iat } = said;
    expect(said).toEqual({
      active: true,
      token_type: 'Bearer',
      client_id: 'web',
      sub: 'alice',
      username: 'Alice',
      scope: 'read',
      aud: NOTES,
      iat: expect.closeTo(Date.now() / 1000, -1),
      exp: iat! + 3600,
    });
  });

  it('returns only `active: false` to other clients, as requested by openid-client', async () => {
    const { server, tokens } = await start(platform);
    const ask = (id: string, token: string) => openid.tokenIntrospection(configurationOf(server, id), token);
    expect(await ask('web', tokens.refresh_token)).toMatchObject({ active: true, client_id: 'web', scope: 'read' });
    for (const [id, token] of [
      ['other', tokens.access_token],
      ['api', tokens.refresh_token],
      ['web', 'no such token'],
    ] as const) {
      expect(await ask(id, token)).toEqual({ active: false });
    }
  });

  it('includes the issuer if it is configured', async () => {
    const issuer = 'https://id.example';
    const { server, tokens } = await start(platform, { issuer });
    const response = await oauth.introspectionRequest(server, WEB, WEB_SECRET, tokens.access_token, insecure);
    expect(await readResponse(response)).toMatchObject({ status: 200, headers: NO_STORE, body: { iss: issuer } });
  });

  it('requires client authentication, allows no cross-origin requests, and bypasses global enhancers of the application', async () => {
    const cors = { origins: ['https://app.example'] };
    const { url, tokens } = await start(platform, { cors }, { providers: GLOBAL_ENHANCERS });
    const form = { token: tokens.access_token };
    expect(await readResponse(post(`${url}/oauth/introspect`, { ...form, client_id: 'spa' }))).toEqual(
      expectedRefusal('invalid_client', 'Invalid client: cannot retrieve client credentials', 401, {
        'www-authenticate': 'Basic realm="Service", error="invalid_client"',
      }),
    );
    const origin = { origin: 'https://app.example' };
    const { status, headers } = await readResponse(
      post(`${url}/oauth/introspect`, form, { ...basic('web', 'web-secret'), ...origin }),
    );
    expect([status, headers]).toEqual([200, NO_STORE]);
    const preflight = { method: 'OPTIONS', headers: { ...origin, 'access-control-request-method': 'POST' } };
    const requested = await readResponse(fetch(`${url}/oauth/introspect`, preflight));
    expect([requested.status, requested.headers['access-control-allow-origin']]).toEqual([405, undefined]);
  });
});
