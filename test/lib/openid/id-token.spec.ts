import { createHash } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { serverMetadata } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { logout, openid } from 'nest-oauth2/openid';
import { OAuth2Server } from 'nest-oauth2/server';

import { ALICE, EC, ED, ISSUER, openIdServer, RSA } from '../../support/servers/openid-server.js';

const half = (text: string, algorithm = 'sha256') => {
  const digest = createHash(algorithm).update(text).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
};

describe('an ID token', () => {
  it('contains issuer, subject and audience, and is signed with a published key by RS256', async () => {
    const { signIn, verifyIdToken } = await openIdServer();
    const body = await signIn({ nonce: 'n-0S6_WzA2Mj' });
    const { payload, protectedHeader } = await verifyIdToken(body.id_token);
    expect(protectedHeader).toEqual({ alg: 'RS256', kid: 'rsa', typ: 'JWT' });
    expect(payload).toEqual({
      iss: ISSUER,
      sub: 'alice',
      aud: 'web',
      exp: expect.any(Number),
      iat: expect.any(Number),
      nonce: 'n-0S6_WzA2Mj',
      at_hash: half(body.access_token),
    });
    expect(payload.exp! - payload.iat!).toBe(3600);
  });

  it('is not issued if the scope openid was not requested', async () => {
    const { signIn, claimsRequests } = await openIdServer();
    const body = await signIn({ scope: 'read', nonce: 'n', claims: '{"id_token":{"email":null}}' });
    expect(body.access_token).toEqual(expect.any(String));
    expect(body.id_token).toBeUndefined();
    expect(claimsRequests).toEqual([]);
  });

  it('is not issued if the scope openid was not granted', async () => {
    const { signIn } = await openIdServer({ model: { validateScope: () => ['read'] } });
    const body = await signIn({ scope: 'openid read' });
    expect(body).toMatchObject({ scope: 'read' });
    expect(body.id_token).toBeUndefined();
  });

  it('is not issued for client credentials', async () => {
    const { token } = await openIdServer();
    const { body } = await token({ grant_type: 'client_credentials', scope: 'openid' });
    expect(body).toMatchObject({ scope: 'openid' });
    expect(body.id_token).toBeUndefined();
  });

  it('is issued again for a refresh, with the same user and without the nonce', async () => {
    const { signIn, token, verifyIdToken } = await openIdServer();
    const { refresh_token, id_token } = await signIn({ nonce: 'once', scope: 'openid read' });
    const { body } = await token({ grant_type: 'refresh_token', refresh_token });
    const [first, again] = [decodeJwt(id_token), (await verifyIdToken(body.id_token)).payload];
    expect(again).toMatchObject({ iss: first.iss, sub: first.sub, aud: first.aud, at_hash: half(body.access_token) });
    expect(again['nonce']).toBeUndefined();
    expect(again['at_hash']).not.toBe(first['at_hash']);
  });

  it('is not issued for a refresh without the scope openid', async () => {
    const { signIn, token } = await openIdServer();
    const { refresh_token } = await signIn({ scope: 'openid read' });
    const { body } = await token({ grant_type: 'refresh_token', refresh_token, scope: 'read' });
    expect(body).toMatchObject({ scope: 'read' });
    expect(body.id_token).toBeUndefined();
  });

  it('is issued again for the retry of a refresh', async () => {
    const { signIn, token, verifyIdToken } = await openIdServer({ options: { refreshTokenReuseInterval: 10 } });
    const { refresh_token } = await signIn();
    const one = await token({ grant_type: 'refresh_token', refresh_token });
    const two = await token({ grant_type: 'refresh_token', refresh_token });
    expect(two.body.access_token).toBe(one.body.access_token);
    expect((await verifyIdToken(two.body.id_token)).payload).toMatchObject({ at_hash: half(one.body.access_token) });
  });

  it('contains `auth_time`, `acr` and `amr` of the login, also after two refreshes', async () => {
    const facts = { auth_time: 1_700_000_000, acr: 'urn:mace:incommon:iap:silver', amr: ['pwd'] };
    const { auth_time: at, ...more } = facts;
    const { signIn, token, verifyIdToken } = await openIdServer();
    const { refresh_token, id_token } = await signIn({}, undefined, { ...more, authTime: new Date(at * 1000) });
    expect((await verifyIdToken(id_token)).payload).toMatchObject(facts);
    const { body: first } = await token({ grant_type: 'refresh_token', refresh_token });
    const { body } = await token({ grant_type: 'refresh_token', refresh_token: first['refresh_token'] });
    expect((await verifyIdToken(body.id_token)).payload).toMatchObject(facts);
  });

  it.each([
    ['ES256', 'sha256'],
    ['EdDSA', 'sha512'],
  ])('is signed with %s for a client that registered this algorithm', async (alg, digest) => {
    for (const client of [{ idTokenSignedResponseAlg: alg }, { metadata: { id_token_signed_response_alg: alg } }]) {
      const { signIn, verifyIdToken } = await openIdServer({ client });
      const body = await signIn();
      expect(decodeProtectedHeader(body.id_token).alg).toBe(alg);
      expect((await verifyIdToken(body.id_token)).payload).toMatchObject({ at_hash: half(body.access_token, digest) });
    }
  });

  it.each(['none', 'HS256', 'RS512', 'toString'])(
    'is not issued if the client registered %s, and the request fails with server_error',
    async (alg) => {
      const { authorize, redeem } = await openIdServer({ client: { idTokenSignedResponseAlg: alg } });
      const { code } = (await authorize()).parameters;
      const { body } = await redeem(code);
      expect(body).toMatchObject({ error: 'server_error' });
      expect(body.id_token).toBeUndefined();
    },
  );

  it('leaves the code valid if it cannot be created', async () => {
    let isDown = true;
    const getClaims = () => (isDown ? Promise.reject(new Error('down')) : {});
    const { authorize, redeem } = await openIdServer({ model: { getClaims }, claimsInIdToken: true });
    const { code } = (await authorize({ scope: 'openid email' })).parameters;
    expect((await redeem(code)).body).toMatchObject({ error: 'server_error' });
    isDown = false;
    expect((await redeem(code)).body.id_token).toEqual(expect.any(String));
  });

  it('contains the claims of scopes if the option `claimsInIdToken` is true, and not by default', async () => {
    const query = { scope: 'openid email' };
    const usual = await openIdServer();
    expect(decodeJwt((await usual.signIn(query)).id_token)['email']).toBeUndefined();
    const { signIn } = await openIdServer({ claimsInIdToken: true });
    const claims = decodeJwt((await signIn(query)).id_token);
    expect(claims).toMatchObject({ email: ALICE.email, email_verified: true, sub: 'alice', iss: ISSUER });
    for (const name of ['name', 'address', 'groups', 'password', 'auth_time']) expect(claims).not.toHaveProperty(name);
  });

  it.each([
    ['a client property of true', { claimsInIdToken: true }, false, true],
    ['a registered member of true', { metadata: { claims_in_id_token: true } }, false, true],
    ['a client property of false', { claimsInIdToken: false }, true, false],
    ['a client property of null', { claimsInIdToken: null }, true, true],
    ['a client property that is not a boolean', { claimsInIdToken: 'false' }, false, false],
  ])('contains the claims of scopes according to %s', async (_, client, claimsInIdToken, isExpected) => {
    const { signIn } = await openIdServer({ client, claimsInIdToken });
    const claims = decodeJwt((await signIn({ scope: 'openid email' })).id_token);
    expect(claims['email']).toBe(isExpected ? ALICE.email : undefined);
    expect(claims).not.toHaveProperty('name');
  });

  it('contains the claims requested by name, except those that the server sets', async () => {
    const { signIn, claimsRequests } = await openIdServer();
    const claims = {
      id_token: { email: { essential: true }, nickname: null, sub: null, password_hint: null, iss: null },
    };
    const said = decodeJwt((await signIn({ claims: JSON.stringify(claims) })).id_token);
    expect(said).toMatchObject({ sub: 'alice', iss: ISSUER, email: ALICE.email });
    for (const name of ['nickname', 'name', 'password', 'auth_time']) expect(said).not.toHaveProperty(name);
    expect(claimsRequests).toMatchObject([
      { location: 'id_token', names: ['email', 'nickname', 'password_hint'], scope: 'openid' },
    ]);
  });

  it.each([
    ['incomplete JSON', '{'],
    ['a list', '[]'],
    ['a string', '"email"'],
    ['null', 'null'],
    ['a list for a location', '{"id_token":[]}'],
    ['a string for a location', '{"userinfo":"email"}'],
    ['a boolean for a claim', '{"id_token":{"email":true}}'],
    ['a string as `essential`', '{"id_token":{"email":{"essential":"yes"}}}'],
    ['a string as `values`', '{"id_token":{"acr":{"values":"silver"}}}'],
    ['an object as `value`', '{"id_token":{"acr":{"value":{}}}}'],
    ['an empty name', '{"id_token":{"":null}}'],
    ['the name `__proto__`', '{"id_token":{"__proto__":null}}'],
    ['a name with a right-to-left override', '{"userinfo":{"\u202eliame":null}}'],
    ['a name with a line break', '{"userinfo":{"email\\nand nothing else":null}}'],
    [
      '51 claims',
      JSON.stringify({ id_token: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`c${at}`, null])) }),
    ],
    ['21 values for a claim', JSON.stringify({ id_token: { x: { values: Array.from({ length: 21 }, () => 'y') } } })],
    ['a name that is too long', JSON.stringify({ id_token: { ['x'.repeat(4000)]: null } })],
    ['JSON that is nested deeply', '[['.repeat(1000)],
  ])('is not issued if the parameter `claims` is malformed: %s', async (_, claims) => {
    const { authorize } = await openIdServer();
    expect((await authorize({ claims })).parameters).toMatchObject({ error: 'invalid_request', state: 'xyz' });
  });

  it('never contains the claim auth_req_id, even if the model returns it', async () => {
    const name = 'urn:openid:params:jwt:claim:auth_req_id';
    const { signIn } = await openIdServer({ model: { getClaims: () => ({ [name]: 'x' }) } });
    const { id_token } = await signIn({ claims: JSON.stringify({ id_token: { [name]: null } }) });
    expect(decodeJwt(id_token)).not.toHaveProperty([name]);
  });

  it('ignores the parameter `claims` if `claimsParameter` is false', async () => {
    const { signIn, get } = await openIdServer({ claimsParameter: false });
    const { id_token } = await signIn({ claims: '{"id_token":{"email":null}}' });
    expect(decodeJwt(id_token)).not.toHaveProperty('email');
    expect(await get('openid-configuration')).toMatchObject({ claims_parameter_supported: false });
  });

  it('contains the nonce of the authorization request, whatever the token request contains', async () => {
    const { authorize, redeem } = await openIdServer();
    const [victim, attacker] = [await authorize({ nonce: 'victim' }), await authorize({ nonce: 'attacker' })];
    const { body } = await redeem(victim.parameters['code'], { nonce: 'attacker' });
    expect(decodeJwt(body.id_token)['nonce']).toBe('victim');
    expect(decodeJwt((await redeem(attacker.parameters['code'])).body.id_token)['nonce']).toBe('attacker');
    expect((await authorize({ nonce: 'n'.repeat(1025) })).parameters['error']).toBe('invalid_request');
    expect((await authorize({ nonce: ['one', 'two'] })).parameters['error']).toBe('invalid_request');
  });
});

describe('the discovery document', () => {
  it('contains the OpenID Connect metadata, and equals the server metadata', async () => {
    const { get } = await openIdServer({ more: [serverMetadata()] });
    const document = await get('openid-configuration');
    expect(document).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      token_endpoint: `${ISSUER}/oauth/token`,
      jwks_uri: `${ISSUER}/oauth/jwks`,
      scopes_supported: ['openid', 'profile', 'email', 'address', 'phone'],
      response_types_supported: expect.arrayContaining(['code']),
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      claims_supported: expect.arrayContaining(['sub', 'name', 'email', 'address', 'phone_number']),
      claims_parameter_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    });
    expect(await get('server-metadata')).toEqual(document);
  });

  it('contains the members that the application sets', async () => {
    const members = { service_documentation: 'https://id.example.com/docs' };
    const { get } = await openIdServer({
      more: [serverMetadata({ members, grantTypes: ['authorization_code'] })],
      scopes: { address: false, phone: false, groups: ['groups'] },
    });
    expect(await get('openid-configuration')).toMatchObject({
      ...members,
      grant_types_supported: ['authorization_code'],
      scopes_supported: ['openid', 'profile', 'email', 'groups'],
      claims_supported: expect.not.arrayContaining(['address']),
    });
  });
});

describe('openid()', () => {
  const start = (given: object, { from = [EC, RSA] as never[], model = {}, issuer = ISSUER } = {}) =>
    new OAuth2Server({
      model: { getClient: () => undefined, getAccessToken: () => undefined, getClaims: () => ({}), ...model } as never,
      ...(issuer && { issuer }),
      features: [...(from.length > 0 ? [keys({ from })] : []), openid(given)],
    });

  it.each<[string, object, object, RegExp]>([
    ['keys without one for RS256', {}, { from: [EC] }, /signs ID tokens with RS256.*'RS256'/],
    ['a server without keys()', {}, { from: [] }, /Add `keys\(\)`/],
    ['a server without an issuer', {}, { issuer: '' }, /requires the option `issuer`/],
    ['an http issuer', {}, { issuer: 'http://id.example.com' }, /requires the option `issuer`: an https URL/],
    ['a model without getClaims()', {}, { model: { getClaims: undefined } }, /getClaims/],
    ['an algorithm without a key', { alg: 'PS256' }, {}, /supports `alg: 'PS256'` of `openid\(\)`/],
    ['an unsupported algorithm', { alg: 'HS256' }, {}, /must be one of ES256/],
    ['an ID token lifetime of 0', { idTokenLifetime: 0 }, {}, /`idTokenLifetime`/],
    ['an infinite ID token lifetime', { idTokenLifetime: Infinity }, {}, /`idTokenLifetime`/],
    [
      'claims of a scope that are not a list',
      { scopes: { groups: 'groups' } },
      {},
      /must contain a list of claims for `groups`/,
    ],
    ['claims for the scope openid', { scopes: { openid: ['x'] } }, {}, /cannot be a scope for claims/],
    ['the claim `sub` for a scope', { scopes: { me: ['sub'] } }, {}, /contains the claim `sub`/],
    ['an unknown option', { claimInIdToken: true }, {}, /unknown option `claimInIdToken`/],
    [
      'response types that are not a list',
      { responseTypes: 'id_token' },
      {},
      /`responseTypes` of `openid\(\)` must be a list/,
    ],
    ['a response type that is not a string', { responseTypes: [null] }, {}, /must be a list of 'code id_token'/],
    ['an unsupported response type', { responseTypes: ['token id_token'] }, {}, /must be a list of 'code id_token'/],
    [
      'an invalid language',
      { claimsLocales: ['French, of Canada'] },
      {},
      /`claimsLocales` of `openid\(\)` must be a list of languages/,
    ],
    ['a flag that is not a boolean', { claimsInIdToken: 'no' }, {}, /must be true or false/],
  ])('rejects at start-up %s', (_, given, setup, sentence) => {
    expect(() => start(given, setup as never)).toThrow(sentence);
  });

  it('rejects at start-up an infinite `lifetime` of logout()', async () => {
    const more = [logout({ lifetime: Infinity })];
    await expect(openIdServer({ more })).rejects.toThrow('`lifetime` of `logout()`');
  });

  it('can be shared by two servers that sign with their own keys', async () => {
    const feature = openid({ alg: 'ES256' });
    const { store, signIn, verifyIdToken } = await openIdServer({
      options: { features: [keys({ from: [EC] }), feature] },
    });
    void new OAuth2Server({
      model: store,
      issuer: ISSUER,
      features: [keys({ from: [{ ...EC, kid: 'of the other server' }] }), feature],
    });
    expect((await verifyIdToken((await signIn()).id_token)).protectedHeader).toMatchObject({ kid: 'ec' });
  });

  it('uses the default of each option that is undefined', async () => {
    const left = { alg: undefined, idTokenLifetime: undefined, scopes: undefined, maxAge: undefined, fetch: undefined };
    const flags = {
      claimsInIdToken: undefined,
      claimsParameter: undefined,
      offlineAccess: undefined,
      signUp: undefined,
    };
    const lists = { responseTypes: undefined, acrValues: undefined, pairwise: undefined };
    const { signIn, verifyIdToken, get } = await openIdServer({ ...left, ...flags, ...lists });
    const { payload, protectedHeader } = await verifyIdToken((await signIn()).id_token);
    expect([protectedHeader, payload.exp! - payload.iat!]).toEqual([expect.objectContaining({ alg: 'RS256' }), 3600]);
    expect(await get('openid-configuration')).toMatchObject({ claims_parameter_supported: true });
  });

  it('accepts an algorithm other than RS256 that the keys support', () => {
    expect(start({ alg: 'ES256' }, { from: [EC] as never })).toBeInstanceOf(OAuth2Server);
    expect(start({ alg: 'EdDSA' }, { from: [ED] as never })).toBeInstanceOf(OAuth2Server);
  });
});
