import { describe, expect, it } from '@jest/globals';
import { introspection, registration } from 'nest-oauth2/features';
import { encryption, type EncryptionOptions, jarm, signedIntrospection } from 'nest-oauth2/jose';
import { Request } from 'nest-oauth2/server';

import { encryptionFor } from '../../../lib/jose/encryption/find-encryption.js';
import { CALLBACK, openIdServer } from '../../support/servers/openid-server.js';
import { decrypted, recipient } from '../../support/models/recipients.js';

const mine = recipient('P-256');
const jwks = { keys: [mine.jwk] };
const jwks_uri = 'https://app.example/jwks';

async function setUp(options?: EncryptionOptions | false) {
  const server = await openIdServer({
    more: [
      jarm(),
      introspection(),
      signedIntrospection(),
      registration({ open: true, scopes: ['openid'], rate: false }),
      ...(options === false ? [] : [encryption(options)]),
    ],
  });
  const register = async (said: object) => {
    const headers = { 'content-type': 'application/json' };
    const body = { redirect_uris: [CALLBACK], ...said };
    return await server.send('registration', new Request({ method: 'POST', headers, query: {}, body }));
  };
  return { ...server, register };
}

const KINDS = ['id_token', 'userinfo', 'authorization', 'introspection'];

describe('registration of a client for encrypted responses', () => {
  it('makes the server encrypt ID tokens with the registered algorithms', async () => {
    const { register, signInAs } = await setUp();
    const said = Object.fromEntries(
      KINDS.flatMap((kind) => [
        [`${kind}_encrypted_response_alg`, 'ECDH-ES+A128KW'],
        [`${kind}_encrypted_response_enc`, 'A256GCM'],
      ]),
    );
    const { status, body } = await register({ ...said, jwks });
    expect({ status, body }).toMatchObject({ status: 201, body: said });
    const { id_token } = await signInAs(String(body['client_id']), String(body['client_secret']));
    expect((await decrypted(id_token, mine.key)).header).toMatchObject({ alg: 'ECDH-ES+A128KW', enc: 'A256GCM' });
  });

  it.each(KINDS)('accepts a `jwks_uri` in place of keys: %s', async (kind) => {
    const { register } = await setUp();
    expect((await register({ [`${kind}_encrypted_response_alg`]: 'RSA-OAEP-256', jwks_uri })).status).toBe(201);
  });

  const { kty, crv, x } = mine.jwk;
  it.each<[string, string, object]>([
    ['has no keys', 'id_token_encrypted_response_alg', {}],
    ['has no key for encryption', 'id_token_encrypted_response_alg', { jwks: { keys: [{ ...mine.jwk, use: 'sig' }] } }],
    ['has an invalid key', 'id_token_encrypted_response_alg', { jwks: { keys: [{ kty, crv, x, y: x }] } }],
    [
      'has a key of another type',
      'userinfo_encrypted_response_alg',
      { jwks, userinfo_encrypted_response_alg: 'RSA-OAEP-256' },
    ],
    ['includes its private key', 'jwks', { jwks: { keys: [mine.key.export({ format: 'jwk' })] } }],
    ['includes a symmetric key', 'jwks', { jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }],
    [
      'sets a content encryption without an algorithm',
      'id_token_encrypted_response_enc',
      { id_token_encrypted_response_alg: undefined, jwks, id_token_encrypted_response_enc: 'A256GCM' },
    ],
    [
      'requests the algorithm `none`',
      'id_token_encrypted_response_alg',
      { jwks, id_token_encrypted_response_alg: 'none' },
    ],
    [
      'requests RSA1_5',
      'authorization_encrypted_response_alg',
      { jwks, authorization_encrypted_response_alg: 'RSA1_5' },
    ],
    [
      'requests encryption with its secret',
      'introspection_encrypted_response_alg',
      { jwks, introspection_encrypted_response_alg: 'dir' },
    ],
    [
      'requests an unknown content encryption',
      'id_token_encrypted_response_enc',
      { jwks, id_token_encrypted_response_enc: 'A512GCM' },
    ],
    [
      'sends a list of algorithms',
      'id_token_encrypted_response_alg',
      { jwks, id_token_encrypted_response_alg: ['ECDH-ES'] },
    ],
  ])('is rejected if the client %s', async (_, name, said) => {
    const { register } = await setUp();
    const usual = { id_token_encrypted_response_alg: 'ECDH-ES' };
    expect(await register({ ...usual, ...said })).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata', error_description: expect.stringContaining(name) },
    });
  });

  it.each(KINDS)('is rejected by a server without encryption(): %s', async (kind) => {
    const { register } = await setUp(false);
    const { status, body } = await register({ [`${kind}_encrypted_response_alg`]: 'ECDH-ES', jwks });
    expect({ status, body }).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
  });

  it('requires a content encryption if the server does not support the default one', async () => {
    const { register } = await setUp({ contentEncryption: ['A256GCM'] });
    const said = { id_token_encrypted_response_alg: 'ECDH-ES', jwks };
    const { body } = await register(said);
    expect(body).toMatchObject({ error_description: expect.stringContaining('`id_token_encrypted_response_enc`') });
    expect((await register({ ...said, id_token_encrypted_response_enc: 'A256GCM' })).status).toBe(201);
  });
});

describe('encryptionFor()', () => {
  const withoutFeature = { find: () => undefined };

  it('fails for a client with a registered encryption if the server does not list `encryption()`', async () => {
    const client = { id: 'web', grants: [], metadata: { id_token_encrypted_response_alg: 'ECDH-ES' } };
    await expect(encryptionFor(client, 'id_token', withoutFeature)).rejects.toMatchObject({
      name: 'server_error',
      message: expect.stringContaining('`encryption()` is not among the `features`'),
    });
    expect(await encryptionFor(client, 'userinfo', withoutFeature)).toBeUndefined();
  });
});
