import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CompactSign, EncryptJWT, SignJWT, UnsecuredJWT } from 'jose';
import {
  authorizationDetails,
  type Feature,
  introspection,
  resourceIndicators,
  serverMetadata,
} from 'nest-oauth2/features';
import { type AssertionClaims, type AssertionIssuer, dpop, jwtBearer, type JwtBearerOptions } from 'nest-oauth2/jose';
import { type Client, OAuth2Server, OAuthError, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { callEndpoint } from '../../support/clients/call-endpoint.js';
import { ForeignIssuer, seconds } from '../../support/servers/foreign-issuer.js';
import { basic, FORM, formRequest } from '../../support/clients/requests.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ISSUER = 'https://as.example';
const [CHAT, FILES] = ['https://api.example/chat', 'https://api.example/files'];

let idp: ForeignIssuer;
let stranger: ForeignIssuer;
beforeAll(async () => {
  idp = await ForeignIssuer.make('https://idp.example');
  stranger = await ForeignIssuer.make('https://stranger.example');
});

class Store extends MemoryStore {
  requested: [AssertionClaims, Client][] = [];

  constructor() {
    const usual = { scopes: ['read', 'write'], defaultScope: ['read'], grants: [GRANT, 'refresh_token'] };
    const clients = [
      { ...usual, id: 'app', secret: 'secret' },
      { ...usual, id: 'other', secret: 'secret' },
      { ...usual, id: 'unregistered', secret: 'secret', grants: ['password'] },
      { ...usual, id: 'spa', tokenEndpointAuthMethod: 'none' },
    ];
    const findById = (id: string) => id === 'alice' && { id };
    super({ clients, users: { findById, findByCredentials: () => null } });
  }

  findAssertedUser(claims: AssertionClaims, client: Client) {
    this.requested.push([claims, client]);
    return claims.iss === 'https://idp.example' && claims.sub === 'U1' && { id: 'alice' };
  }
}

type Body = Record<string, unknown>;

interface More {
  features?: Feature[];
  /** Additional properties of the trusted issuer. */
  of?: Partial<AssertionIssuer>;
  /** Additional methods of the model. */
  methods?: object;
  /** A feature value that several servers share. If omitted, the server has one of its own. */
  shared?: Feature;
}

function setUp(options: Partial<JwtBearerOptions> = {}, { features = [], of = {}, methods, shared }: More = {}) {
  const trusted: AssertionIssuer = { issuer: idp.issuer, jwks: idp.jwks, ...of };
  const model = Object.assign(new Store(), methods);
  const heard: Body[] = [];
  const server = new OAuth2Server({
    model,
    issuer: ISSUER,
    features: [shared ?? jwtBearer({ issuers: [trusted], ...options }), introspection(), serverMetadata(), ...features],
    events: { emit: (name, payload) => heard.push({ name, ...payload }) },
  });
  const post = async (form: object, client: string | null = 'app'): Promise<Body> => {
    const response = new Response();
    const named = client === 'spa' ? { client_id: 'spa' } : {};
    const proven = client && client !== 'spa' ? { authorization: basic(client, 'secret') } : {};
    const request = formRequest({ ...named, ...form }, { headers: { ...FORM, ...proven } });
    await server.token(request, response).catch((error: unknown) => {
      if (!(error instanceof OAuthError)) throw error;
    });
    return { ...(response.body as Body), status: response.status };
  };
  const redeem = (assertion: string | undefined, form: object = {}, client: string | null = 'app') =>
    post({ grant_type: GRANT, assertion, ...form }, client);
  const introspect = async (token: unknown) =>
    (
      await callEndpoint(
        server,
        'introspection',
        formRequest({ token: String(token) }, { headers: { ...FORM, authorization: basic('app', 'secret') } }),
      )
    ).body as Body;
  return { server, model, heard, post, redeem, introspect };
}

/** Signs an assertion of the trusted issuer. */
const assertion = (claims: object = {}, header: object = {}) => idp.sign({ sub: 'U1', aud: ISSUER, ...claims }, header);

const REFUSED = {
  status: 400,
  error: 'invalid_grant',
  error_description: 'Invalid grant: the assertion is not accepted',
};

describe('a JWT bearer assertion of a trusted issuer (RFC 7523)', () => {
  it('is redeemed for an access token of its user, without a refresh token', async () => {
    const { redeem, introspect, model } = setUp();
    const answer = await redeem(await assertion({ email: 'alice@idp.example' }), { scope: 'write' });
    expect(answer).toEqual({
      status: 200,
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      scope: 'write',
    });
    expect(await introspect(answer['access_token'])).toMatchObject({ active: true, sub: 'alice', client_id: 'app' });
    const [[claims, client]] = model.requested as [[AssertionClaims, Client]];
    expect([claims['email'], client.id]).toEqual(['alice@idp.example', 'app']);
  });

  it('is redeemed for the default scope if the client requests none', async () => {
    expect(await setUp().redeem(await assertion())).toMatchObject({ scope: 'read' });
  });

  it.each([
    ['the type authorization-grant+jwt', {}, { typ: 'authorization-grant+jwt' }],
    ['the type JWT', {}, { typ: 'JWT' }],
    ['its type as a complete media type', {}, { typ: 'application/authorization-grant+jwt' }],
    ['an audience with a trailing slash', { aud: `${ISSUER}/` }, {}],
    ['an audience in a list of one', { aud: [ISSUER] }, {}],
    ['no `jti` and no `iat`', { jti: undefined, iat: undefined }, {}],
  ])('is accepted if it has %s', async (_what, claims, header) => {
    expect(await setUp().redeem(await assertion(claims, header))).toMatchObject({ status: 200 });
  });

  it('passes `act` and the authentication claims on to the access token', async () => {
    const { redeem, introspect, server } = setUp();
    const said = { act: { sub: 'agent' }, auth_time: 1_700_000_000, acr: 'gold', amr: ['hwk'] };
    const { access_token: token } = await redeem(await assertion(said));
    expect(await introspect(token)).toMatchObject({ act: { sub: 'agent' } });
    expect(await server.context.options.model.getAccessToken!(String(token))).toMatchObject(said);
  });

  it('passes no malformed claims on to the access token', async () => {
    const { redeem, server } = setUp();
    const { access_token: token } = await redeem(await assertion({ act: 'agent', auth_time: 'now', acr: 7, amr: [7] }));
    const kept = (await server.context.options.model.getAccessToken!(String(token))) as Body;
    expect(['act', 'auth_time', 'acr', 'amr'].filter((name) => name in kept)).toEqual([]);
  });

  const refusals: [string, () => Promise<string>][] = [
    ['an unknown issuer', () => stranger.sign({ sub: 'U1', aud: ISSUER })],
    [
      'an unknown issuer with the name of the trusted one',
      () => stranger.sign({ iss: idp.issuer, sub: 'U1', aud: ISSUER }),
    ],
    ['no issuer', () => assertion({ iss: undefined })],
    ['several issuers', () => assertion({ iss: [idp.issuer] })],
    ['the server itself', () => assertion({ iss: ISSUER })],
  ];
  it.each(refusals)('is rejected if it is from %s', async (_who, make) => {
    const { redeem, model } = setUp();
    expect(await redeem(await make())).toEqual(REFUSED);
    expect(model.requested).toEqual([]);
  });

  it.each([
    ['is for another server', { aud: 'https://elsewhere.example' }],
    ['is for this and another server', { aud: [ISSUER, 'https://elsewhere.example'] }],
    ['is for this server twice', { aud: [ISSUER, ISSUER] }],
    ['is for no audience', { aud: undefined }],
    ['is for the token endpoint, which the option `audiences` does not list', { aud: `${ISSUER}/oauth/token` }],
    ['is for an audience that is not a string', { aud: { iss: ISSUER } }],
    ['has no subject', { sub: undefined }],
    ['has an empty subject', { sub: '' }],
    ['has a subject that is not a string', { sub: { id: 'U1' } }],
    ['is expired', { exp: seconds() - 20 }],
    ['has no expiry', { exp: undefined }],
    ['is valid for longer than `maxLifetime`', { exp: seconds() + 7200 }],
    ['is valid until the largest number', { exp: Number.MAX_VALUE }],
    ['has an expiry that is not a number', { exp: 'tomorrow' }],
    ['is not valid yet', { nbf: seconds() + 60 }],
    ['is from the future', { iat: seconds() + 60 }],
    ['is for a user who does not exist', { sub: 'U2' }],
    ['is bound to a key without a proof of that key', { cnf: { jkt: 'x' } }],
  ])('is rejected if it %s', async (_what, claims) => {
    expect(await setUp().redeem(await assertion(claims))).toEqual(REFUSED);
  });

  it.each(['at+jwt', 'oauth-id-jag+jwt', 'dpop+jwt', 'logout+jwt', 'token-introspection+jwt'])(
    'is rejected if its header `typ` is %s',
    async (typ) => {
      expect(await setUp().redeem(await assertion({}, { typ }))).toEqual(REFUSED);
    },
  );

  it('is rejected without a signature, or with the public key as HMAC secret', async () => {
    const { redeem } = setUp();
    const claims = { iss: idp.issuer, sub: 'U1', aud: ISSUER, exp: seconds() + 60, jti: 'x' };
    const none = new UnsecuredJWT(claims).encode();
    const secret = new TextEncoder().encode(JSON.stringify(idp.jwk));
    const confused = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret);
    const stripped = `${(await assertion()).split('.', 2).join('.')}.`;
    for (const one of [none, confused, stripped]) expect(await redeem(one)).toEqual(REFUSED);
  });

  it('is rejected if it is signed with a key in its own header', async () => {
    const signed = await stranger.sign({ iss: idp.issuer, sub: 'U1', aud: ISSUER }, { jwk: stranger.jwk, kid: 'two' });
    expect(await setUp().redeem(signed)).toEqual(REFUSED);
  });

  it('is rejected with invalid_grant if `aud` is a deeply nested array', async () => {
    const aud = '['.repeat(5800) + ']'.repeat(5800);
    const claims = `{"iss":"${idp.issuer}","sub":"U1","exp":${seconds() + 60},"jti":"x","aud":${aud}}`;
    const header = { alg: idp.alg, kid: String(idp.jwk['kid']) };
    const text = await new CompactSign(new TextEncoder().encode(claims))
      .setProtectedHeader(header)
      .sign(idp.privateKey);
    expect(text.length).toBeLessThan(16_384);
    expect(await setUp().redeem(text)).toEqual(REFUSED);
  });

  it('is rejected if it is modified, nested, encrypted, too long or not a JWT', async () => {
    const { redeem } = setUp();
    const [header, payload, signature] = (await assertion()).split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'U1', admin: true })).toString('base64url');
    const key = new Uint8Array(32);
    const encrypted = await new EncryptJWT({ sub: 'U1' })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(key);
    const nested = await idp.sign({ sub: await assertion(), aud: ISSUER }, { cty: 'JWT' });
    const giant = await assertion({ padding: 'x'.repeat(20_000) });
    for (const one of [`${header}.${changed}.${signature}`, encrypted, nested, giant, 'a.b.c', 'x', '.'.repeat(9000)]) {
      expect(await redeem(one)).toEqual(REFUSED);
    }
  });

  it('causes an event with the reason if it is rejected, and the client learns no reason', async () => {
    const { redeem, heard } = setUp();
    expect(await redeem(await assertion({ aud: 'https://elsewhere.example' }))).toEqual(REFUSED);
    expect(heard.find(({ name }) => name === 'token.refused')).toMatchObject({
      grantType: GRANT,
      clientId: 'app',
      reason: 'assertion has another audience than this server, or several audiences',
      expected: [ISSUER],
      given: '"https://elsewhere.example"',
    });
  });

  it.each([undefined, ''])('causes invalid_request if it is missing: %p', async (missing) => {
    expect(await setUp().redeem(missing)).toMatchObject({ status: 400, error: 'invalid_request' });
  });
});

describe('replay detection for JWT bearer assertions', () => {
  it('accepts an assertion only once, even if it is sent several times concurrently', async () => {
    const { redeem } = setUp();
    const one = await assertion();
    const answers = await Promise.all([redeem(one), redeem(one), redeem(one)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await redeem(one)).toEqual(REFUSED);
  });

  it('accepts an assertion without `jti` only once, even with another form of its signature', async () => {
    const { redeem } = setUp();
    const one = await assertion({ jti: undefined });
    expect(await redeem(one)).toMatchObject({ status: 200 });
    expect(await redeem(one)).toEqual(REFUSED);
    // ECDSA allows a second signature of the same text, with n - s in place of s.
    const [text, signature] = [one.slice(0, one.lastIndexOf('.')), one.slice(one.lastIndexOf('.') + 1)];
    const bytes = Buffer.from(signature, 'base64url');
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
    const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
    expect(await redeem(`${text}.${other.toString('base64url')}`)).toEqual(REFUSED);
  });

  it('does not consume an assertion if the request fails for another reason', async () => {
    const { redeem } = setUp();
    const one = await assertion();
    expect(await redeem(one, { scope: 'admin' })).toMatchObject({ error: 'invalid_scope' });
    expect(await redeem(one)).toMatchObject({ status: 200 });
  });

  it('distinguishes the same `jti` of two issuers', async () => {
    const second = await ForeignIssuer.make('https://idp.example/two');
    const issuers = [idp, second].map(({ issuer, jwks }) => ({ issuer, jwks }));
    const { redeem, model } = setUp({ issuers });
    model.findAssertedUser = () => ({ id: 'alice' });
    expect(await redeem(await assertion({ jti: 'same' }))).toMatchObject({ status: 200 });
    expect(await redeem(await second.sign({ sub: 'U1', aud: ISSUER, jti: 'same' }))).toMatchObject({ status: 200 });
  });

  it('is off if `reusable` is true', async () => {
    const { redeem } = setUp({ reusable: true });
    const one = await assertion();
    expect([await redeem(one), await redeem(one)]).toMatchObject([{ status: 200 }, { status: 200 }]);
  });
});

describe('the client of a JWT bearer assertion', () => {
  it('must be confidential unless the option `clients` is `all`', async () => {
    expect(await setUp().redeem(await assertion(), {}, 'spa')).toMatchObject({ error: 'unauthorized_client' });
    expect(await setUp({ clients: 'all' }).redeem(await assertion(), {}, 'spa')).toMatchObject({ status: 200 });
  });

  it('must be registered for the grant', async () => {
    const answer = await setUp().redeem(await assertion(), {}, 'unregistered');
    expect(answer).toMatchObject({ error: 'unauthorized_client' });
  });

  it('is the client in the option `anonymous` if the request names no client', async () => {
    const { redeem, server } = setUp({ clients: 'all', anonymous: 'spa' });
    const { access_token: token } = await redeem(await assertion(), {}, null);
    expect(await server.context.options.model.getAccessToken!(String(token))).toMatchObject({ client: { id: 'spa' } });
    expect(await redeem(await assertion(), {}, 'app')).toMatchObject({ status: 200 });
    expect(await setUp().redeem(await assertion(), {}, null)).toMatchObject({ error: 'invalid_client' });
  });

  it.each([
    ['a secret', { client_secret: 'secret' }],
    ['a repeated secret', { client_secret: ['secret', 'secret'] }],
    ['an empty client_id', { client_id: '', client_secret: 'secret' }],
  ])('is not taken from the option `anonymous` if the request has %s', async (_what, form) => {
    const { redeem } = setUp({ clients: 'all', anonymous: 'spa' });
    expect(await redeem(await assertion(), form, null)).toMatchObject({ error: 'invalid_client' });
  });

  it('receives a refresh token if the option `refreshTokens` is true', async () => {
    const answer = await setUp({ refreshTokens: true }).redeem(await assertion());
    expect(answer).toMatchObject({ refresh_token: expect.any(String) });
  });

  it('can use the URL of the token endpoint as audience if the option `audiences` lists it', async () => {
    const audiences = [`${ISSUER}/oauth/token`];
    const answer = await setUp({ audiences }).redeem(await assertion({ aud: audiences[0] }));
    expect(answer).toMatchObject({ status: 200 });
  });
});

describe('an identity assertion (ID-JAG)', () => {
  const of = { profile: 'id-jag' } as const;
  const idJag = (claims: object = {}, header: object = {}) =>
    assertion({ client_id: 'app', ...claims }, { typ: 'oauth-id-jag+jwt', ...header });

  it('is redeemed by the client that it names, for its scope at most', async () => {
    const { redeem } = setUp({}, { of });
    expect(await redeem(await idJag({ scope: 'read write' }))).toMatchObject({ status: 200, scope: 'read write' });
    expect(await redeem(await idJag({ scope: 'read' }), { scope: 'read write' })).toMatchObject({ scope: 'read' });
    expect(await redeem(await idJag({ scope: 'read write' }), { scope: 'write' })).toMatchObject({ scope: 'write' });
    expect(await redeem(await idJag({ scope: 'read' }), { scope: 'write' })).toMatchObject({ error: 'invalid_scope' });
  });

  it.each([
    ['is for another client', { client_id: 'other' }, {}],
    ['has no client', { client_id: undefined }, {}],
    ['is for a list of clients', { client_id: ['app'] }, {}],
    ['is for an additional audience', { aud: [ISSUER, CHAT] }, {}],
    ['has no `jti`', { jti: undefined }, {}],
    ['has no `iat`', { iat: undefined }, {}],
    ['has a scope that is not a string', { scope: ['read'] }, {}],
    ['has a malformed scope', { scope: 'a"b' }, {}],
    [
      'has authorization details, for which the server has no feature',
      { authorization_details: [{ type: 'chat' }] },
      {},
    ],
    ['has a resource that is not a URI', { resource: 'chat' }, {}],
    ['has a resource that is an object', { resource: { uri: CHAT } }, {}],
    ['has 40 resources', { resource: Array.from({ length: 40 }, (_, at) => `${CHAT}/${at}`) }, {}],
    ['has the type JWT', {}, { typ: 'JWT' }],
    ['has no type', {}, { typ: undefined }],
    ['has the type of an access token', {}, { typ: 'at+jwt' }],
  ])('is rejected if it %s', async (_what, claims, header) => {
    expect(await setUp({}, { of }).redeem(await idJag(claims, header))).toEqual(REFUSED);
  });

  it('is rejected for an audience that is configured for other assertions', async () => {
    const audiences = ['https://as.example/oauth/token'];
    expect(await setUp({ audiences }, { of }).redeem(await idJag({ aud: audiences[0] }))).toEqual(REFUSED);
  });

  it('is rejected for a public client', async () => {
    const answer = await setUp({}, { of }).redeem(await idJag({ client_id: 'spa' }), {}, 'spa');
    expect(answer).toMatchObject({ error: 'unauthorized_client' });
  });

  it('binds the access token to its resources', async () => {
    const { redeem, introspect, server } = setUp({}, { of });
    const { access_token: token } = await redeem(await idJag({ resource: CHAT }));
    expect(await introspect(token)).toMatchObject({ aud: CHAT });
    expect(await server.context.options.model.getAccessToken!(String(token))).toMatchObject({ resource: [CHAT] });
  });

  it('limits the access token to its resources if the server has resource indicators', async () => {
    const features = [resourceIndicators({ resources: [CHAT, FILES] })];
    const { redeem, introspect } = setUp({}, { of, features });
    const audience = async (claims: object, form: object = {}) => {
      const { access_token: token, error } = await redeem(await idJag(claims), form);
      return error ?? (await introspect(token))['aud'];
    };
    expect(await audience({ resource: CHAT })).toBe(CHAT);
    expect(await audience({ resource: [CHAT, FILES] }, { resource: FILES })).toBe(FILES);
    expect(await audience({ resource: [CHAT, 'https://unknown.example/'] })).toBe(CHAT);
    expect(await audience({ resource: CHAT }, { resource: FILES })).toBe('invalid_target');
    expect(await audience({ resource: 'https://unknown.example/' })).toBe('invalid_target');
    expect(await audience({})).toBe('invalid_target');
    expect(await audience({}, { resource: FILES })).toBe(FILES);
  });

  it('is validated with the features of the receiving server, if two servers share one `jwtBearer()` value', async () => {
    const shared = jwtBearer({ issuers: [{ issuer: idp.issuer, jwks: idp.jwks, ...of }] });
    const details = { authorization_details: [{ type: 'chat' }] };
    const known = [authorizationDetails({ types: { chat: {} } }), resourceIndicators({ resources: [CHAT] })];
    const [knowing, plain] = [setUp({}, { shared, features: known }), setUp({}, { shared })];
    const claims = async (more: object) => idJag({ resource: [CHAT, FILES], ...more });
    expect(await knowing.redeem(await claims(details))).toMatchObject({ status: 200, ...details });
    expect(await plain.redeem(await claims(details))).toMatchObject(REFUSED);
    const audienceAt = async ({ redeem, introspect }: typeof plain) =>
      (await introspect((await redeem(await claims({ scope: 'read' })))['access_token']))['aud'];
    expect(await audienceAt(knowing)).toBe(CHAT);
    expect(await audienceAt(plain)).toEqual([CHAT, FILES]);
  });

  describe('with authorization details', () => {
    const READ = { type: 'chat', actions: ['read', 'list'], locations: [`${CHAT}/one`] };
    const PAY = { type: 'payment', amount: 45 };
    const types = { chat: {}, payment: { fields: ['amount'], required: ['amount'] } };
    const said = (...list: unknown[]) => ({ authorization_details: list });
    const setUpDetails = (methods: object = {}, features: Feature[] = []) =>
      setUp({}, { of, features: [authorizationDetails({ types }), ...features], methods });
    const requested = (...list: unknown[]) => ({ authorization_details: JSON.stringify(list) });

    it('is redeemed for its details of known types, or for the requested part of them', async () => {
      const { redeem, introspect } = setUpDetails();
      const all = await redeem(await idJag(said(READ, PAY, { type: 'unknown' })));
      expect(all).toMatchObject({ status: 200, authorization_details: [READ, PAY] });
      expect(await introspect(all['access_token'])).toMatchObject({ sub: 'alice', authorization_details: [READ, PAY] });
      const less = { ...READ, actions: ['read'] };
      expect(await redeem(await idJag(said(READ, PAY)), requested(less))).toMatchObject({
        authorization_details: [less],
      });
    });

    it('grants no scope that it does not contain', async () => {
      const { redeem } = setUpDetails();
      const alone = await redeem(await idJag(said(PAY)));
      expect(alone).toMatchObject({ status: 200 });
      expect(alone).not.toHaveProperty('scope');
      expect(await redeem(await idJag(said(PAY)), { scope: 'read' })).toMatchObject({ error: 'invalid_scope' });
      expect(await redeem(await idJag({ ...said(PAY), scope: 'write' }))).toMatchObject({ scope: 'write' });
    });

    it('grants no authorization details that it does not contain, even if the application allows them', async () => {
      const { redeem } = setUpDetails({ validateAuthorizationDetails: () => true });
      const refusal = { status: 400, error: 'invalid_authorization_details' };
      expect(await redeem(await idJag({ scope: 'read' }), requested(PAY))).toMatchObject(refusal);
      expect(await redeem(await idJag({ scope: 'read' }))).toMatchObject({ status: 200, scope: 'read' });
      expect(await redeem(await idJag(), requested(PAY))).toMatchObject({ authorization_details: [PAY] });
    });

    it.each([
      ['a larger value than it contains', said(PAY), requested({ ...PAY, amount: 46 })],
      ['another type than it contains', said(PAY), requested(READ)],
      ['unknown types only', said({ type: 'unknown' }), {}],
      ['a field that the type does not have', said({ ...PAY, to: 'mallory' }), {}],
      ['a missing field that the type requires', said({ type: 'payment' }), {}],
    ])('is rejected without being consumed for %s', async (_what, claims, form) => {
      const { redeem } = setUpDetails();
      const text = await idJag({ jti: 'kept', ...claims });
      expect(await redeem(text, form)).toMatchObject({ status: 400, error: 'invalid_authorization_details' });
      // The rejected request has not consumed the `jti`.
      expect(await redeem(await idJag({ jti: 'kept', ...said(PAY) }))).toMatchObject({ status: 200 });
    });

    it('is validated by the application and limited to the types of the client', async () => {
      const list: unknown[] = [];
      const validateAuthorizationDetails = (...given: unknown[]) => list.push(given) && false;
      const judged = setUpDetails({ validateAuthorizationDetails });
      expect(await judged.redeem(await idJag(said(PAY)))).toMatchObject({ error: 'invalid_authorization_details' });
      expect(list).toMatchObject([[[PAY], { id: 'app' }, { id: 'alice' }]]);
      const { redeem, model } = setUpDetails();
      const { getClient } = model;
      model.getClient = async (...by) => {
        const client = await getClient.apply(model, by);
        return client && { ...client, authorizationDetailsTypes: ['chat'] };
      };
      expect(await redeem(await idJag(said(PAY)))).toMatchObject({ error: 'invalid_authorization_details' });
      expect(await redeem(await idJag(said(READ)))).toMatchObject({ status: 200 });
    });

    it('is limited to the details for its resource', async () => {
      const { redeem } = setUpDetails({}, [resourceIndicators({ resources: [CHAT, FILES] })]);
      const elsewhere = { ...READ, locations: [FILES] };
      const answer = await redeem(await idJag({ ...said(READ, elsewhere), resource: CHAT }));
      expect(answer).toMatchObject({ status: 200, authorization_details: [READ] });
    });

    it.each([[[]], [[7]], [[{}]], [{ type: 'chat' }], ['chat'], [null]])(
      'is rejected with malformed authorization_details: %j',
      async (none) => {
        expect(await setUpDetails().redeem(await idJag({ authorization_details: none }))).toEqual(REFUSED);
      },
    );

    it('keeps the details for refreshed tokens', async () => {
      const features = [authorizationDetails({ types })];
      const { redeem, post } = setUp({ refreshTokens: true }, { of, features });
      const { refresh_token } = await redeem(await idJag(said(READ, PAY)));
      const answer = await post({ grant_type: 'refresh_token', refresh_token });
      expect(answer).toMatchObject({ status: 200, authorization_details: [READ, PAY] });
    });
  });

  it('is rejected without a proof of its key if it is sender-constrained', async () => {
    const { redeem } = setUp({}, { of, features: [dpop()] });
    expect(await redeem(await idJag({ cnf: { jkt: 'another' } }))).toEqual(REFUSED);
  });

  it('is listed in the server metadata as a grant profile, without its issuers', async () => {
    const asking = new Request({ method: 'GET', headers: {}, query: {} });
    const read = async (more: More) => (await callEndpoint(setUp({}, more).server, 'server-metadata', asking)).body;
    const said = { authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'] };
    expect(await read({ of })).toMatchObject({ ...said, grant_types_supported: expect.arrayContaining([GRANT]) });
    expect(await read({})).not.toHaveProperty('authorization_grant_profiles_supported');
    expect(JSON.stringify(await read({ of }))).not.toContain(idp.issuer);
  });
});

describe('the keys of a trusted issuer', () => {
  let remote: ForeignIssuer;
  let http: Server;
  let requested: string[];
  let keys: Record<string, unknown>[];
  let isDown: boolean;
  let isAtOpenId = false;
  beforeAll(async () => {
    http = createServer(({ url = '' }, response) => {
      requested.push(url);
      const document = url === '/keys' ? { keys } : { issuer: remote.issuer, jwks_uri: `${remote.issuer}/keys` };
      const isThere = !isAtOpenId || !url.endsWith('oauth-authorization-server');
      response
        .writeHead(isDown ? 503 : isThere ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(document));
    });
    await new Promise<void>((resolve) => {
      http.listen(0, '127.0.0.1', resolve);
    });
    remote = await ForeignIssuer.make(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  });
  afterAll(() => new Promise((resolve) => void http.close(resolve)));

  const start = (more: object = {}) => {
    [requested, keys, isDown] = [[], [remote.jwk], false];
    const { redeem, model } = setUp({ issuers: [{ issuer: remote.issuer, ...more }] });
    model.findAssertedUser = () => ({ id: 'alice' });
    return async (by = remote, header: object = {}) =>
      redeem(await by.sign({ iss: remote.issuer, sub: 'U1', aud: ISSUER }, header));
  };

  it('are found by the metadata of the issuer, cached, and fetched again for an unknown `kid`', async () => {
    const redeem = start({ coolDown: 0 });
    expect([await redeem(), await redeem()]).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(requested).toEqual(['/.well-known/oauth-authorization-server', '/keys']);
    const next = await ForeignIssuer.make(remote.issuer, 'ES256', 'two');
    keys = [remote.jwk, next.jwk];
    expect(await redeem(next)).toMatchObject({ status: 200 });
  });

  it('are not fetched again during the cool-down, whatever the `kid`', async () => {
    const redeem = start();
    await redeem();
    for (const kid of ['a', 'b', 'c']) expect(await redeem(remote, { kid })).toEqual(REFUSED);
    expect(requested).toHaveLength(2);
  });

  it('are not fetched for an assertion of an untrusted issuer', async () => {
    start();
    const { redeem } = setUp();
    expect(await redeem(await remote.sign({ sub: 'U1', aud: ISSUER }))).toEqual(REFUSED);
    expect(requested).toEqual([]);
  });

  describe('with findTrustedIssuer() of the model', () => {
    const redeemBy = (found: unknown, options: Partial<JwtBearerOptions> = { fetch: { allowLoopback: true } }) => {
      [requested, keys, isDown] = [[], [remote.jwk], false];
      const wanted: string[] = [];
      const findTrustedIssuer = (name: string) => {
        wanted.push(name);
        return found;
      };
      const methods = { findAssertedUser: () => ({ id: 'alice' }), findTrustedIssuer };
      const { redeem } = setUp({ issuers: undefined as never, ...options }, { methods });
      const bring = async (claims: object = {}) =>
        redeem(await remote.sign({ sub: 'U1', aud: ISSUER, client_id: 'app', ...claims }, { typ: 'oauth-id-jag+jwt' }));
      return { bring, wanted, redeem };
    };
    const known = () => ({ issuer: remote.issuer, profile: 'id-jag' });

    it('are fetched once, although the model is called for each assertion', async () => {
      const { bring, wanted } = redeemBy(known());
      expect([await bring(), await bring()]).toMatchObject([{ status: 200 }, { status: 200 }]);
      expect([wanted, requested]).toEqual([[remote.issuer, remote.issuer], expect.arrayContaining(['/keys'])]);
      expect(requested).toHaveLength(2);
    });

    it('are not fetched if the model returns them', async () => {
      const { bring } = redeemBy({ ...known(), jwks: remote.jwks });
      expect(await bring()).toMatchObject({ status: 200 });
      expect(requested).toEqual([]);
    });

    it('must not sign with an algorithm that a profile forbids', async () => {
      const findTrustedIssuer = () => ({ ...known(), jwks: remote.jwks });
      const methods = { findAssertedUser: () => ({ id: 'alice' }), findTrustedIssuer };
      const redeemUnder = async (forbidden: string) => {
        const profile = { id: 'profile', forbids: { algorithms: (alg: string) => alg === forbidden } };
        const { redeem } = setUp({ issuers: undefined as never }, { methods, features: [profile] });
        const claims = { sub: 'U1', aud: ISSUER, client_id: 'app' };
        return redeem(await remote.sign(claims, { typ: 'oauth-id-jag+jwt' }));
      };
      expect(await redeemUnder('RS256')).toMatchObject({ status: 200 });
      expect(await redeemUnder('ES256')).toEqual(REFUSED);
    });

    it('are found by the OpenID Connect metadata if there is no OAuth metadata', async () => {
      isAtOpenId = true;
      expect(await redeemBy(known()).bring()).toMatchObject({ status: 200 });
      isAtOpenId = false;
      expect(requested).toEqual([
        '/.well-known/oauth-authorization-server',
        '/.well-known/openid-configuration',
        '/keys',
      ]);
    });

    it('are not fetched from a private address', async () => {
      expect(await redeemBy(known(), {}).bring()).toMatchObject({ status: 503 });
      expect(await redeemBy({ ...known(), jwksUri: 'https://169.254.169.254/keys' }).bring()).toMatchObject({
        status: 503,
      });
      expect(requested).toEqual([]);
    });

    it('cause temporarily_unavailable after the timeout that the model returned, if the name server is slow', async () => {
      let give: (addresses: string[]) => void = () => undefined;
      const lookup = () => new Promise<string[]>((resolve) => (give = resolve));
      const found = { ...known(), jwksUri: 'https://slow.example/keys', timeout: 0.01 };
      const { bring } = redeemBy(found, { fetch: { lookup, timeout: 3600 } });
      expect(await bring()).toMatchObject({ status: 503, error: 'temporarily_unavailable' });
      give([]);
    });

    it('cause the assertion to be rejected if the model returns nothing, another issuer, or the server itself', async () => {
      expect(await redeemBy(false).bring()).toEqual(REFUSED);
      expect(await redeemBy({ ...known(), issuer: idp.issuer }).bring()).toEqual(REFUSED);
      expect(await redeemBy({ ...known(), issuer: ISSUER, jwks: remote.jwks }).bring({ iss: ISSUER })).toEqual(REFUSED);
    });
  });

  it('cause temporarily_unavailable if they cannot be fetched', async () => {
    const redeem = start();
    isDown = true;
    expect(await redeem()).toMatchObject({ status: 503, error: 'temporarily_unavailable' });
  });
});

describe('jwtBearer()', () => {
  const given = { issuer: 'https://idp.example' };
  it.each<[string, unknown, RegExp]>([
    ['issuers that are not a list', { issuers: given }, /`issuers` of `jwtBearer\(\)` must be a list/],
    ['an invalid timeout', { issuers: [given], fetch: { timeout: -1 } }, /timeout/],
    ['a repeated issuer', { issuers: [given, given] }, /lists the issuer `https:\/\/idp.example` twice/],
    [
      'an issuer with an http URL',
      { issuers: [{ issuer: 'http://idp.example' }] },
      /`issuer` of an issuer of `jwtBearer\(\)` must be an https URL/,
    ],
    ['a misspelled option', { issuers: [given], issuer: 'x' }, /unknown option `issuer` of `jwtBearer\(\)`/],
    [
      'a misspelled option of an issuer',
      { issuers: [{ ...given, jwk: {} }] },
      /unknown option `jwk` of an issuer of `jwtBearer\(\)`/,
    ],
    [
      'a weak algorithm',
      { issuers: [{ ...given, algorithms: ['HS256'] }] },
      /`algorithms` of an issuer of `jwtBearer\(\)` must be a list of/,
    ],
    ['an unknown profile', { issuers: [{ ...given, profile: 'saml' }] }, /`profile` of an issuer of/],
    ['an unknown value of `clients`', { issuers: [given], clients: 'none' }, /`clients` of `jwtBearer\(\)` must be/],
    [
      'an anonymous client that would have to authenticate',
      { issuers: [given], anonymous: 'spa' },
      /requires `clients: 'all'`/,
    ],
    ['a maximum lifetime of 0', { issuers: [given], maxLifetime: 0 }, /`maxLifetime` of .* must be/],
  ])('rejects %s', (_what, options, sentence) => {
    expect(() => jwtBearer(options as JwtBearerOptions)).toThrow(sentence);
  });

  it('rejects at start-up its own issuer, a server without issuer, and an unsuitable model', () => {
    const features = [jwtBearer({ issuers: [{ issuer: ISSUER }] })];
    expect(() => new OAuth2Server({ model: new Store(), issuer: ISSUER, features })).toThrow(/own issuer/);
    const none = { model: new Store(), issuer: ISSUER, features: [jwtBearer()] };
    expect(() => new OAuth2Server(none)).toThrow(/trusts no issuer/);
    const others = [jwtBearer({ issuers: [given] })];
    expect(() => new OAuth2Server({ model: new Store(), features: others })).toThrow(/Set the option `issuer`/);
    const model = new MemoryStore({ clients: [], users: { findById: () => null, findByCredentials: () => null } });
    expect(() => new OAuth2Server({ model, issuer: ISSUER, features: others })).toThrow(/findAssertedUser/);
  });
});
