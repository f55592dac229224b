import type { X509Certificate } from 'node:crypto';

import {
  introspection,
  type MutualTlsOptions,
  mutualTls,
  revocation,
  serverMetadata,
  tokenExchange,
} from 'nest-oauth2/features';
import { dpop } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { C, CN, issue, type IssuedCertificate, O } from '../keys/certificates.js';
import { basic, FORM } from '../clients/requests.js';

export const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ISSUER = 'https://id.example.com';
const PRINTABLE = 0x13;
export const authority = issue({ subject: [[[CN, 'Authority']]], isAuthority: true });
export const ACME_SUBJECT = [[[C, 'DE', PRINTABLE]], [[O, 'Acme, Inc.']], [[CN, 'client']]] as const;
export const acmeCertificate = issue({ subject: ACME_SUBJECT, issuer: authority });
export const ownCertificate = issue({ subject: [[[CN, 'own']]] });
export const otherCertificate = issue({ subject: [[[CN, 'own']]] });

/** The TLS connection and the headers of a client's request. */
export interface ClientConnection {
  certificate?: IssuedCertificate | X509Certificate | undefined;
  isVerified?: boolean;
  from?: string;
  headers?: object;
}

export const jwkOf = ({ x509 }: IssuedCertificate) => x509.publicKey.export({ format: 'jwk' });
export const withCertificate = (one: IssuedCertificate) => ({ ...jwkOf(one), x5c: [one.x509.raw.toString('base64')] });
export const acmeRegistration = {
  tokenEndpointAuthMethod: 'tls_client_auth',
  tlsClientAuthSubjectDn: 'CN=client,O=Acme\\, Inc.,C=DE',
};
export const BOUND = { tlsClientCertificateBoundAccessTokens: true };

/**
 * Creates a server with `mutualTls()` and clients that authenticate with a certificate or a secret. Returns functions
 * that send requests to it.
 */
export function createMutualTlsServer(options: MutualTlsOptions = {}, clients: object[] = []) {
  const defaults = {
    grants: ['client_credentials', EXCHANGE],
    scopes: ['read'],
    defaultScope: ['read'],
    resources: [ISSUER],
  };
  const bySelf = { ...defaults, tokenEndpointAuthMethod: 'self_signed_tls_client_auth' };
  const registered = [
    { ...defaults, ...acmeRegistration, id: 'acme' },
    { ...bySelf, id: 'self', jwks: { keys: [withCertificate(ownCertificate)] } },
    { ...bySelf, id: 'bare', jwks: { keys: [jwkOf(ownCertificate)] } },
    { ...defaults, ...acmeRegistration, ...BOUND, id: 'bound' },
    { ...defaults, id: 'secret', secret: 'secret-of-it', tokenEndpointAuthMethod: 'client_secret_basic' },
    { ...defaults, ...BOUND, id: 'both', secret: 'secret-of-it', tokenEndpointAuthMethod: 'client_secret_basic' },
    ...clients.map((client) => ({ ...defaults, id: 'it', ...client })),
  ];
  // An application's own client table may contain registrations that the stores would reject.
  const findById = (id: string) => registered.find((one) => one.id === id) as never;
  const users = { findById: () => null, findByCredentials: () => null };
  const model = new MemoryStore({ clients: { findById }, users });
  const emittedEvents: Record<string, unknown>[] = [];
  const events = { emit: (name: string, payload: object) => emittedEvents.push({ name, ...payload }) };
  const features = [mutualTls(options), serverMetadata(), introspection(), revocation(), tokenExchange(), dpop()];
  const server = new OAuth2Server({ model, issuer: ISSUER, features, events });
  const requestOf = (
    method: string,
    body: object,
    { certificate, isVerified = true, from, headers }: ClientConnection,
  ) => {
    const x509 = certificate && 'x509' in certificate ? certificate.x509 : certificate;
    const socket = { remoteAddress: from ?? '192.0.2.1', authorized: isVerified, getPeerX509Certificate: () => x509 };
    return new Request({ method, query: {}, body, socket, headers: { ...(method === 'POST' && FORM), ...headers } });
  };
  const post = async (body: object, presented: ClientConnection = {}, endpoint = 'token') => {
    const [request, response] = [requestOf('POST', body, presented), new Response()];
    const call = endpoint === 'token' ? server.token(request, response) : server.handle(endpoint, request, response);
    await call.catch(() => undefined);
    return { status: response.status, body: response.body as Record<string, string> };
  };
  /** Requests an access token with the client credentials grant. */
  const requestToken = async (id: string, presented: ClientConnection = {}, more: object = {}) =>
    await post({ grant_type: 'client_credentials', client_id: id, ...more }, presented);
  const present = async (token: string, presented: ClientConnection) => {
    const response = new Response();
    const authorization = { authorization: `Bearer ${token}` };
    const request = requestOf('GET', {}, { ...presented, headers: { ...authorization, ...presented.headers } });
    await server.authenticate(request, response).catch(() => undefined);
    return { status: response.status, challenge: response.headers['www-authenticate'] };
  };
  const lastRefusal = () => (emittedEvents.at(-1)?.['detail'] ?? emittedEvents.at(-1)) as { reason?: string };
  return { server, requestToken, post, present, emittedEvents, lastRefusal };
}

export const REFUSED = { status: 401, body: { error: 'invalid_client' } };
export const ISSUED = { status: 200, body: { token_type: 'Bearer' } };
export const secretHeaders = (id: string) => ({ headers: { authorization: basic(id, 'secret-of-it') } });
