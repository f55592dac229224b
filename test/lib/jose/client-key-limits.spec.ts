import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { clientIdDocuments, registration } from 'nest-oauth2/features';
import { dpop, encryption, type Jwk, JwtTokens, jwtBearer, privateKeyJwt, requestObjects } from 'nest-oauth2/jose';
import { OAuth2Server, OAuthError, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { ISSUER, openIdServer } from '../../support/servers/openid-server.js';
import { FORM } from '../../support/clients/requests.js';
import { rsaKey } from '../../support/keys/rsa-key.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';

const good: Jwk = createPublicKey(rsaKey).export({ format: 'jwk' });
const modulus = (bits: number) => {
  const bytes = randomBytes(bits / 8);
  bytes[0]! |= 0x80;
  bytes[bytes.length - 1]! |= 1;
  return bytes.toString('base64url');
};

/** Keys that a client must not use. */
const EXPENSIVE: [name: string, key: Jwk, fault: RegExp][] = [
  ['an RSA key with an exponent as long as its modulus', { ...good, e: good.n! }, /exponent/],
  [
    'an RSA key with an exponent of 40 bits',
    { ...good, e: Buffer.from([128, 0, 0, 0, 1]).toString('base64url') },
    /exponent/,
  ],
  ['an RSA key with an even exponent', { ...good, e: 'AQAC' }, /exponent/],
  ['an RSA key with the exponent 1', { ...good, e: 'AQ' }, /exponent/],
  ['an RSA key of 4104 bits', { ...good, n: modulus(4104) }, /modulus/],
  ['an RSA key of 16,384 bits', { ...good, n: modulus(16_384) }, /modulus/],
  ['an RSA key of 1024 bits', { ...good, n: modulus(1024) }, /modulus/],
  ['an RSA key without an exponent', { kty: 'RSA', n: good.n! }, /must have e, n/],
  [
    'an elliptic curve key with a coordinate of 10,000 characters',
    { kty: 'EC', crv: 'P-256', x: 'A'.repeat(1e4), y: 'A' },
    /must have/,
  ],
];

const users = { findById: () => ({ id: 'alice' }), findByCredentials: () => undefined };
const elsewhere = new TlsServer();
beforeAll(() => elsewhere.start());
afterAll(() => elsewhere.stop());
afterEach(() => elsewhere.reset());
const fetch = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };

const now = () => Math.floor(Date.now() / 1000);
const sign = (claims: object, header: object = {}) =>
  new SignJWT({ iat: now(), exp: now() + 60, jti: randomBytes(9).toString('hex'), ...claims })
    .setProtectedHeader({ alg: 'PS256', ...header })
    .sign(rsaKey);

describe.each(EXPENSIVE)('a key that exceeds the limits for client keys: %s', (_, key, fault) => {
  it('is rejected when a client registers it', async () => {
    const server = new OAuth2Server({
      model: new MemoryStore({ clients: [], users }),
      issuer: ISSUER,
      features: [registration({ open: true, rate: false }), privateKeyJwt()],
    });
    const response = new Response();
    const body = {
      redirect_uris: ['https://app.example/cb'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [good, key] },
    };
    const headers = { 'content-type': 'application/json', 'content-length': '1' };
    await expect(
      server.handle('registration', new Request({ method: 'POST', headers, query: {}, body }), response),
    ).rejects.toThrow(OAuthError);
    const { error, error_description: description } = response.body as Record<string, string>;
    expect([response.status, error]).toEqual([400, 'invalid_client_metadata']);
    expect(description).toMatch(fault);
  });

  it('is rejected in a client ID metadata document', async () => {
    const id = elsewhere.url('/client.json');
    elsewhere.replies['/client.json'] = json({
      client_id: id,
      redirect_uris: ['https://app.example/cb'],
      token_endpoint_auth_method: 'private_key_jwt',
      grant_types: ['authorization_code'],
      jwks: { keys: [key] },
    });
    const log: string[] = [];
    const server = new OAuth2Server({
      model: new MemoryStore({ clients: [], users }),
      issuer: ISSUER,
      features: [clientIdDocuments({ fetch: { size: 20_000, ...fetch } }), privateKeyJwt()],
      events: { emit: (name, payload) => log.push(`${name} ${JSON.stringify(payload)}`) },
    });
    const query = { client_id: id, response_type: 'code', redirect_uri: 'https://app.example/cb' };
    const response = new Response();
    await server
      .authorize(new Request({ method: 'GET', headers: {}, query }), response, {
        authenticateHandler: { handle: () => ({ id: 'alice' }) },
      })
      .catch(() => undefined);
    expect(response.headers['location']).toBeUndefined();
    expect(log.join()).toMatch(/jwks/);
  });

  it.each(['registered keys', 'a jwks_uri'])(
    'is ignored in %s, while the other keys of the client are used',
    async (from) => {
      const bad = { ...key, kid: 'bad' };
      const jwks = { keys: [bad, { ...good, kid: 'good' }] };
      elsewhere.replies['/jwks'] = json(jwks);
      const keys = from === 'a jwks_uri' ? { jwksUri: elsewhere.url('/jwks') } : { jwks };
      const byKey = { tokenEndpointAuthMethod: 'private_key_jwt', grants: ['client_credentials'], scopes: ['read'] };
      const reported: unknown[] = [];
      const server = new OAuth2Server({
        model: new MemoryStore({ clients: [{ id: 'app', ...byKey, defaultScope: ['read'], ...keys }], users }),
        issuer: ISSUER,
        features: [privateKeyJwt({ fetch })],
        events: { emit: (name, payload) => reported.push({ name, ...payload }) },
      });
      const ask = async (kid: string) => {
        const response = new Response();
        const body = {
          grant_type: 'client_credentials',
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: await sign({ iss: 'app', sub: 'app', aud: ISSUER }, { kid }),
        };
        const request = new Request({ method: 'POST', headers: FORM, query: {}, body });
        await server.token(request, response).catch(() => undefined);
        return response.body;
      };
      expect(await ask('good')).toMatchObject({ token_type: 'Bearer' });
      expect(await ask('bad')).toMatchObject({ error: 'invalid_client' });
      // The key is not found, so nothing is computed with it.
      expect(JSON.stringify(reported)).toMatch(/no applicable key found/);
    },
  );

  it('is not used for encryption, or for tokens and assertions of other issuers', async () => {
    const enc = { ...key, use: 'enc' };
    const toKey = await openIdServer({
      more: [encryption({ fetch }), requestObjects()],
      client: { idTokenEncryptedResponseAlg: key.kty === 'RSA' ? 'RSA-OAEP-256' : 'ECDH-ES', jwks: { keys: [enc] } },
    });
    expect((await toKey.signIn()).id_token).toBeUndefined();
    const api = new JwtTokens({
      issuer: 'https://other.example',
      audience: ISSUER,
      jwks: { keys: [{ ...key, kid: 'k' }] },
    });
    const claims = { iss: 'https://other.example', aud: ISSUER, sub: 'a', client_id: 'b' };
    await expect(api.getAccessToken(await sign(claims, { typ: 'at+jwt', kid: 'k' }))).rejects.toThrow(
      /the issuer has no key that matches the token/,
    );
    elsewhere.replies['/jwks'] = json({ keys: [{ ...key, kid: 'k' }] });
    const issuer = elsewhere.url('');
    const known = { issuer, jwksUri: elsewhere.url('/jwks') };
    const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const client = { id: 'app', secret: 'secret of the app', grants: [grant], scopes: ['read'] };
    const reported: unknown[] = [];
    const server = new OAuth2Server({
      model: Object.assign(new MemoryStore({ clients: [client], users }), {
        findAssertedUser: () => ({ id: 'alice' }),
        findTrustedIssuer: () => known,
      }),
      issuer: ISSUER,
      features: [jwtBearer({ fetch })],
      events: { emit: (name, payload) => reported.push({ name, ...payload }) },
    });
    const response = new Response();
    const assertion = await sign({ iss: issuer, sub: 'alice', aud: ISSUER }, { kid: 'k' });
    const body = { grant_type: grant, assertion, client_id: 'app', client_secret: client.secret, scope: 'read' };
    await server
      .token(new Request({ method: 'POST', headers: FORM, query: {}, body }), response)
      .catch(() => undefined);
    expect(response.body).toMatchObject({ error: 'invalid_grant' });
    expect(JSON.stringify(reported)).toMatch(/no applicable key found/);
  });

  it('is rejected in a DPoP proof', async () => {
    const store = new MemoryStore({
      clients: [{ id: 'app', secret: 'secret of the app', grants: ['client_credentials'], scopes: ['read'] }],
      users,
    });
    const server = new OAuth2Server({ model: store, issuer: ISSUER, features: [dpop()] });
    const proof = await sign({ htm: 'POST', htu: `${ISSUER}/oauth/token` }, { typ: 'dpop+jwt', jwk: key });
    const body = {
      grant_type: 'client_credentials',
      client_id: 'app',
      client_secret: 'secret of the app',
      scope: 'read',
    };
    const response = new Response();
    const request = new Request({ method: 'POST', headers: { ...FORM, dpop: proof }, query: {}, body });
    await server.token(request, response).catch(() => undefined);
    expect(response.body).toMatchObject({ error: 'invalid_dpop_proof' });
  });
});

describe('a registered key of a client', () => {
  it.each<[string, Jwk]>([
    ['RSA of 2048 bits', good],
    ['RSA of 4096 bits', { ...good, n: modulus(4096) }],
    ['RSA with the exponent 3', { ...good, e: 'Aw' }],
    ['P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey.export({ format: 'jwk' })],
    ['X25519', generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' })],
    ['of a curve that this server does not know', { kty: 'EC', crv: 'secp256k1', x: 'AA', y: 'AA' }],
    ['of a type that this server does not know', { kty: 'NEW' }],
  ])('can be %s', async (_, key) => {
    const server = new OAuth2Server({
      model: new MemoryStore({ clients: [], users }),
      issuer: ISSUER,
      features: [registration({ open: true, rate: false }), privateKeyJwt()],
    });
    const response = new Response();
    const body = {
      redirect_uris: ['https://app.example/cb'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [key] },
    };
    const headers = { 'content-type': 'application/json', 'content-length': '1' };
    await server.handle('registration', new Request({ method: 'POST', headers, query: {}, body }), response);
    expect(response.body).toMatchObject({ jwks: { keys: [key] } });
  });
});
