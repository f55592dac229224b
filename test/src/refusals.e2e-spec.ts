import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { advanceClock } from '../support/environment/advance-clock.js';
import { DemoClient, WEB, WEB_SECRET } from '../support/clients/client.js';
import {
  readResponse,
  basic,
  bearer,
  get,
  NO_STORE,
  post,
  refusalBody,
  expectedRefusal,
} from '../support/clients/http.js';
import { type Adapter, ADAPTERS, startDemo, stopDemos } from '../support/servers/every-adapter.js';

/** Returns the body of a rejected request to the API. Nest adds the members of its exceptions. */
const bodyOf = (adapter: Adapter, status: number, error: string, description: string) =>
  adapter === 'node:http' ? { error, error_description: description } : refusalBody(status, error, description);

const challengedBy =
  (adapter: Adapter) =>
  (status: number, error: string, description: string, scope = 'notes:read') => ({
    status,
    headers: {
      'content-type': NO_STORE['content-type'],
      'www-authenticate': `Bearer realm="Service",error="${error}"${status === 403 ? `,scope="${scope}"` : ''}`,
      'x-accepted-oauth-scopes': scope,
    },
    body: bodyOf(adapter, status, error, description),
  });

describe.each(ADAPTERS)('rejected requests on %s', (adapter) => {
  const challenged = challengedBy(adapter);
  const revoked = challenged(401, 'invalid_token', 'Invalid token: access token is invalid');
  let url: string;
  let client: DemoClient;
  beforeAll(async () => {
    ({ url } = await startDemo(adapter));
    client = new DemoClient(url);
  });
  afterAll(stopDemos);

  it('get a challenge for a wrong client secret', async () => {
    const response = await readResponse(
      post(`${url}/oauth/token`, { grant_type: 'client_credentials' }, basic('web', 'wrong')),
    );
    const challenge = { 'www-authenticate': 'Basic realm="Service", error="invalid_client"' };
    expect(response).toEqual(expectedRefusal('invalid_client', 'Invalid client: client is invalid', 401, challenge));
  });

  it('get invalid_grant for a wrong code verifier, which consumes the code', async () => {
    const code = await client.obtainCode(WEB);
    const wrong = { ...code, verifier: oauth.generateRandomCodeVerifier() };
    const response = await readResponse(client.redeem(WEB, WEB_SECRET, wrong));
    expect(response).toEqual(expectedRefusal('invalid_grant', 'Invalid grant: code verifier is invalid'));
    expect((await client.redeem(WEB, WEB_SECRET, code)).status).toBe(400);
  });

  it('get invalid_grant for a replayed code, which revokes its tokens', async () => {
    const code = await client.obtainCode(WEB);
    const first = await client.redeem(WEB, WEB_SECRET, code);
    const { access_token: token } = await oauth.processAuthorizationCodeResponse(client.server, WEB, first);
    const second = await readResponse(client.redeem(WEB, WEB_SECRET, code));
    expect(second).toEqual(expectedRefusal('invalid_grant', 'Invalid grant: authorization code is invalid'));
    expect(await readResponse(get(`${url}/notes`, bearer(token)))).toEqual(revoked);
  });

  it('get invalid_grant for a replayed refresh token, which revokes the token family', async () => {
    const { refresh_token: first = '' } = await client.obtainTokens();
    const { access_token: token } = await oauth.processRefreshTokenResponse(
      client.server,
      WEB,
      await client.refresh(first),
    );
    expect(await readResponse(client.refresh(first))).toEqual(
      expectedRefusal('invalid_grant', 'Invalid grant: refresh token is invalid'),
    );
    expect(await readResponse(get(`${url}/notes`, bearer(token)))).toEqual(revoked);
  });

  it('get invalid_token for an expired access token', async () => {
    const form = { grant_type: 'client_credentials', scope: 'notes:read' };
    const { body } = await readResponse(post(`${url}/oauth/token`, form, basic('hasty', 'hasty-secret')));
    advanceClock(60_000);
    const { access_token: token } = body as { access_token: string };
    expect(await readResponse(get(`${url}/notes`, bearer(token)))).toEqual(
      challenged(401, 'invalid_token', 'Invalid token: access token has expired'),
    );
  });

  it('get insufficient_scope for a token with too little scope', async () => {
    const { access_token: token } = await client.obtainTokens('notes:read');
    expect(await readResponse(post(`${url}/notes`, {}, bearer(token)))).toEqual(
      challenged(403, 'insufficient_scope', 'Insufficient scope: authorized scope is insufficient', 'notes:write'),
    );
  });

  it('get a challenge without an error code if they have no token (RFC 6750 §3.1)', async () => {
    expect(await readResponse(get(`${url}/notes`))).toEqual({
      status: 401,
      headers: {
        'content-type': NO_STORE['content-type'],
        'www-authenticate': 'Bearer realm="Service"',
        'x-accepted-oauth-scopes': 'notes:read',
      },
      body: bodyOf(adapter, 401, 'unauthorized_request', 'Unauthorized request: no authentication given'),
    });
  });
});
