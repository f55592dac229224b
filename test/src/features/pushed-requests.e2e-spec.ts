import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { pushedRequests, serverMetadata } from 'nest-oauth2/features';

import { SPA, WEB, WEB_SECRET } from '../../support/clients/client.js';
import { decide, openConsentPage, pageOf } from '../../support/clients/consent.js';
import { CALLBACK, demoModule } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, basic, get, NO_STORE, post } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

const insecure = { [oauth.allowInsecureRequests]: true };
const PAR = '/oauth/par';

describe.each(ANY_PLATFORM)('pushed authorization requests on %s', (platform) => {
  let url: string;
  let as: oauth.AuthorizationServer;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const features = [serverMetadata(), pushedRequests()];
    await startApplication(platform, demoModule({ features, issuer: url }), { port });
    const found = await oauth.discoveryRequest(new URL(url), { algorithm: 'oauth2', ...insecure });
    as = await oauth.processDiscoveryResponse(new URL(url), found);
  });
  afterAll(stopApplications);

  async function requested() {
    const verifier = oauth.generateRandomCodeVerifier();
    const parameters = {
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'notes:read',
      state: oauth.generateRandomState(),
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    return { verifier, parameters };
  }

  /** Pushes a request as an independent client does. */
  async function push(client: oauth.Client, auth: oauth.ClientAuth, parameters: Record<string, string>) {
    const response = await oauth.pushedAuthorizationRequest(as, client, auth, parameters, insecure);
    const { request_uri, expires_in } = await oauth.processPushedAuthorizationResponse(as, client, response);
    expect(expires_in).toBe(60);
    return { client_id: client.client_id, request_uri };
  }

  it('are announced in the server metadata', () => {
    expect(as).toMatchObject({
      pushed_authorization_request_endpoint: url + PAR,
      require_pushed_authorization_requests: false,
    });
  });

  it.each([
    ['a confidential client', WEB, WEB_SECRET],
    ['a public client', SPA, oauth.None()],
  ])('lead %s through login and consent to an access token', async (_, client, auth) => {
    const { verifier, parameters } = await requested();
    const name = await push(client, auth, parameters);
    // The user is not signed in yet, so there is an additional page request after the login page.
    const login = await openConsentPage(url, name);
    const back = new URL(login.headers['location']!, url).searchParams.get('return_to')!;
    expect(new URLSearchParams(back.split('?')[1]).get('request_uri')).toBe(name.request_uri);
    const landed = await decide(url, name, 'alice', 'allow');
    const callback = oauth.validateAuthResponse(as, client, landed, parameters.state);
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth,
      callback,
      CALLBACK,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response);
    expect(tokens).toMatchObject({ scope: 'notes:read' });
    expect(await openConsentPage(url, name, 'alice')).toMatchObject({ status: 400 });
  });

  it('are accepted from openid-client', async () => {
    const config = new openid.Configuration(as, 'web', undefined, openid.ClientSecretPost('web-secret'));
    openid.allowInsecureRequests(config);
    const { verifier, parameters } = await requested();
    const go = await openid.buildAuthorizationUrlWithPAR(config, parameters);
    expect([...go.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
    const landed = await decide(url, Object.fromEntries(go.searchParams), 'alice', 'allow');
    const checks = { pkceCodeVerifier: verifier, expectedState: parameters.state };
    expect(await openid.authorizationCodeGrant(config, landed, checks)).toMatchObject({ scope: 'notes:read' });
  });

  it('show the consent page of the pushed parameters, ignore others in the URL, and can be reloaded', async () => {
    const { parameters } = await requested();
    const name = await push(WEB, WEB_SECRET, { ...parameters, scope: 'notes:write' });
    const bent = { ...name, scope: 'notes:write notes:read', redirect_uri: 'https://evil.example/' };
    for (const asking of [name, bent, name]) {
      const page = pageOf(await openConsentPage(url, asking, 'bob'));
      expect(page).toMatchObject({ user: 'bob', client: 'web', scope: 'notes:write' });
    }
  });

  it('can be decided once, even with two open consent pages', async () => {
    const { parameters } = await requested();
    const name = await push(WEB, WEB_SECRET, { ...parameters, scope: 'notes:write' });
    const pages = [pageOf(await openConsentPage(url, name, 'bob')), pageOf(await openConsentPage(url, name, 'bob'))];
    const responses = await Promise.all(
      pages.map(({ action, csrf_token: csrfToken }) =>
        readResponse(post(url + action, { csrf_token: csrfToken, decision: 'allow' }, { cookie: 'user=bob' })),
      ),
    );
    const byStatus = responses.toSorted((a, b) => a.status - b.status);
    expect(byStatus[0]).toMatchObject({ status: 303, headers: { location: expect.stringContaining('code=') } });
    expect(byStatus[1]).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('return access_denied to the client if the user denies, and cannot be used again', async () => {
    const { parameters } = await requested();
    const name = await push(WEB, WEB_SECRET, { ...parameters, scope: 'notes:write notes:read' });
    const landed = await decide(url, name, 'bob', 'deny');
    expect(landed.searchParams.get('error')).toBe('access_denied');
    expect(await openConsentPage(url, name, 'bob')).toMatchObject({ status: 400 });
  });

  it('are rejected with JSON errors, other methods included', async () => {
    const form = { client_id: 'web', response_type: 'code', redirect_uri: 'https://evil.example/', state: 'xyz' };
    const refused = (status: number, error_description: string, headers: object = {}) => ({
      status,
      headers: { ...NO_STORE, ...headers },
      body: { error: status === 401 ? 'invalid_client' : 'invalid_request', error_description },
    });
    expect(await readResponse(post(url + PAR, form, basic('web', 'web-secret')))).toEqual(
      refused(400, 'Invalid request: `redirect_uri` does not match client value'),
    );
    expect(await readResponse(post(url + PAR, form, basic('web', 'wrong')))).toEqual(
      refused(401, 'Invalid client: client is invalid', {
        'www-authenticate': 'Basic realm="Service", error="invalid_client"',
      }),
    );
    expect(await readResponse(get(url + PAR))).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });
});
