import { describe, expect, it } from '@jest/globals';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { type Jwk, jwtAccessTokens } from 'nest-oauth2/jose';
import { OPENID } from 'nest-oauth2/openid';
import { Request } from 'nest-oauth2/server';

import { EC, ED, ISSUER, openIdServer, RSA } from '../../support/servers/openid-server.js';

const keyOf = (jwk: Jwk) => createPrivateKey({ key: jwk, format: 'jwk' });
const sign = (claims: object, jwk = RSA, header: object = {}) =>
  new SignJWT(claims as never).setProtectedHeader({ alg: 'RS256', kid: jwk.kid!, ...header }).sign(keyOf(jwk));

async function setUp() {
  const server = await openIdServer({ more: [jwtAccessTokens()] });
  const { context: facts } = server.server;
  const read = async (hint: string, issuer: string | undefined = ISSUER) =>
    await facts.find(OPENID)!.readHint(hint, issuer);
  const body = await server.signIn();
  return { ...server, body, read, claims: decodeJwt(body.id_token), facts };
}

describe('an id_token_hint', () => {
  it('is read as client id, `sub` and claims if it is an ID token of this server', async () => {
    const { read, body, claims, facts } = await setUp();
    expect(await read(body.id_token)).toEqual({ clientId: 'web', sub: 'alice', claims });
    expect(facts.find(OPENID)!.subjectOf({ id: 'alice' }, { id: 'web', grants: [] })).toBe('alice');
  });

  it('is accepted after its expiry, and returns its session id (`sid`)', async () => {
    const { read, claims } = await setUp();
    const old = { ...claims, iat: 1_600_000_000, exp: 1_600_003_600, sid: 's-1' };
    expect(await read(await sign(old))).toMatchObject({ sub: 'alice', sid: 's-1' });
  });

  it.each<[string, (claims: object, tokens: { access_token: string; id_token: string }) => Promise<string> | string]>([
    ['is not signed', (claims) => new UnsecuredJWT(claims as never).encode()],
    ['is signed with another key', (claims) => sign(claims, { ...RSA, ...otherRsa(), kid: 'rsa' })],
    ['is signed with an unsupported algorithm', (claims) => sign(claims, RSA, { alg: 'RS512' })],
    [
      'was modified',
      (_, { id_token }) => id_token.replace(/\.[^.]+\./, `.${encoded({ ...decodeJwt(id_token), sub: 'mallory' })}.`),
    ],
    ['is of another issuer', (claims) => sign({ ...claims, iss: 'https://evil.example' })],
    ['is an access token', (_, { access_token }) => access_token],
    ['has another type', (claims) => sign(claims, RSA, { typ: 'logout+jwt' })],
    ['contains events', (claims) => sign({ ...claims, events: {} })],
    ['has no expiry', (claims) => sign({ ...claims, exp: undefined })],
    ['has no audience', (claims) => sign({ ...claims, aud: undefined })],
    ['has no subject', (claims) => sign({ ...claims, sub: undefined })],
    ['is too long', (claims) => sign({ ...claims, x: 'x'.repeat(20_000) })],
    ['is not a JWT', () => 'not a token'],
    ['is empty', () => ''],
    ['has content that is not JSON', () => `${encoded({ alg: 'RS256', kid: 'rsa' })}.bm8.bm8`],
  ])('is rejected if it %s', async (_, make) => {
    const { read, claims, body } = await setUp();
    expect(await read(await make(claims, body))).toBeUndefined();
  });

  it('is rejected if it is a signed userinfo response', async () => {
    const server = await openIdServer({ client: { userinfoSignedResponseAlg: 'RS256' } });
    const { access_token } = await server.signIn();
    const headers = { authorization: `Bearer ${access_token}` };
    const { body } = await server.send('userinfo', new Request({ method: 'GET', headers, query: {} }));
    const { context: facts } = server.server;
    expect(String(body).split('.')).toHaveLength(3);
    expect(await facts.find(OPENID)!.readHint(String(body), ISSUER)).toBeUndefined();
  });

  it('can be signed with any published key', async () => {
    const { read, claims } = await setUp();
    expect(await read(await sign(claims, EC, { alg: 'ES256' }))).toMatchObject({ sub: 'alice' });
    expect(await read(await sign(claims, ED, { alg: 'EdDSA' }))).toMatchObject({ sub: 'alice' });
    expect(await read(await sign(claims), undefined)).toMatchObject({ sub: 'alice' });
  });
});

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const otherRsa = () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ format: 'jwk' });
};
