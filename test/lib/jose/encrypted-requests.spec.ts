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
import { runOperation, basic, FORM, type Outcome, signedIn } from '../../support/requests.js';
import { encryptTo, type PublishedKey, publishedKeys } from '../../support/encrypting-client.js';
import { CERTIFICATE, TlsServer } from '../../support/tls-server.js';

const ISSUER = 'https://id.example.com';
const CALLBACK = 'https://app.example/cb';
const SECRET = 'secret-of-the-client-web';
const KEYS_SECRET = 'a secret of thirty-two characters';

/** A private key of a server. */
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
const UNREADABLE = 'it can be decrypted by a key of this server';

describe('an encrypted request object', () => {
  it.each([
    ['ECDH-ES', EC],
    ['ECDH-ES', privateJwk('P-384', { use: 'enc' })],
    ['ECDH-ES', privateJwk('P-521', { use: 'enc' })],
    ['ECDH-ES', privateJwk('X25519', { use: 'enc' })],
    ['ECDH-ES+A128KW', privateJwk('P-256', { use: 'enc', alg: 'ECDH-ES+A128KW' })],
    ['ECDH-ES+A256KW', privateJwk('X25519', { use: 'enc', alg: 'ECDH-ES+A256KW' })],
    ['RSA-OAEP-256', RSA],
  ])('is read by %s', async (alg, key) => {
    const { server, published } = await setUp({ from: [SIGNING, key], encrypted: { unregistered: true } });
    const to = published.find(({ use }) => use === 'enc')!;
    expect(to).toMatchObject({ alg, use: 'enc' });
    for (const enc of ['A128GCM', 'A256GCM', 'A128CBC-HS256', 'A256CBC-HS512']) {
      expect(await visit(server, await encryptTo(to, await signed('plain'), { enc }), 'plain')).toMatchObject(GRANTED);
    }
  });

  it('is taken apart by one decryption', async () => {
    const { server, keyOf, decryptions } = await setUp();
    expect(await visit(server, await encryptTo(keyOf('ec'), await signed()))).toMatchObject(GRANTED);
    expect(decryptions).toHaveBeenCalledTimes(1);
  });

  it('needs no name of the key, where it is the one that is published', async () => {
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
    'may say of itself %j: what it is shows within',
    async (header) => {
      const { server, keyOf } = await setUp();
      expect(await visit(server, await encryptTo(keyOf('ec'), await signed(), header))).toMatchObject(GRANTED);
    },
  );

  it('comes by reference', async () => {
    const { server, keyOf } = await setUp();
    const object = await encryptTo(keyOf('ec'), await signed());
    web.replies['/request.jwe'] = (response) => response.end(object);
    const query = { client_id: 'web', request_uri: web.url('/request.jwe') };
    const outcome = await runOperation(server, 'authorize', new Request({ method: 'GET', headers: {}, query }));
    expect(outcome).toMatchObject(GRANTED);
  });

  it('is pushed, and kept as it was read', async () => {
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

  it('is read by a key that the store keeps, sealed', async () => {
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

describe('a client', () => {
  it('that has registered that it encrypts may do so by all that the server reads, and need not', async () => {
    const { server, keyOf } = await setUp();
    expect(await visit(server, await signed())).toMatchObject(GRANTED);
    expect(await visit(server, await encryptTo(keyOf('rsa'), await signed()))).toMatchObject(GRANTED);
    expect(await visit(server, await encryptTo(keyOf('ec'), await signed(), { enc: 'A256GCM' }))).toMatchObject(
      GRANTED,
    );
    const odd = await signed('odd');
    expect(await visit(server, await encryptTo(keyOf('rsa'), odd), 'odd')).toMatchObject(GRANTED);
  });

  it('that has not makes the server decrypt nothing, unless the host lets it', async () => {
    const { server, keyOf, decryptions } = await setUp();
    const object = await encryptTo(keyOf('ec'), await signed('plain'));
    const refused = await visit(server, object, 'plain');
    expect(refused).toMatchObject(REFUSED);
    expect(ruleOf(refused)).toBe('its client has registered that it encrypts');
    expect(await visit(server, await signed('plain'), 'plain')).toMatchObject(GRANTED);
    expect(await visit(server, object, 'nobody')).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
    expect(await visit(server, await encryptTo(keyOf('ec'), 'x'), 'keyless')).toMatchObject(REFUSED);
    expect(await visit(server, 'x'.repeat(16_385))).toMatchObject(REFUSED);
    expect(decryptions).not.toHaveBeenCalled();
    const open = await setUp({ encrypted: { unregistered: true } });
    expect(await visit(open.server, object, 'plain')).toMatchObject(GRANTED);
    expect(await visit(open.server, await signed('plain'), 'plain')).toMatchObject(GRANTED);
  });

  it('is not read where the host says nothing of encryption', async () => {
    const { server, keyOf } = await setUp({ encrypted: false });
    expect(await visit(server, await encryptTo(keyOf('ec'), await signed()))).toMatchObject(REFUSED);
    expect(await visit(server, await signed())).toMatchObject(GRANTED);
    expect(await visit(server, await signed('plain'), 'plain')).toMatchObject(GRANTED);
  });

  it('registers how it encrypts', async () => {
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

  it('is told in the metadata how it may', async () => {
    const told = async (setup: Setup) => {
      const response = new Response();
      const { server } = await setUp(setup);
      await server.handle('server-metadata', new Request({ method: 'GET', headers: {}, query: {} }), response);
      return response.body as object;
    };
    expect(await told({})).toMatchObject({
      request_object_encryption_alg_values_supported: ['ECDH-ES', 'RSA-OAEP-256', 'ECDH-ES+A128KW'],
      request_object_encryption_enc_values_supported: ['A128CBC-HS256', 'A256CBC-HS512', 'A128GCM', 'A256GCM'],
    });
    expect(await told({ from: [], encrypted: { algorithms: ['RSA-OAEP-256'] } })).toMatchObject({
      request_object_encryption_alg_values_supported: ['RSA-OAEP-256'],
    });
    expect(await told({ encrypted: false })).not.toHaveProperty('request_object_encryption_alg_values_supported');
  });
});

/** As nobody's library would make it. */
const jweOf = (header: unknown, ...parts: string[]) =>
  [base64url.encode(JSON.stringify(header)), ...parts, ...Array<string>(4 - parts.length).fill('AAAA')].join('.');
const ZERO = Buffer.alloc(32).toString('base64url');

describe('what is no good', () => {
  type Keys = (kid: string) => PublishedKey;
  const HEADER = { alg: 'ECDH-ES', enc: 'A128CBC-HS256' };
  const epk = { kty: 'EC', crv: 'P-256', x: ZERO, y: ZERO };
  const compact = (text: string) => new CompactEncrypt(new TextEncoder().encode(text));

  it.each<[string, (keyOf: Keys) => Promise<string> | string]>([
    [
      'encrypted to another key of that name',
      async (keyOf) => encryptTo({ ...keyOf('ec'), ...encrypts.jwk, kid: 'ec' }, await signed()),
    ],
    ['encrypted to the key that signs', async (keyOf) => encryptTo(keyOf('signs'), await signed(), { alg: 'ECDH-ES' })],
    [
      'to that, by the name of another',
      async (keyOf) => encryptTo({ ...keyOf('signs'), kid: 'ec' }, await signed(), { alg: 'ECDH-ES' }),
    ],
    [
      'to that, without a name',
      async (keyOf) => encryptTo(keyOf('signs'), await signed(), { alg: 'ECDH-ES', kid: undefined }),
    ],
    [
      'by an algorithm that is not that of its key',
      async (keyOf) => encryptTo(keyOf('ec'), await signed(), { alg: 'ECDH-ES+A256KW' }),
    ],
    [
      'by an algorithm that is that of another key',
      async (keyOf) => encryptTo(keyOf('ec'), await signed(), { alg: 'ECDH-ES+A128KW' }),
    ],
    [
      'by the name of the key of another algorithm',
      async (keyOf) => encryptTo(keyOf('ec'), await signed(), { kid: 'rsa' }),
    ],
    ['by a name that nobody has', async (keyOf) => encryptTo(keyOf('ec'), await signed(), { kid: '../../etc/passwd' })],
    ['by a name that all objects have', async (keyOf) => encryptTo(keyOf('ec'), await signed(), { kid: '__proto__' })],
    ['compressed', async (keyOf) => encryptTo(keyOf('ec'), await signed(), { zip: 'DEF' })],
    [
      'with a header nobody knows',
      async (keyOf) =>
        compact(await signed())
          .setProtectedHeader({ ...HEADER, kid: 'ec', crit: ['x'], x: 1 })
          .encrypt(await importJWK({ ...keyOf('ec') }, 'ECDH-ES'), { crit: { x: true } }),
    ],
    [
      'by a secret, the public key',
      (keyOf) =>
        compact('x')
          .setProtectedHeader({ alg: 'dir', enc: 'A128CBC-HS256', kid: 'ec' })
          .encrypt(new TextEncoder().encode(JSON.stringify(keyOf('ec'))).subarray(0, 32)),
    ],
    [
      'by a password that takes for ever',
      () => jweOf({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2 ** 31, p2s: ZERO, kid: 'ec' }),
    ],
    ['by RSA1_5', () => jweOf({ alg: 'RSA1_5', enc: 'A128CBC-HS256', kid: 'rsa' })],
    ['by RSA-OAEP with SHA-1', async (keyOf) => encryptTo(keyOf('rsa'), await signed(), { alg: 'RSA-OAEP' })],
    ['by what has 192 bits', async (keyOf) => encryptTo(keyOf('ec'), await signed(), { enc: 'A192GCM' })],
    ['by a point that is not on the curve', () => jweOf({ ...HEADER, kid: 'ec', epk }, '')],
    [
      'by a point of another curve',
      () => jweOf({ ...HEADER, kid: 'ec', epk: { kty: 'OKP', crv: 'X25519', x: ZERO } }, ''),
    ],
    ['by no point', () => jweOf({ ...HEADER, kid: 'ec' }, '')],
    ['by nonsense in place of a point', () => jweOf({ ...HEADER, kid: 'ec', epk: [null] }, '')],
    ['with a name that is no text', () => jweOf({ ...HEADER, kid: { toString: 1 }, epk })],
    ['with an algorithm that is no text', () => jweOf({ ...HEADER, alg: ['ECDH-ES'], epk })],
    ['whose header is none', () => jweOf(null)],
    ['whose header is a list', () => jweOf([HEADER])],
    ['of five empty parts', () => '....'],
    ['of five parts that are no base64', () => '!.!.!.!.!'],
    ['cut off', async (keyOf) => (await encryptTo(keyOf('ec'), await signed())).slice(0, -4)],
    [
      'bent',
      async (keyOf) => {
        const parts = (await encryptTo(keyOf('ec'), await signed())).split('.');
        parts[3] = `${parts[3]!.startsWith('A') ? 'B' : 'A'}${parts[3]!.slice(1)}`;
        return parts.join('.');
      },
    ],
  ])('is said of all in one sentence: of one %s', async (_, make) => {
    const { server, keyOf } = await setUp({ encrypted: { unregistered: true } });
    const outcome = await visit(server, await make(keyOf), 'plain');
    expect(outcome).toMatchObject(REFUSED);
    expect(OAuthError.detailOf(outcome.error!)).toEqual({ reason: UNREADABLE });
  });

  it.each<[string, (keyOf: Keys) => Promise<string>]>([
    [
      'that is signed by nobody',
      async () =>
        new UnsecuredJWT({ client_id: 'web', response_type: 'code' }).setIssuer('web').setAudience(ISSUER).encode(),
    ],
    [
      'that are claims alone',
      async () => JSON.stringify({ iss: 'web', aud: ISSUER, client_id: 'web', response_type: 'code' }),
    ],
    ['that is signed by another client', () => signed('web', { key: foreign.privateKey })],
    ['that is of another client', () => signed('foreign', { key: foreign.privateKey })],
    [
      'that is signed by a key which is for encryption',
      () => signed('web', { header: { kid: 'encrypts' }, key: encrypts.privateKey }),
    ],
    [
      'that is signed by the public key as a secret',
      (keyOf) =>
        signed('web', {
          header: { alg: 'HS256', kid: 'ec' },
          key: new TextEncoder().encode(JSON.stringify(keyOf('ec'))),
        }),
    ],
    ['that is encrypted once more', async (keyOf) => encryptTo(keyOf('ec'), await signed())],
    ['that has another type', () => signed('web', { header: { typ: 'at+jwt' } })],
    ['that is empty', async () => ''],
    ['that is no text', async () => '\u0000\ud800'],
  ])('is decrypted, and refused for what it is within: one %s', async (_, make) => {
    const { server, keyOf, decryptions } = await setUp();
    const outcome = await visit(server, await encryptTo(keyOf('ec'), await make(keyOf)));
    expect(outcome).toMatchObject(REFUSED);
    expect(decryptions).toHaveBeenCalledTimes(1);
  });

  it('is one that says all in JSON', async () => {
    const { server, keyOf } = await setUp();
    const to = await importJWK({ ...keyOf('ec') }, 'ECDH-ES');
    const whole = await new FlattenedEncrypt(new TextEncoder().encode(await signed()))
      .setProtectedHeader({ ...HEADER, kid: 'ec' })
      .encrypt(to);
    expect(await visit(server, JSON.stringify(whole))).toMatchObject(REFUSED);
  });

  it('is one that a small point has made, for a key that is one of X25519', async () => {
    const { server } = await setUp({ encrypted: { unregistered: true } });
    for (const x of [ZERO, `AQ${ZERO.slice(2)}`, `7P___________________________________________38`]) {
      const object = jweOf({ alg: 'ECDH-ES+A128KW', enc: 'A128GCM', kid: 'x', epk: { kty: 'OKP', crv: 'X25519', x } });
      expect(await visit(server, object, 'plain')).toMatchObject(REFUSED);
    }
  });

  it('is what one client has encrypted, and another one brings', async () => {
    const { server, keyOf } = await setUp();
    const stolen = await encryptTo(keyOf('ec'), await signed());
    expect(await visit(server, stolen, 'foreign')).toMatchObject(REFUSED);
    expect(await visit(server, stolen)).toMatchObject(GRANTED);
  });

  it('never is a fault of the server', async () => {
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

describe('the start', () => {
  it.each([
    [{ encrypted: { algorithms: ['RSA1_5'] } }, 'takes as `algorithms` a list of ECDH-ES'],
    [{ encrypted: { algorithms: [] } }, 'takes as `algorithms` a list of ECDH-ES'],
    [{ encrypted: { contentEncryption: ['A192GCM'] } }, 'takes as `contentEncryption` a list of A128CBC-HS256'],
    [{ encrypted: { unregistered: 'no' } }, 'takes as `unregistered` true or false'],
    [{ encrypted: { alg: 'ECDH-ES' } }, 'unknown option `alg` of `encrypted` of `requestObjects()`'],
    [{ encrypted: 'yes' }, 'is `true`, `false` or an object of options'],
  ])('is stopped by %j', (given, sentence) => {
    expect(() => requestObjects(given as never)).toThrow(sentence);
  });

  it('is stopped where there is no key to decrypt by', async () => {
    await expect(setUp({ from: [SIGNING] })).rejects.toThrow(
      "no key of `keys()` decrypts: give `from` a private key with `use: 'enc'`",
    );
    await expect(setUp({ from: [SIGNING, EC], encrypted: { algorithms: ['RSA-OAEP-256'] } })).rejects.toThrow(
      'no key of `keys()` decrypts by RSA-OAEP-256',
    );
    const { store } = await setUp();
    const features = [requestObjects({ encrypted: true })];
    expect(() => new OAuth2Server({ model: store, issuer: ISSUER, features })).toThrow(
      '`requestObjects()` needs keys to decrypt by: list `keys()`',
    );
    const short = [keys({ secret: KEYS_SECRET, keep: 2399, maxAge: 600 }), requestObjects({ encrypted: true })];
    const options = { model: store, issuer: ISSUER, accessTokenLifetime: 60, features: short };
    expect(() => new OAuth2Server(options)).toThrow('`keep` of `keys()` must be 2400 at least');
  });
});
