import { generateKeyPairSync, hash, randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import { introspection, mutualTls } from 'nest-oauth2/features';
import { dpop } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';

import { CN, issue, type IssuedCertificate } from '../../support/keys/certificates.js';
import { CHALLENGE, FORM, VERIFIER } from '../../support/clients/requests.js';
import { type AnyStore, findStores, type OpenStore } from '../every-store.js';

// RFC 9449 and RFC 8705: the confirmation of a token is stored with its grant, for every process.

const ISSUER = 'https://id.example.com';
const CALLBACK = 'https://app.example/callback';
const certificate = issue({ subject: [[[CN, 'own']]] });
const other = issue({ subject: [[[CN, 'own']]] });

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwkOf = ({ publicKey }: Key) => publicKey.export({ format: 'jwk' }) as JWK;
type Key = ReturnType<typeof newKey>;

/** Returns a DPoP proof for this URL and token. RFC 9449 §4.2 */
const prove = (key: Key, htu: string, htm: string, token?: string) =>
  new SignJWT({ jti: randomUUID(), htm, htu, ...(token && { ath: hash('sha256', token, 'base64url') }) })
    .setIssuedAt()
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: jwkOf(key) })
    .sign(key.privateKey);

describe.each(await findStores())('sender-constrained tokens with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const serverOn = (model: AnyStore) =>
    new OAuth2Server({ model, issuer: ISSUER, features: [introspection(), dpop(), mutualTls()] });
  const connection = ({ x509 }: IssuedCertificate) => ({ authorized: false, getPeerX509Certificate: () => x509 });

  async function post(model: AnyStore, body: object, key: Key, shown = certificate) {
    const headers = { ...FORM, dpop: await prove(key, `${ISSUER}/oauth/token`, 'POST') };
    const requested = new Request({ method: 'POST', headers, query: {}, body, socket: connection(shown) });
    return await serverOn(model).token(requested, new Response());
  }

  async function call(model: AnyStore, token: string, proof: string, shown = certificate) {
    const headers = { authorization: `DPoP ${token}`, dpop: proof };
    const requested = new Request({ method: 'GET', headers, query: {}, url: '/notes', socket: connection(shown) });
    return await serverOn(model).authenticate(requested, new Response());
  }

  it('sender-constrained tokens are issued for a code, refreshed and used with one key and one certificate', async () => {
    const { store, another } = opened;
    const key = newKey();
    await store.saveClient({
      id: 'bound',
      grants: ['authorization_code', 'refresh_token'],
      redirectUris: [CALLBACK],
      scopes: ['read'],
      tokenEndpointAuthMethod: 'none',
      dpopBoundAccessTokens: true,
      tlsClientCertificateBoundAccessTokens: true,
    });
    const query = {
      response_type: 'code',
      client_id: 'bound',
      redirect_uri: CALLBACK,
      scope: 'read',
      state: 'xyz',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      dpop_jkt: await calculateJwkThumbprint(jwkOf(key)),
    };
    const handler = { authenticateHandler: { handle: () => ({ id: 'alice' }) } };
    const requested = new Request({ method: 'GET', headers: {}, query, body: {} });
    const { authorizationCode } = await serverOn(store).authorize(requested, new Response(), handler);
    const form = { client_id: 'bound', redirect_uri: CALLBACK, code_verifier: VERIFIER };
    const redeemed = { ...form, grant_type: 'authorization_code', code: authorizationCode };
    const first = await post(another, redeemed, key);

    const refreshed = { client_id: 'bound', grant_type: 'refresh_token', refresh_token: first.refreshToken };
    await expect(post(store, refreshed, newKey())).rejects.toMatchObject({ name: 'invalid_grant' });
    await expect(post(store, refreshed, key, other)).rejects.toMatchObject({ name: 'invalid_grant' });
    const { accessToken } = await post(store, refreshed, key);

    const proof = await prove(key, `${ISSUER}/notes`, 'GET', accessToken);
    const thumbprint = hash('sha256', certificate.x509.raw, 'base64url');
    expect(await call(another, accessToken, proof)).toMatchObject({
      user: { id: 'alice' },
      cnf: { jkt: query.dpop_jkt, 'x5t#S256': thumbprint },
    });
    // Another process with another connection detects the replay too.
    await expect(call(store, accessToken, proof)).rejects.toMatchObject({ name: 'invalid_dpop_proof' });
    const next = await prove(key, `${ISSUER}/notes`, 'GET', accessToken);
    await expect(call(store, accessToken, next, other)).rejects.toMatchObject({ name: 'invalid_token' });
    const stolen = await prove(newKey(), `${ISSUER}/notes`, 'GET', accessToken);
    await expect(call(store, accessToken, stolen)).rejects.toMatchObject({ name: 'invalid_dpop_proof' });
  });
});
