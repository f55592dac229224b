import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto';

import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import { pageOf } from './consent.js';
import { readResponse, get, post } from './http.js';
import { CHALLENGE, VERIFIER } from './requests.js';

export const CALLBACK = 'https://app.example/callback?dummy1=lorem&dummy2=ipsum';
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const now = () => Math.floor(Date.now() / 1000);

/** A key pair with its signature algorithm. `jwk` is the public key. */
export interface ClientKeyPair {
  alg: string;
  privateKey: KeyObject;
  jwk: JWK;
}

const KINDS = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

export function newKeyPair(alg: keyof typeof KINDS = 'ES256'): ClientKeyPair {
  const { privateKey, publicKey } = KINDS[alg]();
  return { alg, privateKey, jwk: publicKey.export({ format: 'jwk' }) };
}

/** Changes to a signed JWT: members that replace those of the header or the claims, and another signing key. */
export interface AssertionChanges {
  header?: object;
  claims?: object;
  signer?: KeyObject;
}

/** Credentials that replace the valid ones of a request. `null` omits the client assertion or the DPoP proof. */
export interface CredentialsSent {
  assertion?: string | null;
  proof?: string | null;
}

type Form = Readonly<Record<string, string | undefined>>;

/**
 * A client that follows the FAPI 2.0 Security Profile. Most methods accept changes that make one part of a request
 * invalid.
 */
export class FapiClient {
  readonly key: ClientKeyPair;
  /** The DPoP key to which the client's tokens are bound. */
  dpop = newKeyPair();

  constructor(
    private readonly issuer: string,
    readonly id: string,
    alg?: keyof typeof KINDS,
  ) {
    this.key = newKeyPair(alg);
  }

  /** Returns the registration of the client: `private_key_jwt` with its public key, and the given properties. */
  registration<K extends object>(properties: K) {
    const { alg, jwk } = this.key;
    const jwks = { keys: [{ ...jwk, alg, kid: this.id }] };
    return { id: this.id, tokenEndpointAuthMethod: 'private_key_jwt', jwks, ...properties };
  }

  assertion({ header, claims, signer = this.key.privateKey }: AssertionChanges = {}): Promise<string> {
    const { id, issuer } = this;
    const payload = { iss: id, sub: id, aud: issuer, iat: now(), exp: now() + 60, jti: crypto.randomUUID(), ...claims };
    return new SignJWT(payload).setProtectedHeader({ alg: this.key.alg, kid: id, ...header }).sign(signer);
  }

  /**
   * Creates a DPoP proof. Without `token`, it is a proof for a POST to an endpoint. With `token`, it is a proof for a
   * GET of a resource.
   */
  proof(url: string, { header, claims, signer }: AssertionChanges = {}, token?: string): Promise<string> {
    const { alg, jwk, privateKey } = this.dpop;
    const ath = token === undefined ? {} : { ath: hash('sha256', token, 'base64url') };
    const htm = token === undefined ? 'POST' : 'GET';
    return new SignJWT({ jti: crypto.randomUUID(), htm, htu: url, iat: now(), ...ath, ...claims })
      .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header })
      .sign(signer ?? privateKey);
  }

  thumbprint = () => calculateJwkThumbprint(this.dpop.jwk);

  /** Posts a form to an endpoint, with a client assertion and a DPoP proof. */
  async send(path: string, form: Form, { assertion, proof }: CredentialsSent = {}) {
    const url = this.issuer + path;
    const dpop = proof === undefined ? await this.proof(url) : proof;
    const signed = assertion === undefined ? await this.assertion() : assertion;
    const client = signed === null ? {} : { client_assertion_type: TYPE, client_assertion: signed };
    const parameters = Object.entries({ ...client, ...form }).filter(([, value]) => value !== undefined);
    const body = new URLSearchParams(parameters as [string, string][]);
    const headers: Record<string, string> = dpop === null ? {} : { dpop };
    const response = await fetch(url, { method: 'POST', headers, body });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  }

  token = (form: Form, sent?: CredentialsSent) => this.send('/oauth/token', form, sent);

  /** Returns the parameters of an authorization request with PKCE. */
  authorizationParameters = (more: Form = {}): Form => ({
    client_id: this.id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'notes:read',
    state: 'xyz',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...more,
  });

  push = (more: Form = {}, sent: CredentialsSent = { proof: null }) =>
    this.send('/oauth/par', this.authorizationParameters(more), sent);

  /** Creates a signed request object with the parameters of the authorization request. RFC 9101 */
  requestObject({ header, claims, signer = this.key.privateKey }: AssertionChanges = {}): Promise<string> {
    const { id: iss, issuer: aud } = this;
    return new SignJWT({ iss, aud, nbf: now(), exp: now() + 300, ...this.authorizationParameters(), ...claims })
      .setProtectedHeader({ alg: this.key.alg, kid: iss, typ: 'oauth-authz-req+jwt', ...header })
      .sign(signer);
  }

  pushObject = (request: string, more: Form = {}) =>
    this.send('/oauth/par', { client_id: this.id, request, ...more }, { proof: null });

  /** Opens a pushed authorization request in a browser where Alice is signed in. */
  open(requestUri: string, id = this.id, cookie = 'user=alice') {
    const query = new URLSearchParams({ client_id: id, request_uri: requestUri }).toString();
    return readResponse(get(`${this.issuer}/oauth/authorize?${query}`, { cookie }));
  }

  /**
   * Opens a pushed authorization request and decides on the consent page. Returns the query parameters of the redirect.
   */
  async authorize(requestUri: string, decision = 'allow'): Promise<Record<string, string>> {
    let response = await this.open(requestUri);
    if (response.status === 200) {
      const { action, csrf_token: csrfToken } = pageOf(response);
      response = await readResponse(
        post(this.issuer + action, { csrf_token: csrfToken, decision }, { cookie: 'user=alice' }),
      );
    }
    return Object.fromEntries(new URL(response.headers['location']!).searchParams);
  }

  /** Pushes an authorization request, consents to it, and returns the authorization code. */
  async code(more: Form = {}, sent?: CredentialsSent): Promise<string> {
    const { body } = await this.push(more, sent);
    return (await this.authorize(body['request_uri']!))['code']!;
  }

  redeem(code: string, more: Form = {}, sent?: CredentialsSent) {
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER, ...more };
    return this.token(form, sent);
  }

  refresh = (token: string, sent?: CredentialsSent) =>
    this.token({ grant_type: 'refresh_token', refresh_token: token }, sent);

  /** Calls the guarded API with an access token and a DPoP proof. */
  async call(token: string, { proofChanges = {}, headers = {}, scheme = 'DPoP', path = '/notes', proof }: Call = {}) {
    const dpop = proof === undefined ? await this.proof(`${this.issuer}/notes`, proofChanges, token) : proof;
    const sent = { authorization: `${scheme} ${token}`, ...(dpop !== null && { dpop }), ...headers };
    return await fetch(this.issuer + path, { headers: sent });
  }
}

/** Changes to a call of the guarded API that make it invalid. */
interface Call extends Pick<CredentialsSent, 'proof'> {
  proofChanges?: AssertionChanges;
  headers?: Record<string, string>;
  scheme?: string;
  path?: string;
}
