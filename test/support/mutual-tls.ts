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

import { C, CN, issue, type IssuedCertificate, O } from './certificates.js';
import { basic, FORM } from './requests.js';

export const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ISSUER = 'https://id.example.com';
const PRINTABLE = 0x13;
export const authority = issue({ subject: [[[CN, 'Authority']]], isAuthority: true });
export const acme = [[[C, 'DE', PRINTABLE]], [[O, 'Acme, Inc.']], [[CN, 'client']]] as const;
export const ofAcme = issue({ subject: acme, by: authority });
export const own = issue({ subject: [[[CN, 'own']]] });
export const other = issue({ subject: [[[CN, 'own']]] });

/** What a client brings, beside its form. */
export interface ClientPresents {
  certificate?: IssuedCertificate | X509Certificate | undefined;
  isVerified?: boolean;
  from?: string;
  headers?: object;
}

export const jwkOf = ({ x509 }: IssuedCertificate) => x509.publicKey.export({ format: 'jwk' });
export const withCertificate = (one: IssuedCertificate) => ({ ...jwkOf(one), x5c: [one.x509.raw.toString('base64')] });
export const byAcme = {
  tokenEndpointAuthMethod: 'tls_client_auth',
  tlsClientAuthSubjectDn: 'CN=client,O=Acme\\, Inc.,C=DE',
};
export const BOUND = { tlsClientCertificateBoundAccessTokens: true };

/** A server with clients of its own, and what it answers them. */
export function setUp(options: MutualTlsOptions = {}, clients: object[] = []) {
  const usual = {
    grants: ['client_credentials', EXCHANGE],
    scopes: ['read'],
    defaultScope: ['read'],
    resources: [ISSUER],
  };
  const bySelf = { ...usual, tokenEndpointAuthMethod: 'self_signed_tls_client_auth' };
  const known = [
    { ...usual, ...byAcme, id: 'acme' },
    { ...bySelf, id: 'self', jwks: { keys: [withCertificate(own)] } },
    { ...bySelf, id: 'bare', jwks: { keys: [jwkOf(own)] } },
    { ...usual, ...byAcme, ...BOUND, id: 'bound' },
    { ...usual, id: 'secret', secret: 'secret-of-it', tokenEndpointAuthMethod: 'client_secret_basic' },
    { ...usual, ...BOUND, id: 'both', secret: 'secret-of-it', tokenEndpointAuthMethod: 'client_secret_basic' },
    ...clients.map((client) => ({ ...usual, id: 'it', ...client })),
  ];
  // A table of the host may have what no store would keep.
  const findById = (id: string) => known.find((one) => one.id === id) as never;
  const users = { findById: () => null, findByCredentials: () => null };
  const model = new MemoryStore({ clients: { findById }, users });
  const heard: Record<string, unknown>[] = [];
  const events = { emit: (name: string, payload: object) => heard.push({ name, ...payload }) };
  const features = [mutualTls(options), serverMetadata(), introspection(), revocation(), tokenExchange(), dpop()];
  const server = new OAuth2Server({ model, issuer: ISSUER, features, events });
  const requestOf = (
    method: string,
    body: object,
    { certificate, isVerified = true, from, headers }: ClientPresents,
  ) => {
    const x509 = certificate && 'x509' in certificate ? certificate.x509 : certificate;
    const socket = { remoteAddress: from ?? '192.0.2.1', authorized: isVerified, getPeerX509Certificate: () => x509 };
    return new Request({ method, query: {}, body, socket, headers: { ...(method === 'POST' && FORM), ...headers } });
  };
  const post = async (body: object, brought: ClientPresents = {}, endpoint = 'token') => {
    const [request, response] = [requestOf('POST', body, brought), new Response()];
    const call = endpoint === 'token' ? server.token(request, response) : server.handle(endpoint, request, response);
    await call.catch(() => undefined);
    return { status: response.status, body: response.body as Record<string, string> };
  };
  /** A client asks for a token for itself. */
  const ask = async (id: string, brought: ClientPresents = {}, more: object = {}) =>
    await post({ grant_type: 'client_credentials', client_id: id, ...more }, brought);
  const present = async (token: string, brought: ClientPresents) => {
    const response = new Response();
    const authorization = { authorization: `Bearer ${token}` };
    const request = requestOf('GET', {}, { ...brought, headers: { ...authorization, ...brought.headers } });
    await server.authenticate(request, response).catch(() => undefined);
    return { status: response.status, challenge: response.headers['www-authenticate'] };
  };
  const ruleOf = () => (heard.at(-1)?.['detail'] ?? heard.at(-1)) as { reason?: string };
  return { server, ask, post, present, heard, ruleOf };
}

export const REFUSED = { status: 401, body: { error: 'invalid_client' } };
export const GIVEN = { status: 200, body: { token_type: 'Bearer' } };
export const secretOf = (id: string) => ({ headers: { authorization: basic(id, 'secret-of-it') } });
