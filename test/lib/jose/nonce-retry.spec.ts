import { describe, expect, it } from '@jest/globals';
import { pushedRequests } from 'nest-oauth2/features';
import { clientSecretJwt, dpop, privateKeyJwt, requestObjects } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { SignJWT } from 'jose';

import { CALLBACK, FapiClient } from '../../support/clients/fapi-client.js';
import { FORM } from '../../support/clients/requests.js';

const ISSUER = 'https://id.example.com';
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const SECRET = 'a client secret of more than 32 characters';
const now = () => Math.floor(Date.now() / 1000);

async function setUp() {
  const client = new FapiClient(ISSUER, 'signer');
  const known = {
    grants: ['authorization_code', 'client_credentials'],
    scopes: ['notes:read'],
    defaultScope: ['notes:read'],
    redirectUris: [CALLBACK],
  };
  const bySecret = { ...known, id: 'secret', secret: SECRET, tokenEndpointAuthMethod: 'client_secret_jwt' };
  const users = { findById: () => null, findByCredentials: () => null };
  const model = new MemoryStore({ clients: [client.registration(known)], users, encryptSecretsWith: 'x'.repeat(32) });
  await model.createClient(bySecret);
  const events: string[] = [];
  const server = new OAuth2Server({
    model,
    issuer: ISSUER,
    features: [
      privateKeyJwt(),
      clientSecretJwt(),
      dpop({ nonce: { secret: 'a nonce secret of 32 characters at least' } }),
      pushedRequests(),
      requestObjects({ once: true, maxLifetime: 600 }),
    ],
    events: { emit: (name: string) => events.push(name) },
  });
  const send = async (endpoint: 'token' | 'pushed_authorization_request', form: object, nonce?: string) => {
    const response = new Response();
    const path = endpoint === 'token' ? '/oauth/token' : '/oauth/par';
    const dpopProof = await client.proof(ISSUER + path, { claims: { nonce } });
    const request = new Request({ method: 'POST', headers: { ...FORM, dpop: dpopProof }, query: {}, body: form });
    const call = endpoint === 'token' ? server.token(request, response) : server.handle(endpoint, request, response);
    await call.catch(() => undefined);
    const body = response.body as Record<string, unknown>;
    return { status: response.status, error: body['error'], nonce: response.headers['dpop-nonce'] };
  };
  return { client, send, events };
}

const secretAssertion = () =>
  new SignJWT({ iss: 'secret', sub: 'secret', aud: ISSUER, exp: now() + 60, jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(SECRET));

const GRANT = { grant_type: 'client_credentials', client_assertion_type: TYPE };
const NONCE_WANTED = { status: 400, error: 'use_dpop_nonce' };
const REPLAYED = { status: 401, error: 'invalid_client' };

describe('a request that is rejected with use_dpop_nonce (RFC 9449 §8)', () => {
  it('does not consume its client assertion at the token endpoint', async () => {
    const { client, send, events } = await setUp();
    for (const assertion of [await client.assertion(), await secretAssertion()]) {
      const form = { ...GRANT, client_assertion: assertion };
      const first = await send('token', form);
      expect(first).toMatchObject(NONCE_WANTED);
      expect(events).toEqual(['token.refused']);
      expect(await send('token', form, first.nonce)).toMatchObject({ status: 200 });
      expect(await send('token', form, first.nonce)).toMatchObject(REPLAYED);
      expect(events.splice(0)).toEqual(['token.refused', 'client.authenticated', 'token.issued', 'client.refused']);
    }
  });

  it('does not consume its client assertion and its request object at the PAR endpoint', async () => {
    const { client, send } = await setUp();
    const request = await client.requestObject({ claims: { jti: 'object 1' } });
    const form = { client_assertion_type: TYPE, client_assertion: await client.assertion(), request };
    const first = await send('pushed_authorization_request', form);
    expect(first).toMatchObject(NONCE_WANTED);
    expect(await send('pushed_authorization_request', form, first.nonce)).toMatchObject({ status: 201 });
    expect(await send('pushed_authorization_request', form, first.nonce)).toMatchObject(REPLAYED);
    const renewed = { ...form, client_assertion: await client.assertion() };
    expect(await send('pushed_authorization_request', renewed, first.nonce)).toMatchObject({
      status: 400,
      error: 'invalid_request',
    });
  });

  it('is rejected in this way only after the signature of its client assertion was verified', async () => {
    const { client, send } = await setUp();
    const other = new FapiClient(ISSUER, 'signer');
    const form = { ...GRANT, client_assertion: await other.assertion() };
    expect(await send('token', form)).toMatchObject(REPLAYED);
    expect(client.id).toBe(other.id);
  });

  it('succeeds only once with a nonce and the same client assertion, even by two concurrent retries', async () => {
    const { client, send } = await setUp();
    const form = { ...GRANT, client_assertion: await client.assertion() };
    const { nonce } = await send('token', form);
    const both = await Promise.all([send('token', form, nonce), send('token', form, nonce)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 401]));
  });
});
