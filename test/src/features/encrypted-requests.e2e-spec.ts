import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  compactDecrypt,
  CompactEncrypt,
  createRemoteJWKSet,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  importJWK,
} from 'jose';
import { OAuth2Module } from 'nest-oauth2';
import { pushedRequests, registration } from 'nest-oauth2/features';
import { encryption, keys, requestObjects } from 'nest-oauth2/jose';
import { openid as openidFeature } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as openid from 'openid-client';

import { pageOf } from '../../support/clients/consent.js';
import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, get, post } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

// Requests signed by openid-client and encrypted by jose with a published key: RFC 9101 §6.1, OpenID Connect Core
// §3.1.2.1, §6.1

const CALLBACK = 'https://app.example/callback';

class Model extends MemoryStore {
  getClaims() {
    return {};
  }
}

describe.each(ANY_PLATFORM)('request objects encrypted for the server, on %s,', (platform) => {
  let issuer: URL;
  let config: openid.Configuration;
  let signing: CryptoKey;
  let own: CryptoKey;

  beforeAll(async () => {
    const [signs, decrypts] = await Promise.all(
      ['ES256', 'ECDH-ES'].map((alg) => generateKeyPair(alg, { extractable: true })),
    );
    [signing, own] = [signs!.privateKey, decrypts!.privateKey];
    const port = await freePort();
    issuer = new URL(`http://127.0.0.1:${port}`);
    const model = new Model({ clients: [], users: { findById: (id) => ({ id }), findByCredentials: () => undefined } });
    const features = [
      keys({ secret: SECRET }),
      openidFeature({ alg: 'ES256', encryptedHints: true }),
      encryption(),
      pushedRequests(),
      requestObjects({ encrypted: true }),
      registration({ open: true, scopes: ['openid'] }),
    ];
    const options = { model, issuer: issuer.origin, features, interaction: DemoInteraction, secret: SECRET };
    await startApplication(platform, { imports: [OAuth2Module.forRoot(options)] }, { port });
    const jwks = {
      keys: [
        { ...(await exportJWK(signs!.publicKey)), use: 'sig' },
        { ...(await exportJWK(decrypts!.publicKey)), use: 'enc', alg: 'ECDH-ES' },
      ],
    };
    const metadata = {
      redirect_uris: [CALLBACK],
      jwks,
      request_object_signing_alg: 'ES256',
      request_object_encryption_alg: 'ECDH-ES',
      request_object_encryption_enc: 'A256GCM',
      id_token_signed_response_alg: 'ES256',
      id_token_encrypted_response_alg: 'ECDH-ES',
    };
    config = await openid.dynamicClientRegistration(issuer, metadata, undefined, {
      execute: [openid.allowInsecureRequests],
    });
    openid.allowInsecureRequests(config);
    openid.enableDecryptingResponses(config, ['A128CBC-HS256'], { key: own, alg: 'ECDH-ES' });
  });
  afterAll(stopApplications);

  /** Encrypts with the key that the server metadata refers to. */
  async function encrypted(text: string): Promise<string> {
    const server = config.serverMetadata();
    const [alg] = server.request_object_encryption_alg_values_supported as string[];
    const fetched = createRemoteJWKSet(new URL(server.jwks_uri!));
    await fetched({ alg: 'ES256' }).catch(() => undefined);
    const jwk = fetched.jwks()!.keys.find((key) => key.use === 'enc' && key.alg === alg)!;
    return await new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: alg!, enc: 'A256GCM', kid: jwk.kid!, cty: 'JWT' })
      .encrypt(await importJWK(jwk, alg));
  }

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

  async function signIn(isPushed: boolean, more: Record<string, string> = {}) {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const parameters = {
      redirect_uri: CALLBACK,
      scope: 'openid',
      state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...more,
    };
    const url = await openid.buildAuthorizationUrlWithJAR(config, parameters, signing);
    url.searchParams.set('request', await encrypted(url.searchParams.get('request')!));
    const go = isPushed ? await openid.buildAuthorizationUrlWithPAR(config, url.searchParams) : url;
    const landed = await agree(go);
    return openid.authorizationCodeGrant(config, landed, { pkceCodeVerifier, expectedState, idTokenExpected: true });
  }

  it.each([
    ['sent by value', false],
    ['pushed', true],
  ])('sign a user in, %s, and again with an encrypted id_token_hint', async (_, isPushed) => {
    const tokens = await signIn(isPushed);
    expect(tokens.claims()).toMatchObject({ sub: 'alice' });
    const { plaintext } = await compactDecrypt(tokens.id_token!, own);
    const id_token_hint = await encrypted(new TextDecoder().decode(plaintext));
    const again = await signIn(isPushed, { id_token_hint, prompt: 'none' });
    expect(again.claims()).toMatchObject({ sub: 'alice' });
  });
});
