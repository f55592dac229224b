import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { DemoClient, SPA, WEB, WEB_SECRET } from '../support/clients/client.js';
import { readResponse, bearer, get, issued, NO_STORE, REFRESH_TOKEN } from '../support/clients/http.js';
import { ADAPTERS, startDemo, stopDemos } from '../support/servers/every-adapter.js';

describe.each(ADAPTERS)('the grants of an independent client on %s', (adapter) => {
  let client: DemoClient;
  beforeAll(async () => {
    client = new DemoClient((await startDemo(adapter)).url);
  });
  afterAll(stopDemos);

  it('issue a client credentials client a token that the API accepts', async () => {
    const response = await client.requestClientCredentials(WEB_SECRET, 'notes:read');
    expect(await readResponse(response.clone())).toEqual(issued({ scope: 'notes:read' }));

    const { access_token: token } = await oauth.processClientCredentialsResponse(client.server, WEB, response);
    expect(await readResponse(client.callApi(token, '/notes'))).toEqual({
      status: 200,
      headers: {
        'content-type': NO_STORE['content-type'],
        'x-accepted-oauth-scopes': 'notes:read',
        'x-oauth-scopes': 'notes:read',
      },
      body: { client: 'web' },
    });
  });

  it('accept client credentials in the form too', async () => {
    const response = await client.requestClientCredentials(oauth.ClientSecretPost('web-secret'), 'notes:write');
    expect(await readResponse(response)).toEqual(issued({ scope: 'notes:write' }));
  });

  it.each([
    ['a confidential client', WEB, WEB_SECRET],
    ['a public client', SPA, oauth.None()],
  ])('lead %s through login and consent to an access token of the user', async (_name, who, auth) => {
    const response = await client.redeem(who, auth, await client.obtainCode(who));
    expect(await readResponse(response.clone())).toEqual(issued({ scope: 'notes:read', refresh_token: REFRESH_TOKEN }));

    const { access_token: token } = await oauth.processAuthorizationCodeResponse(client.server, who, response);
    const { body } = await readResponse(client.callApi(token, '/notes'));
    expect(body).toEqual({ user: 'alice', client: who.client_id });
  });

  it('rotate a refresh token when it is used', async () => {
    const { refresh_token: first = '' } = await client.obtainTokens();
    const response = await client.refresh(first);
    expect(await readResponse(response.clone())).toEqual(issued({ scope: 'notes:read', refresh_token: REFRESH_TOKEN }));

    const tokens = await oauth.processRefreshTokenResponse(client.server, WEB, response);
    expect(tokens.refresh_token).not.toBe(first);
    expect((await get(`${client.url}/notes`, bearer(tokens.access_token))).status).toBe(200);
  });
});
