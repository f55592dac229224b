import { generateKeyPairSync } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { fapi2, type Fapi2Options } from 'nest-oauth2/fapi';
import {
  introspection,
  mutualTls,
  pushedRequests,
  registration,
  serverMetadata,
  tokenExchange,
} from 'nest-oauth2/features';
import { dpop, jwtAccessTokens, jwtBearer, keys, privateKeyJwt, requestObjects, trustedTokens } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { type FeatureList, OAuth2Server, type OAuth2ServerOptions, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { EC, RSA } from '../../support/servers/openid-server.js';
import { runOperation, basic, CHALLENGE, FORM, resourceRequest } from '../../support/clients/requests.js';

const ISSUER = 'https://id.example.com';
const SECRET = 'secret-of-the-client-web';
const CALLBACK = 'https://app.example/cb';
const alice = { id: 'alice' };
const GRANTS = ['authorization_code', 'refresh_token', 'client_credentials', 'password', 'implicit'];
const known = { grants: GRANTS, redirectUris: [CALLBACK], scopes: ['read'], defaultScope: ['read'] };

const store = () =>
  new MemoryStore({
    clients: [
      { id: 'web', secret: SECRET, ...known },
      {
        id: 'spa',
        tokenEndpointAuthMethod: 'none',
        ...known,
        grants: GRANTS.filter((one) => one !== 'client_credentials'),
      },
      { id: 'plain', tokenEndpointAuthMethod: 'private_key_jwt', ...known, redirectUris: ['http://app.example/cb'] },
    ],
    users: { findById: () => alice, findByCredentials: () => alice },
  });

/** Returns a store with the methods that `openid()` requires. */
const knowing = () => Object.assign(store(), { getClaims: () => ({}) });

/** Returns options with the methods that features for JWTs of other issuers require. */
const trusting = () => ({ model: Object.assign(store(), { findAssertedUser: () => alice, mayExchange: () => true }) });
const other = { issuer: 'https://idp.example', algorithms: ['ES256'] } as const;

interface Setup {
  given?: Fapi2Options;
  more?: FeatureList;
  options?: Partial<OAuth2ServerOptions>;
}

const setUp = ({ given, more = [], options }: Setup = {}) =>
  new OAuth2Server({ model: store(), issuer: ISSUER, features: [...more, fapi2(given)], ...options });

async function post(server: OAuth2Server, endpoint: string, body: object, headers: object = {}) {
  const response = new Response();
  const request = new Request({ method: 'POST', headers: { ...FORM, ...headers }, query: {}, body });
  const call = endpoint === 'token' ? server.token(request, response) : server.handle(endpoint, request, response);
  await call.catch(() => undefined);
  return { status: response.status, body: response.body as Record<string, unknown> };
}

async function metadataOf(server: OAuth2Server) {
  const response = new Response();
  const path = '/.well-known/oauth-authorization-server';
  await server.handle('server-metadata', new Request({ method: 'GET', headers: {}, query: {}, path }), response);
  return response.body as Record<string, unknown>;
}

const signing = keys({ from: [EC] });
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Returns client authentication as the profile requires it, except for the given options. */
const strict = (options: object) => privateKeyJwt({ algorithms: ['PS256'], issuerAudienceOnly: true, ...options });

describe('fapi2() at start-up', () => {
  it.each<[string, Setup, RegExp]>([
    ['a server without `issuer`', { options: { issuer: undefined as never } }, /issuer/],
    [
      'a code_challenge that only public clients need',
      { options: { requirePKCE: 'public' } },
      /PKCE challenge of every client: remove the option `requirePKCE`/,
    ],
    [
      'the code_challenge_method plain',
      { options: { enablePlainPKCE: true } },
      /does not allow the PKCE method `plain`/,
    ],
    [
      'authorization codes with a lifetime of more than 60 seconds',
      { options: { authorizationCodeLifetime: 61 } },
      /the lifetime of codes to 60 seconds/,
    ],
    ['refresh token rotation', { options: { alwaysIssueNewRefreshToken: true } }, /does not rotate refresh tokens/],
    [
      'retries of a refresh until the new token is used',
      { options: { refreshTokenReuseInterval: 'until-used' as const } },
      /allows retries of a refresh for a short time only/,
    ],
    [
      'access tokens in URLs',
      { options: { allowBearerTokensInQueryString: true } },
      /does not allow access tokens in a URL/,
    ],
    [
      'clients that are not authenticated',
      { options: { requireClientAuthentication: { refresh_token: false } } },
      /requires authentication of every client/,
    ],
    [
      'the password grant',
      { options: { extendedGrantTypes: { password: class {} as never } } },
      /forbids the grant `password`/,
    ],
    [
      'a server without private_key_jwt and mutual TLS',
      { given: { privateKeyJwt: false } },
      /add `privateKeyJwt\(\)` or `mutualTls\(\)`/,
    ],
    ['a server without DPoP and mutual TLS', { given: { dpop: false } }, /add `dpop\(\)` or `mutualTls\(\)`/],
    ['pushed authorization requests that are optional', { more: [pushedRequests()] }, /`required: true`/],
    [
      'pushed authorization requests with a lifetime of 600 seconds',
      { given: { pushedRequests: { lifetime: 600 } } },
      /below 600 seconds/,
    ],
    [
      'client assertions with an audience other than the issuer',
      { more: [strict({ issuerAudienceOnly: false })] },
      /`issuerAudienceOnly: true`/,
    ],
    [
      'a clock tolerance of 5 seconds for client assertions',
      { given: { privateKeyJwt: { clockTolerance: 5 } } },
      /`privateKeyJwt\(\)`.*from 10 to 60/,
    ],
    [
      'a clock tolerance of 61 seconds for DPoP proofs',
      { given: { dpop: { clockTolerance: 61 } } },
      /`dpop\(\)`.*from 10 to 60 seconds/,
    ],
    [
      'client assertions signed with RS256',
      { more: [privateKeyJwt({ issuerAudienceOnly: true })] },
      /`privateKeyJwt\(\)`.*must accept only .*Got `RS256`/,
    ],
    [
      'ID tokens signed with RS256 if there is an EC key',
      { more: [keys({ from: [EC] }), openid()], options: { model: knowing() } },
      /`openid\(\)` signs ID tokens with RS256, which `fapi2\(\)` forbids. Set `alg: 'ES256'` in `openid\(\)`$/m,
    ],
    [
      'ID tokens signed with RS256 if there is only an RSA key',
      { more: [keys({ from: [RSA] }), openid()], options: { model: knowing() } },
      /`openid\(\)` signs ID tokens with RS256.*Set `alg: 'ES256'` in `openid\(\)` and add a key for it to `keys\(\)`$/m,
    ],
    ['DPoP proofs signed with RS256', { more: [dpop()] }, /`dpop\(\)`.*must accept only .*Got `RS256`/],
    [
      'access tokens signed with RS256',
      { more: [keys({ secret: 'x'.repeat(32), algorithms: ['ES256', 'RS256'] }), jwtAccessTokens()] },
      /`keys\(\)`.*must sign with .*Got `RS256`/,
    ],
    ['message signing without keys', { given: { messageSigning: true } }, /`keys\(\)`/],
    [
      'message signing with request objects that are optional',
      { given: { messageSigning: true }, more: [signing, requestObjects({ algorithms: ['PS256'] })] },
      /`requestObjects\(\)`.*`required: true`/,
    ],
    [
      'message signing with request objects that may live longer than an hour',
      { given: { messageSigning: true }, more: [signing, requestObjects({ algorithms: ['PS256'], required: true })] },
      /`maxLifetime` of `requestObjects\(\)`.*at most 3600 seconds/,
    ],
    [
      'JWT bearer assertions signed with RS256',
      { more: [jwtBearer({ issuers: [{ issuer: other.issuer }] })], options: trusting() },
      /`algorithms` of an issuer of `jwtBearer\(\)`.*must contain only PS256, ES256, EdDSA, Ed25519. Got `RS256`/,
    ],
    [
      'a clock tolerance of 300 seconds for JWT bearer assertions',
      { more: [jwtBearer({ issuers: [other], clockTolerance: 300 })], options: trusting() },
      /`clockTolerance` of `jwtBearer\(\)`.*from 10 to 60 seconds/,
    ],
    [
      'exchanged tokens of other issuers signed with RS256',
      {
        more: [tokenExchange(), trustedTokens({ issuers: [other, { issuer: 'https://b.example' }] })],
        options: trusting(),
      },
      /`algorithms` of an issuer of `trustedTokens\(\)`.*Got `RS256`/,
    ],
    [
      'a clock tolerance of 0 seconds for exchanged tokens of other issuers',
      { more: [tokenExchange(), trustedTokens({ issuers: [other], clockTolerance: 0 })], options: trusting() },
      /`clockTolerance` of `trustedTokens\(\)`.*from 10 to 60 seconds/,
    ],
  ])('rejects %s', (_, setup, sentence) => {
    expect(() => setUp(setup)).toThrow(sentence);
  });

  it('rejects a misspelled option', () => {
    expect(() => fapi2({ scope: [] } as never)).toThrow(/unknown option `scope` of `fapi2\(\)`/);
  });

  it('accepts mutual TLS in place of private_key_jwt and DPoP', async () => {
    const server = setUp({ given: { privateKeyJwt: false, dpop: false }, more: [mutualTls()] });
    expect(await metadataOf(server)).toMatchObject({
      token_endpoint_auth_methods_supported: ['tls_client_auth', 'self_signed_tls_client_auth'],
      tls_client_certificate_bound_access_tokens: true,
    });
  });

  it('accepts JWTs of other issuers with algorithms that the profile allows', () => {
    const more = [jwtBearer({ issuers: [other] }), tokenExchange(), trustedTokens({ issuers: [other] })];
    expect(() => setUp({ more, options: trusting() })).not.toThrow();
  });

  it('accepts openid() with the code flow and ID tokens signed with ES256', async () => {
    const more = [keys({ from: [EC] }), openid({ alg: 'ES256' })];
    expect(await metadataOf(setUp({ more, options: { model: knowing() } }))).toMatchObject({
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
  });

  it('accepts features that the application lists itself, if their options meet the profile', () => {
    const more = [
      strict({ maxLifetime: 60 }),
      serverMetadata({ maxAge: 1 }),
      pushedRequests({ required: true, lifetime: 599 }),
      dpop({ algorithms: ['ES256'], nonce: { secret: 'x'.repeat(32) } }),
      keys({ secret: 'x'.repeat(32), algorithms: ['PS256'] }),
      jwtAccessTokens(),
    ];
    expect(() => setUp({ more, options: { authorizationCodeLifetime: 30 } })).not.toThrow();
  });
});

describe('a server with fapi2()', () => {
  it('lists the supported features in its metadata, and nothing that the profile forbids', async () => {
    const more = [introspection(), registration({ open: true })];
    expect(await metadataOf(setUp({ more, given: { scopes: ['read'] } }))).toMatchObject({
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      introspection_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['PS256', 'ES256', 'EdDSA', 'Ed25519'],
      dpop_signing_alg_values_supported: ['PS256', 'ES256', 'EdDSA', 'Ed25519'],
      require_pushed_authorization_requests: true,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: ['read'],
    });
  });

  it.each([
    ['a secret in the Authorization header', {}, { authorization: basic('web', SECRET) }, 'client_secret_basic'],
    ['a secret in the form', { client_id: 'web', client_secret: SECRET }, {}, 'client_secret_post'],
    ['its client_id only', { client_id: 'spa' }, {}, 'none'],
  ])('rejects a client that authenticates with %s', async (_, body, headers, method) => {
    const grant = { grant_type: 'client_credentials' };
    for (const endpoint of ['token', 'pushed_authorization_request', 'introspection']) {
      const server = setUp({ more: [introspection()] });
      expect(await post(server, endpoint, { ...grant, ...body }, headers)).toEqual({
        status: 401,
        body: { error: 'invalid_client', error_description: expect.stringContaining(`\`${method}\``) },
      });
    }
  });

  it('rejects the registration of clients for forbidden methods and grants', async () => {
    const server = setUp({ more: [registration({ open: true })] });
    const response = new Response();
    const headers = { 'content-type': 'application/json' };
    const ask = async (metadata: object) => {
      const body = { redirect_uris: [CALLBACK], ...metadata };
      await server
        .handle('registration', new Request({ method: 'POST', headers, query: {}, body }), response)
        .catch(() => undefined);
      return response.body;
    };
    const keyed = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://app.example/keys' };
    expect(await ask({ token_endpoint_auth_method: 'none' })).toMatchObject({ error: 'invalid_client_metadata' });
    expect(await ask({ ...keyed, response_types: ['token'], grant_types: ['implicit'] })).toMatchObject({
      error: 'invalid_client_metadata',
    });
    expect(await ask(keyed)).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt' });
  });

  it.each([
    ['the requested redirect URI', { client_id: 'plain', redirect_uri: 'http://app.example/cb' }],
    ['the only registered redirect URI', { client_id: 'plain' }],
  ])('shows an error in the browser instead of redirecting to an http URI: %s', async (_, query) => {
    const requested = { response_type: 'code', code_challenge: CHALLENGE, code_challenge_method: 'S256', ...query };
    const request = new Request({ method: 'GET', headers: {}, query: requested, body: {} });
    const { status, headers, body } = await runOperation(setUp(), 'authorize', request);
    expect({ status, location: headers['location'] }).toEqual({ status: 400, location: undefined });
    expect(body).toMatchObject({ error: 'invalid_request' });
  });

  it.each<[string, object]>([
    ['refresh token rotation', { alwaysIssueNewRefreshToken: true }],
    ['clients that are not authenticated', { requireClientAuthentication: { refresh_token: false } }],
    ['codes without a challenge', { requirePKCE: 'public' }],
    ['the password grant', { extendedGrantTypes: { password: class {} } }],
  ])('rejects a call whose options weaken the profile: %s', async (_, options) => {
    const model = store();
    const jwks = { keys: [{ ...pair.publicKey.export({ format: 'jwk' }), alg: 'ES256' }] };
    await model.saveClient({ id: 'keyed', tokenEndpointAuthMethod: 'private_key_jwt', ...known, jwks });
    const server = setUp({ options: { model } });
    const body = async () => ({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await new SignJWT({ jti: crypto.randomUUID() })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer('keyed')
        .setSubject('keyed')
        .setAudience(ISSUER)
        .setExpirationTime('1m')
        .sign(pair.privateKey),
    });
    const failure = async (given?: object) => {
      const request = new Request({ method: 'POST', headers: FORM, query: {}, body: await body() });
      return await server.token(request, new Response(), given).catch((error: unknown) => error);
    };
    expect(await failure(options)).toMatchObject({
      name: 'server_error',
      message: expect.stringContaining('`fapi2()`'),
    });
    expect(await failure()).toMatchObject({ name: 'invalid_request' });
  });

  it('rejects an access token that is not sender-constrained', async () => {
    const model = store();
    const server = setUp({ options: { model } });
    const token = { accessToken: 'free', accessTokenExpiresAt: new Date(Date.now() + 60_000), scope: 'read' };
    await model.saveToken(token, { id: 'web', grants: GRANTS }, alice);
    const { error } = await runOperation(server, 'authenticate', resourceRequest('Bearer free'));
    expect(error).toMatchObject({ name: 'invalid_token', message: expect.stringContaining('not bound to a key') });
  });
});
