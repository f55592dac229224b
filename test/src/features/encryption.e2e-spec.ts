import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compactDecrypt, exportJWK, generateKeyPair } from 'jose';
import { OAuth2Module } from 'nest-oauth2';
import { introspection, registration } from 'nest-oauth2/features';
import { encryption, jarm, keys, signedIntrospection } from 'nest-oauth2/jose';
import { openid as openidFeature } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { pageOf } from '../../support/clients/consent.js';
import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, get, post } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { EC, RSA } from '../../support/servers/openid-server.js';

// Nested JWTs (OpenID Connect Core §10.2), JARM and RFC 9701, decrypted by two client libraries.

const CALLBACK = 'https://app.example/callback';
const PROFILE = { name: 'Alice Liddell', email: 'alice@example.com' };
const insecure = { [oauth.allowInsecureRequests]: true };

const newKey = async (alg: string, crv?: string) => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, ...(crv && { crv }) });
  const kid = `${alg} ${crv ?? 'RSA'}`;
  return { alg, kid, key: privateKey, jwk: { ...(await exportJWK(publicKey)), use: 'enc', alg, kid } };
};

class Model extends MemoryStore {
  getClaims() {
    return PROFILE;
  }
}

describe.each(ANY_PLATFORM)('encrypted responses on %s', (platform) => {
  let issuer: URL;
  let elsewhere: Server;
  let recipients: Awaited<ReturnType<typeof newKey>>[];

  beforeAll(async () => {
    recipients = await Promise.all([
      newKey('RSA-OAEP-256'),
      newKey('ECDH-ES', 'P-256'),
      newKey('ECDH-ES+A256KW', 'X25519'),
    ]);
    const jwks = { keys: recipients.map(({ jwk }) => jwk) };
    elsewhere = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'application/jwk-set+json' }).end(JSON.stringify(jwks)),
    );
    await new Promise<void>((resolve) => void elsewhere.listen(0, '127.0.0.1', resolve));
    const port = await freePort();
    issuer = new URL(`http://127.0.0.1:${port}`);
    const wanted = (alg: string, enc?: string) => ({
      id: alg,
      secret: SECRET,
      grants: ['authorization_code', 'refresh_token'],
      redirectUris: [CALLBACK],
      scopes: ['openid', 'profile', 'email'],
      ...Object.fromEntries(
        ['idToken', 'userinfo', 'authorization', 'introspection'].flatMap((kind) => [
          [`${kind}EncryptedResponseAlg`, alg],
          [`${kind}EncryptedResponseEnc`, enc],
          [`${kind}SignedResponseAlg`, 'RS256'],
        ]),
      ),
    });
    const model = new Model({
      users: { findById: (id) => ({ id }), findByCredentials: () => undefined },
      clients: [
        { ...wanted('RSA-OAEP-256'), jwks },
        { ...wanted('ECDH-ES', 'A256GCM'), jwks },
        {
          ...wanted('ECDH-ES+A256KW', 'A256CBC-HS512'),
          jwksUri: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`,
        },
      ],
    });
    const features = [
      keys({ from: [RSA, EC] }),
      openidFeature(),
      jarm(),
      introspection(),
      signedIntrospection(),
      registration({ open: true, scopes: ['openid', 'profile', 'email'] }),
      encryption({ fetch: { allowLoopback: true } }),
    ];
    const options = { model, issuer: issuer.origin, features, interaction: DemoInteraction, secret: SECRET };
    await startApplication(platform, { imports: [OAuth2Module.forRoot(options)] }, { port });
  });
  afterAll(async () => {
    await stopApplications();
    elsewhere.close();
  });

  /** Approves the consent page in Alice’s browser. */
  async function agree(at: URL): Promise<URL> {
    const cookie = { cookie: 'user=alice' };
    let response = await readResponse(get(at.href, cookie));
    if (response.status === 200) {
      const { action, csrf_token: csrfToken } = pageOf(response);
      response = await readResponse(
        post(new URL(action, at).href, { csrf_token: csrfToken, decision: 'allow' }, cookie),
      );
    }
    return new URL(response.headers['location']!);
  }

  async function signIn(config: openid.Configuration) {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid email',
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const landed = await agree(url);
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    return { landed, tokens: await openid.authorizationCodeGrant(config, landed, checks) };
  }

  const decrypting = (config: openid.Configuration, enc: string) =>
    openid.enableDecryptingResponses(config, [enc], ...recipients.map(({ key, alg, kid }) => ({ key, alg, kid })));

  it.each([
    ['RSA-OAEP-256', 'A128CBC-HS256'],
    ['ECDH-ES', 'A256GCM'],
    ['ECDH-ES+A256KW', 'A256CBC-HS512'],
  ])('with %s and %s can be read by openid-client', async (alg, enc) => {
    const metadata = { client_secret: SECRET, userinfo_signed_response_alg: 'RS256' };
    const execute = [openid.allowInsecureRequests, openid.useJwtResponseMode, openid.enableNonRepudiationChecks];
    const config = await openid.discovery(issuer, alg, metadata, undefined, { execute });
    decrypting(config, enc);
    const { landed, tokens } = await signIn(config);
    expect(landed.searchParams.get('response')!.split('.')).toHaveLength(5);
    expect(tokens.id_token!.split('.')).toHaveLength(5);
    expect(tokens.claims()).toMatchObject({ sub: 'alice', aud: alg });
    expect(await openid.fetchUserInfo(config, tokens.access_token, 'alice')).toMatchObject({ email: PROFILE.email });
    expect((await openid.refreshTokenGrant(config, tokens.refresh_token!)).claims()).toMatchObject({ sub: 'alice' });
  });

  it('cannot be read without the key', async () => {
    const execute = [openid.allowInsecureRequests];
    const config = await openid.discovery(issuer, 'ECDH-ES', { client_secret: SECRET }, undefined, { execute });
    const { key, alg, kid } = await newKey('ECDH-ES', 'P-256');
    openid.enableDecryptingResponses(config, ['A256GCM'], { key, alg, kid });
    await expect(signIn(config)).rejects.toThrow(/decryption failed/);
  });

  it('can be read by oauth4webapi for a dynamically registered client, introspection responses included', async () => {
    const found = await oauth.discoveryRequest(issuer, insecure);
    const as = await oauth.processDiscoveryResponse(issuer, found);
    expect(as['id_token_encryption_alg_values_supported']).toContain('ECDH-ES');
    const [{ key, jwk }] = recipients as [(typeof recipients)[0]];
    const wanted = Object.fromEntries(
      ['id_token', 'userinfo', 'authorization', 'introspection'].map((kind) => [
        `${kind}_encrypted_response_alg`,
        'RSA-OAEP-256',
      ]),
    );
    const registered = await oauth.dynamicClientRegistrationRequest(
      as,
      { redirect_uris: [CALLBACK], userinfo_signed_response_alg: 'RS256', jwks: { keys: [jwk] }, ...wanted },
      insecure,
    );
    const client = await oauth.processDynamicClientRegistrationResponse(registered);
    expect(client).toMatchObject(wanted);

    const jweDecrypt: oauth.JweDecryptFunction = async (jwe) =>
      new TextDecoder().decode((await compactDecrypt(jwe, key)).plaintext);
    const options = { ...insecure, [oauth.jweDecrypt]: jweDecrypt };
    const [verifier, state, nonce] = [oauth.generateRandomCodeVerifier(), 'a-state', 'a-nonce'];
    const query = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      response_mode: 'jwt',
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const landed = await agree(new URL(`${as.authorization_endpoint}?${query.toString()}`));
    const callback = await oauth.validateJwtAuthResponse(as, client, landed, state, options);
    const auth = oauth.ClientSecretBasic(String(client.client_secret));
    const answered = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth,
      callback,
      CALLBACK,
      verifier,
      insecure,
    );
    const checks = { expectedNonce: nonce, requireIdToken: true, ...options };
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, answered, checks);
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: 'alice', nonce });
    const { access_token: token } = tokens;

    const said = await oauth.userInfoRequest(as, client, token, insecure);
    expect(await oauth.processUserInfoResponse(as, client, 'alice', said, options)).toMatchObject({
      email: PROFILE.email,
    });
    const requested = await oauth.introspectionRequest(as, client, auth, token, {
      ...insecure,
      requestJwtResponse: true,
    });
    expect(await oauth.processIntrospectionResponse(as, client, requested, options)).toMatchObject({
      active: true,
      sub: 'alice',
    });
  });
});
