import { describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { introspection, registration, serverMetadata } from 'nest-oauth2/features';
import { clientSecretJwt, privateKeyJwt } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';

import { EncryptedSecrets } from '../../../lib/stores/clients/encrypted-secrets.js';
import { basic, FORM } from '../../support/clients/requests.js';

const ISSUER = 'https://id.example.com';
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const SEAL = 'a text of thirty-two characters.';
const SECRET = 'a secret of thirty-two characters';
const METHOD = 'client_secret_jwt';
const scopes = { scopes: ['read'], defaultScope: ['read'] };
const now = () => Math.floor(Date.now() / 1000);
const known = { grants: ['client_credentials'], ...scopes };

async function setUp(options: Partial<ConstructorParameters<typeof MemoryStore>[0]> = { encryptSecretsWith: SEAL }) {
  const users = { findById: () => null, findByCredentials: () => null };
  const model = new MemoryStore({ clients: [], users, ...options });
  await model.saveClient({ id: 'signs', secret: SECRET, tokenEndpointAuthMethod: METHOD, ...known });
  await model.createClient({ id: 'sends', secret: SECRET, ...known }, { isRandom: true });
  const features = [
    clientSecretJwt(),
    privateKeyJwt(),
    serverMetadata(),
    introspection(),
    registration({ open: true, grants: ['client_credentials'], ...scopes }),
  ];
  const server = new OAuth2Server({ model, issuer: ISSUER, features });
  const post = async (body: object, headers: object = {}) => {
    const response = new Response();
    const whole = { grant_type: 'client_credentials', ...body };
    await server
      .token(new Request({ method: 'POST', headers: { ...FORM, ...headers }, query: {}, body: whole }), response)
      .catch(() => undefined);
    return { status: response.status, body: response.body as Record<string, unknown> };
  };
  const ask = (assertion: string, more: object = {}) =>
    post({ client_assertion_type: TYPE, client_assertion: assertion, ...more });
  return { model, server, post, ask };
}

const sign = (claims: object = {}, { secret = SECRET, alg = 'HS256' } = {}) =>
  new SignJWT({
    iss: 'signs',
    sub: 'signs',
    aud: ISSUER,
    iat: now(),
    exp: now() + 60,
    jti: crypto.randomUUID(),
    ...claims,
  })
    .setProtectedHeader({ alg })
    .sign(new TextEncoder().encode(secret));

const OK = { status: 200, body: { token_type: 'Bearer' } };
const REFUSED = { status: 401, body: { error: 'invalid_client' } };

describe('client authentication with client_secret_jwt', () => {
  it('accepts an assertion that is signed with the client secret, and rejects the same assertion later', async () => {
    const { ask } = await setUp();
    const assertion = await sign();
    expect(await ask(assertion, { client_id: 'signs' })).toMatchObject(OK);
    expect(await ask(assertion)).toMatchObject(REFUSED);
  });

  it('accepts assertions of the client library oauth4webapi', async () => {
    const { server, post } = await setUp();
    const response = new Response();
    const path = '/.well-known/oauth-authorization-server';
    await server.handle('server-metadata', new Request({ method: 'GET', headers: {}, query: {}, path }), response);
    const as = response.body as unknown as oauth.AuthorizationServer;
    expect(as).toMatchObject({
      token_endpoint_auth_methods_supported: expect.arrayContaining([METHOD, 'private_key_jwt']),
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['HS256', 'ES256']),
    });
    const customFetch = async (_: string, { body, headers }: { body?: unknown; headers: object }) => {
      const answer = await post(Object.fromEntries(body as URLSearchParams), headers);
      return globalThis.Response.json(answer.body, { status: answer.status });
    };
    const client = { client_id: 'signs' };
    const auth = oauth.ClientSecretJwt(SECRET);
    const answer = await oauth.clientCredentialsGrantRequest(
      as,
      client,
      auth,
      {},
      { [oauth.customFetch]: customFetch },
    );
    expect(await oauth.processClientCredentialsResponse(as, client, answer)).toHaveProperty('access_token');
  });

  it.each<[string, () => Promise<string>]>([
    ['signed with another secret', () => sign({}, { secret: 'another secret of thirty-two characters' })],
    ['signed with another algorithm', () => sign({}, { alg: 'HS512', secret: SECRET.repeat(2) })],
    ['for another server', () => sign({ aud: 'https://evil.example' })],
    ['for a list of servers', () => sign({ aud: [ISSUER, 'https://evil.example'] })],
    ['whose issuer is another client', () => sign({ iss: 'sends' })],
    ['of a client that is registered to send its secret', () => sign({ iss: 'sends', sub: 'sends' })],
    ['that has expired', () => sign({ exp: now() - 300 })],
    ['without a `jti`', () => sign({ jti: undefined })],
  ])('rejects an assertion %s', async (_, made) => {
    const { ask } = await setUp();
    expect(await ask(await made())).toMatchObject(REFUSED);
  });

  it('rejects the secret itself in place of an assertion', async () => {
    const { post } = await setUp();
    expect(await post({}, { authorization: basic('signs', SECRET) })).toMatchObject(REFUSED);
    expect(await post({ client_id: 'signs', client_secret: SECRET })).toMatchObject(REFUSED);
    expect(await post({ client_id: 'signs' })).toMatchObject(REFUSED);
  });

  it('accepts assertions with the previous secret while both secrets are valid', async () => {
    const { ask, model } = await setUp();
    const { secret } = (await model.rotateClientSecret('signs', { overlap: 60 }))!;
    expect(await ask(await sign({}, { secret }))).toMatchObject(OK);
    expect(await ask(await sign())).toMatchObject(OK);
    await model.revokeOldClientSecrets('signs');
    expect(await ask(await sign())).toMatchObject(REFUSED);
    expect(await ask(await sign({}, { secret }))).toMatchObject(OK);
  });

  it('lets a client register itself and sign with the secret that it receives', async () => {
    const { ask, server } = await setUp();
    const response = new Response();
    const headers = { 'content-type': 'application/json' };
    const body = { token_endpoint_auth_method: METHOD, grant_types: ['client_credentials'], response_types: [] };
    await server.handle('registration', new Request({ method: 'POST', headers, query: {}, body }), response);
    const { client_id: sub, client_secret: secret } = response.body as Record<string, string>;
    expect(await ask(await sign({ iss: sub, sub }, { secret: secret! }))).toMatchObject({ status: 200 });
  });
});

describe('the stored secret of a client with client_secret_jwt', () => {
  it('is not used after its expiry, if the application stores the clients', async () => {
    const encryptSecretsWith = 'x'.repeat(32);
    const hash = new EncryptedSecrets({ encryptSecretsWith }).encrypt(SECRET, {
      tokenEndpointAuthMethod: METHOD,
    })!;
    const at = (expiresAt: number) => ({ id: 'signs', grants: [], secretHashes: [{ hash, expiresAt }] });
    for (const [expiresAt, found] of [
      [Date.now() + 60_000, [SECRET]],
      [Date.now() - 1, []],
    ] as const) {
      const clients = { findById: () => at(expiresAt) };
      const users = { findById: () => undefined, findByCredentials: () => undefined };
      const store = new MemoryStore({ clients, users, encryptSecretsWith });
      expect(await store.getClientSecrets!(at(0))).toEqual(found);
    }
  });

  it('is encrypted, and can be decrypted with a previous encryption secret only if `encryptSecretsWith` lists it', async () => {
    const { model } = await setUp();
    const { secretHashes } = (await model['storedClients']!.findById('signs'))!;
    expect(secretHashes).toEqual([expect.stringMatching(/^\$sealed\$[\w-]+$/)]);
    const opened = async (encryptSecretsWith: string | string[]) => {
      const clients = [{ id: 'signs', tokenEndpointAuthMethod: METHOD, secretHashes: secretHashes!, ...known }];
      const store = new MemoryStore({
        clients,
        users: { findById: () => undefined },
        encryptSecretsWith,
      });
      return await store.getClientSecrets!({ id: 'signs', grants: [] });
    };
    expect(await opened([SEAL.toUpperCase(), SEAL])).toEqual([SECRET]);
    expect(await opened(SEAL.toUpperCase())).toEqual([]);
  });

  it('is not returned by getClient() or findClient()', async () => {
    const { model } = await setUp();
    expect(JSON.stringify([await model.getClient('signs', null), await model.findClient('signs')])).not.toContain(
      '$sealed$',
    );
  });

  it.each<[string, () => unknown, RegExp]>([
    ['a store without an encryption secret', () => setUp({}), /Set the option `encryptSecretsWith` of the store/],
    [
      'an encryption secret that is too short',
      () => setUp({ encryptSecretsWith: 'short' }),
      /at least 32 random characters/,
    ],
    [
      'a client secret that is too short',
      async () =>
        (await setUp()).model.createClient({ id: 'x', secret: 'x', tokenEndpointAuthMethod: METHOD, ...known }),
      /must have at least 32 characters/,
    ],
    [
      'a client secret that is too long',
      async () =>
        (await setUp()).model.createClient({
          id: 'x',
          secret: 'x'.repeat(1000),
          tokenEndpointAuthMethod: METHOD,
          ...known,
        }),
      /must have at most 512 characters/,
    ],
    [
      'a model that cannot return it',
      async () =>
        new OAuth2Server({
          model: new MemoryStore({ clients: [], users: { findById: () => undefined } }),
          issuer: ISSUER,
          features: [clientSecretJwt()],
        }),
      /requires the model method `getClientSecrets\(\)`. Set the option `encryptSecretsWith` of the store/,
    ],
    ['a misspelled option', async () => clientSecretJwt({ algorithms: [] } as never), /unknown option `algorithms`/],
  ])('causes a configuration error for %s', async (_, make, sentence) => {
    await expect(make()).rejects.toThrow(sentence);
  });
});
