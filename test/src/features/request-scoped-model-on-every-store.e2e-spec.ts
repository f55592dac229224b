import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { OAuth2Module } from 'nest-oauth2';
import {
  deviceAuthorization,
  introspection,
  registration,
  revocation,
  serverMetadata,
  tokenExchange,
} from 'nest-oauth2/features';
import { jwtAccessTokens, keys } from 'nest-oauth2/jose';
import { logout, openid as openidConnect } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import * as openid from 'openid-client';

import { findStores, type OpenStore } from '../../stores/every-store.js';
import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS = 'urn:ietf:params:oauth:token-type:access_token';

describe.each(await findStores())('a request-scoped model on $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => {
    await stopApplications();
    await opened.close();
  });

  it('supports a registered client with device flow, signed tokens, token exchange and revocation', async () => {
    const { store } = opened;

    @Injectable({ scope: Scope.REQUEST })
    class RequestModel {
      constructor(@Inject(REQUEST) readonly request: unknown) {
        return Object.create(store) as RequestModel;
      }
    }
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const policy = { scopes: ['read', 'write'], grants: [DEVICE, EXCHANGE, 'refresh_token'] };
    const features = [
      registration({ open: true, ...policy }),
      deviceAuthorization({ interval: 1 }),
      pages({ devices: true }),
      tokenExchange(),
      keys({ secret: SECRET }),
      jwtAccessTokens(),
      introspection(),
      revocation(),
      serverMetadata(),
    ];
    const useFactory = async () => ({ issuer: url, secret: SECRET });
    const imports = [OAuth2Module.forRootAsync({ model: RequestModel as never, features, useFactory })];
    await startApplication('fastify', { imports }, { port });

    const execute = [openid.allowInsecureRequests];
    const metadata = { grant_types: policy.grants, response_types: [], client_name: 'Television' };
    const client = await openid.dynamicClientRegistration(new URL(url), metadata, undefined, {
      execute,
      algorithm: 'oauth2',
    });
    const begun = await openid.initiateDeviceAuthorization(client, { scope: 'read write' });
    const browser = new PageBrowser(url);
    await browser.signIn('/oauth/login');
    const shown = await browser.send(await browser.get('/oauth/device'), { user_code: begun.user_code });
    expect(shown.html).toContain('Television');
    expect((await browser.send(shown, { decision: 'allow' })).location).toBe('/oauth/device?done=allowed');
    const tokens = await openid.pollDeviceAuthorizationGrant(client, begun);
    expect(tokens.access_token).toMatch(/^e[\w-]+\.e[\w-]+\.[\w-]+$/);

    const parameters = { subject_token: tokens.access_token, subject_token_type: ACCESS, scope: 'read' };
    const lesser = await openid.genericGrantRequest(client, EXCHANGE, parameters);
    expect(lesser).toMatchObject({ scope: 'read', issued_token_type: ACCESS });
    expect(await openid.tokenIntrospection(client, lesser.access_token)).toMatchObject({ active: true });
    await openid.tokenRevocation(client, tokens.refresh_token!);
    expect(await openid.tokenIntrospection(client, lesser.access_token)).toEqual({ active: false });
    await expect(openid.genericGrantRequest(client, EXCHANGE, parameters)).rejects.toThrow(
      'error in the response body',
    );
  });

  it('signs a user in at a dynamically registered client, with the same claims from every process', async () => {
    const { store, another } = opened;
    const getClaims = () => ({ email: 'alice@example.com', name: 'Alice' });
    const port = await freePort();
    const issuer = `http://localhost:${port}`;
    const policy = { scopes: ['openid', 'email'], grants: ['authorization_code', 'refresh_token'] };
    const salt = 'salt of thirty-two characters at least';
    const module = (model: object) =>
      OAuth2Module.forRoot({
        model: Object.assign(Object.create(model) as typeof store, { getClaims }),
        issuer,
        secret: SECRET,
        features: [
          registration({ open: true, ...policy }),
          pages(),
          keys({ secret: SECRET, algorithms: ['ES256'] }),
          openidConnect({ alg: 'ES256', pairwise: { salt } }),
          logout(),
        ],
      });
    await startApplication('express', { imports: [module(store)] }, { port });

    const alg = { id_token_signed_response_alg: 'ES256', userinfo_signed_response_alg: 'ES256' };
    const callback = 'https://app.example/callback';
    const said = { redirect_uris: [callback], grant_types: policy.grants, subject_type: 'pairwise', ...alg };
    const execute = [openid.allowInsecureRequests];
    const client = await openid.dynamicClientRegistration(new URL(issuer), said, undefined, { execute });
    const checks = { expectedNonce: openid.randomNonce(), pkceCodeVerifier: openid.randomPKCECodeVerifier() };
    const challenge = await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier);
    const requested = openid.buildAuthorizationUrl(client, {
      redirect_uri: callback,
      scope: 'openid',
      max_age: '600',
      nonce: checks.expectedNonce,
      claims: JSON.stringify({ userinfo: { email: null } }),
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const browser = new PageBrowser(issuer);
    const login = await browser.get((await browser.get(requested.href)).location!);
    const back = await browser.send(login, { username: 'alice', password: 'wonderland' });
    const consent = await browser.get(back.location!);
    expect(consent.html).toContain('<code>email</code>');
    const landed = new URL((await browser.send(consent, { decision: 'allow' })).location!);

    const other = await startApplication('fastify', { imports: [module(another)] });
    client[openid.customFetch] = async (url, init) => await fetch(url.replace(issuer, other.url), init);
    const tokens = await openid.authorizationCodeGrant(client, landed, { ...checks, maxAge: 600 });
    const { sub, auth_time: authTime, sid } = tokens.claims()!;
    expect({ authTime, sid }).toEqual({ authTime: expect.any(Number), sid: expect.any(String) });
    const email = 'alice@example.com';
    expect(await openid.fetchUserInfo(client, tokens.access_token, sub)).toMatchObject({ sub, email });
    const refreshed = await openid.refreshTokenGrant(client, tokens.refresh_token!);
    expect(refreshed.claims()).toMatchObject({ sub, auth_time: authTime, sid });
    expect(await openid.fetchUserInfo(client, refreshed.access_token, sub)).not.toHaveProperty('name');
  });
});
