import { describe, expect, it } from '@jest/globals';
import { introspection, registration } from 'nest-oauth2/features';
import { encryption, type EncryptionOptions, jarm, signedIntrospection } from 'nest-oauth2/jose';
import { Request } from 'nest-oauth2/server';

import { CALLBACK, openIdServer } from '../../support/openid-server.js';
import { decrypted, recipient } from '../../support/recipients.js';

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

describe('a client that registers itself for encryption', () => {
  it('gets what it wants', async () => {
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

  it.each(KINDS)('may have its keys elsewhere (%s)', async (kind) => {
    const { register } = await setUp();
    expect((await register({ [`${kind}_encrypted_response_alg`]: 'RSA-OAEP-256', jwks_uri })).status).toBe(201);
  });

  const { kty, crv, x } = mine.jwk;
  it.each<[string, string, object]>([
    ['has no keys', 'id_token_encrypted_response_alg', {}],
    ['has none to encrypt to', 'id_token_encrypted_response_alg', { jwks: { keys: [{ ...mine.jwk, use: 'sig' }] } }],
    ['has none that is one', 'id_token_encrypted_response_alg', { jwks: { keys: [{ kty, crv, x, y: x }] } }],
    [
      'has the other kind',
      'userinfo_encrypted_response_alg',
      { jwks, userinfo_encrypted_response_alg: 'RSA-OAEP-256' },
    ],
    ['shows its private key', 'jwks', { jwks: { keys: [mine.key.export({ format: 'jwk' })] } }],
    ['brings a secret', 'jwks', { jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }],
    [
      'names no algorithm',
      'id_token_encrypted_response_enc',
      { id_token_encrypted_response_alg: undefined, jwks, id_token_encrypted_response_enc: 'A256GCM' },
    ],
    ['wants `none`', 'id_token_encrypted_response_alg', { jwks, id_token_encrypted_response_alg: 'none' }],
    ['wants RSA1_5', 'authorization_encrypted_response_alg', { jwks, authorization_encrypted_response_alg: 'RSA1_5' }],
    [
      'wants its secret used',
      'introspection_encrypted_response_alg',
      { jwks, introspection_encrypted_response_alg: 'dir' },
    ],
    [
      'wants what there is not',
      'id_token_encrypted_response_enc',
      { jwks, id_token_encrypted_response_enc: 'A512GCM' },
    ],
    ['says nothing good', 'id_token_encrypted_response_alg', { jwks, id_token_encrypted_response_alg: ['ECDH-ES'] }],
  ])('is refused that %s', async (_, name, said) => {
    const { register } = await setUp();
    const usual = { id_token_encrypted_response_alg: 'ECDH-ES' };
    expect(await register({ ...usual, ...said })).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata', error_description: expect.stringContaining(name) },
    });
  });

  it.each(KINDS)('is refused where nobody encrypts (%s)', async (kind) => {
    const { register } = await setUp(false);
    const { status, body } = await register({ [`${kind}_encrypted_response_alg`]: 'ECDH-ES', jwks });
    expect({ status, body }).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
  });

  it('has to say by what, where the usual one is not served', async () => {
    const { register } = await setUp({ contentEncryption: ['A256GCM'] });
    const said = { id_token_encrypted_response_alg: 'ECDH-ES', jwks };
    const { body } = await register(said);
    expect(body).toMatchObject({ error_description: expect.stringContaining('`id_token_encrypted_response_enc`') });
    expect((await register({ ...said, id_token_encrypted_response_enc: 'A256GCM' })).status).toBe(201);
  });
});
