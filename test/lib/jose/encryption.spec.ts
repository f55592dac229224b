import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { introspection, pushedRequests, serverMetadata } from 'nest-oauth2/features';
import { encryption, type EncryptionOptions, jarm, signedIntrospection } from 'nest-oauth2/jose';
import { Request } from 'nest-oauth2/server';

import { CALLBACK, ISSUER, openIdServer, RSA, SECRET } from '../../support/servers/openid-server.js';
import { decrypted, recipient } from '../../support/models/recipients.js';
import { basic, CHALLENGE, FORM } from '../../support/clients/requests.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';

const rsa = recipient(2048, { use: 'enc', kid: 'mine' });
const p256 = recipient('P-256', { use: 'enc', kid: 'p256' });

const elsewhere = new TlsServer();
beforeAll(() => elsewhere.start());
afterAll(() => elsewhere.stop());
afterEach(() => elsewhere.reset());
const fetch = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };

type Server = Awaited<ReturnType<typeof openIdServer>>;
const serverFor = (client: object, options: EncryptionOptions = { fetch }, more: object = {}) =>
  openIdServer({ more: [serverMetadata(), encryption(options)], client, ...more });
const toKeys = (...keys: object[]) => ({ idTokenEncryptedResponseAlg: 'ECDH-ES', jwks: { keys } });

const userinfo = ({ send }: Server, token: string) =>
  send('userinfo', new Request({ method: 'GET', headers: { authorization: `Bearer ${token}` }, query: {} }));

describe('an encrypted ID token', () => {
  it.each([
    ['RSA-OAEP-256', 'RSA', rsa],
    ['ECDH-ES', 'P-256', p256],
    ['ECDH-ES+A128KW', 'P-384', recipient('P-384')],
    ['ECDH-ES+A256KW', 'P-521', recipient('P-521')],
    ['ECDH-ES', 'X25519', recipient('X25519')],
  ])('contains the signed ID token, encrypted with %s to a client key (%s)', async (alg, _type, { jwk, key }) => {
    const server = await serverFor({ idTokenEncryptedResponseAlg: alg, jwks: { keys: [jwk] } });
    const { id_token } = await server.signIn({ nonce: 'n' });
    const { text, header } = await decrypted(id_token, key);
    const { epk: _, kid, ...said } = header;
    expect({ kid, said }).toEqual({ kid: jwk.kid, said: { alg, enc: 'A128CBC-HS256', cty: 'JWT' } });
    expect((await server.verifyIdToken(text)).payload).toMatchObject({ iss: ISSUER, sub: 'alice', nonce: 'n' });
  });

  it.each(['A128CBC-HS256', 'A256CBC-HS512', 'A128GCM', 'A256GCM'])(
    'uses the content encryption %s that the client registered',
    async (enc) => {
      const said = { id_token_encrypted_response_alg: 'ECDH-ES', id_token_encrypted_response_enc: enc };
      const server = await serverFor({ metadata: { ...said, jwks: { keys: [p256.jwk] } } });
      const { text, header } = await decrypted((await server.signIn()).id_token, p256.key);
      expect(header).toMatchObject({ alg: 'ECDH-ES', enc });
      await server.verifyIdToken(text);
    },
  );

  it('contains c_hash and at_hash, and is also issued for a refresh', async () => {
    const server = await serverFor(toKeys(p256.jwk), undefined, { responseTypes: ['code id_token'] });
    const { parameters } = await server.authorize({ response_type: 'code id_token', nonce: 'n' });
    const first = decodeJwt((await decrypted(parameters['id_token'], p256.key)).text);
    expect(first).toMatchObject({ nonce: 'n', c_hash: expect.any(String) });
    const { body } = await server.redeem(parameters['code']);
    const { body: again } = await server.token({ grant_type: 'refresh_token', refresh_token: body.refresh_token });
    for (const { id_token } of [body, again]) {
      const { text } = await decrypted(id_token, p256.key);
      expect((await server.verifyIdToken(text)).payload).toMatchObject({ at_hash: expect.any(String) });
    }
  });

  it('is accepted as id_token_hint after the client decrypted it, but not in its encrypted form', async () => {
    const server = await serverFor(toKeys(p256.jwk));
    const { id_token } = await server.signIn();
    const { text } = await decrypted(id_token, p256.key);
    const silently = (id_token_hint: string) => server.authorize({ prompt: 'none', id_token_hint });
    expect((await silently(text)).parameters['code']).toEqual(expect.any(String));
    expect((await silently(id_token)).parameters['code']).toBeUndefined();
  });
});

describe('the encryption key of a client', () => {
  const plain = recipient('P-256', {});
  it.each([
    ['is the one for encryption, and not the one for signatures', [recipient('P-256', { use: 'sig' }).jwk, p256.jwk]],
    ['can be the only key', [p256.jwk]],
    ['is the one that declares its use', [plain.jwk, p256.jwk]],
    ['can declare its algorithm in place of its use', [plain.jwk, { ...p256.jwk, use: undefined, alg: 'ECDH-ES' }]],
    ['has the right type and size', [rsa.jwk, recipient(2048, { use: 'enc' }).jwk, p256.jwk]],
    ['is the first valid one', [{ ...p256.jwk, y: p256.jwk.x }, { kty: 'EC', crv: 'P-256' }, p256.jwk]],
  ])('%s', async (_, keys) => {
    const { signIn } = await serverFor(toKeys(...keys));
    const { header } = await decrypted((await signIn()).id_token, p256.key);
    expect(header.kid).toBe('p256');
  });

  it('can omit its `kid`', async () => {
    const { signIn } = await serverFor(toKeys(plain.jwk));
    expect((await decrypted((await signIn()).id_token, plain.key)).header).not.toHaveProperty('kid');
  });

  const zero = Buffer.alloc(32).toString('base64url');
  it.each<[string, string, object]>([
    ['is not on its curve', 'ECDH-ES', { ...p256.jwk, y: p256.jwk.x }],
    ['has a small order', 'ECDH-ES', { kty: 'OKP', crv: 'X25519', x: zero, use: 'enc' }],
    ['is a signing key', 'ECDH-ES', { ...p256.jwk, use: 'sig' }],
    ['is only for verification', 'ECDH-ES', { ...p256.jwk, use: undefined, key_ops: ['verify'] }],
    ['is for another algorithm', 'ECDH-ES', { ...p256.jwk, alg: 'ECDH-ES+A256KW' }],
    ['includes its private part', 'ECDH-ES', { ...p256.key.export({ format: 'jwk' }), use: 'enc' }],
    ['is for signatures by its curve', 'ECDH-ES', { kty: 'OKP', crv: 'Ed25519', x: p256.jwk.x, use: 'enc' }],
    ['is symmetric', 'ECDH-ES', { kty: 'oct', k: 'c2VjcmV0', use: 'enc' }],
    ['has 1024 bits', 'RSA-OAEP-256', recipient(1024).jwk],
    ['has the exponent 1', 'RSA-OAEP-256', { ...rsa.jwk, e: 'AQ' }],
    ['has an exponent as long as its modulus', 'RSA-OAEP-256', { ...rsa.jwk, e: rsa.jwk.n }],
    ['has a modulus that is not a number', 'RSA-OAEP-256', { ...rsa.jwk, n: { toString: 1 } }],
    ['is empty', 'RSA-OAEP-256', {}],
  ])('is not used, and the code stays valid, if it %s', async (_, alg, jwk) => {
    const { store, authorize, redeem } = await serverFor({
      idTokenEncryptedResponseAlg: alg,
      jwks: { keys: [jwk] },
    });
    const { code } = (await authorize()).parameters;
    const { status, body } = await redeem(code);
    expect({ status, body }).toEqual({
      status: 503,
      body: {
        error: 'server_error',
        error_description: `Server error: the client has no encryption key for ${alg}`,
      },
    });
    expect(await store.getAuthorizationCode(code!)).toMatchObject({ user: { id: 'alice' } });
    expect((await store.getAuthorizationCode(code!)) || {}).not.toHaveProperty('revokedAt');
  });

  it('can be registered after a redemption failed, which leaves the code valid', async () => {
    const { store, authorize, redeem } = await serverFor(toKeys(rsa.jwk));
    const { code } = (await authorize()).parameters;
    expect((await redeem(code)).body).toMatchObject({ error: 'server_error' });
    const web = (await store.getClient('web', null)) as { id: string; grants: string[] };
    await store.saveClient({ ...web, secret: SECRET, jwks: { keys: [p256.jwk] } });
    await decrypted((await redeem(code)).body.id_token, p256.key);
  });

  it.each<[string, object]>([
    ['the algorithm none', { idTokenEncryptedResponseAlg: 'none' }],
    ['RSA1_5', { idTokenEncryptedResponseAlg: 'RSA1_5' }],
    ['direct encryption with a secret', { idTokenEncryptedResponseAlg: 'dir' }],
    ['encryption with a password', { idTokenEncryptedResponseAlg: 'PBES2-HS256+A128KW' }],
    ['an unknown content encryption', { idTokenEncryptedResponseAlg: 'ECDH-ES', idTokenEncryptedResponseEnc: 'none' }],
  ])('is not used, and no ID token is sent, if the client is registered for %s', async (_, registered) => {
    const { signIn } = await serverFor({ ...registered, jwks: { keys: [p256.jwk, rsa.jwk] } });
    const body = await signIn();
    expect(body).toMatchObject({ error: 'server_error' });
    expect(body).not.toHaveProperty('id_token');
  });

  it('is not used by a server without encryption(), which then sends no ID token', async () => {
    const { signIn } = await openIdServer({ client: toKeys(p256.jwk) });
    expect(await signIn()).toMatchObject({ error: 'server_error' });
  });
});

describe('the `jwks_uri` of a client with encrypted responses', () => {
  const client = (alg = 'ECDH-ES') => ({ idTokenEncryptedResponseAlg: alg, jwksUri: elsewhere.url('/jwks') });
  const say = (...keys: object[]) => void (elsewhere.replies['/jwks'] = json({ keys }));

  it('is fetched once for several sign-ins', async () => {
    say(p256.jwk);
    const { signIn } = await serverFor(client());
    for (let i = 0; i < 3; i++) await decrypted((await signIn()).id_token, p256.key);
    expect(elsewhere.count('/jwks')).toBe(1);
  });

  it('causes temporarily_unavailable, and the code stays valid, if it cannot be fetched', async () => {
    elsewhere.replies['/jwks'] = (response) => response.destroy();
    const { authorize, redeem } = await serverFor(client(), { fetch });
    const { code } = (await authorize()).parameters;
    const { status, headers, body } = await redeem(code);
    expect({ status, body }).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    expect(headers['retry-after']).toBe('5');
    expect(JSON.stringify(body)).not.toContain('client.example');
  });

  it.each<[string, () => void]>([
    ['are missing', () => undefined],
    ['are not JSON', () => void (elsewhere.replies['/jwks'] = json('<html>'))],
    ['are for signatures', () => say({ ...p256.jwk, use: 'sig' })],
  ])('causes server_error if the keys there %s', async (_, prepare) => {
    prepare();
    const { signIn } = await serverFor(client());
    expect(await signIn()).toMatchObject({ error: 'server_error' });
  });

  it('is not fetched from an internal network', async () => {
    say(p256.jwk);
    const { signIn } = await serverFor(client(), { fetch: { ...fetch, allow: [] } });
    expect(await signIn()).toMatchObject({ error: 'server_error' });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('the userinfo endpoint for a client with encrypted responses', () => {
  const wanted = { userinfoEncryptedResponseAlg: 'RSA-OAEP-256', userinfoEncryptedResponseEnc: 'A256GCM' };

  it('signs the response and encrypts the result', async () => {
    const server = await serverFor({ ...wanted, userinfoSignedResponseAlg: 'RS256', jwks: { keys: [rsa.jwk] } });
    const { access_token, id_token } = await server.signIn({ scope: 'openid email' });
    await server.verifyIdToken(id_token);
    const { headers, body } = await userinfo(server, access_token);
    expect(headers['content-type']).toBe('application/jwt');
    const { text, header } = await decrypted(body, rsa.key);
    expect(header).toMatchObject({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: 'mine' });
    expect((await server.verifyIdToken(text)).payload).toMatchObject({ sub: 'alice', email: 'alice@example.com' });
  });

  it('encrypts an unsigned response', async () => {
    const server = await serverFor({ ...wanted, jwks: { keys: [rsa.jwk] } });
    const { headers, body } = await userinfo(server, (await server.signIn({ scope: 'openid email' })).access_token);
    expect(headers['content-type']).toBe('application/jwt');
    const { text, header } = await decrypted(body, rsa.key);
    expect(header).toEqual({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'mine', typ: 'JWT' });
    expect(JSON.parse(text)).toMatchObject({ sub: 'alice', email: 'alice@example.com', iss: ISSUER, aud: 'web' });
  });

  it('responds with 503 if it cannot encrypt', async () => {
    const server = await serverFor({ ...wanted, jwks: { keys: [p256.jwk] } });
    const { status, body } = await userinfo(server, (await server.signIn({ scope: 'openid email' })).access_token);
    expect({ status, body }).toMatchObject({ status: 503, body: { error: 'server_error' } });
    expect(JSON.stringify(body)).not.toContain('alice');
  });
});

describe('encryption of other responses', () => {
  const jwks = { keys: [p256.jwk] };
  const all = (client: object) =>
    openIdServer({ more: [jarm(), introspection(), signedIntrospection(), encryption({ fetch })], client });

  it.each(['jwt', 'query.jwt', 'fragment.jwt'])(
    'covers success and error responses of the response mode %s',
    async (mode) => {
      const { authorize } = await all({ authorizationEncryptedResponseAlg: 'ECDH-ES', jwks });
      const answers = { openid: { code: expect.any(String) }, nonsense: { error: 'invalid_scope' } };
      for (const [scope, said] of Object.entries(answers)) {
        const { parameters } = await authorize({ response_mode: mode, scope });
        const { text, header } = await decrypted(parameters['response'], p256.key);
        expect(header).toMatchObject({ alg: 'ECDH-ES', enc: 'A128CBC-HS256', cty: 'JWT' });
        expect(decodeJwt(text)).toMatchObject({ iss: ISSUER, aud: 'web', state: 'xyz', ...said });
      }
    },
  );

  it('is checked before a code is issued; if it is impossible, the browser shows an error', async () => {
    const { store, authorize } = await all({ authorizationEncryptedResponseAlg: 'RSA-OAEP-256', jwks });
    let saved = 0;
    const save = store.saveAuthorizationCode.bind(store);
    store.saveAuthorizationCode = (...given) => {
      saved++;
      return save(...given);
    };
    const { status, location, body } = await authorize({ response_mode: 'jwt' });
    expect({ status, location, body }).toMatchObject({
      status: 503,
      location: 'about:blank',
      body: { error: 'server_error' },
    });
    expect(saved).toBe(0);
    // Other response modes need no encryption.
    expect((await authorize()).parameters['code']).toEqual(expect.any(String));
    expect(saved).toBe(1);
  });

  it('is checked before the pushed authorization request endpoint stores a request', async () => {
    const client = { authorizationEncryptedResponseAlg: 'ECDH-ES', jwks: { keys: [rsa.jwk] } };
    const server = await openIdServer({ more: [jarm(), pushedRequests(), encryption()], client });
    const push = async (more: object) => {
      const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
      const requested = { client_id: 'web', response_type: 'code', redirect_uri: CALLBACK, state: 'xyz' };
      const body = { ...requested, scope: 'openid', ...pkce, ...more };
      const headers = { ...FORM, authorization: basic('web', SECRET) };
      const request = new Request({ method: 'POST', headers, query: {}, body });
      return await server.send('pushed_authorization_request', request);
    };
    expect(await push({ response_mode: 'jwt' })).toMatchObject({ status: 503, body: { error: 'server_error' } });
    expect((await push({})).status).toBe(201);
  });

  it('covers introspection responses if they are signed', async () => {
    const server = await all({ introspectionEncryptedResponseAlg: 'ECDH-ES+A256KW', jwks });
    const { access_token: token } = await server.signIn();
    const ask = (accept: string) => {
      const headers = { ...FORM, accept, authorization: basic('web', SECRET) };
      return server.send('introspection', new Request({ method: 'POST', headers, query: {}, body: { token } }));
    };
    expect((await ask('application/json')).body).toMatchObject({ active: true });
    const { headers, body } = await ask('application/token-introspection+jwt');
    expect(headers['content-type']).toBe('application/token-introspection+jwt');
    const { text } = await decrypted(body, p256.key);
    expect(decodeProtectedHeader(text).typ).toBe('token-introspection+jwt');
    expect(decodeJwt(text)).toMatchObject({ aud: 'web', token_introspection: { active: true } });
  });
});

describe('encryption()', () => {
  it('lists its algorithms in the metadata for each kind of response', async () => {
    const { get } = await serverFor({}, { contentEncryption: ['A256GCM'], algorithms: ['ECDH-ES'] });
    const document = await get('openid-configuration');
    const said = Object.entries(document).filter(([name]) => name.includes('encryption'));
    expect(Object.fromEntries(said)).toEqual({
      id_token_encryption_alg_values_supported: ['ECDH-ES'],
      id_token_encryption_enc_values_supported: ['A256GCM'],
      userinfo_encryption_alg_values_supported: ['ECDH-ES'],
      userinfo_encryption_enc_values_supported: ['A256GCM'],
    });
    const without = Object.keys(await (await openIdServer()).get('openid-configuration'));
    expect(without.filter((name) => name.includes('encryption'))).toEqual([]);
    const more = [jarm(), introspection(), signedIntrospection(), encryption()];
    expect(await (await openIdServer({ more })).get('openid-configuration')).toMatchObject({
      authorization_encryption_alg_values_supported: ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW', 'RSA-OAEP-256'],
      introspection_encryption_enc_values_supported: ['A128CBC-HS256', 'A256CBC-HS512', 'A128GCM', 'A256GCM'],
    });
  });

  it.each<[string, object]>([
    ['an unknown option', { alg: 'ECDH-ES' }],
    ['a weak algorithm', { algorithms: ['RSA1_5'] }],
    ['an empty list of algorithms', { algorithms: [] }],
    ['an unknown content encryption', { contentEncryption: ['A512GCM'] }],
    ['an invalid timeout', { fetch: { timeout: -1 } }],
  ])('rejects at start-up %s', (_, options) => {
    expect(() => encryption(options)).toThrow(/encryption\(\)|timeout/);
  });

  it('encrypts with the encryption key of the client, even if the client also registered a signing key of the server', async () => {
    const { n, e } = RSA;
    const { signIn } = await serverFor({
      idTokenEncryptedResponseAlg: 'RSA-OAEP-256',
      jwks: { keys: [{ kty: 'RSA', n, e, use: 'sig' }, rsa.jwk] },
    });
    expect((await decrypted((await signIn()).id_token, rsa.key)).header.kid).toBe('mine');
  });
});
