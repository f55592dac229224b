import { generateKeyPairSync } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type JWK, SignJWT } from 'jose';
import { dpop, keys } from 'nest-oauth2/jose';
import { ciba, openid } from 'nest-oauth2/openid';
import { OAuth2Server, Response } from 'nest-oauth2/server';

import { EC } from '../../support/servers/openid-server.js';
import { basic, CHALLENGE, FORM, formRequest, VERIFIER } from '../../support/clients/requests.js';
import { type AnyStore, findStores, type OpenStore } from '../every-store.js';

// RFC 9449 §11.1, CIBA §7.1.1: replay detection across concurrent processes.

const ISSUER = 'https://id.example.com';
const CALLBACK = 'https://app.example/callback';
const CIBA = 'urn:openid:params:grant-type:ciba';
const alice = { id: 'alice' };
const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = own.publicKey.export({ format: 'jwk' }) as JWK;
const now = () => Math.floor(Date.now() / 1000);

describe.each(await findStores())('signed requests of a client with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
    await opened.store.saveClient({
      id: 'app',
      secret: 'secret',
      grants: ['authorization_code', CIBA],
      redirectUris: [CALLBACK],
      scopes: ['openid'],
      jwks: { keys: [{ ...jwk }] },
    });
  });
  afterAll(() => opened.close());

  function serverOn(store: AnyStore) {
    const methods = { getClaims: () => ({}), findHintedUser: () => alice, askUser: () => undefined };
    return new OAuth2Server({
      model: Object.assign(Object.create(store) as AnyStore, methods),
      issuer: ISSUER,
      features: [keys({ from: [EC] }), openid({ alg: 'ES256' }), ciba(), dpop()],
    });
  }

  async function post(store: AnyStore, endpoint: string, body: object, more: object = {}) {
    const response = new Response();
    const headers = { ...FORM, authorization: basic('app', 'secret'), ...more };
    const request = formRequest({ ...body }, { headers });
    const server = serverOn(store);
    const call = endpoint === 'token' ? server.token(request, response) : server.handle(endpoint, request, response);
    await call.catch(() => undefined);
    return response.body as Record<string, string>;
  }

  const both = () => [opened.store, opened.another, opened.store, opened.another];

  async function saveCode(authorizationCode: string): Promise<void> {
    const expiresAt = new Date(Date.now() + 60_000);
    const challenge = { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' };
    const requested = { redirectUri: CALLBACK, scope: 'openid', issuer: ISSUER, ...challenge };
    const client = (await opened.store.getClient('app', null)) as never;
    await opened.store.saveAuthorizationCode({ authorizationCode, expiresAt, ...requested }, client, alice);
  }

  it('a DPoP proof sent concurrently with several codes redeems one of them, and the other codes remain valid', async () => {
    const codes = both().map((_, at) => `code-${at}`);
    for (const code of codes) await saveCode(code);
    const prove = (jti: string) =>
      new SignJWT({ jti, htm: 'POST', htu: `${ISSUER}/oauth/token`, iat: now() })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .sign(own.privateKey);
    const redeem = (store: AnyStore, code: string, proof: string) => {
      const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
      return post(store, 'token', grant, { dpop: proof });
    };
    const proof = await prove('the same');
    const responses = await Promise.all(both().map((store, at) => redeem(store, codes[at]!, proof)));
    const refused = codes.filter((_, at) => responses[at]!['error'] === 'invalid_dpop_proof');
    expect(refused).toHaveLength(3);
    expect(responses.filter((answer) => answer['token_type'] === 'DPoP')).toHaveLength(1);
    for (const code of refused) {
      expect(await redeem(opened.another, code, await prove(code))).toMatchObject({ token_type: 'DPoP' });
    }
  });

  it('a signed CIBA request that is sent several times concurrently is accepted once', async () => {
    const jwt = { iss: 'app', aud: ISSUER, iat: now(), nbf: now(), exp: now() + 60, jti: 'the same' };
    const request = await new SignJWT({ ...jwt, scope: 'openid', login_hint: 'alice' })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(own.privateKey);
    const responses = await Promise.all(both().map((store) => post(store, 'backchannel_authentication', { request })));
    expect(responses.filter((answer) => answer['auth_req_id'])).toHaveLength(1);
    expect(responses.filter((answer) => answer['error'] === 'invalid_request')).toHaveLength(3);
  });
});
