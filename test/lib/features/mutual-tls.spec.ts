import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MutualTlsOptions, mutualTls, protectedResource, registration } from 'nest-oauth2/features';
import { dpop, JwtTokens } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { CN, issue, type IssuedCertificate, O, OU, type CertificateOptions } from '../../support/certificates.js';
import {
  ISSUER,
  authority,
  acme,
  ofAcme,
  own,
  other,
  type ClientPresents,
  jwkOf,
  withCertificate,
  byAcme,
  setUp,
  REFUSED,
  GIVEN,
  secretOf,
} from '../../support/mutual-tls.js';
import { FORM } from '../../support/requests.js';
import { CERTIFICATE, json, TlsServer } from '../../support/tls-server.js';

describe('a client with a certificate of an authority', () => {
  it('proves who it is', async () => {
    const { ask, heard } = setUp();
    expect(await ask('acme', { certificate: ofAcme })).toMatchObject(GIVEN);
    expect(heard).toContainEqual(expect.objectContaining({ name: 'client.authenticated', method: 'tls_client_auth' }));
  });

  it.each<[string, ClientPresents]>([
    ['without one', {}],
    ['with one that nobody verified', { certificate: ofAcme, isVerified: false }],
    ['with the name, but of its own making', { certificate: issue({ subject: acme }), isVerified: false }],
    ['with that of another', { certificate: issue({ subject: [[[CN, 'client']]], by: authority }) }],
    ['with one that is over', { certificate: issue({ subject: acme, by: authority, from: -2, to: -1 }) }],
    ['with one that is yet to come', { certificate: issue({ subject: acme, by: authority, from: 1, to: 2 }) }],
    [
      'with a header that nobody vouches for',
      { headers: { 'client-cert': `:${ofAcme.x509.raw.toString('base64')}:` } },
    ],
    ['with another proof', secretOf('acme')],
  ])('is refused %s', async (_what, brought) => {
    const { ask, heard } = setUp();
    expect(await ask('acme', brought)).toMatchObject(REFUSED);
    expect(heard).not.toContainEqual(expect.objectContaining({ name: 'client.authenticated' }));
  });

  it.each<[string, string, CertificateOptions['subject']]>([
    ['in any case', 'cn=CLIENT,o=acme\\2c inc.,c=de', acme],
    ['with spaces around what separates', 'CN = client, O=Acme\\, Inc., C=DE', acme],
    ['whatever kind of text it is', 'CN=Müller', [[[CN, Buffer.from('M\u00fcller', 'latin1'), 0x14]]]],
    ['with bytes in place of characters', 'CN=M\\C3\\BCller', [[[CN, 'Müller']]]],
    ['in two bytes a character', 'CN=Müller', [[[CN, Buffer.from('Müller', 'utf16le').swap16(), 0x1e]]]],
    ['in four bytes a character', 'CN=ab', [[[CN, Buffer.from('0000006100000062', 'hex'), 0x1c]]]],
    ['with a value as it is encoded', 'CN=#0c05416c696365', [[[CN, 'Alice']]]],
    ['with a type in numbers', '2.5.4.3=Alice,1.2.3.4=x', [[['1.2.3.4', 'x']], [[CN, 'Alice']]]],
    [
      'with a type of a very long number',
      '2.25.329800735698586629295641978511506172918=x',
      [[['2.25.329800735698586629295641978511506172918', 'x']]],
    ],
    [
      'of two attributes at once, in any order',
      'OU=b+CN=a,O=c',
      [
        [[O, 'c']],
        [
          [CN, 'a'],
          [OU, 'b'],
        ],
      ],
    ],
    ['with what looks like a second one, escaped', 'CN=client\\,O\\=Acme', [[[CN, 'client,O=Acme']]]],
    ['with a number sign in front', 'CN=\\#client', [[[CN, '#client']]]],
  ])('is known by its subject %s', async (_what, tlsClientAuthSubjectDn, subject) => {
    const { ask, ruleOf } = setUp({}, [{ ...byAcme, tlsClientAuthSubjectDn }]);
    expect([await ask('it', { certificate: issue({ subject: subject!, by: authority }) }), ruleOf()]).toMatchObject([
      GIVEN,
      {},
    ]);
  });

  it.each<[string, string, CertificateOptions['subject']]>([
    ['in another order', 'C=DE,O=Acme\\, Inc.,CN=client', acme],
    ['less one', 'CN=client,O=Acme\\, Inc.', acme],
    ['with a type of a number without end', `1.2.${'9'.repeat(400)}=x`, [[[`1.2.${'9'.repeat(400)}`, 'x']]]],
    ['one more', 'CN=client,O=Acme\\, Inc.,C=DE,C=DE', acme],
    ['with a comma that is not escaped', 'CN=client,O=Acme', [[[CN, 'client,O=Acme']]]],
    [
      'with one attribute where two are',
      'CN=a',
      [
        [
          [CN, 'a'],
          [OU, 'b'],
        ],
      ],
    ],
    [
      'with two attributes one behind the other',
      'OU=b,CN=a',
      [
        [
          [CN, 'a'],
          [OU, 'b'],
        ],
      ],
    ],
    ['with a plus that is part of a name', 'OU=b+CN=a', [[[CN, 'a+OU=b']]]],
    ['of another type', 'OU=client', [[[CN, 'client']]]],
    ['with an end that is not seen', 'CN=client', [[[CN, 'client\0.example']]]],
    ['with a character that is not seen', 'CN=client', [[[CN, 'cli\u200bent']]]],
    ['with a value by other bytes', 'CN=#04036f776e', [[[CN, 'own']]]],
    ['that has none', '', []],
    ['that has none, of which all is said', ',', []],
    ['quoted', 'O="Acme, Inc.",CN=client', [[[CN, 'client']], [[O, 'Acme, Inc.']]]],
    ['with what no text is', 'CN=#zz', [[[CN, '#zz']]]],
    ['with an escape that is none', 'CN=a\\x', [[[CN, 'ax']]]],
    ['of a type that nobody knows', 'constructor=client', [[[CN, 'client']]]],
    ['of any length', `CN=${' '.repeat(1900)}"`, [[[CN, 'client']]]],
  ])('is not known by a subject %s', async (_what, tlsClientAuthSubjectDn, subject) => {
    const { ask } = setUp({}, [{ ...byAcme, tlsClientAuthSubjectDn }]);
    expect(await ask('it', { certificate: issue({ subject: subject!, by: authority }) })).toMatchObject(REFUSED);
  });

  const V6 = Buffer.from('20010db8000000000000000000000001', 'hex');
  const NAMES: CertificateOptions['names'] = [
    ['dns', 'Client.example'],
    ['dns', '*.wild.example'],
    ['uri', 'https://client.example/Id'],
    ['email', 'Ops@Client.Example'],
    ['ip', Buffer.from([192, 0, 2, 7])],
    ['ip', V6],
  ];

  it.each([
    { tlsClientAuthSanDns: 'client.EXAMPLE' },
    { tlsClientAuthSanDns: '*.wild.example' },
    { tlsClientAuthSanUri: 'https://client.example/Id' },
    { tlsClientAuthSanEmail: 'Ops@client.example' },
    { tlsClientAuthSanIp: '192.0.2.7' },
    { tlsClientAuthSanIp: '2001:DB8:0::0:1' },
    { metadata: { tls_client_auth_san_dns: 'client.example' } },
  ])('is known by another name: %j', async (name) => {
    const { ask } = setUp({}, [{ tokenEndpointAuthMethod: 'tls_client_auth', ...name }]);
    expect(await ask('it', { certificate: issue({ names: NAMES, by: authority }) })).toMatchObject(GIVEN);
  });

  it.each([
    {},
    { tlsClientAuthSanDns: 'example' },
    { tlsClientAuthSanDns: 'a.wild.example' },
    { tlsClientAuthSanDns: '.wild.example' },
    { tlsClientAuthSanDns: 'https://client.example/Id' },
    { tlsClientAuthSanDns: '192.0.2.7' },
    { tlsClientAuthSanUri: 'https://client.example/id' },
    { tlsClientAuthSanUri: 'client.example' },
    { tlsClientAuthSanEmail: 'ops@client.example' },
    { tlsClientAuthSanIp: '::ffff:192.0.2.7' },
    { tlsClientAuthSanIp: '2001:db8::1%eth0' },
    { tlsClientAuthSanIp: '' },
    { tlsClientAuthSubjectDn: 'CN=Client.example' },
    { tlsClientAuthSanDns: 'client.example', tlsClientAuthSanIp: '192.0.2.7' },
    { tlsClientAuthSanDns: ['client.example'] },
  ])('is not known by another name: %j', async (name) => {
    const { ask } = setUp({}, [{ tokenEndpointAuthMethod: 'tls_client_auth', ...name }]);
    expect(await ask('it', { certificate: issue({ names: NAMES, by: authority }) })).toMatchObject(REFUSED);
  });
});

describe('a client with a certificate of its own', () => {
  it.each(['self', 'bare'])('proves who it is: %s', async (id) => {
    expect(await setUp().ask(id, { certificate: own, isVerified: false })).toMatchObject(GIVEN);
  });

  it('is known by its key alone only where it has registered no certificate', async () => {
    const { ask } = setUp();
    const renewed = issue({
      subject: [[[CN, 'own']]],
      keys: { privateKey: own.privateKey, publicKey: own.x509.publicKey },
    });
    expect(await ask('bare', { certificate: renewed })).toMatchObject(GIVEN);
    expect(await ask('self', { certificate: renewed })).toMatchObject(REFUSED);
  });

  it.each<[string, ClientPresents]>([
    ['without one', {}],
    ['with another one of the same name', { certificate: other }],
    ['with one of an authority', { certificate: ofAcme }],
    ['with another proof', secretOf('self')],
  ])('is refused %s', async (_what, brought) => {
    const { ask } = setUp();
    expect(await ask('self', brought)).toMatchObject(REFUSED);
    expect(await ask('bare', brought)).toMatchObject(brought.headers ? { status: 400 } : REFUSED);
  });

  it.each([
    {},
    { jwks: {} },
    { jwks: { keys: [] } },
    { jwks: { keys: [null] } },
    { jwks: { keys: [{}] } },
    { jwks: { keys: [{ x5c: 'x' }] } },
    { jwks: { keys: [{ ...jwkOf(own), x5c: [] }] } },
    { jwks: { keys: [{ ...jwkOf(own), x5c: [other.x509.raw.toString('base64'), own.x509.raw.toString('base64')] }] } },
    { jwks: { keys: [{ ...jwkOf(own), crv: 'P-384' }] } },
    { jwks: { keys: Array.from({ length: 101 }, () => jwkOf(own)) } },
    { jwksUri: 'https://127.0.0.1/keys' },
    { jwksUri: 'no URL' },
  ])('is refused whose keys are none: case %#', async (registered) => {
    const { ask } = setUp({}, [{ tokenEndpointAuthMethod: 'self_signed_tls_client_auth', ...registered }]);
    expect(await ask('it', { certificate: own })).toMatchObject(REFUSED);
  });

  it.each([
    ['over', { from: -2, to: -1 }],
    ['yet to come', { from: 1, to: 2 }],
  ])('is refused with one that is %s', async (_what, span) => {
    const late = issue(span);
    const { ask } = setUp({}, [
      { tokenEndpointAuthMethod: 'self_signed_tls_client_auth', jwks: { keys: [withCertificate(late)] } },
    ]);
    expect(await ask('it', { certificate: late })).toMatchObject(REFUSED);
  });
});

describe('a certificate', () => {
  it('proves nothing of a client that is registered otherwise', async () => {
    const { ask } = setUp();
    expect(await ask('secret', { certificate: ofAcme })).toMatchObject(REFUSED);
    expect(await ask('nobody', { certificate: ofAcme })).toMatchObject(REFUSED);
    expect(await ask('secret', { certificate: ofAcme, ...secretOf('secret') })).toMatchObject(GIVEN);
  });

  it('is one proof, and another beside it one too many', async () => {
    const { ask } = setUp();
    expect(await ask('acme', { certificate: ofAcme }, { client_secret: 'x' })).toMatchObject(REFUSED);
    expect(await ask('acme', { certificate: ofAcme, ...secretOf('secret') })).toMatchObject({ status: 400 });
  });

  it('is no proof where the host does not list its method', async () => {
    const { ask, server } = setUp({ methods: ['self_signed_tls_client_auth'] });
    expect(await ask('acme', { certificate: ofAcme })).toMatchObject(REFUSED);
    expect(await ask('self', { certificate: own })).toMatchObject(GIVEN);
    expect(server).toBeInstanceOf(OAuth2Server);
  });

  it('proves a client at every endpoint', async () => {
    const { ask, post } = setUp();
    const { body } = await ask('acme', { certificate: ofAcme });
    const form = { client_id: 'acme', token: body['access_token'] };
    const asked = await post(form, { certificate: ofAcme }, 'introspection');
    expect(asked).toMatchObject({ status: 200, body: { active: true } });
    expect(await post(form, { certificate: other, isVerified: false }, 'introspection')).toMatchObject(REFUSED);
    expect(await post(form, { certificate: ofAcme }, 'revocation')).toMatchObject({ status: 200 });
  });
});

describe('a proxy', () => {
  const PROXY = '10.0.0.5';
  const der = ofAcme.x509.raw.toString('base64');
  const escaped = encodeURIComponent(ofAcme.cert);
  const trusting = (proxy: object = {}): MutualTlsOptions => ({
    proxy: { trusted: ['10.0.0.0/24', 'fd00::/8'], verified: true, ...proxy },
  });

  it.each([
    ['client-cert', `:${der}:`],
    ['ssl-client-cert', escaped],
    ['x-amzn-mtls-clientcert-leaf', encodeURI(ofAcme.cert)],
    ['x-ssl-client-der', der],
    ['x-forwarded-tls-client-cert', encodeURIComponent(der)],
    ['x-forwarded-client-cert', `By=spiffe://a/b;Hash=ab;Cert="${escaped}";Subject="CN=\\"x\\",O=y";URI=`],
  ])('that is trusted sends the certificate: %s', async (header, value) => {
    const { ask } = setUp(trusting({ header }));
    for (const from of [PROXY, `::ffff:${PROXY}`, 'fd00::1%eth0']) {
      expect(await ask('acme', { from, headers: { [header]: value } })).toMatchObject(GIVEN);
    }
  });

  it.each(['192.0.2.1', '10.0.1.5', '::1', 'fe80::1%10.0.0.5', '::ffff:10.0.1.5', ''])(
    'that is none says nothing: %s',
    async (from) => {
      const { ask } = setUp(trusting());
      const headers = { 'client-cert': `:${der}:` };
      expect(await ask('acme', { from, headers })).toMatchObject(REFUSED);
      expect(await ask('acme', { from, headers, certificate: other })).toMatchObject(REFUSED);
      expect(await ask('acme', { from, headers: { 'client-cert': 'x' }, certificate: ofAcme })).toMatchObject(GIVEN);
    },
  );

  it('has a certificate itself, which is not that of the client', async () => {
    const { ask } = setUp(trusting());
    expect(await ask('acme', { from: PROXY, certificate: ofAcme })).toMatchObject(REFUSED);
    const headers = { 'client-cert': `:${other.x509.raw.toString('base64')}:` };
    expect(await ask('acme', { from: PROXY, certificate: ofAcme, headers })).toMatchObject(REFUSED);
  });

  it.each([
    ['client-cert', ''],
    ['client-cert', 'garbage'],
    ['client-cert', `:${der}:, :${der}:`],
    ['client-cert', `:${der}:;x=1`],
    ['client-cert', `::`],
    ['client-cert', `:${der}`],
    ['client-cert', `:${der.slice(0, -40)}:`],
    ['client-cert', '%'],
    ['client-cert', `${escaped},${escaped}`],
    ['client-cert', `${escaped}${escaped}`],
    ['client-cert', `:${'A'.repeat(20_000)}:`],
    ['client-cert', '%20'.repeat(5000)],
    ['x-forwarded-client-cert', `Cert="${escaped}",Cert="${escaped}"`],
    ['x-forwarded-client-cert', `Hash=a,Cert="${escaped}"`],
    ['x-forwarded-client-cert', `Cert="${escaped}";Cert="${escaped}"`],
    ['x-forwarded-client-cert', `Cert="${escaped}`],
    ['x-forwarded-client-cert', `Subject="Cert=\\"${escaped}";Hash=a`],
    ['x-forwarded-client-cert', '='],
    ['x-forwarded-client-cert', '\\'.repeat(4000)],
  ])('that is trusted sends what is no certificate: %s: %.20s', async (header, value) => {
    const { ask } = setUp(trusting({ header }));
    expect(await ask('acme', { from: PROXY, headers: { [header]: value } })).toMatchObject(REFUSED);
  });

  it('says which chains it has verified', async () => {
    const headers = { 'client-cert': `:${der}:` };
    const judged = (result: string) => ({ from: PROXY, headers: { ...headers, 'ssl-client-verify': result } });
    const none = setUp(trusting({ verified: undefined }));
    expect(await none.ask('acme', judged('SUCCESS'))).toMatchObject(REFUSED);
    const some = setUp(trusting({ verified: { header: 'SSL-Client-Verify', value: 'SUCCESS' } }));
    expect(await some.ask('acme', judged('SUCCESS'))).toMatchObject(GIVEN);
    expect(await some.ask('acme', judged('FAILED:self-signed'))).toMatchObject(REFUSED);
    expect(await some.ask('acme', { from: PROXY, headers })).toMatchObject(REFUSED);
    const self = { 'client-cert': `:${own.x509.raw.toString('base64')}:` };
    expect(await some.ask('self', { from: PROXY, headers: self })).toMatchObject(GIVEN);
  });
});

describe('a client that registers itself', () => {
  const register = async (metadata: object) => {
    const users = { findById: () => null, findByCredentials: () => null };
    const policy = { scopes: ['read'], grants: ['client_credentials'] };
    const features = [registration({ open: true, ...policy }), mutualTls()];
    const server = new OAuth2Server({ model: new MemoryStore({ clients: [], users }), issuer: ISSUER, features });
    const response = new Response();
    const headers = { 'content-type': 'application/json', 'content-length': '1' };
    const body = { grant_types: ['client_credentials'], ...metadata };
    const request = new Request({ method: 'POST', headers, query: {}, body });
    await server.handle('registration', request, response).catch(() => undefined);
    const { client_id: id } = response.body as { client_id?: string };
    const ask = async (certificate: IssuedCertificate) => {
      const socket = { authorized: true, getPeerX509Certificate: () => certificate.x509 };
      const form = { grant_type: 'client_credentials', client_id: id, scope: 'read' };
      const asked = new Request({ method: 'POST', headers: FORM, query: {}, body: form, socket });
      return await server.token(asked, new Response());
    };
    return { status: response.status, body: response.body as Record<string, unknown>, ask };
  };
  const BY_NAME = { token_endpoint_auth_method: 'tls_client_auth' };

  it.each([
    { tls_client_auth_subject_dn: 'CN=client, O=Acme\\, Inc., C=DE' },
    { jwks: { keys: [withCertificate(ofAcme)] }, token_endpoint_auth_method: 'self_signed_tls_client_auth' },
  ])('proves itself by its certificate, and its tokens are bound: way %#', async (how) => {
    const metadata = { ...BY_NAME, ...how, tls_client_certificate_bound_access_tokens: true };
    const { status, body, ask } = await register(metadata);
    expect({ status, body }).toMatchObject({ status: 201, body: metadata });
    expect(body).not.toHaveProperty('client_secret');
    expect(await ask(ofAcme)).toHaveProperty(['cnf', 'x5t#S256']);
    await expect(ask(other)).rejects.toMatchObject({ name: 'invalid_client' });
  });

  it.each([
    BY_NAME,
    { ...BY_NAME, tls_client_auth_subject_dn: 'client' },
    { ...BY_NAME, tls_client_auth_subject_dn: '' },
    // A value of no certain length, which is none of DER, and not one of 128 bytes.
    { ...BY_NAME, tls_client_auth_subject_dn: `CN=#0c80${'61'.repeat(128)}` },
    { ...BY_NAME, tls_client_auth_subject_dn: `CN=${'x'.repeat(2000)}` },
    { ...BY_NAME, tls_client_auth_san_ip: '1.2.3' },
    { ...BY_NAME, tls_client_auth_san_dns: 'a b' },
    { ...BY_NAME, tls_client_auth_san_uri: 'no uri' },
    { ...BY_NAME, tls_client_auth_san_email: 'nobody' },
    { ...BY_NAME, tls_client_auth_san_dns: ['client.example'] },
    { ...BY_NAME, tls_client_auth_san_dns: 'client.example', tls_client_auth_san_ip: '192.0.2.7' },
    { token_endpoint_auth_method: 'self_signed_tls_client_auth' },
    { tls_client_certificate_bound_access_tokens: 'true' },
  ])('is refused with what no certificate has: case %#', async (metadata) => {
    expect(await register(metadata)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
  });
});

describe('the keys of a client at its own URL', () => {
  const keyServer = new TlsServer();
  const lookup = () => Promise.resolve(['127.0.0.1']);
  beforeAll(() => keyServer.start());
  afterAll(() => keyServer.stop());
  const set = () => {
    keyServer.reset();
    const client = { tokenEndpointAuthMethod: 'self_signed_tls_client_auth', jwksUri: keyServer.url('/keys') };
    return setUp({ fetch: { lookup, allow: ['127.0.0.1'], ca: CERTIFICATE } }, [client]);
  };

  it('are fetched, once for many requests', async () => {
    const { ask } = set();
    keyServer.replies['/keys'] = json({ keys: [withCertificate(own)] });
    expect(await ask('it', { certificate: own })).toMatchObject(GIVEN);
    expect(await ask('it', { certificate: own })).toMatchObject(GIVEN);
    // An unknown one is asked for no more often than the cool-down says.
    expect(await ask('it', { certificate: other })).toMatchObject(REFUSED);
    expect(await ask('it', { certificate: ofAcme })).toMatchObject(REFUSED);
    expect(keyServer.count('/keys')).toBe(1);
  });

  it.each<[string, ReturnType<typeof json>, number]>([
    ['no list', json({ keys: 'none' }), 401],
    ['too large', json({ keys: [{ x: 'x'.repeat(70_000) }] }), 401],
    ['elsewhere', json('', { location: '/other' }, 302), 401],
    ['in trouble', json('', {}, 503), 503],
  ])('prove nobody where they are %s', async (_what, reply, status) => {
    const { ask } = set();
    keyServer.replies['/keys'] = reply;
    expect(await ask('it', { certificate: own })).toMatchObject({ status });
  });

  it('are not fetched for a client that shows no certificate', async () => {
    const { ask } = set();
    expect(await ask('it')).toMatchObject(REFUSED);
    expect(keyServer.count('/keys')).toBe(0);
  });
});

describe('mutualTls()', () => {
  it('is told in the metadata', async () => {
    const { server } = setUp({ endpointAliases: 'https://mtls.example.com' });
    const response = new Response();
    await server.handle('server-metadata', new Request({ method: 'GET', headers: {}, query: {} }), response);
    expect(response.body).toMatchObject({
      token_endpoint: 'https://id.example.com/oauth/token',
      tls_client_certificate_bound_access_tokens: true,
      token_endpoint_auth_methods_supported: expect.arrayContaining(['tls_client_auth', 'self_signed_tls_client_auth']),
      mtls_endpoint_aliases: {
        token_endpoint: 'https://mtls.example.com/oauth/token',
        introspection_endpoint: 'https://mtls.example.com/oauth/introspect',
        revocation_endpoint: 'https://mtls.example.com/oauth/revoke',
      },
    });
    expect(response.body.mtls_endpoint_aliases).not.toHaveProperty('authorization_endpoint');
  });

  it('is told of protected resources, as DPoP is', async () => {
    const features = [
      protectedResource({ resources: [{ resource: '/v1' }] }),
      mutualTls(),
      dpop({ algorithms: ['ES256'] }),
    ];
    const server = new OAuth2Server({
      model: new JwtTokens({ issuer: ISSUER, audience: ISSUER }),
      issuer: ISSUER,
      features,
    });
    const response = new Response();
    await server.handle('resource-metadata/v1', new Request({ method: 'GET', headers: {}, query: {} }), response);
    expect(response.body).toMatchObject({
      tls_client_certificate_bound_access_tokens: true,
      dpop_signing_alg_values_supported: ['ES256'],
    });
  });

  it.each<[object, string]>([
    [{ metods: [] }, 'unknown option `metods`'],
    [{ methods: ['tls'] }, '`methods` of `mutualTls()`'],
    [{ methods: 'tls_client_auth' }, '`methods` of `mutualTls()`'],
    [{ bind: true }, '`bind` of `mutualTls()`'],
    [{ endpointAliases: 'http://mtls.example.com' }, '`endpointAliases` of `mutualTls()`'],
    [{ endpointAliases: 'https://mtls.example.com/x' }, '`endpointAliases` of `mutualTls()`'],
    [{ fetch: { size: 0 } }, '`size` of a fetch'],
    [{ proxy: '10.0.0.1' }, '`proxy` of `mutualTls()` must be an object'],
    [{ proxy: {} }, 'needs `trusted`'],
    [{ proxy: { trusted: [] } }, 'needs `trusted`'],
    [{ proxy: { trusted: ['proxy.example'] } }, '`proxy.example` is no address'],
    [{ proxy: { trusted: ['::1'], header: 'a b' } }, '`header`'],
    [{ proxy: { trusted: ['::1'], verified: 'yes' } }, '`verified`'],
    [{ proxy: { trusted: ['::1'], verified: { header: 'x' } } }, '`verified`'],
    [{ proxy: { trusted: ['::1'], heder: 'x' } }, 'unknown option `heder`'],
  ])('refuses what cannot work: %j', (options, sentence) => {
    expect(() => mutualTls(options as MutualTlsOptions)).toThrow(sentence);
  });
});

describe('a client that is kept', () => {
  const keep = (client: object) => {
    const usual = { id: 'it', grants: [], tokenEndpointAuthMethod: 'tls_client_auth' };
    const users = { findById: () => null, findByCredentials: () => null };
    return new MemoryStore({ clients: [{ ...usual, ...client }], users });
  };

  it.each([
    {},
    { tlsClientAuthSubjectDn: 'client' },
    { tlsClientAuthSanIp: 'here' },
    { tlsClientAuthSanDns: 'a.example', tlsClientAuthSanIp: '192.0.2.7' },
  ])('has one name that a certificate may have, and not: %j', (name) => {
    expect(() => keep(name)).toThrow('`tls_client_auth` needs one name of its certificate');
    expect(() => keep({ tlsClientAuthSanDns: 'a.example' })).not.toThrow();
  });
});
