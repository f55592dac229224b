import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Server } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';

import { CurrentUser, OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import {
  IntrospectedTokens,
  introspection,
  mutualTls,
  type MutualTlsOptions,
  pushedRequests,
  serverMetadata,
} from 'nest-oauth2/features';
import { dpop, privateKeyJwt } from 'nest-oauth2/jose';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';

import { CN, issue, type IssuedCertificate } from '../../support/keys/certificates.js';
import { pageOf } from '../../support/clients/consent.js';
import { DemoInteraction, SECRET as MODULE_SECRET } from '../../support/servers/demo.js';
import { readResponse } from '../../support/clients/http.js';
import { freePort } from '../../support/environment/free-port.js';
import {
  type Platform,
  PLATFORMS,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';
import { authority, fetchWith, startTlsProxy, TLS_OPTIONS } from '../../support/clients/tls-client.js';

// RFC 8705, verified with an independent client library over TLS.

const CALLBACK = 'https://app.example/callback';
const SECRET = 'secret-of-the-client-api';
const alice = { id: 'alice' };
const named = (name: string, more: object = {}) => issue({ subject: [[[CN, name]]], issuer: authority, ...more });
const pki = named('client');
const own = issue({ subject: [[[CN, 'own']]] });

@Controller('notes')
@UseGuards(OAuthGuard)
class NotesController {
  @Get()
  @Scopes('notes:read')
  list(@CurrentUser('id', { optional: true }) user: string | undefined) {
    return { user };
  }
}

class Store extends MemoryStore {
  mayIntrospect() {
    return true;
  }
}

/** Returns a store with clients of every kind. */
function storeWith(jwk: object): Store {
  const usual = { redirectUris: [CALLBACK], scopes: ['notes:read'], defaultScope: ['notes:read'] };
  const itself = { ...usual, grants: ['client_credentials'] };
  const bound = { tlsClientCertificateBoundAccessTokens: true };
  const byName = { tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSubjectDn: 'CN=client' };
  const bySelf = { tokenEndpointAuthMethod: 'self_signed_tls_client_auth' };
  const withUsers = { grants: ['authorization_code', 'refresh_token'] };
  const certified = { ...own.x509.publicKey.export({ format: 'jwk' }), x5c: [own.x509.raw.toString('base64')] };
  return new Store({
    users: { findById: () => alice, findByCredentials: () => undefined },
    clients: [
      { ...itself, ...bound, ...byName, id: 'pki' },
      { ...itself, ...bound, ...bySelf, id: 'self', jwks: { keys: [certified] } },
      { ...itself, ...bound, id: 'signer', tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [jwk] } },
      { ...usual, ...bound, ...withUsers, id: 'spa', tokenEndpointAuthMethod: 'none' },
      { ...usual, ...bound, ...withUsers, ...byName, id: 'web' },
      { ...itself, id: 'api', secret: SECRET },
    ],
  });
}

/** Starts an authorization server that is also its own API, accessible with client certificates. */
async function startServer(
  platform: Platform,
  port: number,
  issuer: string,
  options: MutualTlsOptions,
  key: webcrypto.CryptoKey,
) {
  const publicUrl = options.endpointAliases ?? issuer;
  const jwk = (await crypto.subtle.exportKey('jwk', key)) as object;
  const features = [
    serverMetadata(),
    introspection(),
    pushedRequests(),
    mutualTls(options),
    privateKeyJwt(),
    dpop({ publicUrl }),
  ];
  const imports = [
    OAuth2Module.forRoot({
      model: storeWith({ ...jwk, alg: 'ES256' }),
      issuer,
      features,
      interaction: DemoInteraction,
      secret: MODULE_SECRET,
    }),
  ];
  const https = issuer.startsWith('https:') ? { httpsOptions: TLS_OPTIONS } : {};
  return await startApplication(platform, { imports, controllers: [NotesController] }, { port, ...https });
}

/** Opens a connection with this certificate, or without one. */
async function connected(port: number, certificate?: IssuedCertificate, more: object = {}): Promise<TLSSocket> {
  const { cert, key } = certificate ?? {};
  const socket = connect({ port, host: '127.0.0.1', ca: authority.cert, ...(cert && { cert, key: key! }), ...more });
  await once(socket, 'secureConnect');
  return socket;
}

const SETUPS = PLATFORMS.flatMap((platform) => [
  { platform, place: 'its own connections' },
  { platform, place: 'a proxy' },
]);

describe.each(SETUPS)('mutual TLS on $platform, at $place,', ({ platform, place }) => {
  let port: number;
  let as: oauth.AuthorizationServer;
  let signer: webcrypto.CryptoKeyPair;
  let proxy: Server | undefined;
  /** The URL that clients with certificates connect to. */
  let front: string;

  beforeAll(async () => {
    signer = await oauth.generateKeyPair('ES256', { extractable: true });
    port = await freePort();
    if (place === 'a proxy') {
      const url = `http://127.0.0.1:${port}`;
      const started = await startTlsProxy(url, (socket) => {
        const der = socket.getPeerX509Certificate()?.raw.toString('base64');
        return {
          'client-cert': der === undefined ? '' : `:${der}:`,
          'client-verify': der !== undefined && socket.authorized ? 'SUCCESS' : 'NONE',
        };
      });
      ({ url: front, server: proxy } = started);
      const verified = { header: 'client-verify', value: 'SUCCESS' };
      const options = { endpointAliases: front, proxy: { trusted: ['127.0.0.1'], verified } };
      await startServer(platform, port, url, options, signer.publicKey);
    } else {
      front = `https://127.0.0.1:${port}`;
      await startServer(platform, port, front, {}, signer.publicKey);
    }
    const issuer = new URL(proxy ? `http://127.0.0.1:${port}` : front);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...showing() });
    as = await oauth.processDiscoveryResponse(issuer, found);
  });
  afterAll(async () => {
    await stopApplications();
    proxy?.closeAllConnections();
    proxy?.close();
  });

  const clientOf = (id: string): oauth.Client => ({ client_id: id, use_mtls_endpoint_aliases: proxy !== undefined });
  const showing = (certificate?: IssuedCertificate) => ({
    [oauth.customFetch]: (url: string, options: object) =>
      url.startsWith('https:') ? fetchWith(certificate)(url, options) : fetch(url, options),
    [oauth.allowInsecureRequests]: true,
  });

  async function tokenOf(
    id: string,
    certificate: IssuedCertificate | undefined,
    auth = oauth.TlsClientAuth(),
    more: object = {},
  ) {
    const options = { ...showing(certificate), ...more };
    const response = await oauth.clientCredentialsGrantRequest(as, clientOf(id), auth, {}, options);
    return await oauth.processClientCredentialsResponse(as, clientOf(id), response);
  }
  const call = (token: string, certificate?: IssuedCertificate, more: object = {}) =>
    oauth.protectedResourceRequest(token, 'GET', new URL('/notes', front), undefined, null, {
      ...showing(certificate),
      ...more,
    });
  const challenge: unknown = expect.objectContaining({
    parameters: expect.objectContaining({ error: 'invalid_token' }),
  });
  const TURNED_AWAY = { status: 401, cause: expect.arrayContaining([challenge]) };

  it('is announced in the server metadata', () => {
    expect(as).toMatchObject({
      tls_client_certificate_bound_access_tokens: true,
      token_endpoint_auth_methods_supported: expect.arrayContaining(['tls_client_auth', 'self_signed_tls_client_auth']),
    });
    expect(as.mtls_endpoint_aliases?.token_endpoint).toBe(proxy && `${front}/oauth/token`);
  });

  it.each([
    ['pki', pki],
    ['self', own],
  ])('authenticates a client, whose token is valid only with its certificate: %s', async (id, certificate) => {
    const { access_token: token } = await tokenOf(id, certificate);
    expect((await call(token, certificate)).status).toBe(200);
    await expect(call(token, named('client'))).rejects.toMatchObject(TURNED_AWAY);
    await expect(call(token)).rejects.toMatchObject(TURNED_AWAY);
  });

  it.each([
    ['no certificate', undefined],
    ['a self-issued certificate', issue({ subject: [[[CN, 'client']]] })],
    ['the certificate of another client', named('other')],
    ['an expired certificate', named('client', { from: -2, to: -1 })],
    ['a certificate that is not valid yet', named('client', { from: 1, to: 2 })],
    ['a certificate of an unknown authority', named('client', { issuer: issue({ isAuthority: true }) })],
    ['a certificate issued by a client', named('client', { issuer: pki })],
  ])('rejects a client with %s', async (_what, certificate) => {
    await expect(tokenOf('pki', certificate)).rejects.toMatchObject({ status: 401 });
  });

  it('binds the tokens of a private_key_jwt client, which DPoP may bind in addition', async () => {
    const auth = oauth.PrivateKeyJwt(signer.privateKey);
    const { access_token: token } = await tokenOf('signer', own, auth);
    expect((await call(token, own)).status).toBe(200);
    await expect(call(token)).rejects.toMatchObject(TURNED_AWAY);
    await expect(tokenOf('signer', undefined, auth)).rejects.toMatchObject({ error: 'invalid_request' });

    const DPoP = oauth.DPoP(clientOf('signer'), await oauth.generateKeyPair('ES256'));
    const { access_token: both, token_type: type } = await tokenOf('signer', own, auth, { DPoP });
    expect(type).toBe('dpop');
    expect((await call(both, own, { DPoP })).status).toBe(200);
    await expect(call(both, undefined, { DPoP })).rejects.toMatchObject({ status: 401 });
    await expect(call(both, own)).rejects.toMatchObject({ status: 401 });
  });

  it.each(['spa', 'web'])('supports code, PKCE, pushed request and refresh: %s', async (id) => {
    const client = clientOf(id);
    const certificate = id === 'web' ? pki : own;
    const auth = id === 'web' ? oauth.TlsClientAuth() : oauth.None();
    const verifier = oauth.generateRandomCodeVerifier();
    const requested = new URLSearchParams({
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'notes:read',
      state: 'xyz',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const pushed = await oauth.pushedAuthorizationRequest(as, client, auth, requested, showing(certificate));
    const { request_uri: name } = await oauth.processPushedAuthorizationResponse(as, client, pushed);
    const at = new URL(as.authorization_endpoint!);
    at.search = new URLSearchParams({ client_id: id, request_uri: name }).toString();
    const landed = oauth.validateAuthResponse(as, client, await agree(at), 'xyz');
    const redeem = (shown?: IssuedCertificate) =>
      oauth.authorizationCodeGrantRequest(as, client, auth, landed, CALLBACK, verifier, showing(shown));
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, await redeem(certificate));
    expect(await (await call(tokens.access_token, certificate)).json()).toEqual({ user: 'alice' });

    const refresh = async (token: string, shown?: IssuedCertificate) => {
      const response = await oauth.refreshTokenGrantRequest(as, client, auth, token, showing(shown));
      return await oauth.processRefreshTokenResponse(as, client, response);
    };
    // A confidential client may use a different certificate for each request.
    const next = named('client');
    if (id === 'spa') {
      // oxlint-disable-next-line jest/no-conditional-expect
      await expect(refresh(tokens.refresh_token!, next)).rejects.toMatchObject({ error: 'invalid_grant' });
    }
    const shown = id === 'spa' ? certificate : next;
    const { access_token: token } = await refresh(tokens.refresh_token!, shown);
    expect((await call(token, shown)).status).toBe(200);
    await expect(call(token)).rejects.toMatchObject(TURNED_AWAY);
  });

  it('ignores certificate headers that a client sends itself', async () => {
    const forged = { 'client-cert': `:${pki.x509.raw.toString('base64')}:`, 'client-verify': 'SUCCESS' };
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'pki' });
    const ask = (url: string, headers: object) =>
      fetchWith()(`${url}/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: form,
      });
    expect((await ask(front, forged)).status).toBe(401);
  });

  it.each(['TLSv1.2', 'TLSv1.3'])(
    'does not take the certificate from a resumed TLS session: %s',
    async (maxVersion) => {
      const first = await connected(Number(new URL(front).port), undefined, { maxVersion });
      const session = maxVersion === 'TLSv1.2' ? first.getSession() : ((await once(first, 'session')) as [Buffer])[0];
      first.destroy();
      const response = await fetchWith(undefined, { session, maxVersion } as object)(`${front}/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'pki' }),
      });
      expect(response.status).toBe(401);
    },
  );

  it('closes the connection if a client renegotiates it for another certificate', async () => {
    const socket = await connected(Number(new URL(front).port), pki, { maxVersion: 'TLSv1.2' });
    socket.on('error', () => undefined);
    socket.resume();
    const closed = once(socket, 'close');
    // The client believes that it may renegotiate until it sends data.
    socket.renegotiate({ rejectUnauthorized: false }, () => socket.write('GET / HTTP/1.1\r\n\r\n'));
    await closed;
    expect(socket.bytesRead).toBeGreaterThan(0);
  });

  /** Approves the consent page in Alice’s browser, which has no client certificate. */
  async function agree(at: URL): Promise<URL> {
    const visit = (url: string, options: object = {}) =>
      readResponse(
        url.startsWith('https:') ? fetchWith()(url, options) : fetch(url, { redirect: 'manual', ...options }),
      );
    const headers = { cookie: 'user=alice' };
    let answer = await visit(at.href, { headers });
    if (answer.status === 200) {
      const { action, csrf_token: csrfToken } = pageOf(answer);
      const body = new URLSearchParams({ csrf_token: csrfToken, decision: 'allow' });
      const posted = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
      answer = await visit(new URL(action, at).href, { method: 'POST', headers: posted, body });
    }
    return new URL(answer.headers['location']!);
  }
});

describe.each(PLATFORMS)('mutual TLS behind a proxy on %s', (platform) => {
  afterAll(stopApplications);

  it('accepts the certificate header only from the trusted proxy', async () => {
    const { publicKey } = await oauth.generateKeyPair('ES256', { extractable: true });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const options = { proxy: { trusted: ['127.0.0.2'], header: 'ssl-client-cert', verified: true } };
    await startServer(platform, port, url, options, publicKey);
    const ask = async (localAddress: string, ...values: string[]) => {
      const sent = request(`${url}/oauth/token`, {
        method: 'POST',
        localAddress,
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'ssl-client-cert': values },
      });
      sent.end('grant_type=client_credentials&client_id=pki');
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    const value = encodeURIComponent(pki.cert);
    expect(await ask('127.0.0.2', value)).toBe(200);
    expect(await ask('127.0.0.1', value)).toBe(401);
    expect(await ask('127.0.0.2', value, value)).toBe(401);
    expect(await ask('127.0.0.2', 'garbage')).toBe(401);
    expect(await ask('127.0.0.2')).toBe(401);
  });

  it('is verified by a separate API that introspects the token', async () => {
    const { publicKey } = await oauth.generateKeyPair('ES256', { extractable: true });
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const options = { proxy: { trusted: ['127.0.0.1'], header: 'client-cert', verified: true } };
    await startServer(platform, port, issuer, options, publicKey);
    const credentials = { id: 'api', secret: SECRET };
    const model = new IntrospectedTokens({ issuer, credentials, audience: null });
    const imports = [OAuth2Module.forRoot({ model, controllers: false, features: [mutualTls()] })];
    const api = await startApplication(
      platform,
      { imports, controllers: [NotesController] },
      { httpsOptions: TLS_OPTIONS },
    );
    const response = await fetch(`${issuer}/oauth/token`, {
      method: 'POST',
      headers: { 'client-cert': `:${pki.x509.raw.toString('base64')}:` },
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'pki' }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    const call = async (certificate?: IssuedCertificate) =>
      (await fetchWith(certificate)(`${api.url}/notes`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await call(pki)).toBe(200);
    expect(await call(own)).toBe(401);
    expect(await call()).toBe(401);
  });
});
