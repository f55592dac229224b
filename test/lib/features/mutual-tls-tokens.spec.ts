import { generateKeyPairSync, type X509Certificate } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { mutualTls } from 'nest-oauth2/features';
import { fapi2 } from 'nest-oauth2/fapi';
import { jwtAccessTokens, JwtTokens, keys } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { issue, type IssuedCertificate } from '../../support/keys/certificates.js';
import {
  EXCHANGE,
  ISSUER,
  authority,
  ACME_SUBJECT,
  acmeCertificate,
  ownCertificate,
  otherCertificate,
  acmeRegistration,
  BOUND,
  createMutualTlsServer,
  ISSUED,
  secretHeaders,
} from '../../support/servers/mutual-tls.js';
import { FORM } from '../../support/clients/requests.js';

describe('a certificate-bound access token (RFC 8705)', () => {
  it('is accepted only with its certificate', async () => {
    const { requestToken, present, post } = createMutualTlsServer();
    const { body } = await requestToken('bound', { certificate: acmeCertificate });
    const token = body['access_token']!;
    expect(await present(token, { certificate: acmeCertificate })).toEqual({ status: 200 });
    // The verification of the chain makes no difference: the client proved possession of the key.
    expect(await present(token, { certificate: acmeCertificate, isVerified: false })).toEqual({ status: 200 });
    for (const certificate of [undefined, otherCertificate, issue({ subject: ACME_SUBJECT, issuer: authority })]) {
      expect(await present(token, { certificate })).toMatchObject({
        status: 401,
        challenge: expect.stringContaining('Bearer realm="Service",error="invalid_token"'),
      });
    }
    const requested = await post({ client_id: 'bound', token }, { certificate: acmeCertificate }, 'introspection');
    const thumbprint = acmeCertificate.x509.fingerprint256.replaceAll(':', '');
    expect(requested.body).toMatchObject({
      active: true,
      token_type: 'Bearer',
      cnf: { 'x5t#S256': Buffer.from(thumbprint, 'hex').toString('base64url') },
    });
  });

  it('is issued to a client that authenticates by a secret and shows any certificate', async () => {
    const { requestToken, present } = createMutualTlsServer();
    const { body } = await requestToken('both', {
      ...secretHeaders('both'),
      certificate: otherCertificate,
      isVerified: false,
    });
    expect(await present(body['access_token']!, { certificate: otherCertificate })).toEqual({ status: 200 });
    expect(await present(body['access_token']!, {})).toMatchObject({ status: 401 });
  });

  it('is not issued without a certificate', async () => {
    const { requestToken, lastRefusal } = createMutualTlsServer();
    expect(await requestToken('both', secretHeaders('both'))).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    expect(lastRefusal().reason).toContain('192.0.2.1');
    expect(await requestToken('secret', secretHeaders('secret'))).toMatchObject(ISSUED);
    const all = createMutualTlsServer({ bind: 'all' });
    expect(await all.requestToken('secret', secretHeaders('secret'))).toMatchObject({ status: 400 });
    const { body } = await all.requestToken('secret', { ...secretHeaders('secret'), certificate: ownCertificate });
    expect(await all.present(body['access_token']!, {})).toMatchObject({ status: 401 });
  });

  it('is not issued by the authorization endpoint, where a client shows no certificate', async () => {
    const implicit = { redirectUris: ['https://app.example/'], grants: ['implicit'], tokenEndpointAuthMethod: 'none' };
    const { server } = createMutualTlsServer({}, [{ ...BOUND, ...implicit }]);
    const query = { response_type: 'token', client_id: 'it', redirect_uri: 'https://app.example/', state: 'x' };
    const response = new Response();
    const requested = new Request({ method: 'GET', headers: {}, query, body: {} });
    const authenticateHandler = { handle: () => ({ id: 'alice' }) };
    await expect(server.authorize(requested, response, { authenticateHandler })).rejects.toMatchObject({
      name: 'invalid_request',
    });
    expect(response.headers['location']).toContain('error=invalid_request');
  });

  it('can be exchanged only with the same certificate', async () => {
    const { requestToken, post, present } = createMutualTlsServer();
    const { body } = await requestToken('both', { ...secretHeaders('both'), certificate: ownCertificate });
    const form = {
      grant_type: EXCHANGE,
      subject_token: body['access_token'],
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
    const exchanged = await post(form, { ...secretHeaders('both'), certificate: ownCertificate });
    expect(exchanged).toMatchObject({ status: 200 });
    expect(await present(exchanged.body['access_token']!, { certificate: ownCertificate })).toEqual({ status: 200 });
    expect(await present(exchanged.body['access_token']!, {})).toMatchObject({ status: 401 });
    expect(await post(form, { ...secretHeaders('both'), certificate: otherCertificate })).toMatchObject({
      status: 400,
    });
    expect(await post(form, { ...secretHeaders('secret'), certificate: ownCertificate })).toMatchObject({
      status: 400,
    });
  });
});

describe('a separate resource server with mutualTls()', () => {
  it('verifies the certificate of a JWT access token', async () => {
    const from = {
      ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
      kid: 'k',
    };
    const jwt = [keys({ from: [from] }), jwtAccessTokens({ audience: ISSUER }), mutualTls()];
    const client = {
      ...acmeRegistration,
      ...BOUND,
      id: 'acme',
      grants: ['client_credentials'],
      scopes: ['read'],
      defaultScope: ['read'],
    };
    const users = { findById: () => null, findByCredentials: () => null };
    const model = new MemoryStore({ clients: [client], users });
    const server = new OAuth2Server({
      model,
      issuer: ISSUER,
      features: jwt,
    });
    const socket = { authorized: true, getPeerX509Certificate: () => acmeCertificate.x509 };
    const form = { grant_type: 'client_credentials', client_id: 'acme' };
    const requested = new Request({ method: 'POST', headers: FORM, query: {}, body: form, socket });
    const { accessToken } = await server.token(requested, new Response());
    const said = new Response();
    await server.handle('jwks', new Request({ method: 'GET', headers: {}, query: {} }), said);

    const tokens = new JwtTokens({ issuer: ISSUER, audience: ISSUER, jwks: said.body });
    const present = async (x509: X509Certificate | undefined, features = [mutualTls()]) => {
      const api = new OAuth2Server({ model: tokens, features });
      const headers = { authorization: `Bearer ${accessToken}` };
      const request = new Request({
        method: 'GET',
        headers,
        query: {},
        native: { raw: { socket: { getPeerX509Certificate: () => x509 } } },
      });
      return await api.authenticate(request, new Response());
    };
    expect(await present(acmeCertificate.x509)).toMatchObject({
      cnf: { 'x5t#S256': expect.stringMatching(/^[\w-]{43}$/) },
    });
    await expect(present(otherCertificate.x509)).rejects.toMatchObject({ name: 'invalid_token' });
    await expect(present(undefined)).rejects.toMatchObject({ name: 'invalid_token' });
    // Without the feature, the binding could not be verified.
    await expect(present(acmeCertificate.x509, [])).rejects.toMatchObject({ name: 'invalid_token' });
  });
});

describe('a server with fapi2() and mutualTls()', () => {
  it('authenticates clients by their certificates only', async () => {
    const client = {
      ...acmeRegistration,
      ...BOUND,
      id: 'acme',
      grants: ['client_credentials'],
      scopes: ['read'],
      defaultScope: ['read'],
    };
    const open = { id: 'open', grants: ['client_credentials'], tokenEndpointAuthMethod: 'none' };
    const users = { findById: () => null, findByCredentials: () => null };
    // A store refuses such a client, so the application looks it up.
    const clients = { findById: (id: string) => [client, open].find((one) => one.id === id) };
    const model = new MemoryStore({ clients, users });
    const features = [fapi2({ privateKeyJwt: false, dpop: false }), mutualTls()];
    const server = new OAuth2Server({ model, issuer: ISSUER, features });
    const requestToken = async (id: string, certificate?: IssuedCertificate) => {
      const socket = { authorized: true, getPeerX509Certificate: () => certificate?.x509 };
      const body = { grant_type: 'client_credentials', client_id: id };
      const request = new Request({ method: 'POST', headers: FORM, query: {}, body, socket });
      return await server.token(request, new Response());
    };
    expect(await requestToken('acme', acmeCertificate)).toHaveProperty(['cnf', 'x5t#S256']);
    for (const [id, certificate] of [
      ['acme'],
      ['acme', otherCertificate],
      ['open', acmeCertificate],
      ['nobody', acmeCertificate],
    ] as const) {
      await expect(requestToken(id, certificate)).rejects.toMatchObject({ name: 'invalid_client' });
    }
  });
});
