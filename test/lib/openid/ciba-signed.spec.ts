import { generateKeyPairSync } from 'node:crypto';

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import { fapi2 } from 'nest-oauth2/fapi';
import { authorizationDetails } from 'nest-oauth2/features';
import { clientSecretJwt } from 'nest-oauth2/jose';
import type { CibaOptions } from 'nest-oauth2/openid';

import { SIGNING_ALGORITHMS } from '../../support/keys/algorithms.js';
import { GRANT, openCiba } from '../../support/clients/ciba.js';
import { ISSUER, SECRET } from '../../support/servers/openid-server.js';
import { basic } from '../../support/clients/requests.js';
import { rsaPair as rsa } from '../../support/keys/rsa-key.js';

// OpenID Connect Client-Initiated Backchannel Authentication Core 1.0 §7.1.1 and FAPI-CIBA §5.2.2

const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwks = {
  keys: [
    { ...own.publicKey.export({ format: 'jwk' }), kid: 'own' },
    { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'rsa' },
  ],
};
const client = { grants: [GRANT], jwks };
const fapi = { required: true, algorithms: ['PS256', 'ES256'] as const };

interface Bent {
  header?: object;
  key?: Parameters<SignJWT['sign']>[0];
}

let count = 0;
const now = () => Math.floor(Date.now() / 1000);

/** Returns the claims of a valid request, except for the given changes. An undefined claim is omitted. */
function claimsOf(bent: object = {}) {
  const backchannelRequests = { scope: 'openid', login_hint: 'alice', binding_message: 'Till 7' };
  const jwt = { iss: 'web', aud: ISSUER, iat: now(), nbf: now(), exp: now() + 300, jti: `request ${(count += 1)}` };
  return { ...backchannelRequests, ...jwt, ...bent };
}

const sign = async (bent: object = {}, { header, key = own.privateKey }: Bent = {}) =>
  await new SignJWT(claimsOf(bent)).setProtectedHeader({ alg: 'ES256', ...header }).sign(key);

const refusal = { status: 400, body: expect.objectContaining({ error: 'invalid_request' }) };

afterEach(() => void jest.useRealTimers());

describe('a signed CIBA request', () => {
  it('passes its JWT claims to askUser() as request parameters, and returns tokens after approval like an unsigned request', async () => {
    const { postForm, backchannelRequests, poll, decide, verifyIdToken } = await openCiba({ client });
    const more = { requested_expiry: 60, acr_values: 'urn:b urn:a' };
    const { status, body } = await postForm({ request: await sign(more) });
    expect([status, body]).toEqual([200, { auth_req_id: expect.any(String), expires_in: 60, interval: 5 }]);
    expect(backchannelRequests).toEqual([
      expect.objectContaining({ scope: 'openid', bindingMessage: 'Till 7', acrValues: ['urn:b', 'urn:a'] }),
    ]);
    expect(backchannelRequests[0]!.data).toEqual({});
    await decide();
    expect((await verifyIdToken((await poll(body['auth_req_id'])).body.id_token)).payload).toMatchObject({
      sub: 'alice',
    });
  });

  it('can have values in JSON, and its type in any case', async () => {
    const { postForm, backchannelRequests } = await openCiba({
      client,
      more: [authorizationDetails({ types: { payment: {} } })],
    });
    const details = [{ type: 'payment', amount: '5' }];
    const request = await sign(
      { authorization_details: details, requested_expiry: '30' },
      { header: { typ: 'OautH-auThZ-REQ+jWt' } },
    );
    expect(await postForm({ request })).toMatchObject({ status: 200, body: { expires_in: 30 } });
    expect(backchannelRequests[0]!.data).toMatchObject({ authorization_details: details });
  });

  it('is accepted together with client_secret_post and with client_secret_jwt', async () => {
    const { postForm } = await openCiba({ client });
    expect((await postForm({ request: await sign(), client_id: 'web', client_secret: SECRET }, '')).status).toBe(200);
    const byAssertion = await openCiba({
      client: { ...client, tokenEndpointAuthMethod: 'client_secret_jwt' },
      more: [clientSecretJwt()],
      model: { getClientSecrets: () => [SECRET.padEnd(32, '.')] },
    });
    const assertion = await new SignJWT({ iss: 'web', sub: 'web', aud: ISSUER, exp: now() + 60, jti: 'an assertion' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(SECRET.padEnd(32, '.')));
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const proof = { client_id: 'web', client_assertion: assertion, client_assertion_type: type };
    expect((await byAssertion.postForm({ request: await sign(), ...proof }, '')).status).toBe(200);
    expect((await byAssertion.postForm({ request: await sign() }, '')).body).toMatchObject({ error: 'invalid_client' });
  });

  it.each([
    ['has no `aud`', { aud: undefined }],
    ['is for another server', { aud: 'https://other.example' }],
    ['has no `iss`', { iss: undefined }],
    ['has another client as `iss`', { iss: 'other' }],
    ['has no `exp`', { exp: undefined }],
    ['has expired', { iat: now() - 900, nbf: now() - 900, exp: now() - 300 }],
    ['is valid for too long', { exp: now() + 4200 }],
    ['became valid too long ago', { nbf: now() - 4200 }],
    ['has no `iat`', { iat: undefined }],
    ['has an `iat` in the future', { iat: now() + 600 }],
    ['has no `nbf`', { nbf: undefined }],
    ['is not valid yet', { nbf: now() + 600, exp: now() + 900 }],
    ['has no `jti`', { jti: undefined }],
    ['has a `jti` that is not a string', { jti: 5 }],
    ['contains another request object', { request: 'a.b.c' }],
    ['has another `client_id`', { client_id: 'other' }],
    ['contains a client secret', { client_secret: SECRET }],
    ['has two hints', { login_hint_token: 'xyz' }],
  ])('is rejected if it %s', async (_, bent) => {
    const { postForm, backchannelRequests } = await openCiba({ client });
    expect(await postForm({ request: await sign(bent) })).toMatchObject(refusal);
    expect(backchannelRequests).toEqual([]);
  });

  it('is rejected without a signature or with a wrong one', async () => {
    const { postForm, backchannelRequests } = await openCiba({ client, signed: fapi });
    const requests = [
      new UnsecuredJWT(claimsOf()).encode(),
      await sign({}, { key: foreign.privateKey }),
      await sign({}, { header: { alg: 'HS256' }, key: new TextEncoder().encode(SECRET.padEnd(32, '.')) }),
      await sign({}, { header: { alg: 'RS256', kid: 'rsa' }, key: rsa.privateKey }),
      await sign({}, { header: { typ: 'at+jwt' } }),
      (await sign()).replace(/.{4}$/, 'AAAA'),
      'a.b.c',
      'a'.repeat(20_000),
    ];
    for (const request of requests) expect(await postForm({ request })).toMatchObject(refusal);
    expect(backchannelRequests).toEqual([]);
    const ps256 = await sign({}, { header: { alg: 'PS256', kid: 'rsa' }, key: rsa.privateKey });
    expect((await postForm({ request: ps256 })).status).toBe(200);
  });

  it('is rejected for a client without keys', async () => {
    const { postForm } = await openCiba({ client: { grants: [GRANT] } });
    expect(await postForm({ request: await sign() })).toMatchObject(refusal);
  });

  it.each([
    ['a hint outside of it', { login_hint: 'alice' }],
    ['a scope outside of it', { scope: 'openid' }],
    ['a resource outside of it', { resource: 'https://api.example/' }],
    ['a request_uri', { request_uri: 'https://app.example/request' }],
  ])('is rejected if the form also contains %s', async (_, beside) => {
    const { postForm, backchannelRequests } = await openCiba({ client });
    expect(await postForm({ request: await sign(), ...beside })).toMatchObject(refusal);
    expect(backchannelRequests).toEqual([]);
  });

  it('is accepted only once', async () => {
    const { postForm, backchannelRequests } = await openCiba({ client });
    const request = await sign();
    const answers = await Promise.all([1, 2, 3].map(() => postForm({ request })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(2);
    expect(backchannelRequests).toHaveLength(1);
  });

  it('is rejected as a replay for its validity period plus the clock tolerance', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const { postForm } = await openCiba({ client });
    const early = await sign({ iat: now() + 8, nbf: now() + 8, exp: now() + 68 });
    expect((await postForm({ request: early })).status).toBe(200);
    jest.advanceTimersByTime(77_000);
    expect(await postForm({ request: early })).toMatchObject(refusal);
  });

  it('is rejected as a replay for longer if the clock tolerance is larger', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const { postForm } = await openCiba({ client, signed: { clockTolerance: 600 } });
    const request = await sign({ exp: now() + 30 });
    expect((await postForm({ request })).status).toBe(200);
    jest.advanceTimersByTime(300_000);
    expect(await postForm({ request })).toMatchObject(refusal);
  });
});

describe('CIBA requests that must be signed', () => {
  it('are rejected unsigned if the client registered an algorithm or `required` is true', async () => {
    const registered = { ...client, backchannelAuthenticationRequestSigningAlg: 'ES256' };
    for (const setup of [{ client: registered }, { client, signed: { required: true } }]) {
      const { begin, postForm, backchannelRequests } = await openCiba(setup);
      expect(await begin()).toMatchObject(refusal);
      expect(backchannelRequests).toEqual([]);
      expect((await postForm({ request: await sign() })).status).toBe(200);
    }
  });

  it('are accepted only with the algorithm that the client registered', async () => {
    const { postForm } = await openCiba({
      client: { ...client, backchannelAuthenticationRequestSigningAlg: 'PS256', requestObjectSigningAlg: 'ES256' },
    });
    expect(await postForm({ request: await sign() })).toMatchObject(refusal);
    const ps256 = await sign({}, { header: { alg: 'PS256', kid: 'rsa' }, key: rsa.privateKey });
    expect((await postForm({ request: ps256 })).status).toBe(200);
  });

  it('are rejected for a client without the CIBA grant', async () => {
    const { postForm } = await openCiba({ client });
    const request = await sign({ iss: 'other' });
    expect((await postForm({ request }, basic('other', SECRET))).body).toMatchObject({ error: 'unauthorized_client' });
  });
});

describe('the option `signed` of ciba()', () => {
  it('determines the algorithms in the server metadata', async () => {
    const said = async (setup: object) =>
      (await (await openCiba(setup)).get('openid-configuration'))[
        'backchannel_authentication_request_signing_alg_values_supported'
      ];
    expect(await said({})).toEqual(SIGNING_ALGORITHMS);
    expect(await said({ signed: fapi })).toEqual(['PS256', 'ES256']);
  });

  it.each([
    [{ algorithms: ['HS256'] }, '`algorithms`'],
    [{ algorithms: 'ES256' }, '`algorithms`'],
    [{ maxLifetime: 0 }, '`maxLifetime`'],
    [{ clockTolerance: '5' }, '`clockTolerance`'],
    [{ required: 1 }, '`required`'],
    [{ requird: true }, 'requird'],
    [null, '`signed` of `ciba()` must be an object'],
    ['always', '`signed` of `ciba()` must be an object'],
    [[], '`signed` of `ciba()` must be an object'],
  ])('is rejected at start-up with the value %j', async (signed, sentence) => {
    await expect(openCiba({ signed } as CibaOptions)).rejects.toThrow(sentence);
  });

  it('must meet the requirements of fapi2()', async () => {
    const start = (messageSigning: boolean, signed?: object) =>
      openCiba({ ...(signed && { signed }), more: fapi2({ messageSigning }) });
    const algorithms = ['PS256', 'ES256'];
    await expect(start(false)).rejects.toThrow('`backchannel_authentication_request_signing_alg_values_supported`');
    await expect(start(true, { algorithms })).rejects.toThrow('`signed: { required: true }`');
    await expect(start(false, { algorithms, clockTolerance: 5 })).rejects.toThrow('`clockTolerance` of `ciba()`');
    await start(false, { algorithms });
    await start(true, { algorithms, required: true });
  });
});
