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

import { EC, RSA } from '../../support/openid-server.js';
import { answer, basic, CHALLENGE, FORM, resourceRequest } from '../../support/requests.js';

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
      { id: 'spa', tokenEndpointAuthMethod: 'none', ...known },
      { id: 'plain', tokenEndpointAuthMethod: 'private_key_jwt', ...known, redirectUris: ['http://app.example/cb'] },
    ],
    users: { findById: () => alice, findByCredentials: () => alice },
  });

/** The same, with what `openid()` asks for. */
const knowing = () => Object.assign(store(), { getClaims: () => ({}) });

/** With what is asked of JWTs of others. */
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
  const call = endpoint === 'token' ? server.token(request, response) : server.answer(endpoint, request, response);
  await call.catch(() => undefined);
  return { status: response.status, body: response.body as Record<string, unknown> };
}

async function metadataOf(server: OAuth2Server) {
  const response = new Response();
  const path = '/.well-known/oauth-authorization-server';
  await server.answer('server-metadata', new Request({ method: 'GET', headers: {}, query: {}, path }), response);
  return response.body as Record<string, unknown>;
}

const signing = keys({ from: [EC] });
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** As the profile has it, but for what is given. */
const strict = (options: object) => privateKeyJwt({ algorithms: ['PS256'], issuerAudienceOnly: true, ...options });

// Issue 14
describe('FAPI 2.0 says at the start what is missing', () => {
  it.each<[string, Setup, RegExp]>([
    ['an issuer', { options: { issuer: undefined as never } }, /issuer/],
    [
      'a challenge of everybody',
      { options: { requirePKCE: 'public' } },
      /PKCE challenge: leave the option `requirePKCE`/,
    ],
    ['challenges that hide something', { options: { enablePlainPKCE: true } }, /no `plain` challenges/],
    ['codes that are over soon', { options: { authorizationCodeLifetime: 61 } }, /60 seconds at most/],
    ['refresh tokens that stay', { options: { alwaysIssueNewRefreshToken: true } }, /replaces no refresh tokens/],
    ['URLs without tokens', { options: { allowBearerTokensInQueryString: true } }, /no tokens in a URL/],
    [
      'clients that prove who they are',
      { options: { requireClientAuthentication: { refresh_token: false } } },
      /every client prove who it is/,
    ],
    [
      'grants without passwords',
      { options: { extendedGrantTypes: { password: class {} as never } } },
      /forbids the grant `password`/,
    ],
    ['a way to prove it', { given: { privateKeyJwt: false } }, /list `privateKeyJwt\(\)` or `mutualTls\(\)`/],
    ['tokens that are bound', { given: { dpop: false } }, /list `dpop\(\)` or `mutualTls\(\)`/],
    ['requests that are pushed', { more: [pushedRequests()] }, /`required: true`/],
    ['names that are over soon', { given: { pushedRequests: { lifetime: 600 } } }, /below 600 seconds/],
    [
      'assertions for the issuer alone',
      { more: [strict({ issuerAudienceOnly: false })] },
      /`issuerAudienceOnly: true`/,
    ],
    [
      'clocks that may be wrong',
      { given: { privateKeyJwt: { clockTolerance: 5 } } },
      /`privateKeyJwt\(\)`.*from 10 to 60/,
    ],
    ['clocks that are not too wrong', { given: { dpop: { clockTolerance: 61 } } }, /`dpop\(\)`.*from 10 to 60 seconds/],
    [
      'assertions that are signed well',
      { more: [privateKeyJwt({ issuerAudienceOnly: true })] },
      /`privateKeyJwt\(\)`.*alone, and takes `RS256`/,
    ],
    [
      'ID tokens that are signed well, whatever keys there are',
      { more: [keys({ from: [EC] }), openid()], options: { model: knowing() } },
      /`openid\(\)` signs ID tokens by RS256, which `fapi2\(\)` forbids: give `openid\(\)` the `alg` 'ES256'$/m,
    ],
    [
      'ID tokens that are signed well, and a key for that',
      { more: [keys({ from: [RSA] }), openid()], options: { model: knowing() } },
      /`openid\(\)` signs ID tokens by RS256.*give `openid\(\)` the `alg` 'ES256', and `keys\(\)` a key for it$/m,
    ],
    ['proofs that are signed well', { more: [dpop()] }, /`dpop\(\)`.*alone, and takes `RS256`/],
    [
      'tokens that are signed well',
      { more: [keys({ secret: 'x'.repeat(32), algorithms: ['ES256', 'RS256'] }), jwtAccessTokens()] },
      /`keys\(\)`.*`RS256` is none of them/,
    ],
    ['keys to sign answers by', { given: { messageSigning: true } }, /`keys\(\)`/],
    [
      'requests that are signed',
      { given: { messageSigning: true }, more: [signing, requestObjects({ algorithms: ['PS256'] })] },
      /`requestObjects\(\)`.*`required: true`/,
    ],
    [
      'requests that are signed now',
      { given: { messageSigning: true }, more: [signing, requestObjects({ algorithms: ['PS256'], required: true })] },
      /`maxLifetime` of `requestObjects\(\)`.*3600 seconds at most/,
    ],
    [
      'assertions of others that are signed well',
      { more: [jwtBearer({ issuers: [{ issuer: other.issuer }] })], options: trusting() },
      /`algorithms` of an issuer of `jwtBearer\(\)`.*must be PS256, ES256, EdDSA, Ed25519 alone, and take `RS256`/,
    ],
    [
      'clocks of others that are not too wrong',
      { more: [jwtBearer({ issuers: [other], clockTolerance: 300 })], options: trusting() },
      /`clockTolerance` of `jwtBearer\(\)`.*from 10 to 60 seconds/,
    ],
    [
      'tokens of others that are signed well',
      {
        more: [tokenExchange(), trustedTokens({ issuers: [other, { issuer: 'https://b.example' }] })],
        options: trusting(),
      },
      /`algorithms` of an issuer of `trustedTokens\(\)`.*alone, and take `RS256`/,
    ],
    [
      'clocks of their issuers that may be wrong',
      { more: [tokenExchange(), trustedTokens({ issuers: [other], clockTolerance: 0 })], options: trusting() },
      /`clockTolerance` of `trustedTokens\(\)`.*from 10 to 60 seconds/,
    ],
  ])('%s', (_, setup, sentence) => {
    expect(() => setUp(setup)).toThrow(sentence);
  });

  it('and an option that is misspelt', () => {
    expect(() => fapi2({ scope: [] } as never)).toThrow(/unknown option `scope` of `fapi2\(\)`/);
  });

  it('and nothing where certificates do all of it', async () => {
    const server = setUp({ given: { privateKeyJwt: false, dpop: false }, more: [mutualTls()] });
    expect(await metadataOf(server)).toMatchObject({
      token_endpoint_auth_methods_supported: ['tls_client_auth', 'self_signed_tls_client_auth'],
      tls_client_certificate_bound_access_tokens: true,
    });
  });

  it('and nothing of JWTs of others that are signed well', () => {
    const more = [jwtBearer({ issuers: [other] }), tokenExchange(), trustedTokens({ issuers: [other] })];
    expect(() => setUp({ more, options: trusting() })).not.toThrow();
  });

  it('and nothing of OpenID Connect that goes through the browser', async () => {
    const more = [keys({ from: [EC] }), openid({ alg: 'ES256' })];
    expect(await metadataOf(setUp({ more, options: { model: knowing() } }))).toMatchObject({
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
  });

  it('and nothing where all is there, though the host lists its own', () => {
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

describe('a server of FAPI 2.0', () => {
  it('says of itself what it does, and nothing that it forbids', async () => {
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
    ['by its secret in the header', {}, { authorization: basic('web', SECRET) }, 'client_secret_basic'],
    ['by its secret in the form', { client_id: 'web', client_secret: SECRET }, {}, 'client_secret_post'],
    ['by its name alone', { client_id: 'spa' }, {}, 'none'],
  ])('lets no client in %s', async (_, body, headers, method) => {
    const grant = { grant_type: 'client_credentials' };
    for (const endpoint of ['token', 'pushed_authorization_request', 'introspection']) {
      const server = setUp({ more: [introspection()] });
      expect(await post(server, endpoint, { ...grant, ...body }, headers)).toEqual({
        status: 401,
        body: { error: 'invalid_client', error_description: expect.stringContaining(`\`${method}\``) },
      });
    }
  });

  it('lets no client register for what it forbids', async () => {
    const server = setUp({ more: [registration({ open: true })] });
    const response = new Response();
    const headers = { 'content-type': 'application/json' };
    const ask = async (metadata: object) => {
      const body = { redirect_uris: [CALLBACK], ...metadata };
      await server
        .answer('registration', new Request({ method: 'POST', headers, query: {}, body }), response)
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
    ['by the response', { client_id: 'plain', redirect_uri: 'http://app.example/cb' }],
    ['to nobody knows where', { client_id: 'plain' }],
  ])('tells the browser, where the client would be told over plain http: %s', async (_, query) => {
    const asked = { response_type: 'code', code_challenge: CHALLENGE, code_challenge_method: 'S256', ...query };
    const request = new Request({ method: 'GET', headers: {}, query: asked, body: {} });
    const { status, headers, body } = await answer(setUp(), 'authorize', request);
    expect({ status, location: headers['location'] }).toEqual({ status: 400, location: undefined });
    expect(body).toMatchObject({ error: 'invalid_request' });
  });

  it.each<[string, object]>([
    ['new refresh tokens', { alwaysIssueNewRefreshToken: true }],
    ['clients without proof', { requireClientAuthentication: { refresh_token: false } }],
    ['codes without a challenge', { requirePKCE: 'public' }],
    ['passwords', { extendedGrantTypes: { password: class {} } }],
  ])('serves no call whose options ask for less: %s', async (_, options) => {
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

  it('takes no token at its resources that is bound to nothing', async () => {
    const model = store();
    const server = setUp({ options: { model } });
    const token = { accessToken: 'free', accessTokenExpiresAt: new Date(Date.now() + 60_000), scope: 'read' };
    await model.saveToken(token, { id: 'web', grants: GRANTS }, alice);
    const { error } = await answer(server, 'authenticate', resourceRequest('Bearer free'));
    expect(error).toMatchObject({ name: 'invalid_token', message: expect.stringContaining('not bound to a key') });
  });
});
