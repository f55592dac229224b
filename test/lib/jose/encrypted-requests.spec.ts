import { generateKeyPairSync } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { assert, asyncProperty, constantFrom, integer, oneof, string } from 'fast-check';
import {
  base64url,
  CompactEncrypt,
  type CryptoKey,
  exportJWK,
  FlattenedEncrypt,
  generateKeyPair,
  importJWK,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { pushedRequests, registration, serverMetadata } from 'nest-oauth2/features';
import { type EncryptedObjectOptions, type Jwk, type KeyMaterial, keys, requestObjects } from 'nest-oauth2/jose';
import { OAuth2Server, OAuthError, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { findKeys } from '../../../lib/jose/keys/find-keys.js';
import { runOperation, basic, FORM, type Outcome, signedIn } from '../../support/clients/requests.js';
import { encryptTo, type PublishedKey, publishedKeys } from '../../support/clients/encrypting-client.js';
import { CERTIFICATE, TlsServer } from '../../support/servers/tls-server.js';

const ISSUER = 'https://id.example.com';
const CALLBACK = 'https://app.example/cb';
const SECRET = 'secret-of-the-client-web';
const KEYS_SECRET = 'a secret of thirty-two characters';

/** Returns a new private key of a server. */
function privateJwk(type: 'P-256' | 'P-384' | 'P-521' | 'X25519' | 'RSA', more: object): Jwk {
  const { privateKey } =
    type === 'RSA'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : type === 'X25519'
        ? generateKeyPairSync('x25519')
        : generateKeyPairSync('ec', { namedCurve: type });
  return { ...privateKey.export({ format: 'jwk' }), ...more };
}
const SIGNING = privateJwk('P-256', { kid: 'signs' });
const EC = privateJwk('P-256', { kid: 'ec', use: 'enc' });
const RSA = privateJwk('RSA', { kid: 'rsa', use: 'enc' });
const X = privateJwk('X25519', { kid: 'x', use: 'enc', alg: 'ECDH-ES+A128KW' });

async function pairOf(more: object) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), ...more } };
}
const [own, foreign, encrypts] = await Promise.all([
  pairOf({ kid: 'own' }),
  pairOf({ kid: 'own' }),
  pairOf({ kid: 'encrypts', use: 'enc' }),
]);

const web = new TlsServer();
beforeAll(() => web.start());
afterAll(() => web.stop());
const fetch = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };

interface Setup {
  from?: readonly KeyMaterial[] | undefined;
  encrypted?: boolean | EncryptedObjectOptions;
}

async function setUp({ from = [SIGNING, EC, RSA, X], encrypted = true }: Setup = {}) {
  const known = {
    secret: SECRET,
    grants: ['authorization_code'],
    redirectUris: [CALLBACK],
    scopes: ['read'],
    jwks: { keys: [own.jwk, encrypts.jwk] },
    requestUris: [web.url('/request.jwe')],
  };
  const clients = [
    { ...known, id: 'web', requestObjectEncryptionAlg: 'ECDH-ES' },
    { ...known, id: 'gcm', requestObjectEncryptionAlg: 'RSA-OAEP-256', requestObjectEncryptionEnc: 'A256GCM' },
    { ...known, id: 'plain' },
    { ...known, id: 'odd', requestObjectEncryptionAlg: 'RSA1_5' },
    { ...known, id: 'keyless', jwks: undefined, requestObjectEncryptionAlg: 'ECDH-ES' },
    { ...known, id: 'foreign', jwks: { keys: [foreign.jwk] }, requestObjectEncryptionAlg: 'ECDH-ES' },
  ];
  const users = { findById: (id: string) => ({ id }), findByCredentials: () => undefined };
  const store = new MemoryStore({ clients, users });
  const features = [
    keys(from.length > 0 ? { from } : { secret: KEYS_SECRET }),
    requestObjects({ encrypted, fetch }),
    serverMetadata(),
    pushedRequests(),
    registration({ open: true, scopes: ['read'] }),
  ];
  const server = new OAuth2Server({ model: store, issuer: ISSUER, features, ...signedIn });
  const published = await publishedKeys(server);
  const keyOf = (kid: string) => published.find((key) => key.kid === kid)!;
  const decryptions = jest.spyOn(findKeys(server.context)!, 'decryptionKey');
  return { server, store, published, keyOf, decryptions };
}

const signed = (client = 'web', more: { claims?: object; header?: object; key?: CryptoKey | Uint8Array } = {}) =>
  new SignJWT({ response_type: 'code', client_id: client, redirect_uri: CALLBACK, scope: 'read', state: 'within' })
    .setProtectedHeader({ alg: 'ES256', kid: 'own', typ: 'oauth-authz-req+jwt', ...more.header })
    .setIssuer(client)
    .setAudience(ISSUER)
    .sign(more.key ?? own.privateKey);

const visit = (server: OAuth2Server, request: string, client_id = 'web'): Promise<Outcome> =>
  runOperation(
    server,
    'authorize',
    new Request({ method: 'GET', headers: {}, query: { client_id, request, state: 'beside' } }),
  );

const GRANTED = { status: 302, redirected: { code: expect.any(String), state: 'within' } };
const REFUSED = {
  status: 400,
  redirected: {},
  body: { error: 'invalid_request_object', error_description: 'Invalid request object: it is not accepted' },
};
const ruleOf = ({ error }: Outcome) => (OAuthError.detailOf(error!) as { reason: string; given?: unknown }).reason;
const UNREADABLE = 'request object could not be decrypted with a key of this server';

describe('an encrypted request object', () => {
  it.each([
    ['ECDH-ES', 'P-256', EC],
    ['ECDH-ES', 'P-384', privateJwk('P-384', { use: 'enc' })],
    ['ECDH-ES', 'P-521', privateJwk('P-521', { use: 'enc' })],
    ['ECDH-ES', 'X25519', privateJwk('X25519', { use: 'enc' })],
    ['ECDH-ES+A128KW', 'P-256', privateJwk('P-256', { use: 'enc', alg: 'ECDH-ES+A128KW' })],
    ['ECDH-ES+A256KW', 'X25519', privateJwk('X25519', { use: 'enc', alg: 'ECDH-ES+A256KW' })],
    ['RSA-OAEP-256', 'RSA', RSA],
  ])('can be encrypted with %s to a key of the type %s', async (alg, _, key) => {
    const { server, published } = await setUp({ from: [SIGNING, key], encrypted: { unregistered: true } });
    const to = published.find(({ use }) => use === 'enc')!;
    expect(to).toMatchObject({ alg, use: 'enc' });
    for (const enc of ['A128GCM', 'A256GCM', 'A128CBC-HS256', 'A256CBC-HS512']) {
      expect(await visit(server, await encryptTo(to, await signed('plain'), { enc }), 'plain')).toMatchObject(GRANTED);
    }
  });

  it('is decrypted only once per authorization request', async () => {
    const { server, keyOf, decryptions } = await setUp();
    expect(await visit(server, await encryptTo(keyOf('ec'), await signed()))).toMatchObject(GRANTED);
    expect(decryptions).toHaveBeenCalledTimes(1);
  });

  it('can omit the `kid` of the published key', async () => {
    const next = privateJwk('P-256', { kid: 'next', use: 'enc' });
    const { server, keyOf, published } = await setUp({ from: [SIGNING, EC, next] });
    expect(published.map(({ kid }) => kid)).toEqual(['signs', 'ec']);
    const object = await signed();
    expect(await visit(server, await encryptTo(keyOf('ec'), object, { kid: undefined }))).toMatchObject(GRANTED);
    const to = { ...next, d: undefined, alg: 'ECDH-ES' } as unknown as PublishedKey;
    expect(await visit(server, await encryptTo(to, object, { kid: undefined }))).toMatchObject(REFUSED);
    expect(await visit(server, await encryptTo(to, object))).toMatchObject(GRANTED);
  });

  it.each([{ cty: undefined }, { cty: 'oauth-authz-req+jwt' }, { typ: 'JWT' }, { typ: 'JOSE' }])(
    'is recognized as a signed request object by its content, whatever `cty` or `typ` its header has: %j',
    async (header) => {
      const { server, keyOf } = await setUp();
      expect(await visit(server, await encryptTo(keyOf('ec'), await signed(), header))).toMatchObject(GRANTED);
    },
  );

  it('can be sent by request_uri', async () => {
    const { server, keyOf } = await setUp();
    const object = await encryptTo(keyOf('ec'), await signed());
    web.replies['/request.jwe'] = (response) => response.end(object);
    const query = { client_id: 'web', request_uri: web.url('/request.jwe') };
    const outcome = await runOperation(server, 'authorize', new Request({ method: 'GET', headers: {}, query }));
    expect(outcome).toMatchObject(GRANTED);
  });

  it('can be pushed, and is stored decrypted', async () => {
    const { server, keyOf } = await setUp();
    const push = async (object: string) => {
      const response = new Response();
      const headers = { ...FORM, authorization: basic('web', SECRET) };
      const request = new Request({ method: 'POST', headers, query: {}, body: { request: object } });
      await server.handle('pushed_authorization_request', request, response).catch(() => undefined);
      return { status: response.status, body: response.body as Record<string, unknown> };
    };
    const { status, body } = await push(await encryptTo(keyOf('ec'), await signed()));
    expect(status).toBe(201);
    const query = { client_id: 'web', request_uri: body['request_uri'] };
    expect(await runOperation(server, 'authorize', new Request({ method: 'GET', headers: {}, query }))).toMatchObject(
      GRANTED,
    );
    const wrong = { ...(await exportJWK(foreign.privateKey)), d: undefined, kid: 'ec', alg: 'ECDH-ES' };
    const refused = await push(await encryptTo(wrong as unknown as PublishedKey, await signed()));
    expect(refused).toEqual({ status: 400, body: REFUSED.body });
  });

  it('can be decrypted with a private key that the store contains only in encrypted form', async () => {
    const { server, store, published } = await setUp({ from: [] });
    expect(published).toMatchObject([
      { alg: 'ES256', use: 'sig' },
      { alg: 'ECDH-ES', use: 'enc', kty: 'EC', crv: 'P-256' },
    ]);
    expect(published[1]).not.toHaveProperty('d');
    expect(await store.getSigningKeys()).toMatch(/^[\w-]+$/);
    expect(await visit(server, await encryptTo(published[1]!, await signed()))).toMatchObject(GRANTED);
  });
});

describe('encryption of request objects for a client', () => {
  it('is optional and can use all algorithms of the server if the client registered encryption', async () => {
    const { server, keyOf } = await setUp();
    expect(await visit(server, await signed())).toMatchObject(GRANTED);
    expect(await visit(server, await encryptTo(keyOf('rsa'), await signed()))).toMatchObject(GRANTED);
    expect(await visit(server, await encryptTo(keyOf('ec'), await signed(), { enc: 'A256GCM' }))).toMatchObject(
      GRANTED,
    );
    const odd = await signed('odd');
    expect(await visit(server, await encryptTo(keyOf('rsa'), odd), 'odd')).toMatchObject(GRANTED);
  });

  it('needs a registration of encryption, unless `unregistered` is true', async () => {
    const { server, keyOf, decryptions } = await setUp();
    const object = await encryptTo(keyOf('ec'), await signed('plain'));
    const refused = await visit(server, object, 'plain');
    expect(refused).toMatchObject(REFUSED);
    expect(ruleOf(refused)).toBe('request object is encrypted, but the client has not registered encryption');
    expect(await visit(server, await signed('plain'), 'plain')).toMatchObject(GRANTED);
    expect(await visit(server, object, 'nobody')).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
    expect(await visit(server, await encryptTo(keyOf('ec'), 'x'), 'keyless')).toMatchObject(REFUSED);
    expect(await visit(server, 'x'.repeat(16_385))).toMatchObject(REFUSED);
    expect(decryptions).not.toHaveBeenCalled();
    const open = await setUp({ encrypted: { unregistered: true } });
    expect(await visit(open.server, object, 'plain')).toMatchObject(GRANTED);
    expect(await visit(open.server, await signed('plain'), 'plain')).toMatchObject(GRANTED);
  });

  it('is not accepted if the option `encrypted` is false', async () => {
    const { server, keyOf } = await setUp({ encrypted: false });
    expect(await visit(server, await encryptTo(keyOf('ec'), await signed()))).toMatchObject(REFUSED);
    expect(await visit(server, await signed())).toMatchObject(GRANTED);
    expect(await visit(server, await signed('plain'), 'plain')).toMatchObject(GRANTED);
  });

  it('can be registered by the client', async () => {
    const { server, keyOf } = await setUp({ encrypted: { contentEncryption: ['A128GCM', 'A256GCM'] } });
    const register = async (more: object) => {
      const body = { redirect_uris: [CALLBACK], scope: 'read', jwks: { keys: [own.jwk] }, ...more };
      const headers = { 'content-type': 'application/json', 'content-length': '1' };
      const response = new Response();
      const request = new Request({ method: 'POST', headers, query: {}, body });
      await server.handle('registration', request, response).catch(() => undefined);
      return { status: response.status, body: response.body as Record<string, string> };
    };
    const said = { request_object_encryption_alg: 'ECDH-ES', request_object_encryption_enc: 'A128GCM' };
    const { status, body } = await register(said);
    expect({ status, body }).toMatchObject({ status: 201, body: said });
    const id = body['client_id']!;
    const object = await signed(id);
    expect(await visit(server, await encryptTo(keyOf('ec'), object, { enc: 'A128GCM' }), id)).toMatchObject(GRANTED);
    for (const bad of [
      { request_object_encryption_alg: 'RSA1_5' },
      { request_object_encryption_alg: 'ECDH-ES+A256KW', request_object_encryption_enc: 'A128GCM' },
      { request_object_encryption_alg: 'ECDH-ES' },
      { request_object_encryption_alg: 'ECDH-ES', request_object_encryption_enc: 'A128CBC-HS256' },
      { request_object_encryption_enc: 'A128GCM' },
    ]) {
      expect(await register(bad)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    }
  });

  it('is described in the server metadata', async () => {
    const reported = async (setup: Setup) => {
      const response = new Response();
      const { server } = await setUp(setup);
      await server.handle('server-metadata', new Request({ method: 'GET', headers: {}, query: {} }), response);
      return response.body as object;
    };
    expect(await reported({})).toMatchObject({
      request_object_encryption_alg_values_supported: ['ECDH-ES', 'RSA-OAEP-256', 'ECDH-ES+A128KW'],
      request_object_encryption_enc_values_supported: ['A128CBC-HS256', 'A256CBC-HS512', 'A128GCM', 'A256GCM'],
    });
    expect(await reported({ from: [], encrypted: { algorithms: ['RSA-OAEP-256'] } })).toMatchObject({
      request_object_encryption_alg_values_supported: ['RSA-OAEP-256'],
    });
    expect(await reported({ encrypted: false })).not.toHaveProperty('request_object_encryption_alg_values_supported');
  });
});

/** Builds a JWE that no library would create. */
const jweOf = (header: unknown, ...parts: string[]) =>
  [base64url.encode(JSON.stringify(header)), ...parts, ...Array<string>(4 - parts.length).fill('AAAA')].join('.');
const ZERO = Buffer.alloc(32).toString('base64url');

describe('an invalid encrypted request object', () => {
  type Keys = (kid: string) => PublishedKey;
  const HEADER = { alg: 'ECDH-ES', enc: 'A128CBC-HS256' };
  const epk = { kty: 'EC', crv: 'P-256', x: ZERO, y: ZERO };
  const compact = (text: string) => new CompactEncrypt(new TextEncoder().encode(text));

  it.each<[string, (keyOf: Keys) => Promise<string> | string]>([
    [
      'encrypted to another key with the same `kid`',
      async (keyOf) => encryptTo({ ...keyOf('ec'), ...encrypts.jwk, kid: 'ec' }, await signed()),
    ],
    ['encrypted to the signing key', async (keyOf) => encryptTo(keyOf('signs'), await signed(), { alg: 'ECDH-ES' })],
    [
      'encrypted to the signing key with the `kid` of another key',
      async (keyOf) => encryptTo({ ...keyOf('signs'), kid: 'ec' }, await signed(), { alg: 'ECDH-ES' }),
    ],
    [
      'encrypted to the signing key without a `kid`',
      async (keyOf) => encryptTo(keyOf('signs'), await signed(), { alg: 'ECDH-ES', kid: undefined }),
    ],
    [
      'encrypted with an algorithm that does not match its key',
      async (keyOf) => encryptTo(keyOf('ec'), await signed(), { alg: 'ECDH-ES+A256KW' }),
    ],
    [
      'encrypted with the algorithm of another key',
      async (keyOf) => encryptTo(keyOf('ec'), await signed(), { alg: 'ECDH-ES+A128KW' }),
    ],
    [
      'encrypted with the `kid` of a key for another algorithm',
      async (keyOf) => encryptTo(keyOf('ec'), await signed(), { kid: 'rsa' }),
    ],
    [
      'encrypted with an unknown `kid`',
      async (keyOf) => encryptTo(keyOf('ec'), await signed(), { kid: '../../etc/passwd' }),
    ],
    [
      'encrypted with the `kid` `__proto__`',
      async (keyOf) => encryptTo(keyOf('ec'), await signed(), { kid: '__proto__' }),
    ],
    ['compressed', async (keyOf) => encryptTo(keyOf('ec'), await signed(), { zip: 'DEF' })],
    [
      'encrypted with an unknown critical header',
      async (keyOf) =>
        compact(await signed())
          .setProtectedHeader({ ...HEADER, kid: 'ec', crit: ['x'], x: 1 })
          .encrypt(await importJWK({ ...keyOf('ec') }, 'ECDH-ES'), { crit: { x: true } }),
    ],
    [
      'encrypted with the public key as a secret',
      (keyOf) =>
        compact('x')
          .setProtectedHeader({ alg: 'dir', enc: 'A128CBC-HS256', kid: 'ec' })
          .encrypt(new TextEncoder().encode(JSON.stringify(keyOf('ec'))).subarray(0, 32)),
    ],
    [
      'encrypted with a password and an excessive number of iterations',
      () => jweOf({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2 ** 31, p2s: ZERO, kid: 'ec' }),
    ],
    ['encrypted with RSA1_5', () => jweOf({ alg: 'RSA1_5', enc: 'A128CBC-HS256', kid: 'rsa' })],
    [
      'encrypted with RSA-OAEP and SHA-1',
      async (keyOf) => encryptTo(keyOf('rsa'), await signed(), { alg: 'RSA-OAEP' }),
    ],
    ['encrypted with A192GCM', async (keyOf) => encryptTo(keyOf('ec'), await signed(), { enc: 'A192GCM' })],
    ['encrypted with a point that is not on the curve', () => jweOf({ ...HEADER, kid: 'ec', epk }, '')],
    [
      'encrypted with a point on another curve',
      () => jweOf({ ...HEADER, kid: 'ec', epk: { kty: 'OKP', crv: 'X25519', x: ZERO } }, ''),
    ],
    ['encrypted without an ephemeral key', () => jweOf({ ...HEADER, kid: 'ec' }, '')],
    ['encrypted with a malformed ephemeral key', () => jweOf({ ...HEADER, kid: 'ec', epk: [null] }, '')],
    ['encrypted with a `kid` that is not a string', () => jweOf({ ...HEADER, kid: { toString: 1 }, epk })],
    ['encrypted with an `alg` that is not a string', () => jweOf({ ...HEADER, alg: ['ECDH-ES'], epk })],
    ['a JWE whose header is null', () => jweOf(null)],
    ['a JWE whose header is a list', () => jweOf([HEADER])],
    ['a JWE of five empty parts', () => '....'],
    ['a JWE of five parts that are not base64', () => '!.!.!.!.!'],
    ['truncated', async (keyOf) => (await encryptTo(keyOf('ec'), await signed())).slice(0, -4)],
    [
      'modified',
      async (keyOf) => {
        const parts = (await encryptTo(keyOf('ec'), await signed())).split('.');
        parts[3] = `${parts[3]!.startsWith('A') ? 'B' : 'A'}${parts[3]!.slice(1)}`;
        return parts.join('.');
      },
    ],
  ])('is rejected with one general reason in the event if it is %s', async (_, make) => {
    const { server, keyOf } = await setUp({ encrypted: { unregistered: true } });
    const outcome = await visit(server, await make(keyOf), 'plain');
    expect(outcome).toMatchObject(REFUSED);
    expect(OAuthError.detailOf(outcome.error!)).toEqual({ reason: UNREADABLE });
  });

  it.each<[string, (keyOf: Keys) => Promise<string>]>([
    [
      'that is not signed',
      async () =>
        new UnsecuredJWT({ client_id: 'web', response_type: 'code' }).setIssuer('web').setAudience(ISSUER).encode(),
    ],
    [
      'that is plain JSON',
      async () => JSON.stringify({ iss: 'web', aud: ISSUER, client_id: 'web', response_type: 'code' }),
    ],
    ['that another client signed', () => signed('web', { key: foreign.privateKey })],
    ['that was issued by another client', () => signed('foreign', { key: foreign.privateKey })],
    [
      'that is signed with an encryption key',
      () => signed('web', { header: { kid: 'encrypts' }, key: encrypts.privateKey }),
    ],
    [
      'that is signed with the public key as a secret',
      (keyOf) =>
        signed('web', {
          header: { alg: 'HS256', kid: 'ec' },
          key: new TextEncoder().encode(JSON.stringify(keyOf('ec'))),
        }),
    ],
    ['that is encrypted again', async (keyOf) => encryptTo(keyOf('ec'), await signed())],
    ['that has another type', () => signed('web', { header: { typ: 'at+jwt' } })],
    ['that is empty', async () => ''],
    ['that is not text', async () => '\u0000\ud800'],
  ])('is decrypted, and rejected for content %s', async (_, make) => {
    const { server, keyOf, decryptions } = await setUp();
    const outcome = await visit(server, await encryptTo(keyOf('ec'), await make(keyOf)));
    expect(outcome).toMatchObject(REFUSED);
    expect(decryptions).toHaveBeenCalledTimes(1);
  });

  it('is rejected if it uses the JSON serialization', async () => {
    const { server, keyOf } = await setUp();
    const to = await importJWK({ ...keyOf('ec') }, 'ECDH-ES');
    const whole = await new FlattenedEncrypt(new TextEncoder().encode(await signed()))
      .setProtectedHeader({ ...HEADER, kid: 'ec' })
      .encrypt(to);
    expect(await visit(server, JSON.stringify(whole))).toMatchObject(REFUSED);
  });

  it('is rejected if its ephemeral X25519 key has a small order', async () => {
    const { server } = await setUp({ encrypted: { unregistered: true } });
    for (const x of [ZERO, `AQ${ZERO.slice(2)}`, `7P___________________________________________38`]) {
      const object = jweOf({ alg: 'ECDH-ES+A128KW', enc: 'A128GCM', kid: 'x', epk: { kty: 'OKP', crv: 'X25519', x } });
      expect(await visit(server, object, 'plain')).toMatchObject(REFUSED);
    }
  });

  it('is rejected if another client sends it', async () => {
    const { server, keyOf } = await setUp();
    const stolen = await encryptTo(keyOf('ec'), await signed());
    expect(await visit(server, stolen, 'foreign')).toMatchObject(REFUSED);
    expect(await visit(server, stolen)).toMatchObject(GRANTED);
  });

  it('never causes server_error, whatever random content it has', async () => {
    const { server, keyOf } = await setUp({ encrypted: { unregistered: true } });
    const good = (await encryptTo(keyOf('ec'), await signed('plain'))).split('.');
    const wrapped = (await encryptTo(keyOf('rsa'), await signed('plain'))).split('.');
    const part = oneof(string(), constantFrom('', 'AAAA', ZERO, '..', ...good, ...wrapped));
    await assert(
      asyncProperty(constantFrom(good, wrapped), integer({ min: 0, max: 4 }), part, async (parts, at, bent) => {
        const { error, status } = await visit(server, parts.with(at, bent).join('.'), 'plain');
        expect([302, 400]).toContain(status);
        expect(error?.name).not.toBe('server_error');
      }),
      { numRuns: 200 },
    );
  });
});

describe('encryption of request objects at start-up', () => {
  it.each([
    [
      { encrypted: { algorithms: ['RSA1_5'] } },
      '`algorithms` in `encrypted` of `requestObjects()` must be a list of ECDH-ES',
    ],
    [{ encrypted: { algorithms: [] } }, '`algorithms` in `encrypted` of `requestObjects()` must be a list of ECDH-ES'],
    [
      { encrypted: { contentEncryption: ['A192GCM'] } },
      '`contentEncryption` in `encrypted` of `requestObjects()` must be a list of A128CBC-HS256',
    ],
    [
      { encrypted: { unregistered: 'no' } },
      '`unregistered` in `encrypted` of `requestObjects()` must be true or false',
    ],
    [{ encrypted: { alg: 'ECDH-ES' } }, 'unknown option `alg` of `encrypted` of `requestObjects()`'],
    [{ encrypted: 'yes' }, 'must be `true`, `false` or an object of options'],
  ])('rejects the options %j', (given, sentence) => {
    expect(() => requestObjects(given as never)).toThrow(sentence);
  });

  it('rejects a server without a suitable decryption key', async () => {
    await expect(setUp({ from: [SIGNING] })).rejects.toThrow(
      "no key of `keys()` decrypts. Add a private key with `use: 'enc'` to `from`",
    );
    await expect(setUp({ from: [SIGNING, EC], encrypted: { algorithms: ['RSA-OAEP-256'] } })).rejects.toThrow(
      'no key of `keys()` decrypts with RSA-OAEP-256',
    );
    const { store } = await setUp();
    const features = [requestObjects({ encrypted: true })];
    expect(() => new OAuth2Server({ model: store, issuer: ISSUER, features })).toThrow(
      '`encrypted` of `requestObjects()` requires decryption keys. Add `keys()`',
    );
    const short = [keys({ secret: KEYS_SECRET, keep: 2399, maxAge: 600 }), requestObjects({ encrypted: true })];
    const options = { model: store, issuer: ISSUER, accessTokenLifetime: 60, features: short };
    expect(() => new OAuth2Server(options)).toThrow('`keep` of `keys()` must be at least 2400');
  });
});
