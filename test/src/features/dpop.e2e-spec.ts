import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';

import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurrentUser, OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { introspection, pushedRequests, serverMetadata } from 'nest-oauth2/features';
import { dpop } from 'nest-oauth2/jose';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { type JWK, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { agree } from '../../support/clients/consent.js';
import { DemoInteraction, SECRET as MODULE_SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

// RFC 9449, verified with an independent client library.

const CALLBACK = 'https://app.example/callback';
const PAGE = 'https://app.example';
const SECRET = 'secret-of-the-client-web';
const insecure = { [oauth.allowInsecureRequests]: true };
const alice = { id: 'alice' };

@Controller('notes')
@UseGuards(OAuthGuard)
class NotesController {
  @Get()
  @Scopes('notes:read')
  // The guard of the controller authenticates the same request a second time.
  @UseGuards(OAuthGuard)
  list(@CurrentUser('id', { optional: true }) user: string | undefined) {
    return { user };
  }
}

const SETUPS = PLATFORMS.flatMap((platform) => [
  { platform, nonces: false },
  { platform, nonces: true },
]);

describe.each(SETUPS)('DPoP on $platform, with nonces: $nonces', ({ platform, nonces }) => {
  let url: string;
  let notes: URL;
  let retries = 0;
  let as: oauth.AuthorizationServer;
  const web: oauth.Client = { client_id: 'web' };
  const spa: oauth.Client = { client_id: 'spa' };

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    notes = new URL('/notes', url);
    const known = { redirectUris: [CALLBACK], scopes: ['notes:read'], defaultScope: ['notes:read'] };
    const model = new MemoryStore({
      users: { findById: () => alice, findByCredentials: () => undefined },
      clients: [
        { id: 'web', secret: SECRET, grants: ['client_credentials'], ...known },
        { id: 'spa', tokenEndpointAuthMethod: 'none', grants: ['authorization_code', 'refresh_token'], ...known },
      ],
    });
    const nonce = nonces ? { nonce: { secret: 'a secret of thirty-two characters' } } : {};
    const features = [serverMetadata(), introspection(), pushedRequests(), dpop(nonce)];
    const imports = [
      OAuth2Module.forRoot({
        model,
        issuer: url,
        cors: { origins: [PAGE] },
        features,
        interaction: DemoInteraction,
        secret: MODULE_SECRET,
      }),
    ];
    await startApplication(platform, { imports, controllers: [NotesController] }, { port });
    const found = await oauth.discoveryRequest(new URL(url), { algorithm: 'oauth2', ...insecure });
    as = await oauth.processDiscoveryResponse(new URL(url), found);
  });
  afterAll(stopApplications);

  /** Retries with the nonce from the response, as a client does. */
  async function withNonce<T>(attempt: () => Promise<T>): Promise<T> {
    if (!nonces) return await attempt();
    try {
      return await attempt();
    } catch (error) {
      if (!oauth.isDPoPNonceError(error)) throw error;
      retries += 1;
      return await attempt();
    }
  }

  const call = (token: string, DPoP: oauth.DPoPHandle) =>
    withNonce(() => oauth.protectedResourceRequest(token, 'GET', notes, undefined, null, { DPoP, ...insecure }));

  async function ownToken(client: oauth.Client, DPoP: oauth.DPoPHandle) {
    return await withNonce(async () => {
      const options = { DPoP, ...insecure };
      const requested = { scope: 'notes:read' };
      const auth = oauth.ClientSecretPost(SECRET);
      const response = await oauth.clientCredentialsGrantRequest(as, client, auth, requested, options);
      return await oauth.processClientCredentialsResponse(as, client, response);
    });
  }

  it('is announced in the server metadata', () => {
    expect(as.dpop_signing_alg_values_supported).toContain('ES256');
  });

  it('binds the token of a client credentials client, so that other keys cannot use it', async () => {
    const pair = await oauth.generateKeyPair('ES256');
    const DPoP = oauth.DPoP(web, pair);
    const { access_token: token, token_type: type } = await ownToken(web, DPoP);
    expect(type).toBe('dpop');
    expect(retries > 0).toBe(nonces);
    expect((await call(token, DPoP)).status).toBe(200);
    expect((await call(token, DPoP)).status).toBe(200);
    const thief = oauth.DPoP(web, await oauth.generateKeyPair('ES256'));
    await expect(call(token, thief)).rejects.toMatchObject({
      cause: [{ scheme: 'dpop', parameters: { error: 'invalid_dpop_proof', algs: expect.stringContaining('ES256') } }],
    });
    const downgraded = await fetch(notes, { headers: { authorization: `Bearer ${token}` } });
    expect(downgraded.status).toBe(401);
    expect(downgraded.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token", DPoP algs=/);
    const bare = await fetch(notes, { headers: { authorization: `DPoP ${token}` } });
    expect(bare.status).toBe(401);
    expect(bare.headers.get('www-authenticate')).toMatch(/^DPoP .*error="invalid_dpop_proof"/);
  });

  it.each([false, true])(
    'supports a public client with code, PKCE and refresh; pushed request: %s',
    async (isPushed) => {
      const DPoP = oauth.DPoP(spa, await oauth.generateKeyPair('EdDSA', { crv: 'Ed25519' } as never));
      const verifier = oauth.generateRandomCodeVerifier();
      const requested = new URLSearchParams({
        response_type: 'code',
        client_id: 'spa',
        redirect_uri: CALLBACK,
        scope: 'notes:read',
        state: 'xyz',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      const at = new URL(as.authorization_endpoint!);
      if (isPushed) {
        const { request_uri: name } = await withNonce(async () => {
          const response = await oauth.pushedAuthorizationRequest(as, spa, oauth.None(), requested, {
            DPoP,
            ...insecure,
          });
          return await oauth.processPushedAuthorizationResponse(as, spa, response);
        });
        at.search = new URLSearchParams({ client_id: 'spa', request_uri: name }).toString();
      } else {
        requested.set('dpop_jkt', await DPoP.calculateThumbprint());
        at.search = requested.toString();
      }
      const landed = oauth.validateAuthResponse(as, spa, await agree(at), 'xyz');
      const tokens = await withNonce(async () => {
        const options = { DPoP, ...insecure };
        const response = await oauth.authorizationCodeGrantRequest(
          as,
          spa,
          oauth.None(),
          landed,
          CALLBACK,
          verifier,
          options,
        );
        return await oauth.processAuthorizationCodeResponse(as, spa, response);
      });
      expect(tokens.token_type).toBe('dpop');
      expect(await (await call(tokens.access_token, DPoP)).json()).toEqual({ user: 'alice' });
      const refresh = (own: oauth.DPoPHandle) =>
        withNonce(async () => {
          const options = { DPoP: own, ...insecure };
          const response = await oauth.refreshTokenGrantRequest(as, spa, oauth.None(), tokens.refresh_token!, options);
          return await oauth.processRefreshTokenResponse(as, spa, response);
        });
      const thief = oauth.DPoP(spa, await oauth.generateKeyPair('ES256'));
      await expect(refresh(thief)).rejects.toMatchObject({ error: 'invalid_grant' });
      const next = await refresh(DPoP);
      expect((await call(next.access_token, DPoP)).status).toBe(200);
    },
  );

  it('allows cross-origin requests to send the proof and to read the nonce', async () => {
    const { headers } = await fetch(as.token_endpoint!, {
      method: 'OPTIONS',
      headers: { origin: PAGE, 'access-control-request-method': 'POST', 'access-control-request-headers': 'dpop' },
    });
    expect(headers.get('access-control-allow-headers')).toContain('DPoP');
    const refused = await fetch(as.token_endpoint!, {
      method: 'POST',
      headers: { origin: PAGE, dpop: 'x' },
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'spa', refresh_token: 'x' }),
    });
    expect(await refused.json()).toMatchObject({ error: 'invalid_dpop_proof' });
    expect(refused.headers.get('access-control-expose-headers')).toContain('DPoP-Nonce');
  });

  it('rejects two DPoP headers', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const header = { alg: 'ES256', typ: 'dpop+jwt', jwk: publicKey.export({ format: 'jwk' }) as JWK };
    const proof = (jti: string) =>
      new SignJWT({ jti, htm: 'POST', htu: as.token_endpoint! })
        .setIssuedAt()
        .setProtectedHeader(header)
        .sign(privateKey);
    const sent = request(as.token_endpoint!, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', dpop: [await proof('a'), await proof('b')] },
    });
    sent.end(`grant_type=client_credentials&client_id=web&client_secret=${SECRET}`);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(await json(answer)).toMatchObject({ error: 'invalid_dpop_proof' });
  });
});
