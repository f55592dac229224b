import { generateKeyPairSync } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify, UnsecuredJWT } from 'jose';
import { OAuth2Module } from 'nest-oauth2';
import { fapi2 } from 'nest-oauth2/fapi';
import { keys } from 'nest-oauth2/jose';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { CALLBACK, FapiClient, newKeyPair } from '../../support/clients/fapi-client.js';
import { freePort } from '../../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

// The tests that the conformance suite adds in `fapi2-message-signing-final-test-plan` with `signed_non_repudiation`,
// under their official names.

/** A key of another type than the one that the client has registered. */
const rsa = newKeyPair('PS256');
const now = () => Math.floor(Date.now() / 1000);
const PUSHED = { status: 201, body: { request_uri: expect.stringMatching(/^urn:/) } };

describe.each(ANY_PLATFORM)('the modules of the conformance plan fapi2-message-signing-final on %s', (platform) => {
  let url: string;
  let one: FapiClient;
  let two: FapiClient;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    [one, two] = [new FapiClient(url, 'one'), new FapiClient(url, 'two')];
    const known = {
      grants: ['authorization_code'],
      redirectUris: [CALLBACK],
      scopes: ['notes:read'],
      defaultScope: ['notes:read'],
    };
    const model = new MemoryStore({
      users: { findById: () => ({ id: 'alice' }), findByCredentials: () => undefined },
      clients: [one.registration(known), two.registration(known)],
    });
    const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' });
    const features = [keys({ from: [pem as string] }), fapi2({ messageSigning: true })];
    const server = { model, issuer: url, features, interaction: DemoInteraction, secret: SECRET };
    await startApplication(platform, { imports: [OAuth2Module.forRoot(server)] }, { port });
  });
  afterAll(stopApplications);

  /** Returns the claims of a signed response after verifying it as a client does. */
  async function opened(answer: string): Promise<Record<string, unknown>> {
    const jwks = createRemoteJWKSet(new URL(`${url}/oauth/jwks`));
    const checks = { issuer: url, audience: 'one', requiredClaims: ['exp'], algorithms: ['ES256'] };
    return (await jwtVerify(answer, jwks, checks)).payload;
  }

  it('discovery-end-point-verification', async () => {
    const response = await fetch(`${url}/.well-known/oauth-authorization-server`);
    expect(await response.json()).toMatchObject({
      require_signed_request_object: true,
      request_object_signing_alg_values_supported: ['PS256', 'ES256', 'EdDSA', 'Ed25519'],
      authorization_signing_alg_values_supported: ['ES256'],
      response_modes_supported: expect.arrayContaining(['jwt']),
    });
  });

  it.each(['query', 'jwt'])('happy-flow with response_mode=%s', async (mode) => {
    const claims = mode === 'jwt' ? { response_mode: mode } : {};
    const pushed = await one.pushObject(await one.requestObject({ claims }));
    expect(pushed).toMatchObject(PUSHED);
    const answered = await one.authorize(pushed.body['request_uri']!);
    expect('response' in answered).toBe(mode === 'jwt');
    const landed = answered['response'] === undefined ? answered : await opened(answered['response']);
    expect(landed).toMatchObject({ code: expect.any(String), state: 'xyz', iss: url });
    expect(await one.redeem(landed['code'] as string)).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
  });

  it.each<[string, object]>([
    ['ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted', { nbf: now() + 8 }],
    ['ensure-server-accepts-request-object-with-multiple-aud', { aud: ['https://other.example', 'issuer'] }],
  ])('%s', async (_, { aud, ...claims }: { aud?: string[] }) => {
    const audience = aud && { aud: aud.map((each) => (each === 'issuer' ? url : each)) };
    expect(await one.pushObject(await one.requestObject({ claims: { ...claims, ...audience } }))).toMatchObject(PUSHED);
  });

  it('state-only-outside-request-object-not-used', async () => {
    const object = await one.requestObject({ claims: { state: undefined } });
    const { body } = await one.pushObject(object, { state: 'outside' });
    expect(await one.authorize(body['request_uri']!)).not.toHaveProperty('state');
  });

  it.each<[string, () => string | Promise<string>]>([
    ['ensure-matching-key-in-authorization-request', () => one.requestObject({ signer: two.key.privateKey })],
    [
      'ensure-request-object-with-invalid-signature-fails',
      async () => (await one.requestObject()).slice(0, -6) + 'AAAAAA',
    ],
    [
      'ensure-request-object-signature-algorithm-is-not-none',
      () => new UnsecuredJWT({ iss: 'one', aud: url }).encode(),
    ],
    [
      'ensure-signed-request-object-with-RS256-fails',
      () => one.requestObject({ header: { alg: 'RS256' }, signer: rsa.privateKey }),
    ],
    ['ensure-request-object-with-bad-aud-fails', () => one.requestObject({ claims: { aud: 'https://other.example' } })],
    [
      'ensure-expired-request-object-fails',
      () => one.requestObject({ claims: { nbf: now() - 600, exp: now() - 300 } }),
    ],
    ['ensure-request-object-with-exp-over-60-fails', () => one.requestObject({ claims: { exp: now() + 4200 } })],
    [
      'ensure-request-object-with-nbf-over-60-fails',
      () => one.requestObject({ claims: { nbf: now() - 4200, exp: now() + 60 } }),
    ],
    ['ensure-request-object-without-exp-fails', () => one.requestObject({ claims: { exp: undefined } })],
    ['ensure-request-object-without-nbf-fails', () => one.requestObject({ claims: { nbf: undefined } })],
    [
      'ensure-request-object-without-redirect-uri-fails',
      () => one.requestObject({ claims: { redirect_uri: undefined } }),
    ],
    ['par-authorization-request-containing-request_uri', () => one.requestObject({ claims: { request_uri: 'urn:x' } })],
  ])('%s', async (_, made) => {
    const { status, body } = await one.pushObject(await made());
    expect(status).toBe(400);
    expect(['invalid_request', 'invalid_request_object']).toContain(body['error']);
  });

  it('ensure-unsigned-request-at-par-endpoint-fails', async () => {
    expect(await one.push()).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('rejects a signed request that was not pushed, before its claims are read', async () => {
    const query = new URLSearchParams({ client_id: 'one', request: await one.requestObject() }).toString();
    const response = await fetch(`${url}/oauth/authorize?${query}`, { redirect: 'manual' });
    expect({ status: response.status, location: response.headers.get('location') }).toEqual({
      status: 400,
      location: null,
    });
  });
});
