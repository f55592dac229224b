import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { resourceIndicators, serverMetadata } from 'nest-oauth2/features';
import { dpop, keys } from 'nest-oauth2/jose';
import { type ClaimsRequest, openid as openidFeature } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { agree } from '../../support/clients/consent.js';
import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, get } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { EC, ED, RSA } from '../../support/servers/openid-server.js';

// OpenID Connect Core 1.0 and Discovery 1.0, verified with two certified client libraries.

const CALLBACK = 'https://app.example/callback';
const PAGE = 'https://app.example';
const CLIENT_SECRET = 'secret-of-the-client-web';
const PROFILE = { name: 'Alice Liddell', email: 'alice@example.com', email_verified: true, password: 'wonderland' };
const execute = [openid.allowInsecureRequests];
const insecure = { [oauth.allowInsecureRequests]: true };

class Model extends MemoryStore {
  getClaims(_: object, { scope }: ClaimsRequest) {
    return { ...PROFILE, nickname: scope };
  }
}

const SETUPS = PLATFORMS.flatMap((platform) => [
  { platform, path: '' },
  { platform, path: '/tenant/one' },
]);

describe.each(SETUPS)('OpenID Connect on $platform, with the issuer path "$path",', ({ platform, path }) => {
  let issuer: URL;

  beforeAll(async () => {
    const port = await freePort();
    issuer = new URL(`http://127.0.0.1:${port}${path}`);
    const known = {
      grants: ['authorization_code', 'refresh_token'],
      redirectUris: [CALLBACK],
      scopes: ['openid', 'profile', 'email', 'offline_access'],
    };
    const model = new Model({
      users: { findById: (id) => ({ id }), findByCredentials: () => undefined },
      clients: [
        { id: 'web', secret: CLIENT_SECRET, ...known },
        { id: 'es256', secret: CLIENT_SECRET, ...known, idTokenSignedResponseAlg: 'ES256' },
        { id: 'eddsa', secret: CLIENT_SECRET, ...known, idTokenSignedResponseAlg: 'EdDSA' },
        { id: 'signed', secret: CLIENT_SECRET, ...known, userinfoSignedResponseAlg: 'RS256' },
        { id: 'spa', tokenEndpointAuthMethod: 'none', ...known },
      ],
    });
    const features = [
      keys({ from: [EC, RSA, ED] }),
      openidFeature(),
      serverMetadata(),
      dpop(),
      resourceIndicators({ unrestricted: true, resources: ['https://notes.example.com'] }),
    ];
    const imports = [
      OAuth2Module.forRoot({
        model,
        issuer: issuer.href.replace(/\/$/, ''),
        cors: { origins: [PAGE] },
        features,
        interaction: DemoInteraction,
        secret: SECRET,
      }),
    ];
    const prefix = path === '' ? {} : { prepare: (app: never) => prefixed(app, path) };
    await startApplication(platform, { imports }, { port, ...prefix });
  });
  afterAll(stopApplications);

  const discover = (id: string, metadata: object = {}) =>
    openid.discovery(issuer, id, { client_secret: CLIENT_SECRET, ...metadata }, undefined, { execute });

  /** Signs in with all checks that a careful client makes. */
  async function signIn(config: openid.Configuration, requested: Record<string, string>) {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...requested,
    });
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    return await openid.authorizationCodeGrant(config, await agree(url), checks);
  }

  it('is discovered, and signs a user in with claims in the ID token and at the userinfo endpoint', async () => {
    const config = await discover('web');
    expect(config.serverMetadata().supportsPKCE()).toBe(true);
    const tokens = await signIn(config, { scope: 'openid profile email' });
    const { sub } = tokens.claims()!;
    expect(sub).toBe('alice');
    const { password: _, ...known } = PROFILE;
    expect(await openid.fetchUserInfo(config, tokens.access_token, sub)).toEqual({
      sub,
      ...known,
      nickname: 'openid profile email',
    });
    await expect(openid.fetchUserInfo(config, tokens.access_token, 'mallory')).rejects.toThrow(/unexpected/);
  });

  it('returns a new ID token with a refreshed token', async () => {
    const config = await discover('web');
    const { refresh_token: token } = await signIn(config, { scope: 'openid' });
    const refreshed = await openid.refreshTokenGrant(config, token!);
    expect(refreshed.claims()).toMatchObject({ sub: 'alice' });
  });

  it.each([
    ['es256', 'ES256'],
    ['eddsa', 'EdDSA'],
  ])('signs the ID tokens of the client %s with %s', async (id, alg) => {
    const config = await discover(id, { id_token_signed_response_alg: alg });
    expect((await signIn(config, { scope: 'openid' })).claims()).toMatchObject({ aud: id });
  });

  it('signs userinfo responses for a client that registered for it', async () => {
    const config = await discover('signed', { userinfo_signed_response_alg: 'RS256' });
    openid.enableNonRepudiationChecks(config);
    const { access_token: token } = await signIn(config, { scope: 'openid email' });
    expect(await openid.fetchUserInfo(config, token, 'alice')).toMatchObject({ email: PROFILE.email });
  });

  it('returns the claims requested with the `claims` parameter', async () => {
    const claims = JSON.stringify({ userinfo: { email: { essential: true } }, id_token: { name: null } });
    const config = await discover('web');
    const tokens = await signIn(config, { scope: 'openid', claims });
    expect(tokens.claims()).toMatchObject({ name: PROFILE.name });
    const { sub, ...said } = await openid.fetchUserInfo(config, tokens.access_token, 'alice');
    expect(said).toEqual({ email: PROFILE.email });
  });

  it('asks for consent to claims of the `claims` parameter each time, and does not remember it', async () => {
    const config = await discover('web');
    await signIn(config, { scope: 'openid email' });
    const requested = { redirect_uri: CALLBACK, scope: 'openid email', state: 'xyz' };
    const open = (more: object) =>
      readResponse(get(openid.buildAuthorizationUrl(config, { ...requested, ...more }).href, { cookie: 'user=alice' }));
    expect((await open({})).headers['location']).toContain('code=');
    const claims = JSON.stringify({ userinfo: { name: null } });
    expect((await open({ claims })).status).toBe(200);
    expect((await open({ claims, prompt: 'none' })).headers['location']).toContain('error=consent_required');
    const acr = JSON.stringify({ id_token: { acr: null } });
    expect((await open({ claims: acr })).headers['location']).toContain('code=');
  });

  it('binds tokens with DPoP, and requires the key at the userinfo endpoint', async () => {
    const config = await discover('spa', { client_secret: undefined });
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    const verifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid email',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const checks = { pkceCodeVerifier: verifier };
    const tokens = await openid.authorizationCodeGrant(config, await agree(url), checks, undefined, { DPoP });
    expect(tokens.token_type).toBe('dpop');
    const said = await openid.fetchUserInfo(config, tokens.access_token, 'alice', { DPoP });
    expect(said).toMatchObject({ email: PROFILE.email });
    const other = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    await expect(openid.fetchUserInfo(config, tokens.access_token, 'alice', { DPoP: other })).rejects.toThrow(
      /challenge/,
    );
    await expect(openid.fetchUserInfo(config, tokens.access_token, 'alice')).rejects.toThrow(/challenge/);
  });

  it('works with a second client library, and serves userinfo to form posts and cross-origin requests', async () => {
    const found = await oauth.discoveryRequest(issuer, insecure);
    const as = await oauth.processDiscoveryResponse(issuer, found);
    const config = await discover('web');
    const { access_token: token } = await signIn(config, { scope: 'openid email' });
    const client = { client_id: 'web' };
    const answered = await oauth.userInfoRequest(as, client, token, insecure);
    expect(await oauth.processUserInfoResponse(as, client, 'alice', answered)).toMatchObject({ sub: 'alice' });

    const headers = { origin: PAGE };
    const body = new URLSearchParams({ access_token: token });
    const posted = await fetch(as.userinfo_endpoint!, { method: 'POST', headers, body });
    expect(posted.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(posted.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await posted.json()).toMatchObject({ sub: 'alice', email: PROFILE.email });
    const empty = await fetch(as.userinfo_endpoint!, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    expect(await empty.json()).toMatchObject({ sub: 'alice' });

    const refused = await fetch(as.userinfo_endpoint!, { headers: { ...headers, authorization: 'Bearer x' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/);
    const requested = await fetch(as.userinfo_endpoint!, {
      method: 'OPTIONS',
      headers: {
        ...headers,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(requested.headers.get('access-control-allow-methods')).toBe('GET, POST');
    expect((await fetch(as.userinfo_endpoint!, { method: 'DELETE' })).status).toBe(405);
  });
});

const prefixed = (app: { setGlobalPrefix(prefix: string): unknown }, path: string) => app.setGlobalPrefix(path);
