import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { OAuth2Module } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { SECRET } from '../../support/servers/demo.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';
import { PageBrowser } from '../pages/page-browser.js';

interface Recorded {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Requests of a Keycloak that brokers sign-in to this server, recorded from a successful sign-in and sign-out. */
const keycloak = JSON.parse(
  readFileSync(new URL('../../support/servers/keycloak-broker.json', import.meta.url), 'utf8'),
) as Record<'issuer' | 'clientId' | 'clientSecret' | 'redirectUri' | 'postLogoutRedirectUri', string> & {
  signIns: Record<
    'client_secret_post' | 'client_secret_basic',
    Record<'discovery' | 'authorization' | 'token' | 'jwks' | 'userinfo' | 'endSession', Recorded>
  >;
};

const PROFILE = {
  preferred_username: 'alice.liddell',
  given_name: 'Alice',
  family_name: 'Liddell',
  email: 'alice@wonderland.example',
  email_verified: true,
};

class Model extends MemoryStore {
  getClaims() {
    return PROFILE;
  }
}

const METHODS = ['client_secret_post', 'client_secret_basic'] as const;

describe.each(ANY_PLATFORM)('recorded requests of a Keycloak identity broker, on %s,', (platform) => {
  let url: string;

  beforeAll(async () => {
    const model = new Model({
      clients: [
        {
          id: keycloak.clientId,
          secret: keycloak.clientSecret,
          grants: ['authorization_code'],
          redirectUris: [keycloak.redirectUri],
          postLogoutRedirectUris: [keycloak.postLogoutRedirectUri],
          scopes: ['openid', 'profile', 'email'],
        },
      ],
      users: {
        findById: (id) => ({ id }),
        findByCredentials: (name, password) => password === 'wonderland' && { id: name },
      },
    });
    const features = [keys({ from: [RSA] }), openid(), pages()];
    const imports = [OAuth2Module.forRoot({ model, issuer: keycloak.issuer, secret: SECRET, features })];
    ({ url } = await startApplication(platform, { imports }));
  });
  afterAll(stopApplications);

  /** Sends a recorded request with recorded values replaced by the values that this server issued. */
  async function replay({ method, url: path, headers = {}, body }: Recorded, replace: Record<string, string> = {}) {
    const current = (text: string) => Object.entries(replace).reduce((all, [old, now]) => all.replace(old, now), text);
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, current(value)]));
    const response = await fetch(url + path, { method, headers: sent, ...(body && { body: current(body) }) });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/(?:jwk-set\+)?json\b/);
    return (await response.json()) as Record<string, string>;
  }

  it.each(METHODS)('complete sign-in and sign-out with %s', async (method) => {
    const recorded = keycloak.signIns[method];
    const metadata = await replay(recorded.discovery);
    expect(metadata).toMatchObject({
      issuer: keycloak.issuer,
      authorization_endpoint: keycloak.issuer + recorded.authorization.url.split('?', 1)[0],
      token_endpoint: keycloak.issuer + recorded.token.url,
      userinfo_endpoint: keycloak.issuer + recorded.userinfo.url,
      jwks_uri: keycloak.issuer + recorded.jwks.url,
      end_session_endpoint: keycloak.issuer + recorded.endSession.url.split('?', 1)[0],
    });

    const browser = new PageBrowser(url);
    const login = await browser.get(recorded.authorization.url);
    const signedIn = await browser.signIn(login.location!);
    const consent = await browser.get(signedIn.location!);
    const returned = consent.location ?? (await browser.send(consent, { decision: 'allow' })).location!;
    const requested = new URLSearchParams(recorded.authorization.url.split('?')[1]);
    const { origin, pathname, searchParams } = new URL(returned);
    expect(origin + pathname).toBe(keycloak.redirectUri);
    expect(searchParams.get('state')).toBe(requested.get('state'));
    expect(searchParams.get('iss')).toBe(keycloak.issuer);

    const recordedCode = new URLSearchParams(recorded.token.body).get('code')!;
    const tokens = await replay(recorded.token, { [recordedCode]: searchParams.get('code')! });
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'openid profile email' });

    const jwks = (await replay(recorded.jwks)) as unknown as JSONWebKeySet;
    expect(jwks.keys).toContainEqual(expect.objectContaining({ kty: 'RSA', alg: 'RS256', use: 'sig' }));
    const { payload } = await jwtVerify(tokens['id_token']!, createLocalJWKSet(jwks), {
      issuer: keycloak.issuer,
      audience: keycloak.clientId,
    });
    expect(payload).toMatchObject({ sub: 'alice', nonce: requested.get('nonce') });

    const recordedToken = recorded.userinfo.headers!['authorization']!.split(' ')[1]!;
    const claims = await replay(recorded.userinfo, { [recordedToken]: tokens['access_token']! });
    expect(claims).toEqual({ ...PROFILE, sub: 'alice' });

    const signedOut = await browser.get(recorded.endSession.url.replace('ID_TOKEN', tokens['id_token']!));
    const target = new URL(signedOut.location!);
    expect(target.origin + target.pathname).toBe(keycloak.postLogoutRedirectUri);
    const { searchParams: sentOut } = new URL(recorded.endSession.url, url);
    expect(target.searchParams.get('state')).toBe(sentOut.get('state'));
    expect((await browser.get(recorded.authorization.url)).location).toContain('/oauth/login');
  });

  it('are rejected with the code verifier of another sign-in', async () => {
    const { authorization } = keycloak.signIns.client_secret_post;
    const { token } = keycloak.signIns.client_secret_basic;
    const browser = new PageBrowser(url);
    const signedIn = await browser.signIn((await browser.get(authorization.url)).location!);
    const consent = await browser.get(signedIn.location!);
    const returned = consent.location ?? (await browser.send(consent, { decision: 'allow' })).location!;
    const code = new URL(returned).searchParams.get('code')!;
    const body = token.body!.replace(new URLSearchParams(token.body).get('code')!, code);
    const response = await fetch(url + token.url, { method: 'POST', headers: token.headers!, body });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });
});
