import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MutualTlsOptions, mutualTls, protectedResource, registration } from 'nest-oauth2/features';
import { dpop, JwtTokens } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { CN, issue, type IssuedCertificate, O, OU, type CertificateOptions } from '../../support/keys/certificates.js';
import {
  ISSUER,
  authority,
  ACME_SUBJECT,
  acmeCertificate,
  ownCertificate,
  otherCertificate,
  type ClientConnection,
  jwkOf,
  withCertificate,
  acmeRegistration,
  createMutualTlsServer,
  REFUSED,
  ISSUED,
  secretHeaders,
} from '../../support/servers/mutual-tls.js';
import { FORM } from '../../support/clients/requests.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';

describe('a client with the authentication method tls_client_auth', () => {
  it('is authenticated by the certificate of a trusted authority', async () => {
    const { requestToken, emittedEvents } = createMutualTlsServer();
    expect(await requestToken('acme', { certificate: acmeCertificate })).toMatchObject(ISSUED);
    expect(emittedEvents).toContainEqual(
      expect.objectContaining({ name: 'client.authenticated', method: 'tls_client_auth' }),
    );
  });

  it.each<[string, ClientConnection]>([
    ['without a certificate', {}],
    ['with a certificate whose chain was not verified', { certificate: acmeCertificate, isVerified: false }],
    [
      'with a self-issued certificate of the same subject',
      { certificate: issue({ subject: ACME_SUBJECT }), isVerified: false },
    ],
    [
      'with a certificate of another subject',
      { certificate: issue({ subject: [[[CN, 'client']]], issuer: authority }) },
    ],
    [
      'with an expired certificate',
      { certificate: issue({ subject: ACME_SUBJECT, issuer: authority, from: -2, to: -1 }) },
    ],
    [
      'with a certificate that is not valid yet',
      { certificate: issue({ subject: ACME_SUBJECT, issuer: authority, from: 1, to: 2 }) },
    ],
    [
      'with a certificate in a header that no trusted proxy sent',
      { headers: { 'client-cert': `:${acmeCertificate.x509.raw.toString('base64')}:` } },
    ],
    ['with a client secret', secretHeaders('acme')],
  ])('is rejected %s', async (_what, brought) => {
    const { requestToken, emittedEvents } = createMutualTlsServer();
    expect(await requestToken('acme', brought)).toMatchObject(REFUSED);
    expect(emittedEvents).not.toContainEqual(expect.objectContaining({ name: 'client.authenticated' }));
  });

  it.each<[string, string, CertificateOptions['subject']]>([
    ['in another case', 'cn=CLIENT,o=acme\\2c inc.,c=de', ACME_SUBJECT],
    ['with spaces around separators', 'CN = client, O=Acme\\, Inc., C=DE', ACME_SUBJECT],
    ['for a certificate with a Latin-1 string', 'CN=Müller', [[[CN, Buffer.from('M\u00fcller', 'latin1'), 0x14]]]],
    ['with escaped bytes', 'CN=M\\C3\\BCller', [[[CN, 'Müller']]]],
    [
      'for a certificate with two bytes for each character',
      'CN=Müller',
      [[[CN, Buffer.from('Müller', 'utf16le').swap16(), 0x1e]]],
    ],
    [
      'for a certificate with four bytes for each character',
      'CN=ab',
      [[[CN, Buffer.from('0000006100000062', 'hex'), 0x1c]]],
    ],
    ['with a hex-encoded value', 'CN=#0c05416c696365', [[[CN, 'Alice']]]],
    ['with a numeric attribute type', '2.5.4.3=Alice,1.2.3.4=x', [[['1.2.3.4', 'x']], [[CN, 'Alice']]]],
    [
      'with a very long numeric attribute type',
      '2.25.329800735698586629295641978511506172918=x',
      [[['2.25.329800735698586629295641978511506172918', 'x']]],
    ],
    [
      'with two attributes in one RDN, in any order',
      'OU=b+CN=a,O=c',
      [
        [[O, 'c']],
        [
          [CN, 'a'],
          [OU, 'b'],
        ],
      ],
    ],
    ['with an escaped comma and equals sign', 'CN=client\\,O\\=Acme', [[[CN, 'client,O=Acme']]]],
    ['with an escaped number sign', 'CN=\\#client', [[[CN, '#client']]]],
  ])('is authenticated by a registered subject DN %s', async (_what, tlsClientAuthSubjectDn, subject) => {
    const { requestToken, lastRefusal } = createMutualTlsServer({}, [{ ...acmeRegistration, tlsClientAuthSubjectDn }]);
    expect([
      await requestToken('it', { certificate: issue({ subject: subject!, issuer: authority }) }),
      lastRefusal(),
    ]).toMatchObject([ISSUED, {}]);
  });

  it.each<[string, string, CertificateOptions['subject']]>([
    ['in another order', 'C=DE,O=Acme\\, Inc.,CN=client', ACME_SUBJECT],
    ['with a missing attribute', 'CN=client,O=Acme\\, Inc.', ACME_SUBJECT],
    ['with a numeric attribute type of 400 digits', `1.2.${'9'.repeat(400)}=x`, [[[`1.2.${'9'.repeat(400)}`, 'x']]]],
    ['with an additional attribute', 'CN=client,O=Acme\\, Inc.,C=DE,C=DE', ACME_SUBJECT],
    ['with a comma that is not escaped', 'CN=client,O=Acme', [[[CN, 'client,O=Acme']]]],
    [
      'with one of two attributes of an RDN',
      'CN=a',
      [
        [
          [CN, 'a'],
          [OU, 'b'],
        ],
      ],
    ],
    [
      'with the two attributes of an RDN one after the other',
      'OU=b,CN=a',
      [
        [
          [CN, 'a'],
          [OU, 'b'],
        ],
      ],
    ],
    ['with an unescaped plus sign that is part of a value', 'OU=b+CN=a', [[[CN, 'a+OU=b']]]],
    ['with another attribute type', 'OU=client', [[[CN, 'client']]]],
    ['that lacks a null character of the certificate', 'CN=client', [[[CN, 'client\0.example']]]],
    ['that lacks an invisible character of the certificate', 'CN=client', [[[CN, 'cli\u200bent']]]],
    ['with other bytes in a hex-encoded value', 'CN=#04036f776e', [[[CN, 'own']]]],
    ['that is empty', '', []],
    ['that contains only a comma', ',', []],
    ['with a quoted value', 'O="Acme, Inc.",CN=client', [[[CN, 'client']], [[O, 'Acme, Inc.']]]],
    ['with an invalid hex-encoded value', 'CN=#zz', [[[CN, '#zz']]]],
    ['with an invalid escape sequence', 'CN=a\\x', [[[CN, 'ax']]]],
    ['with an unknown attribute type', 'constructor=client', [[[CN, 'client']]]],
    ['that is very long', `CN=${' '.repeat(1900)}"`, [[[CN, 'client']]]],
  ])('is rejected with a registered subject DN %s', async (_what, tlsClientAuthSubjectDn, subject) => {
    const { requestToken } = createMutualTlsServer({}, [{ ...acmeRegistration, tlsClientAuthSubjectDn }]);
    expect(await requestToken('it', { certificate: issue({ subject: subject!, issuer: authority }) })).toMatchObject(
      REFUSED,
    );
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
  ])('is authenticated by a registered subject alternative name: %j', async (name) => {
    const { requestToken } = createMutualTlsServer({}, [{ tokenEndpointAuthMethod: 'tls_client_auth', ...name }]);
    expect(await requestToken('it', { certificate: issue({ names: NAMES, issuer: authority }) })).toMatchObject(ISSUED);
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
  ])('is rejected if its registered name %j does not match the certificate', async (name) => {
    const { requestToken } = createMutualTlsServer({}, [{ tokenEndpointAuthMethod: 'tls_client_auth', ...name }]);
    expect(await requestToken('it', { certificate: issue({ names: NAMES, issuer: authority }) })).toMatchObject(
      REFUSED,
    );
  });
});

describe('a client with the authentication method self_signed_tls_client_auth', () => {
  it.each(['self', 'bare'])('is authenticated by its own certificate: client %s', async (id) => {
    expect(
      await createMutualTlsServer().requestToken(id, { certificate: ownCertificate, isVerified: false }),
    ).toMatchObject(ISSUED);
  });

  it('is authenticated by a renewed certificate of the same key only if it registered the key without a certificate', async () => {
    const { requestToken } = createMutualTlsServer();
    const renewed = issue({
      subject: [[[CN, 'own']]],
      keys: { privateKey: ownCertificate.privateKey, publicKey: ownCertificate.x509.publicKey },
    });
    expect(await requestToken('bare', { certificate: renewed })).toMatchObject(ISSUED);
    expect(await requestToken('self', { certificate: renewed })).toMatchObject(REFUSED);
  });

  it.each<[string, ClientConnection]>([
    ['without a certificate', {}],
    ['with another certificate of the same subject', { certificate: otherCertificate }],
    ['with a certificate of an authority', { certificate: acmeCertificate }],
    ['with a client secret', secretHeaders('self')],
  ])('is rejected %s', async (_what, brought) => {
    const { requestToken } = createMutualTlsServer();
    expect(await requestToken('self', brought)).toMatchObject(REFUSED);
    expect(await requestToken('bare', brought)).toMatchObject(brought.headers ? { status: 400 } : REFUSED);
  });

  it.each([
    ['no keys', {}],
    ['a JWK set without a list', { jwks: {} }],
    ['an empty list', { jwks: { keys: [] } }],
    ['null as a key', { jwks: { keys: [null] } }],
    ['a key without members', { jwks: { keys: [{}] } }],
    ['a string as `x5c`', { jwks: { keys: [{ x5c: 'x' }] } }],
    ['an empty `x5c`', { jwks: { keys: [{ ...jwkOf(ownCertificate), x5c: [] }] } }],
    [
      'the certificate of another client first in `x5c`',
      {
        jwks: {
          keys: [
            {
              ...jwkOf(ownCertificate),
              x5c: [otherCertificate.x509.raw.toString('base64'), ownCertificate.x509.raw.toString('base64')],
            },
          ],
        },
      },
    ],
    ['a wrong curve', { jwks: { keys: [{ ...jwkOf(ownCertificate), crv: 'P-384' }] } }],
    ['more than 100 keys', { jwks: { keys: Array.from({ length: 101 }, () => jwkOf(ownCertificate)) } }],
    ['a `jwks_uri` on this machine', { jwksUri: 'https://127.0.0.1/keys' }],
    ['a `jwks_uri` that is not a URL', { jwksUri: 'no URL' }],
  ])('is rejected if its registered keys are invalid: %s', async (_, registered) => {
    const { requestToken } = createMutualTlsServer({}, [
      { tokenEndpointAuthMethod: 'self_signed_tls_client_auth', ...registered },
    ]);
    expect(await requestToken('it', { certificate: ownCertificate })).toMatchObject(REFUSED);
  });

  it.each([
    ['expired', { from: -2, to: -1 }],
    ['not valid yet', { from: 1, to: 2 }],
  ])('is rejected with a certificate that is %s', async (_what, span) => {
    const late = issue(span);
    const { requestToken } = createMutualTlsServer({}, [
      { tokenEndpointAuthMethod: 'self_signed_tls_client_auth', jwks: { keys: [withCertificate(late)] } },
    ]);
    expect(await requestToken('it', { certificate: late })).toMatchObject(REFUSED);
  });
});

describe('a client certificate', () => {
  it('does not authenticate a client that is registered for another method', async () => {
    const { requestToken } = createMutualTlsServer();
    expect(await requestToken('secret', { certificate: acmeCertificate })).toMatchObject(REFUSED);
    expect(await requestToken('nobody', { certificate: acmeCertificate })).toMatchObject(REFUSED);
    expect(await requestToken('secret', { certificate: acmeCertificate, ...secretHeaders('secret') })).toMatchObject(
      ISSUED,
    );
  });

  it('is rejected together with a second method of client authentication', async () => {
    const { requestToken } = createMutualTlsServer();
    expect(await requestToken('acme', { certificate: acmeCertificate }, { client_secret: 'x' })).toMatchObject(REFUSED);
    expect(await requestToken('acme', { certificate: acmeCertificate, ...secretHeaders('secret') })).toMatchObject({
      status: 400,
    });
  });

  it('is rejected if its method is not in the option `methods`', async () => {
    const { requestToken, server } = createMutualTlsServer({ methods: ['self_signed_tls_client_auth'] });
    expect(await requestToken('acme', { certificate: acmeCertificate })).toMatchObject(REFUSED);
    expect(await requestToken('self', { certificate: ownCertificate })).toMatchObject(ISSUED);
    expect(server).toBeInstanceOf(OAuth2Server);
  });

  it('authenticates a client at every endpoint', async () => {
    const { requestToken, post } = createMutualTlsServer();
    const { body } = await requestToken('acme', { certificate: acmeCertificate });
    const form = { client_id: 'acme', token: body['access_token'] };
    const requested = await post(form, { certificate: acmeCertificate }, 'introspection');
    expect(requested).toMatchObject({ status: 200, body: { active: true } });
    expect(await post(form, { certificate: otherCertificate, isVerified: false }, 'introspection')).toMatchObject(
      REFUSED,
    );
    expect(await post(form, { certificate: acmeCertificate }, 'revocation')).toMatchObject({ status: 200 });
  });
});

describe('the option `proxy` of mutualTls()', () => {
  const PROXY = '10.0.0.5';
  const der = acmeCertificate.x509.raw.toString('base64');
  const escaped = encodeURIComponent(acmeCertificate.cert);
  const trusting = (proxy: object = {}): MutualTlsOptions => ({
    proxy: { trusted: ['10.0.0.0/24', 'fd00::/8'], verified: true, ...proxy },
  });

  it.each([
    ['client-cert', `:${der}:`],
    ['ssl-client-cert', escaped],
    ['x-amzn-mtls-clientcert-leaf', encodeURI(acmeCertificate.cert)],
    ['x-ssl-client-der', der],
    ['x-forwarded-tls-client-cert', encodeURIComponent(der)],
    ['x-forwarded-client-cert', `By=spiffe://a/b;Hash=ab;Cert="${escaped}";Subject="CN=\\"x\\",O=y";URI=`],
  ])('accepts the certificate that a trusted proxy sends in the header %s', async (header, value) => {
    const { requestToken } = createMutualTlsServer(trusting({ header }));
    for (const from of [PROXY, `::ffff:${PROXY}`, 'fd00::1%eth0']) {
      expect(await requestToken('acme', { from, headers: { [header]: value } })).toMatchObject(ISSUED);
    }
  });

  it.each(['192.0.2.1', '10.0.1.5', '::1', 'fe80::1%10.0.0.5', '::ffff:10.0.1.5', ''])(
    'ignores the header of the untrusted address %j',
    async (from) => {
      const { requestToken } = createMutualTlsServer(trusting());
      const headers = { 'client-cert': `:${der}:` };
      expect(await requestToken('acme', { from, headers })).toMatchObject(REFUSED);
      expect(await requestToken('acme', { from, headers, certificate: otherCertificate })).toMatchObject(REFUSED);
      expect(
        await requestToken('acme', { from, headers: { 'client-cert': 'x' }, certificate: acmeCertificate }),
      ).toMatchObject(ISSUED);
    },
  );

  it('does not treat the certificate of the proxy as that of the client', async () => {
    const { requestToken } = createMutualTlsServer(trusting());
    expect(await requestToken('acme', { from: PROXY, certificate: acmeCertificate })).toMatchObject(REFUSED);
    const headers = { 'client-cert': `:${otherCertificate.x509.raw.toString('base64')}:` };
    expect(await requestToken('acme', { from: PROXY, certificate: acmeCertificate, headers })).toMatchObject(REFUSED);
  });

  it.each([
    ['client-cert', 'an empty value', ''],
    ['client-cert', 'text that is not a certificate', 'garbage'],
    ['client-cert', 'two certificates', `:${der}:, :${der}:`],
    ['client-cert', 'a certificate with a parameter', `:${der}:;x=1`],
    ['client-cert', 'an empty byte sequence', `::`],
    ['client-cert', 'no closing colon', `:${der}`],
    ['client-cert', 'a truncated certificate', `:${der.slice(0, -40)}:`],
    ['client-cert', 'an invalid percent-encoding', '%'],
    ['client-cert', 'two percent-encoded certificates with a comma', `${escaped},${escaped}`],
    ['client-cert', 'two percent-encoded certificates', `${escaped}${escaped}`],
    ['client-cert', 'a byte sequence that is too long', `:${'A'.repeat(20_000)}:`],
    ['client-cert', 'a percent-encoded value that is too long', '%20'.repeat(5000)],
    ['x-forwarded-client-cert', 'two elements with a certificate', `Cert="${escaped}",Cert="${escaped}"`],
    ['x-forwarded-client-cert', 'two elements', `Hash=a,Cert="${escaped}"`],
    ['x-forwarded-client-cert', 'two certificates in one element', `Cert="${escaped}";Cert="${escaped}"`],
    ['x-forwarded-client-cert', 'an unterminated quoted string', `Cert="${escaped}`],
    ['x-forwarded-client-cert', 'a certificate within the value of Subject', `Subject="Cert=\\"${escaped}";Hash=a`],
    ['x-forwarded-client-cert', 'an empty pair', '='],
    ['x-forwarded-client-cert', 'backslashes only', '\\'.repeat(4000)],
  ])('rejects an invalid value of the header %s: %s', async (header, _, value) => {
    const { requestToken } = createMutualTlsServer(trusting({ header }));
    expect(await requestToken('acme', { from: PROXY, headers: { [header]: value } })).toMatchObject(REFUSED);
  });

  it('accepts a certificate of an authority only if the proxy verified its chain', async () => {
    const headers = { 'client-cert': `:${der}:` };
    const judged = (result: string) => ({ from: PROXY, headers: { ...headers, 'ssl-client-verify': result } });
    const none = createMutualTlsServer(trusting({ verified: undefined }));
    expect(await none.requestToken('acme', judged('SUCCESS'))).toMatchObject(REFUSED);
    const some = createMutualTlsServer(trusting({ verified: { header: 'SSL-Client-Verify', value: 'SUCCESS' } }));
    expect(await some.requestToken('acme', judged('SUCCESS'))).toMatchObject(ISSUED);
    expect(await some.requestToken('acme', judged('FAILED:self-signed'))).toMatchObject(REFUSED);
    expect(await some.requestToken('acme', { from: PROXY, headers })).toMatchObject(REFUSED);
    const self = { 'client-cert': `:${ownCertificate.x509.raw.toString('base64')}:` };
    expect(await some.requestToken('self', { from: PROXY, headers: self })).toMatchObject(ISSUED);
  });
});

describe('dynamic registration with mutualTls()', () => {
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
    const requestToken = async (certificate: IssuedCertificate) => {
      const socket = { authorized: true, getPeerX509Certificate: () => certificate.x509 };
      const form = { grant_type: 'client_credentials', client_id: id, scope: 'read' };
      const requested = new Request({ method: 'POST', headers: FORM, query: {}, body: form, socket });
      return await server.token(requested, new Response());
    };
    return { status: response.status, body: response.body as Record<string, unknown>, requestToken };
  };
  const BY_NAME = { token_endpoint_auth_method: 'tls_client_auth' };

  it.each([
    ['its subject DN', { tls_client_auth_subject_dn: 'CN=client, O=Acme\\, Inc., C=DE' }],
    [
      'its self-signed certificate',
      { jwks: { keys: [withCertificate(acmeCertificate)] }, token_endpoint_auth_method: 'self_signed_tls_client_auth' },
    ],
  ])('registers a client by %s, and issues tokens bound to its certificate', async (_, how) => {
    const metadata = { ...BY_NAME, ...how, tls_client_certificate_bound_access_tokens: true };
    const { status, body, requestToken } = await register(metadata);
    expect({ status, body }).toMatchObject({ status: 201, body: metadata });
    expect(body).not.toHaveProperty('client_secret');
    expect(await requestToken(acmeCertificate)).toHaveProperty(['cnf', 'x5t#S256']);
    await expect(requestToken(otherCertificate)).rejects.toMatchObject({ name: 'invalid_client' });
  });

  it.each([
    ['no name', BY_NAME],
    ['a subject DN without an attribute type', { ...BY_NAME, tls_client_auth_subject_dn: 'client' }],
    ['an empty subject DN', { ...BY_NAME, tls_client_auth_subject_dn: '' }],
    // The value has an indefinite length, which DER does not allow. It must not be read as a length of 128 bytes.
    [
      'a subject DN with an indefinite length',
      { ...BY_NAME, tls_client_auth_subject_dn: `CN=#0c80${'61'.repeat(128)}` },
    ],
    ['a subject DN that is too long', { ...BY_NAME, tls_client_auth_subject_dn: `CN=${'x'.repeat(2000)}` }],
    ['a malformed IP address', { ...BY_NAME, tls_client_auth_san_ip: '1.2.3' }],
    ['a malformed DNS name', { ...BY_NAME, tls_client_auth_san_dns: 'a b' }],
    ['a malformed URI', { ...BY_NAME, tls_client_auth_san_uri: 'no uri' }],
    ['a malformed email address', { ...BY_NAME, tls_client_auth_san_email: 'nobody' }],
    ['a list of DNS names', { ...BY_NAME, tls_client_auth_san_dns: ['client.example'] }],
    ['two names', { ...BY_NAME, tls_client_auth_san_dns: 'client.example', tls_client_auth_san_ip: '192.0.2.7' }],
    ['a self-signed certificate without keys', { token_endpoint_auth_method: 'self_signed_tls_client_auth' }],
    [
      'a string as `tls_client_certificate_bound_access_tokens`',
      { tls_client_certificate_bound_access_tokens: 'true' },
    ],
  ])('rejects metadata that does not identify a certificate: %s', async (_, metadata) => {
    expect(await register(metadata)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
  });
});

describe('the `jwks_uri` of a client with self_signed_tls_client_auth', () => {
  const keyServer = new TlsServer();
  const lookup = () => Promise.resolve(['127.0.0.1']);
  beforeAll(() => keyServer.start());
  afterAll(() => keyServer.stop());
  const set = () => {
    keyServer.reset();
    const client = { tokenEndpointAuthMethod: 'self_signed_tls_client_auth', jwksUri: keyServer.url('/keys') };
    return createMutualTlsServer({ fetch: { lookup, allow: ['127.0.0.1'], ca: CERTIFICATE } }, [client]);
  };

  it('is fetched once for many requests', async () => {
    const { requestToken } = set();
    keyServer.replies['/keys'] = json({ keys: [withCertificate(ownCertificate)] });
    expect(await requestToken('it', { certificate: ownCertificate })).toMatchObject(ISSUED);
    expect(await requestToken('it', { certificate: ownCertificate })).toMatchObject(ISSUED);
    // An unknown key causes no second fetch during the cool-down.
    expect(await requestToken('it', { certificate: otherCertificate })).toMatchObject(REFUSED);
    expect(await requestToken('it', { certificate: acmeCertificate })).toMatchObject(REFUSED);
    expect(keyServer.count('/keys')).toBe(1);
  });

  it.each<[string, ReturnType<typeof json>, number]>([
    ['no list of keys', json({ keys: 'none' }), 401],
    ['too much content', json({ keys: [{ x: 'x'.repeat(70_000) }] }), 401],
    ['a redirect', json('', { location: '/other' }, 302), 401],
    ['the status 503', json('', {}, 503), 503],
  ])('causes an error if the response is %s', async (_what, reply, status) => {
    const { requestToken } = set();
    keyServer.replies['/keys'] = reply;
    expect(await requestToken('it', { certificate: ownCertificate })).toMatchObject({ status });
  });

  it('is not fetched for a client that shows no certificate', async () => {
    const { requestToken } = set();
    expect(await requestToken('it')).toMatchObject(REFUSED);
    expect(keyServer.count('/keys')).toBe(0);
  });
});

describe('mutualTls()', () => {
  it('adds its members to the server metadata', async () => {
    const { server } = createMutualTlsServer({ endpointAliases: 'https://mtls.example.com' });
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

  it('adds its members to the metadata of protected resources, together with dpop()', async () => {
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
    [{ fetch: { size: 0 } }, '`size` of `fetch` of `mutualTls()`'],
    [{ proxy: '10.0.0.1' }, '`proxy` of `mutualTls()` must be an object'],
    [{ proxy: {} }, 'requires `trusted`'],
    [{ proxy: { trusted: [] } }, 'requires `trusted`'],
    [{ proxy: { trusted: ['proxy.example'] } }, '`proxy.example` is neither an IP address'],
    [{ proxy: { trusted: ['::1'], header: 'a b' } }, '`header`'],
    [{ proxy: { trusted: ['::1'], verified: 'yes' } }, '`verified`'],
    [{ proxy: { trusted: ['::1'], verified: { header: 'x' } } }, '`verified`'],
    [{ proxy: { trusted: ['::1'], heder: 'x' } }, 'unknown option `heder`'],
  ])('rejects invalid options: %j', (options, sentence) => {
    expect(() => mutualTls(options as MutualTlsOptions)).toThrow(sentence);
  });
});

describe('a stored client with tls_client_auth', () => {
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
  ])('must have exactly one valid name of its certificate: %j is rejected', (name) => {
    expect(() => keep(name)).toThrow('`tls_client_auth` requires exactly one certificate name');
    expect(() => keep({ tlsClientAuthSanDns: 'a.example' })).not.toThrow();
  });
});
