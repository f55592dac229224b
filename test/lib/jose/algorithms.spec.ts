import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { serverMetadata } from 'nest-oauth2/features';
import {
  dpop,
  jarm,
  type Jwk,
  type JwkSet,
  JwtTokens,
  jwtAccessTokens,
  keys,
  privateKeyJwt,
  requestObjects,
  type SigningAlgorithm,
} from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { ML_DSA, SIGNING_ALGORITHMS, WITH_ML_DSA } from '../../support/keys/algorithms.js';
import { CALLBACK, ISSUER, openIdServer } from '../../support/servers/openid-server.js';
import { CHALLENGE, FORM } from '../../support/clients/requests.js';
import { rsaKey } from '../../support/keys/rsa-key.js';

const CURVES: Record<string, string> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

function privateKeyFor(alg: string): KeyObject {
  if (/^[RP]S/.test(alg)) return rsaKey;
  if (alg in CURVES) return generateKeyPairSync('ec', { namedCurve: CURVES[alg]! }).privateKey;
  const type = alg.startsWith('ML') ? alg.toLowerCase() : 'ed25519';
  return generateKeyPairSync(type as 'ed25519').privateKey;
}

function pairFor(alg: string) {
  const key = privateKeyFor(alg);
  const publicJwk: Jwk = createPublicKey(key).export({ format: 'jwk' });
  return { key, publicJwk, privateJwk: { ...key.export({ format: 'jwk' }), alg } as Jwk };
}

const now = () => Math.floor(Date.now() / 1000);

describe.each(SIGNING_ALGORITHMS as SigningAlgorithm[])('signature algorithm %s', (alg) => {
  const { key, publicJwk, privateJwk } = pairFor(alg);

  it('signs ID tokens with at_hash and authorization responses, and is listed in the metadata', async () => {
    const more = [serverMetadata(), jarm()];
    const server = await openIdServer({ from: [privateJwk], alg, more });
    const { id_token: token, access_token: accessToken } = await server.signIn();
    const { payload, protectedHeader } = await server.verifyIdToken(token);
    expect((protectedHeader as { alg: string }).alg).toBe(alg);
    const size = alg.startsWith('Ed') ? '512' : alg.slice(2);
    const hash = alg.startsWith('ML')
      ? createHash('shake256', { outputLength: 64 })
      : createHash(`sha${size as '256'}`);
    const digest = hash.update(accessToken).digest();
    expect(payload['at_hash']).toBe(digest.subarray(0, digest.length / 2).toString('base64url'));
    const { parameters } = await server.authorize({ response_mode: 'jwt' });
    expect(decodeProtectedHeader(parameters['response']!).alg).toBe(alg);
    const { body } = await server.send('server-metadata', new Request({ method: 'GET', headers: {}, query: {} }));
    expect(body).toMatchObject({
      id_token_signing_alg_values_supported: [alg],
      authorization_signing_alg_values_supported: [alg],
    });
  });

  it('signs JWT access tokens with a stored key, and a resource server accepts them', async () => {
    const client = { id: 'app', secret: 'secret of the app', grants: ['client_credentials'], scopes: ['read'] };
    const users = { findById: () => null, findByCredentials: () => null };
    const server = new OAuth2Server({
      model: new MemoryStore({ clients: [{ ...client, defaultScope: ['read'] }], users }),
      issuer: ISSUER,
      features: [keys({ secret: 'a secret of thirty-two characters', algorithms: [alg] }), jwtAccessTokens()],
    });
    const call = async (endpoint: string, request: object) => {
      const response = new Response();
      const made = new Request({ headers: {}, query: {}, method: 'GET', ...request });
      await (endpoint === 'token' ? server.token(made, response) : server.handle(endpoint, made, response));
      return response.body as Record<string, string>;
    };
    const body = { grant_type: 'client_credentials', client_id: 'app', client_secret: client.secret };
    const { access_token: token = '' } = await call('token', { method: 'POST', headers: FORM, body });
    expect(decodeProtectedHeader(token).alg).toBe(alg);
    const jwks = (await call('jwks', {})) as unknown as JwkSet;
    await jwtVerify(token, createLocalJWKSet(jwks as never), { issuer: ISSUER });
    const api = new JwtTokens({ issuer: ISSUER, audience: ISSUER, jwks });
    expect(await api.getAccessToken(token)).toMatchObject({ client: { id: 'app' } });
  });

  describe('in client assertions, DPoP proofs and request objects', () => {
    const byKey = { id: 'app', tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [{ ...publicJwk, alg }] } };
    const client = {
      ...byKey,
      grants: ['client_credentials', 'authorization_code'],
      scopes: ['read'],
      defaultScope: ['read'],
      redirectUris: [CALLBACK],
    };
    const users = { findById: () => ({ id: 'alice' }), findByCredentials: () => null };
    const serve = (algorithms?: readonly SigningAlgorithm[], inProofs = algorithms) =>
      new OAuth2Server({
        model: new MemoryStore({ clients: [client], users }),
        issuer: ISSUER,
        features: [privateKeyJwt({ algorithms }), dpop({ algorithms: inProofs }), requestObjects({ algorithms })],
      });
    const sign = (claims: object, header: object) =>
      new SignJWT({ jti: randomUUID(), iat: now(), ...claims }).setProtectedHeader({ alg, ...header }).sign(key);
    const ask = async (server: OAuth2Server) => {
      const own = { iss: 'app', aud: ISSUER, exp: now() + 60 };
      const body = {
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await sign({ ...own, sub: 'app' }, {}),
      };
      const proof = await sign({ htm: 'POST', htu: `${ISSUER}/oauth/token` }, { typ: 'dpop+jwt', jwk: publicJwk });
      const tokens = new Response();
      const headers = { ...FORM, dpop: proof };
      await server.token(new Request({ method: 'POST', headers, query: {}, body }), tokens).catch(() => undefined);
      const wanted = { response_type: 'code', client_id: 'app', redirect_uri: CALLBACK, state: 'xyz', scope: 'read' };
      const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
      const request = await sign({ ...own, ...wanted, ...challenge }, {});
      const redirect = new Response();
      const query = { client_id: 'app', request };
      const authenticateHandler = { handle: () => ({ id: 'alice' }) };
      await server
        .authorize(new Request({ method: 'GET', headers: {}, query }), redirect, { authenticateHandler })
        .catch(() => undefined);
      return { token: tokens.body as object, location: String(redirect.headers['location']) };
    };
    const others: readonly SigningAlgorithm[] = alg === 'ES256' ? ['PS256'] : ['ES256'];

    it('is accepted by default', async () => {
      const { token, location } = await ask(serve());
      expect(token).toMatchObject({ token_type: 'DPoP' });
      expect(location).toMatch(/[?&]code=/);
    });

    it('is rejected in client assertions and request objects if `algorithms` does not list it', async () => {
      const { token, location } = await ask(serve(others));
      expect(token).toMatchObject({ error: 'invalid_client' });
      expect(location).not.toMatch(/[?&]code=/);
    });

    it('is rejected in DPoP proofs if `algorithms` of dpop() does not list it', async () => {
      const { token } = await ask(serve(undefined, others));
      expect(token).toMatchObject({ error: 'invalid_dpop_proof' });
    });
  });

  it('is rejected for a key of another algorithm', () => {
    const wrong = alg === 'ES384' ? 'ES512' : 'ES384';
    const pem = key.export({ format: 'pem', type: 'pkcs8' }) as string;
    expect(() => keys({ from: [{ pem, alg: wrong }] })).toThrow(`does not support signatures with \`${wrong}\``);
  });

  it('accepts only signatures with the length that JWS requires from an external signer', async () => {
    const sign = async (length: number) => {
      const signer = { alg, publicKey: publicJwk, sign: () => new Uint8Array(length) };
      const server = await openIdServer({ from: [signer], alg });
      return (await server.signIn()).id_token;
    };
    const lengths: Record<string, number> = {
      ES384: 96,
      ES512: 132,
      'ML-DSA-44': 2420,
      'ML-DSA-65': 3309,
      'ML-DSA-87': 4627,
    };
    const length = /^[RP]S/.test(alg) ? 256 : (lengths[alg] ?? 64);
    expect(await sign(length)).toEqual(expect.any(String));
    expect(await sign(length + 1)).toBeUndefined();
  });
});

const describeWithout = WITH_ML_DSA ? describe.skip : describe;
describeWithout.each(ML_DSA)('signature algorithm %s on a Node.js version without ML-DSA', (name) => {
  const alg = name as SigningAlgorithm;

  it('is rejected at start-up with a message that names the required Node.js version', () => {
    const algorithms = [alg];
    const needs = /ML-DSA requires Node.js 24.7 or later; this is v2\d/;
    expect(() => keys({ secret: 'x'.repeat(32), algorithms })).toThrow(needs);
    expect(() => keys({ from: [{ kty: 'AKP', alg }] })).toThrow(needs);
    expect(() => new JwtTokens({ issuer: ISSUER, audience: ISSUER, algorithms })).toThrow(needs);
    const users = { findById: () => null, findByCredentials: () => null };
    for (const feature of [privateKeyJwt({ algorithms }), dpop]) {
      const serve = () =>
        new OAuth2Server({
          model: new MemoryStore({ clients: [], users }),
          issuer: ISSUER,
          features: [typeof feature === 'function' ? feature({ algorithms }) : feature],
        });
      expect(serve).toThrow(needs);
    }
  });
});

describe('a private key in PEM format', () => {
  it.each([
    ['P-384', 'ES384'],
    ['P-521', 'ES512'],
  ])('on the curve %s signs ID tokens with %s', async (namedCurve, alg) => {
    const pem = generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
    expect(createPrivateKey(pem).asymmetricKeyType).toBe('ec');
    const server = await openIdServer({ from: [pem], alg: alg as SigningAlgorithm });
    expect(decodeProtectedHeader((await server.signIn()).id_token).alg).toBe(alg);
  });
});
