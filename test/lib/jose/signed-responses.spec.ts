import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { introspection, protectedResource, registration, serverMetadata, type Feature } from 'nest-oauth2/features';
import { keys, signedIntrospection, signedMetadata } from 'nest-oauth2/jose';
import { OAuth2Server, Request } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { callEndpoint } from '../../support/clients/call-endpoint.js';
import { runOperation, basic, FORM, tokenRequest } from '../../support/clients/requests.js';

const ISSUER = 'https://id.example.com';
const TYPE = 'application/token-introspection+jwt';
const FROM = [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ed25519')].map(
  ({ privateKey }) => privateKey.export({ format: 'jwk' }),
);

const client = { grants: ['client_credentials'], scopes: ['read'], defaultScope: 'read', secret: 's3cret' };
const users = { findById: () => undefined, findByCredentials: () => undefined };
const make = (features: Feature[]) =>
  new OAuth2Server({
    model: new MemoryStore({
      clients: [
        { ...client, id: 'web' },
        { ...client, id: 'eddy', introspectionSignedResponseAlg: 'Ed25519' },
      ],
      users,
    }),
    issuer: ISSUER,
    features: [keys({ from: FROM }), ...features],
  });

const get = () => new Request({ method: 'GET', headers: {}, query: {} });
async function verified(server: OAuth2Server, jwt: unknown, options: object) {
  const { body } = await callEndpoint(server, 'jwks', get());
  return await jwtVerify(jwt as string, createLocalJWKSet(body as never), { issuer: ISSUER, ...options });
}

describe('signed introspection responses (RFC 9701)', () => {
  const server = make([introspection(), signedIntrospection(), registration({ open: true })]);
  const introspect = async (accept: string | undefined, token?: string, id = 'web') => {
    const headers = { ...FORM, authorization: basic(id, 's3cret') };
    const issued = await runOperation(server, 'token', tokenRequest({ grant_type: 'client_credentials' }, { headers }));
    const body = { token: token ?? issued.body['access_token'] };
    return await callEndpoint(
      server,
      'introspection',
      tokenRequest(body, { headers: { ...headers, ...(accept && { accept }) } }),
    );
  };

  it('contain the introspection response of this server for the requesting client', async () => {
    const { body, headers } = await introspect(TYPE);
    expect(headers).toMatchObject({ 'content-type': TYPE, 'cache-control': 'no-store' });
    const { payload } = await verified(server, body, { audience: 'web', typ: 'token-introspection+jwt' });
    expect(payload).toEqual({
      iss: ISSUER,
      aud: 'web',
      iat: expect.any(Number),
      token_introspection: expect.objectContaining({ active: true, client_id: 'web', scope: 'read', iss: ISSUER }),
    });
  });

  it('contain only `active: false` for an unknown token', async () => {
    const { body } = await introspect(TYPE, 'none');
    expect((await verified(server, body, { audience: 'web' })).payload['token_introspection']).toEqual({
      active: false,
    });
  });

  it('are signed with the algorithm that the client registered', async () => {
    const { body } = await introspect(TYPE, undefined, 'eddy');
    expect(decodeProtectedHeader(body as never)).toMatchObject({ alg: 'Ed25519', typ: 'token-introspection+jwt' });
    await verified(server, body, { audience: 'eddy' });
  });

  it.each<[string | undefined, boolean]>([
    [undefined, false],
    ['application/json', false],
    ['*/*', false],
    [`${TYPE}x`, false],
    [`${TYPE};q=0`, false],
    [`${TYPE};q=0.000, application/json`, false],
    [`application/json;q=0.5, ${TYPE.toUpperCase()} ; q=0.9`, true],
    [`${TYPE},application/json`, true],
  ])('are sent for `Accept: %s`: %s', async (accept, isSigned) => {
    expect(typeof (await introspect(accept)).body === 'string').toBe(isSigned);
  });

  it('are not sent to a client that is not authenticated', async () => {
    const refused = await callEndpoint(
      server,
      'introspection',
      tokenRequest({ token: 'a' }, { headers: { ...FORM, accept: TYPE } }),
    );
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  it.each([
    ['Ed25519', 201],
    ['RS256', 400],
    ['none', 400],
  ])(
    'can be registered by a client with a supported algorithm only: %s causes the status %i',
    async (introspection_signed_response_alg, status) => {
      const body = { redirect_uris: ['https://a.example/cb'], introspection_signed_response_alg };
      const headers = { 'content-type': 'application/json' };
      const registered = await callEndpoint(
        server,
        'registration',
        new Request({ method: 'POST', headers, query: {}, body }),
      );
      expect(registered.status).toBe(status);
    },
  );

  it('require keys and introspection() at start-up', () => {
    const { model } = server.options;
    const start = (features: Feature[]) => () => new OAuth2Server({ model, issuer: ISSUER, features });
    expect(start([introspection(), signedIntrospection()])).toThrow('requires signing keys');
    expect(start([keys({ from: FROM }), signedIntrospection()])).toThrow('requires `introspection()`');
    expect(start([keys({ from: FROM }), introspection(), signedIntrospection({ alg: 'RS256' })])).toThrow(
      "no key in `keys()` supports `alg: 'RS256'`",
    );
    expect(() => signedIntrospection({ algorithm: 'ES256' } as never)).toThrow('unknown option `algorithm`');
  });
});

describe('signed metadata', () => {
  const server = make([
    serverMetadata(),
    signedMetadata(),
    signedIntrospection(),
    introspection(),
    protectedResource({ resources: [{ resource: '/api' }] }),
  ]);
  server.mount(
    Object.fromEntries([...server.context.endpoints.keys(), 'authorize', 'token'].map((id) => [id, `/${id}`])),
  );

  it.each(['server-metadata', 'resource-metadata/api'])(
    'contains the same members as the unsigned document %s',
    async (id) => {
      const { signed_metadata, ...said } = (await callEndpoint(server, id, get())).body;
      const { payload } = await verified(server, signed_metadata, { requiredClaims: ['iat'] });
      const { iss, iat: _, ...claims } = payload;
      expect({ iss, claims }).toEqual({ iss: ISSUER, claims: said });
    },
  );

  it('is signed once for many requests', async () => {
    const { d: _, ...publicKey } = FROM[0]!;
    const key = createPrivateKey({ key: FROM[0]!, format: 'jwk' });
    let [signatures, isDown] = [0, true];
    const signBytes = (data: Uint8Array) => {
      signatures++;
      if (isDown) throw new Error('down');
      return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
    };
    const from = [{ alg: 'ES256' as const, publicKey, sign: signBytes }];
    const model = new MemoryStore({ clients: [], users });
    const features = [keys({ from }), signedMetadata(), serverMetadata()];
    const own = new OAuth2Server({ model, issuer: ISSUER, features });
    const signed = async () => (await callEndpoint(own, 'server-metadata', get())).body['signed_metadata'];
    expect(await signed()).toBeUndefined();
    isDown = false;
    const all = await Promise.all(Array.from({ length: 20 }, signed));
    expect([new Set(all).size, signatures]).toEqual([1, 2]);
    own.mount({ token: '/elsewhere' });
    expect((await verified(own, await signed(), {})).payload['token_endpoint']).toBe(`${ISSUER}/elsewhere`);
    expect(signatures).toBe(3);
  });

  it('lists the algorithms of signed introspection responses', async () => {
    const { body } = await callEndpoint(server, 'server-metadata', get());
    expect(body).toMatchObject({ introspection_signing_alg_values_supported: ['ES256', 'Ed25519'] });
  });

  it('is absent from the metadata without signedMetadata()', async () => {
    const plain = make([serverMetadata()]);
    plain.mount({ authorize: '/authorize', token: '/token', jwks: '/jwks', 'server-metadata': '/m' });
    expect((await callEndpoint(plain, 'server-metadata', get())).body).not.toHaveProperty('signed_metadata');
  });
});
