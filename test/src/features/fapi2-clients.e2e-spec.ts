import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurrentUser, OAuth2Module, OAuthGuard } from 'nest-oauth2';
import { fapi2 } from 'nest-oauth2/fapi';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { agree } from '../../support/clients/consent.js';
import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

// FAPI 2.0 with nonces, verified with two certified client libraries.

const CALLBACK = 'https://app.example/callback';
const insecure = { [oauth.allowInsecureRequests]: true };

@Controller('notes')
@UseGuards(OAuthGuard)
class NotesController {
  @Get()
  list(@CurrentUser('id') user: string) {
    return { user };
  }
}

describe.each(ANY_PLATFORM)('the FAPI 2.0 profile on %s', (platform) => {
  let issuer: URL;
  let notes: URL;
  let pair: Awaited<ReturnType<typeof oauth.generateKeyPair>>;

  beforeAll(async () => {
    const port = await freePort();
    issuer = new URL(`http://127.0.0.1:${port}`);
    notes = new URL('/notes', issuer);
    pair = await oauth.generateKeyPair('ES256');
    const jwk = { ...(await crypto.subtle.exportKey('jwk', pair.publicKey)), kid: 'own', alg: 'ES256' };
    const client = {
      id: 'bank-app',
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [jwk] },
      grants: ['authorization_code', 'refresh_token'],
      redirectUris: [CALLBACK],
      scopes: ['notes:read'],
    };
    const model = new MemoryStore({
      users: { findById: () => ({ id: 'alice' }), findByCredentials: () => undefined },
      clients: [client],
    });
    const server = {
      model,
      issuer: issuer.origin,
      features: [fapi2({ dpop: { nonce: { secret: 'a secret of thirty-two characters' } } })],
      interaction: DemoInteraction,
      secret: SECRET,
    };
    await startApplication(
      platform,
      { imports: [OAuth2Module.forRoot(server)], controllers: [NotesController] },
      { port },
    );
  });
  afterAll(stopApplications);

  it('is supported by openid-client', async () => {
    const config = await openid.discovery(
      issuer,
      'bank-app',
      {},
      openid.PrivateKeyJwt({ key: pair.privateKey, kid: 'own' }),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const requested = {
      redirect_uri: CALLBACK,
      scope: 'notes:read',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    };
    const url = await openid.buildAuthorizationUrlWithPAR(config, requested, { DPoP });
    const tokens = await openid.authorizationCodeGrant(config, await agree(url), { pkceCodeVerifier }, undefined, {
      DPoP,
    });
    expect(tokens.token_type).toBe('dpop');
    const response = await openid.fetchProtectedResource(config, tokens.access_token, notes, 'GET', null, undefined, {
      DPoP,
    });
    expect(await response.json()).toEqual({ user: 'alice' });
    for (let time = 0; time < 2; time++) {
      const next = await openid.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP });
      expect(next).toMatchObject({ token_type: 'dpop', access_token: expect.any(String) });
    }
  });

  it('is supported by oauth4webapi', async () => {
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const as = await oauth.processDiscoveryResponse(issuer, found);
    const client: oauth.Client = { client_id: 'bank-app' };
    const auth = oauth.PrivateKeyJwt({ key: pair.privateKey, kid: 'own' });
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('EdDSA'));
    const verifier = oauth.generateRandomCodeVerifier();
    const requested = new URLSearchParams({
      response_type: 'code',
      client_id: 'bank-app',
      redirect_uri: CALLBACK,
      scope: 'notes:read',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const options = { DPoP, ...insecure };
    const { request_uri: name } = await withNonce(async () => {
      const response = await oauth.pushedAuthorizationRequest(as, client, auth, requested, options);
      return await oauth.processPushedAuthorizationResponse(as, client, response);
    });
    const url = new URL(as.authorization_endpoint!);
    url.search = new URLSearchParams({ client_id: 'bank-app', request_uri: name }).toString();
    const landed = oauth.validateAuthResponse(as, client, await agree(url), oauth.expectNoState);
    const tokens = await withNonce(async () => {
      const response = await oauth.authorizationCodeGrantRequest(as, client, auth, landed, CALLBACK, verifier, options);
      return await oauth.processAuthorizationCodeResponse(as, client, response);
    });
    const call = () => oauth.protectedResourceRequest(tokens.access_token, 'GET', notes, undefined, null, options);
    expect((await withNonce(call)).status).toBe(200);
  });

  /** Retries with the nonce from the response, as a client does. */
  async function withNonce<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (!oauth.isDPoPNonceError(error)) throw error;
      return await attempt();
    }
  }
});
