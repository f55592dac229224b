import { generateKeyPairSync, type KeyObject } from 'node:crypto';

import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { type Jwk, type KeyMaterial, keys } from 'nest-oauth2/jose';
import { openid, type ClaimsRequest, type OpenIdOptions } from 'nest-oauth2/openid';
import { OAuth2Server, Request, Response, type SignIn, type User } from 'nest-oauth2/server';
import type { Feature } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { basic, CHALLENGE, FORM, VERIFIER } from '../clients/requests.js';
import { rsaKey } from '../keys/rsa-key.js';

export const ISSUER = 'https://id.example.com';
export const CALLBACK = 'https://app.example/cb';
export const SECRET = 'secret-of-the-client-web';
export const OTHER_CALLBACK = 'https://other.example/cb';

const jwk = (key: KeyObject, more: object): Jwk => ({ ...key.export({ format: 'jwk' }), ...more });

/** The server's signing key for RS256, as a private JWK. */
export const RSA = jwk(rsaKey, { alg: 'RS256', kid: 'rsa' });
/** The server's signing key for ES256, as a private JWK. */
export const EC = jwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, { kid: 'ec' });
/** The server's signing key for EdDSA, as a private JWK. */
export const ED = jwk(generateKeyPairSync('ed25519').privateKey, { alg: 'EdDSA', kid: 'ed' });

/**
 * The claims that the application returns about Alice. They include claims that the server must ignore, such as
 * `password` and `sub`.
 */
export const ALICE = {
  name: 'Alice Liddell',
  given_name: 'Alice',
  nickname: '',
  email: 'alice@example.com',
  email_verified: true,
  address: { locality: 'Oxford' },
  phone_number: '+44 1',
  groups: ['readers'],
  password: 'must not be returned',
  sub: 'mallory',
  iss: 'https://evil.example',
  auth_time: 1,
};

interface Setup extends OpenIdOptions {
  from?: readonly KeyMaterial[];
  more?: readonly Feature[];
  client?: object;
  model?: object;
  options?: object;
}

/** Creates an OpenID provider with the clients `web` and `other`. By default, Alice is signed in. */
export async function openIdServer({
  from = [EC, RSA, ED],
  more = [],
  client,
  model,
  options,
  ...openIdOptions
}: Setup = {}) {
  const alice: User = { id: 'alice' };
  const users = { findById: (id: string) => (id === 'alice' ? alice : { id }), findByCredentials: () => undefined };
  const registration = {
    secret: SECRET,
    grants: ['authorization_code', 'refresh_token', 'client_credentials', 'password', 'implicit'],
    scopes: ['openid', 'profile', 'email', 'address', 'phone', 'groups', 'offline_access', 'read'],
    defaultScope: ['read'],
  };
  const clients = [
    { id: 'web', redirectUris: [CALLBACK], ...registration, ...client },
    { id: 'other', redirectUris: [OTHER_CALLBACK], ...registration },
  ];
  const store = new MemoryStore({ clients, users });
  const claimsRequests: ClaimsRequest[] = [];
  const getClaims = (_: User, request: ClaimsRequest) => {
    claimsRequests.push(request);
    return ALICE;
  };
  const server = new OAuth2Server({
    model: Object.assign(store, { getClaims }, model),
    issuer: ISSUER,
    features: [keys({ from }), openid(openIdOptions), ...more],
    ...options,
  });

  const send = async (endpoint: string, request: Request) => {
    const response = new Response();
    const call = endpoint === 'token' ? server.token(request, response) : server.handle(endpoint, request, response);
    await call.catch(() => undefined);
    const body = response.body as Record<string, unknown> &
      Record<'access_token' | 'refresh_token' | 'id_token', string>;
    return { status: response.status ?? 200, headers: response.headers, body };
  };
  const token = async (body: object, as = 'web', secret = SECRET) =>
    await send(
      'token',
      new Request({ method: 'POST', headers: { ...FORM, authorization: basic(as, secret) }, query: {}, body }),
    );
  /** Sends an authorization request. Returns the response and the parameters of its redirect. */
  const authorize = async (query: object = {}, user: User = alice, signedIn?: SignIn) => {
    const response = new Response();
    const defaults = { response_type: 'code', client_id: 'web', redirect_uri: CALLBACK, state: 'xyz', scope: 'openid' };
    const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const all = Object.entries({ ...defaults, ...challenge, ...query }).filter(([, value]) => value !== undefined);
    const request = new Request({ method: 'GET', headers: {}, query: Object.fromEntries(all), body: {} });
    const handler = { authenticateHandler: { handle: () => user, howSignedIn: () => signedIn } };
    await server.authorize(request, response, handler).catch(() => undefined);
    const location = String(response.headers['location'] ?? 'about:blank');
    const parameters = Object.fromEntries(
      new URLSearchParams(location.includes('#') ? location.split('#')[1] : location.split('?')[1]),
    );
    return { status: response.status, location, parameters, body: response.body as Record<string, unknown> };
  };
  const redeem = async (code: unknown, changes: object = {}, as = 'web') =>
    await token(
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: as === 'web' ? CALLBACK : OTHER_CALLBACK,
        code_verifier: VERIFIER,
        ...changes,
      },
      as,
    );
  /** Signs Alice in and returns the token response. */
  const signIn = async (query: object = {}, user?: User, signedIn?: SignIn) =>
    (await redeem((await authorize(query, user, signedIn)).parameters['code'])).body;
  /** Signs Alice in at a client with the given ID and secret, for example a dynamically registered client. */
  const signInAs = async (id: string, secret: string, signedIn?: SignIn) => {
    const { code } = (await authorize({ client_id: id }, undefined, signedIn)).parameters;
    const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
    return (await token(grant, id, secret)).body;
  };
  const get = async (endpoint: string) =>
    (await send(endpoint, new Request({ method: 'GET', headers: {}, query: {} }))).body as Record<string, unknown>;
  const jwks = (await get('jwks')) as never;
  /** Verifies an ID token with `jose`, as a client does, and returns its payload and header. */
  const verifyIdToken = async (idToken: unknown, audience = 'web') =>
    (await jwtVerify(String(idToken), createLocalJWKSet(jwks), { issuer: ISSUER, audience })) as {
      payload: JWTPayload;
      protectedHeader: object;
    };
  return {
    server,
    store,
    alice,
    claimsRequests,
    send,
    token,
    authorize,
    redeem,
    signIn,
    signInAs,
    get,
    jwks,
    verifyIdToken,
  };
}
