import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CurrentUser, OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { fapi2 } from 'nest-oauth2/fapi';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { CALLBACK, FapiClient, newKeyPair } from '../../support/clients/fapi-client.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, get } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { VERIFIER } from '../../support/clients/requests.js';

// The tests of the OpenID conformance suite for an authorization server with `plain_fapi`, `plain_oauth`,
// `private_key_jwt` and `dpop`. Each title is the name of a module `fapi2-security-profile-final-…`.

const alice = { id: 'alice' };
const SELF = { grant_type: 'client_credentials', scope: 'notes:read' };
/** A key of another type than the one that the client has registered. */
const rsa = newKeyPair('PS256');
const now = () => Math.floor(Date.now() / 1000);

@Controller('notes')
@UseGuards(OAuthGuard)
class NotesController {
  @Get()
  @Scopes('notes:read')
  list(@CurrentUser('id', { optional: true }) user: string | undefined) {
    return { user };
  }
}

/** The suite expects this response of the token and pushed request endpoints if client authentication fails. */
const CLIENT_REFUSED = { status: 401, body: { error: 'invalid_client' } };
const REQUEST_REFUSED = { status: 400, body: { error: 'invalid_request' } };
const GRANT_REFUSED = { status: 400, body: { error: 'invalid_grant' } };
const PROOF_REFUSED = { status: 400, body: { error: 'invalid_dpop_proof' } };
const GIVEN = {
  status: 200,
  body: { token_type: 'DPoP', access_token: expect.any(String), expires_in: expect.any(Number) },
};
const PUSHED = { status: 201, body: { request_uri: expect.stringMatching(/^urn:/) } };

describe.each(ANY_PLATFORM)('the modules of the conformance plan fapi2-security-profile-final on %s', (platform) => {
  let url: string;
  let one: FapiClient;
  let two: FapiClient;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    [one, two] = [new FapiClient(url, 'one'), new FapiClient(url, 'two', 'EdDSA')];
    const known = {
      grants: ['authorization_code', 'refresh_token', 'client_credentials'],
      redirectUris: [CALLBACK],
      scopes: ['notes:read', 'notes:write'],
      defaultScope: ['notes:read'],
    };
    const model = new MemoryStore({
      users: { findById: () => alice, findByCredentials: () => undefined },
      clients: [one.registration(known), two.registration(known)],
    });
    const server = { model, issuer: url, features: [fapi2()], interaction: DemoInteraction, secret: SECRET };
    await startApplication(
      platform,
      { imports: [OAuth2Module.forRoot(server)], controllers: [NotesController] },
      { port },
    );
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(stopApplications);

  /** Moves the clock forward by this number of seconds. */
  const later = (seconds: number) => jest.spyOn(Date, 'now').mockReturnValue(Date.now() + seconds * 1000);

  it('discovery-end-point-verification', async () => {
    const response = await fetch(`${url}/.well-known/oauth-authorization-server`);
    expect(await response.json()).toMatchObject({
      issuer: url,
      token_endpoint: `${url}/oauth/token`,
      pushed_authorization_request_endpoint: `${url}/oauth/par`,
      require_pushed_authorization_requests: true,
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['PS256', 'ES256', 'EdDSA']),
      dpop_signing_alg_values_supported: expect.arrayContaining(['PS256', 'ES256', 'EdDSA']),
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('happy-flow', async () => {
    for (const client of [one, two]) {
      const pushed = await client.push();
      expect(pushed).toMatchObject(PUSHED);
      expect(Number(pushed.body['expires_in'])).toBeLessThan(600);
      const landed = await client.authorize(pushed.body['request_uri']!);
      expect(landed).toEqual({ dummy1: 'lorem', dummy2: 'ipsum', code: expect.any(String), state: 'xyz', iss: url });
      const given = await client.redeem(landed['code']!);
      expect(given).toMatchObject({ ...GIVEN, body: { ...GIVEN.body, refresh_token: expect.any(String) } });
      const response = await client.call(given.body['access_token']!, {
        headers: { accept: 'application/json;q=0.5' },
      });
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 200,
        body: { user: 'alice' },
      });
    }
    expect(await one.token(SELF)).toMatchObject(GIVEN);
  });

  it('par-without-duplicate-parameters, ensure-other-scope-order-succeeds', async () => {
    const code = await one.code({ scope: 'notes:write notes:read' });
    expect(await one.redeem(code)).toMatchObject(GIVEN);
  });

  it('ensure-authorization-request-with-long-state, …-without-state-success', async () => {
    const state = 'x'.repeat(384);
    const landed = await one.authorize((await one.push({ state })).body['request_uri']!);
    expect(landed).toMatchObject({ state, code: expect.any(String) });
    const without = await one.authorize((await one.push({ state: undefined })).body['request_uri']!);
    expect(without).toEqual({ dummy1: 'lorem', dummy2: 'ipsum', code: expect.any(String), iss: url });
  });

  it('user-rejects-authentication', async () => {
    const landed = await one.authorize((await one.push({ scope: 'notes:write' })).body['request_uri']!, 'deny');
    expect(landed).toMatchObject({ error: 'access_denied', state: 'xyz', iss: url });
  });

  it('ensure-client-assertion-in-token-endpoint', async () => {
    expect(await one.redeem(await one.code(), { client_id: 'one' }, { assertion: null })).toMatchObject(CLIENT_REFUSED);
    expect(await one.token(SELF, { assertion: null })).toMatchObject(CLIENT_REFUSED);
  });

  it.each<[string, () => Promise<string>]>([
    ['ensure-client-assertion-with-no-sub-fails', () => one.assertion({ claims: { sub: undefined } })],
    [
      'ensure-client-assertion-with-exp-is-5-minutes-in-past-fails',
      () => one.assertion({ claims: { iat: now() - 360, exp: now() - 300 } }),
    ],
    [
      'ensure-client-assertion-with-wrong-aud-fails',
      () => one.assertion({ claims: { aud: 'https://other.example/oauth/token' } }),
    ],
    [
      'ensure-signed-client-assertion-with-RS256-fails',
      () => one.assertion({ header: { alg: 'RS256' }, signer: rsa.privateKey }),
    ],
    ['par-test-array-as-audience-fails', () => one.assertion({ claims: { aud: [`${url}/oauth/par`, url] } })],
    ['par-test-par-endpoint-url-as-audience-fails', () => one.assertion({ claims: { aud: `${url}/oauth/par` } })],
    ['par-test-token-endpoint-url-as-audience-fails', () => one.assertion({ claims: { aud: `${url}/oauth/token` } })],
    [
      'par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails',
      () => one.assertion({ claims: { iat: now() + 61, nbf: now() + 61, exp: now() + 120 } }),
    ],
    ['ensure-client-assertion-of-another-client-fails', () => two.assertion({ claims: { iss: 'one', sub: 'one' } })],
  ])('%s', async (_, made) => {
    expect(await one.token(SELF, { assertion: await made() })).toMatchObject(CLIENT_REFUSED);
    expect(await one.push({}, { assertion: await made() })).toMatchObject(CLIENT_REFUSED);
  });

  it('par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted', async () => {
    const assertion = await one.assertion({ claims: { iat: now() + 8, nbf: now() + 8, exp: now() + 60 } });
    expect(await one.push({}, { assertion })).toMatchObject(PUSHED);
    expect(await one.token(SELF, { assertion })).toMatchObject(CLIENT_REFUSED);
  });

  it('ensure-client-id-in-token-endpoint', async () => {
    expect(await one.redeem(await one.code(), { client_id: 'two' })).toMatchObject(REQUEST_REFUSED);
    expect(await one.token({ ...SELF, client_id: 'two' })).toMatchObject(REQUEST_REFUSED);
  });

  it('ensure-authorization-code-is-bound-to-client', async () => {
    expect(await two.redeem(await one.code())).toMatchObject(GRANT_REFUSED);
  });

  it('attempt-reuse-authorization-code-after-one-second', async () => {
    const code = await one.code();
    const { body } = await one.redeem(code);
    later(1);
    expect(await one.redeem(code)).toMatchObject(GRANT_REFUSED);
    expect((await one.call(body['access_token']!)).status).toBe(401);
  });

  it('ensure-token-endpoint-fails-with-expired-auth-code', async () => {
    const code = await one.code();
    later(61);
    expect(await one.redeem(code)).toMatchObject(GRANT_REFUSED);
  });

  it('ensure-holder-of-key-required', async () => {
    const code = await one.code();
    expect(await one.redeem(code, {}, { proof: null })).toMatchObject(REQUEST_REFUSED);
    expect(await one.token(SELF, { proof: null })).toMatchObject(REQUEST_REFUSED);
    // The rejected request has not consumed the code.
    const { body } = await one.redeem(code);
    expect(await one.refresh(body['refresh_token']!, { proof: null })).toMatchObject(REQUEST_REFUSED);
  });

  it('refresh-token', async () => {
    const { body } = await one.redeem(await one.code());
    const old = body['refresh_token']!;
    const next = await one.refresh(old);
    expect(next).toMatchObject(GIVEN);
    expect(next.body).not.toHaveProperty('refresh_token');
    expect((await one.call(next.body['access_token']!)).status).toBe(200);
    later(30);
    expect(await one.refresh(old)).toMatchObject(GIVEN);
    expect(await one.refresh(old, { assertion: null })).toMatchObject(CLIENT_REFUSED);
    expect(await two.refresh(old)).toMatchObject(GRANT_REFUSED);
  });

  it('par-ensure-pkce-required, par-plain-pkce-rejected', async () => {
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    expect(await one.push(without)).toMatchObject(REQUEST_REFUSED);
    const plain = { code_challenge: VERIFIER, code_challenge_method: 'plain' };
    expect(await one.push(plain)).toMatchObject(REQUEST_REFUSED);
  });

  it('ensure-pkce-code-verifier-required, incorrect-pkce-code-verifier-rejected', async () => {
    expect(await one.redeem(await one.code(), { code_verifier: undefined })).toMatchObject(GRANT_REFUSED);
    expect(await one.redeem(await one.code(), { code_verifier: 'x'.repeat(43) })).toMatchObject(GRANT_REFUSED);
  });

  it('ensure-redirect-uri-in-authorization-request, ensure-registered-redirect-uri', async () => {
    expect(await one.push({ redirect_uri: undefined })).toMatchObject(REQUEST_REFUSED);
    expect(await one.push({ redirect_uri: `${CALLBACK}x` })).toMatchObject(REQUEST_REFUSED);
  });

  it.each(['token', 'code id_token', 'code token', 'id_token'])(
    'ensure-response-type-…-fails: %s',
    async (response_type) => {
      const { status, body } = await one.push({ response_type });
      expect({ status, error: body['error'] }).toEqual({ status: 400, error: 'unsupported_response_type' });
    },
  );

  it('ensure-unsigned-authorization-request-without-using-par-fails', async () => {
    const query = new URLSearchParams(one.authorizationParameters() as Record<string, string>).toString();
    const { headers } = await readResponse(get(`${url}/oauth/authorize?${query}`, { cookie: 'user=alice' }));
    const landed = Object.fromEntries(new URL(headers['location']!).searchParams);
    expect(landed).toMatchObject({ error: 'invalid_request', state: 'xyz', iss: url });
  });

  it('par-attempt-reuse-request_uri', async () => {
    const name = (await one.push()).body['request_uri']!;
    expect(await one.authorize(name)).toHaveProperty('code');
    expect(await one.open(name)).toMatchObject(REQUEST_REFUSED);
  });

  it('par-ensure-reused-request-uri-prior-to-auth-completion-succeeds', async () => {
    const name = (await one.push()).body['request_uri']!;
    expect((await one.open(name, 'one', '')).status).not.toBe(400);
    expect(await one.authorize(name)).toHaveProperty('code');
  });

  it('par-attempt-to-use-expired-request_uri', async () => {
    const { body } = await one.push();
    later(Number(body['expires_in']) + 1);
    expect(await one.open(body['request_uri']!)).toMatchObject(REQUEST_REFUSED);
  });

  it('par-attempt-to-use-request_uri-for-different-client', async () => {
    const name = (await one.push()).body['request_uri']!;
    expect(await two.open(name)).toMatchObject(REQUEST_REFUSED);
  });

  it('par-authorization-request-containing-request_uri-form-param, par-attempt-invalid-http-method', async () => {
    expect(await one.push({ request_uri: 'urn:ietf:params:oauth:request_uri:x' })).toMatchObject(REQUEST_REFUSED);
    const { status } = await fetch(`${url}/oauth/par`, {
      method: 'PUT',
      body: new URLSearchParams({ client_id: 'one' }),
    });
    expect([404, 405]).toContain(status);
  });

  it('ensure-dpop-auth-code-binding-success, ensure-dpopproof-at-par-endpoint-binding-success', async () => {
    const named = await one.code({ dpop_jkt: await one.thumbprint() }, {});
    expect(await one.redeem(named)).toMatchObject(GIVEN);
    expect(await one.redeem(await one.code({}, {}))).toMatchObject(GIVEN);
  });

  it('ensure-mismatched-dpop-jkt-fails, ensure-token-endpoint-fails-with-mismatched-dpop-…jkt', async () => {
    const other = await two.thumbprint();
    expect(await one.push({ dpop_jkt: other }, {})).toMatchObject(PROOF_REFUSED);
    for (const code of [await one.code({ dpop_jkt: await one.thumbprint() }), await one.code({}, {})]) {
      const proof = await two.proof(`${url}/oauth/token`);
      expect(await one.redeem(code, {}, { proof })).toMatchObject(GRANT_REFUSED);
    }
  });

  it.each([-10, 10])('ensure-dpopproof-with-iat-10seconds-…-succeeds: %s', async (seconds) => {
    const proofChanges = { claims: { iat: now() + seconds } };
    const pushed = await one.push({}, { proof: await one.proof(`${url}/oauth/par`, proofChanges) });
    const { code } = await one.authorize(pushed.body['request_uri']!);
    const given = await one.redeem(code!, {}, { proof: await one.proof(`${url}/oauth/token`, proofChanges) });
    expect(given).toMatchObject(GIVEN);
    expect((await one.call(given.body['access_token']!, { proofChanges })).status).toBe(200);
  });

  it('check-dpop-proof-nbf-exp', async () => {
    const claims = { nbf: now() - 5, exp: now() + 300 };
    const proof = await one.proof(`${url}/oauth/token`, { claims });
    const { body } = await one.token(SELF, { proof });
    expect((await one.call(body['access_token']!, { proofChanges: { claims } })).status).toBe(200);
  });

  it('access-token-type-header-case-sensitivity', async () => {
    const { body } = await one.token(SELF);
    for (const scheme of ['DPoP', 'dpop', 'DPOP', 'dPoP']) {
      expect((await one.call(body['access_token']!, { scheme })).status).toBe(200);
    }
  });

  it('dpop-negative-tests', async () => {
    const token = (await one.token(SELF)).body['access_token']!;
    const { privateKey, jwk } = one.dpop;
    const own = privateKey.export({ format: 'jwk' }) as object;
    const fresh = await one.proof(`${url}/notes`, {}, token);
    const calls: [string, Parameters<FapiClient['call']>[1]][] = [
      ['downgraded to Bearer', { scheme: 'Bearer' }],
      ['Bearer without a proof', { scheme: 'Bearer', proof: null }],
      ['without a proof', { proof: null }],
      ['two proofs in one header', { proof: `${fresh}, ${fresh}` }],
      ['no JWT', { proof: 'not-a-jwt' }],
      ['of another type', { proofChanges: { header: { typ: 'JWT' } } }],
      ['of no type', { proofChanges: { header: { typ: undefined } } }],
      ['without a key', { proofChanges: { header: { jwk: undefined } } }],
      ['with a private key', { proofChanges: { header: { jwk: { ...jwk, ...own } } } }],
      ['by another key', { proofChanges: { signer: two.dpop.privateKey } }],
      ['by the key of another', { proofChanges: { header: { jwk: two.dpop.jwk }, signer: two.dpop.privateKey } }],
      ['of an invalid signature', { proof: `${fresh.slice(0, -6)}AAAAAA` }],
      ...['jti', 'htm', 'htu', 'iat', 'ath'].map((name): (typeof calls)[number] => [
        `without ${name}`,
        { proofChanges: { claims: { [name]: undefined } } },
      ]),
      ['for another method', { proofChanges: { claims: { htm: 'POST' } } }],
      ['for another URL', { proofChanges: { claims: { htu: `${url}/other` } } }],
      ['for another host', { proofChanges: { claims: { htu: 'https://other.example/notes' } } }],
      ['that is old', { proofChanges: { claims: { iat: now() - 3600 } } }],
      ['from the future', { proofChanges: { claims: { iat: now() + 3600 } } }],
      ['for another token', { proofChanges: { claims: { ath: 'x'.repeat(43) } } }],
    ];
    for (const [name, given] of calls) {
      expect([name, [400, 401].includes((await one.call(token, given)).status)]).toEqual([name, true]);
    }
    // The token remains valid, and these differences in the URL do not matter.
    const claims = { htu: `${url.replace('http', 'HTTP')}/notes?x=1#y`, more: true };
    expect((await one.call(token, { proofChanges: { claims } })).status).toBe(200);
    const jti = crypto.randomUUID();
    const replayed = await one.proof(`${url}/notes`, { claims: { jti } }, token);
    expect((await one.call(token, { proof: replayed })).status).toBe(200);
    expect((await one.call(token, { proof: replayed })).status).toBe(401);
    expect((await fetch(`${url}/notes?access_token=${token}`)).status).toBe(400);
  });
});
