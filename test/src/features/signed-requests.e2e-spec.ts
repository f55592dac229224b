import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, exportPKCS8, generateKeyPair, SignJWT } from 'jose';
import { formPost, pushedRequests, serverMetadata } from 'nest-oauth2/features';
import { jarm, keys, requestObjects } from 'nest-oauth2/jose';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { decide, openConsentPage, pageOf } from '../../support/clients/consent.js';
import { CALLBACK, demoModule } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, post } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { postedForm } from '../../support/clients/posted-form.js';

const insecure = { [oauth.allowInsecureRequests]: true };
const auth = oauth.ClientSecretBasic('web-secret');
const WEB = { client_id: 'web' };

describe.each(ANY_PLATFORM)('signed requests and responses on %s', (platform) => {
  let url: string;
  let as: oauth.AuthorizationServer;
  let key: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  let elsewhere: Server;
  let object = '';
  let reference: string;
  beforeAll(async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    key = pair.privateKey;
    elsewhere = createServer((_, response) => response.end(object));
    await new Promise<void>((resolve) => void elsewhere.listen(0, '127.0.0.1', resolve));
    reference = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/request.jwt`;
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const model = new MemoryStore({
      clients: [
        {
          id: 'web',
          secret: 'web-secret',
          grants: ['authorization_code'],
          redirectUris: [CALLBACK],
          scopes: ['notes:read', 'notes:write'],
          jwks: { keys: [await exportJWK(pair.publicKey)] },
          requestUris: [reference],
        },
      ],
      users: { findById: (id) => ({ id }), findByCredentials: () => undefined },
    });
    const own = await generateKeyPair('ES256', { extractable: true });
    const features = [
      serverMetadata(),
      pushedRequests(),
      formPost(),
      keys({ from: [await exportPKCS8(own.privateKey)] }),
      jarm(),
      requestObjects({ fetch: { allowLoopback: true } }),
    ];
    await startApplication(platform, demoModule({ model, features, issuer: url }), { port });
    const found = await oauth.discoveryRequest(new URL(url), { algorithm: 'oauth2', ...insecure });
    as = await oauth.processDiscoveryResponse(new URL(url), found);
  });
  afterAll(async () => {
    await stopApplications();
    elsewhere.close();
  });

  const requested = async (more: Record<string, string> = {}) => {
    const verifier = oauth.generateRandomCodeVerifier();
    const parameters = {
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'notes:read',
      state: oauth.generateRandomState(),
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...more,
    };
    return { verifier, parameters };
  };

  async function redeem(callback: URLSearchParams, verifier: string) {
    const response = await oauth.authorizationCodeGrantRequest(as, WEB, auth, callback, CALLBACK, verifier, insecure);
    return oauth.processAuthorizationCodeResponse(as, WEB, response);
  }

  it('sent by value by oauth4webapi, lead through login and consent to a signed response', async () => {
    const { verifier, parameters } = await requested({ response_mode: 'jwt' });
    const request = await oauth.issueRequestObject(as, WEB, parameters, key);
    const login = await openConsentPage(url, { ...WEB, request });
    expect(login.headers['location']).toContain('/login?return_to=');
    const landed = await decide(url, { ...WEB, request }, 'alice', 'allow');
    expect([...landed.searchParams.keys()]).toEqual(['response']);
    const callback = await oauth.validateJwtAuthResponse(as, WEB, landed, parameters.state, insecure);
    expect(await redeem(callback, verifier)).toMatchObject({ scope: 'notes:read' });
  });

  it('pushed by openid-client, lead to a signed response', async () => {
    const config = new openid.Configuration(as, 'web', undefined, openid.ClientSecretBasic('web-secret'));
    openid.allowInsecureRequests(config);
    openid.useJwtResponseMode(config);
    const { verifier, parameters } = await requested();
    const { searchParams } = await openid.buildAuthorizationUrlWithJAR(config, parameters, key);
    const go = await openid.buildAuthorizationUrlWithPAR(config, searchParams);
    expect([...go.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
    const landed = await decide(url, Object.fromEntries(go.searchParams), 'alice', 'allow');
    const checks = { pkceCodeVerifier: verifier, expectedState: parameters.state };
    expect(await openid.authorizationCodeGrant(config, landed, checks)).toMatchObject({ scope: 'notes:read' });
  });

  it('lead to a signed response in form_post.jwt mode, including access_denied', async () => {
    const { parameters } = await requested({ response_mode: 'form_post.jwt', scope: 'notes:write' });
    const request = await oauth.issueRequestObject(as, WEB, parameters, key);
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, { ...WEB, request }, 'bob'));
    const { status, body } = await readResponse(
      post(url + action, { csrf_token: csrfToken, decision: 'deny' }, { cookie: 'user=bob' }),
    );
    expect(status).toBe(200);
    const form = new URLSearchParams(postedForm(body).fields);
    await expect(oauth.validateJwtAuthResponse(as, WEB, form, parameters.state, insecure)).rejects.toMatchObject({
      error: 'access_denied',
    });
  });

  it('are decided as shown, even if the document at request_uri changes afterwards', async () => {
    const { verifier, parameters } = await requested();
    const write = async (scope: string) => {
      object = await new SignJWT({ ...parameters, scope })
        .setProtectedHeader({ alg: 'ES256', typ: 'oauth-authz-req+jwt' })
        .setIssuer('web')
        .setAudience(url)
        .sign(key);
    };
    const request = { ...WEB, request_uri: reference };
    const decideOn = (page: ReturnType<typeof pageOf>) =>
      readResponse(post(url + page.action, { csrf_token: page.csrf_token, decision: 'allow' }, { cookie: 'user=bob' }));
    await write('notes:read');
    const shown = pageOf(await openConsentPage(url, request, 'bob'));
    await write('notes:read notes:write');
    const again = pageOf(await decideOn(shown));
    expect([shown.scope, again.scope]).toEqual(['notes:read', 'notes:read notes:write']);
    // The scope is the same, but a parameter that is not shown on the page differs.
    await write('notes:read');
    const before = pageOf(await openConsentPage(url, request, 'bob'));
    parameters.state = 'another state';
    await write('notes:read');
    const after = pageOf(await decideOn(before));
    const { status, headers } = await decideOn(after);
    expect(status).toBe(303);
    const callback = oauth.validateAuthResponse(as, WEB, new URL(headers['location']!), 'another state');
    expect(await redeem(callback, verifier)).toMatchObject({ scope: 'notes:read' });
  });

  it('show an error page if the signature is invalid', async () => {
    const { parameters } = await requested();
    const { privateKey } = await generateKeyPair('ES256');
    const request = await oauth.issueRequestObject(as, WEB, parameters, privateKey);
    const { status, body } = await openConsentPage(url, { ...WEB, ...parameters, request }, 'alice');
    expect({ status, body }).toMatchObject({ status: 400, body: { error: 'invalid_request_object' } });
  });
});
