import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { serverMetadata, tokenExchange } from 'nest-oauth2/features';
import { type AssertionClaims, jwtBearer, keys } from 'nest-oauth2/jose';
import {
  type AssertionPermission,
  type AssertionRequest,
  identityAssertions,
  type IdentityAssertionsOptions,
  openid,
  type OpenIdOptions,
} from 'nest-oauth2/openid';
import { InsufficientUserAuthenticationError, OAuth2Server, OAuthError, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { callEndpoint } from '../../support/clients/call-endpoint.js';
import { ForeignIssuer, seconds } from '../../support/servers/foreign-issuer.js';
import { basic, FORM, formRequest } from '../../support/clients/requests.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
const [IDP, CHAT, API] = ['https://idp.example', 'https://chat.example', 'https://api.chat.example/'];

/** The keys of the identity provider, used to create ID tokens that it would not issue. */
let own: ForeignIssuer;
let stranger: ForeignIssuer;
beforeAll(async () => {
  own = await ForeignIssuer.make(IDP);
  stranger = await ForeignIssuer.make(IDP);
});

type Body = Record<string, unknown>;

class Store extends MemoryStore {
  requested: AssertionRequest[] = [];
  answer: boolean | AssertionPermission = true;
  refusal: Error | undefined;

  constructor() {
    const usual = { scopes: ['openid', 'read'], grants: [GRANT, 'password', 'refresh_token'] };
    const clients = [
      { ...usual, id: 'wiki', secret: 'secret', redirectUris: ['https://wiki.example/callback'] },
      { ...usual, id: 'other', secret: 'secret' },
      { ...usual, id: 'spa', tokenEndpointAuthMethod: 'none' },
    ];
    const findById = (id: string) => id === 'alice' && { id };
    super({ clients, users: { findById, findByCredentials: findById } });
  }

  findAssertedUser({ iss, sub }: AssertionClaims) {
    return iss === IDP && sub === 'alice' && { id: 'alice' };
  }

  getClaims() {
    return {};
  }

  mayAssert(requested: AssertionRequest) {
    this.requested.push(requested);
    if (this.refusal) throw this.refusal;
    return this.answer;
  }
}

function setUp(options: IdentityAssertionsOptions = {}, of: OpenIdOptions = {}) {
  const model = new Store();
  const heard: Body[] = [];
  const server = new OAuth2Server({
    model,
    issuer: IDP,
    features: [
      keys({ from: [own.privateJwk] }),
      openid({ alg: 'ES256', ...of }),
      tokenExchange(),
      identityAssertions(options),
      serverMetadata(),
    ],
    events: { emit: (name, payload) => heard.push({ name, ...payload }) },
  });
  const post = async (form: Body, client = 'wiki'): Promise<Body> => {
    const response = new Response();
    const [named, proven] =
      client === 'spa' ? [{ client_id: 'spa' }, {}] : [{}, { authorization: basic(client, 'secret') }];
    const request = formRequest({ ...named, ...form }, { headers: { ...FORM, ...proven } });
    await server.token(request, response).catch((error: unknown) => {
      if (!(error instanceof OAuthError)) throw error;
    });
    return { ...(response.body as Body), status: response.status };
  };
  const exchange = (token: unknown, form: Body = {}, client = 'wiki') =>
    post(
      {
        grant_type: GRANT,
        requested_token_type: type('id-jag'),
        subject_token: token,
        subject_token_type: type('id_token'),
        audience: CHAT,
        ...form,
      },
      client,
    );
  return { server, model, post, exchange, heard };
}

const idToken = (claims: object = {}, header: object = {}, by = own) =>
  by.sign({ sub: 'alice', aud: 'wiki', ...claims }, { typ: 'JWT', ...header });
const claimsIn = (answer: Body) => decodeJwt(String(answer['access_token']));

describe('an identity assertion (ID-JAG) issued by identityAssertions()', () => {
  it('is issued for an ID token, and is not an access token', async () => {
    const { exchange, server, heard } = setUp();
    const answer = await exchange(await idToken(), { scope: 'chat.read', resource: API });
    expect(answer).toEqual({
      status: 200,
      issued_token_type: type('id-jag'),
      access_token: expect.any(String),
      token_type: 'N_A',
      scope: 'chat.read',
      expires_in: expect.closeTo(300, -1),
    });
    const assertion = String(answer['access_token']);
    expect(decodeProtectedHeader(assertion)).toEqual({ alg: 'ES256', kid: 'one', typ: 'oauth-id-jag+jwt' });
    expect(decodeJwt(assertion)).toEqual({
      iss: IDP,
      sub: 'alice',
      aud: CHAT,
      client_id: 'wiki',
      iat: expect.closeTo(seconds(), -1),
      exp: expect.closeTo(seconds() + 300, -1),
      jti: expect.any(String),
      scope: 'chat.read',
      resource: API,
    });
    expect(await server.context.options.model.getAccessToken!(assertion)).toBeFalsy();
    const { grantId, ...issued } = heard.find(({ name }) => name === 'token.issued')!;
    expect([issued, grantId]).toMatchObject([{ grantType: GRANT, clientId: 'wiki', userId: 'alice' }, undefined]);
  });

  it('contains what the application allows, which cannot replace the claims of the server', async () => {
    const { exchange, model } = setUp();
    model.answer = {
      clientId: 'wiki-at-chat',
      audience: `${CHAT}/`,
      scope: ['chat.read'],
      resource: [API, 'https://files.chat.example/'],
      claims: { email: 'alice@example.com', iss: 'https://else.example', exp: 1, jti: 'x', nbf: 1 },
    };
    const answer = await exchange(await idToken(), { audience: 'chat', scope: 'chat.read chat.write', resource: API });
    expect(answer).toMatchObject({ scope: 'chat.read' });
    expect(claimsIn(answer)).toEqual({
      iss: IDP,
      sub: 'alice',
      aud: `${CHAT}/`,
      client_id: 'wiki-at-chat',
      iat: expect.any(Number),
      exp: expect.closeTo(seconds() + 300, -1),
      jti: expect.stringMatching(/.{16}/),
      scope: 'chat.read',
      resource: [API, 'https://files.chat.example/'],
      email: 'alice@example.com',
    });
    expect(model.requested).toMatchObject([
      {
        client: { id: 'wiki' },
        authenticationMethod: 'client_secret_basic',
        audience: 'chat',
        scope: 'chat.read chat.write',
        resource: [API],
        subject: { user: { id: 'alice' }, type: type('id_token'), allClaims: { sub: 'alice', aud: 'wiki' } },
      },
    ]);
  });

  const READ = { type: 'chat_read', actions: ['read', 'list'], locations: [`${API}channels`] };
  const PAY = { type: 'payment', amount: 45 };
  const details = (...list: unknown[]) => ({ authorization_details: JSON.stringify(list) });

  it('contains all requested authorization details if the application allows the request', async () => {
    const { exchange, model } = setUp();
    const answer = await exchange(await idToken(), details(READ, PAY));
    expect(answer['authorization_details']).toEqual([READ, PAY]);
    expect(claimsIn(answer)['authorization_details']).toEqual([READ, PAY]);
    expect(model.requested[0]!.authorizationDetails).toEqual([READ, PAY]);
    expect(await exchange(await idToken())).not.toHaveProperty('authorization_details');
    expect(model.requested[1]).not.toHaveProperty('authorizationDetails');
  });

  it('contains fewer authorization details if the application grants fewer', async () => {
    const { exchange, model } = setUp();
    const less = { ...READ, actions: ['read'] };
    model.answer = { authorizationDetails: [less] };
    const answer = await exchange(await idToken(), details(READ, PAY));
    expect(answer['authorization_details']).toEqual([less]);
    expect(claimsIn(answer)['authorization_details']).toEqual([less]);
    for (const permission of [{ scope: 'chat.read' }, { claims: { authorization_details: [PAY] } }]) {
      model.answer = permission;
      const without = await exchange(await idToken(), details(READ, PAY));
      expect(without).toMatchObject({ status: 200, authorization_details: [] });
      expect(claimsIn(without)).not.toHaveProperty('authorization_details');
    }
  });

  it.each([
    ['more details than requested', [PAY]],
    ['details that are not a list', PAY],
    ['details that are not objects', [7]],
  ])('is not issued if the application grants %s', async (_what, given) => {
    const { exchange, model } = setUp();
    model.answer = { authorizationDetails: given as never };
    expect(await exchange(await idToken(), details(READ))).toMatchObject({ error: 'server_error' });
  });

  it.each(['{}', '[]', '[7]', '[{}]', 'x', JSON.stringify([{ type: 'a', actions: 'read' }])])(
    'is not issued for malformed authorization details: %s',
    async (text) => {
      const { exchange, model } = setUp();
      const answer = await exchange(await idToken(), { authorization_details: text });
      expect(answer).toMatchObject({ status: 400, error: 'invalid_authorization_details' });
      expect(model.requested).toEqual([]);
    },
  );

  it('contains `auth_time`, `acr` and `amr` of the ID token, and no session id or nonce', async () => {
    const said = { auth_time: 1_700_000_000, acr: 'gold', amr: ['hwk'], sid: 'session', nonce: 'n' };
    const claims = claimsIn(await setUp().exchange(await idToken(said)));
    expect(claims).toMatchObject({ auth_time: 1_700_000_000, acr: 'gold', amr: ['hwk'] });
    expect([claims['sid'], claims['nonce']]).toEqual([undefined, undefined]);
  });

  it('is not valid for longer than the ID token', async () => {
    const { exchange } = setUp({ lifetime: 600 });
    const answer = await exchange(await idToken({ exp: seconds() + 60 }));
    expect(answer['expires_in']).toBeLessThanOrEqual(60);
    expect(claimsIn(answer).exp).toBeLessThanOrEqual(seconds() + 60);
  });

  it('contains the pairwise subject of the user at the relying party that the application names', async () => {
    const pairwise = { salt: 'x'.repeat(32), byDefault: true };
    const { exchange, model } = setUp({}, { pairwise });
    model.findAssertedUser = () => ({ id: 'alice' });
    const token = await idToken({ sub: 'pairwise' });
    const relyingParty = { id: 'chat', grants: [], redirectUris: ['https://chat.example/callback'] };
    model.answer = { relyingParty };
    const there = claimsIn(await exchange(token)).sub;
    model.answer = true;
    const here = claimsIn(await exchange(token)).sub;
    expect(there).not.toBe(here);
    expect([there, here]).not.toContain('alice');
  });

  it('is issued for a refresh token of the client, which stays valid', async () => {
    const { post, exchange } = setUp();
    const tokens = await post({ grant_type: 'password', username: 'alice', password: 'x', scope: 'read' });
    const of = { subject_token_type: type('refresh_token') };
    expect(claimsIn(await exchange(tokens['refresh_token'], of))).toMatchObject({ sub: 'alice', aud: CHAT });
    expect(await exchange(tokens['refresh_token'], of, 'other')).toMatchObject({ error: 'invalid_request' });
    const again = { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] };
    expect(await post(again)).toMatchObject({ status: 200 });
  });

  it('is not issued for an access token', async () => {
    const { post, exchange, model } = setUp();
    const tokens = await post({ grant_type: 'password', username: 'alice', password: 'x', scope: 'read' });
    const answer = await exchange(tokens['access_token'], { subject_token_type: type('access_token') });
    expect(answer).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(model.requested).toEqual([]);
  });

  const REFUSED = {
    status: 400,
    error: 'invalid_request',
    error_description: 'Invalid request: `subject_token` is invalid',
  };

  it.each<[string, () => Promise<string> | string]>([
    ['of another client', () => idToken({ aud: 'other' })],
    ['of several clients', () => idToken({ aud: ['wiki', 'other'] })],
    ['of another issuer', () => idToken({ iss: 'https://else.example' })],
    ['signed with another key', () => idToken({}, {}, stranger)],
    ['that has expired', () => idToken({ exp: seconds() - 1 })],
    ['without an expiry', () => idToken({ exp: undefined })],
    ['of an unknown user', () => idToken({ sub: 'mallory' })],
    ['that is an access token', () => idToken({}, { typ: 'at+jwt' })],
    ['that is an identity assertion', () => idToken({}, { typ: 'oauth-id-jag+jwt' })],
    ['that is not a JWT', () => 'x'],
  ])('is not issued for an ID token %s', async (_what, make) => {
    const { exchange, model } = setUp();
    expect(await exchange(await make())).toEqual(REFUSED);
    expect(model.requested).toEqual([]);
  });

  it.each<[string, Body, string]>([
    ['no audience', { audience: undefined }, 'invalid_request'],
    ['several audiences', { audience: [CHAT, API] }, 'invalid_request'],
    ['a malformed audience', { audience: 'the chat' }, 'invalid_request'],
    ['the server itself as audience', { audience: IDP }, 'invalid_target'],
    ['the server itself in another spelling as audience', { audience: `${IDP}/` }, 'invalid_target'],
    ['a malformed resource', { resource: 'chat' }, 'invalid_target'],
    ['an unsupported token type', { requested_token_type: type('saml2') }, 'invalid_request'],
  ])('is not issued for %s', async (_what, form, error) => {
    const { exchange, model } = setUp();
    expect(await exchange(await idToken(), form)).toMatchObject({ status: 400, error });
    expect(model.requested).toEqual([]);
  });

  it('is not issued if the application refuses it or requires another login', async () => {
    const { exchange, model } = setUp();
    model.answer = false;
    expect(await exchange(await idToken())).toEqual({
      status: 400,
      error: 'invalid_target',
      error_description: 'Invalid target: no identity assertion is issued for `audience`',
    });
    model.refusal = new InsufficientUserAuthenticationError('Sign in by a second factor', { code: 400 });
    expect(await exchange(await idToken())).toMatchObject({ status: 400, error: 'insufficient_user_authentication' });
  });

  it('is not issued to a public client', async () => {
    const answer = await setUp().exchange(await idToken({ aud: 'spa' }), {}, 'spa');
    expect(answer).toMatchObject({ status: 400, error: 'unauthorized_client' });
  });

  it('does not make ID tokens exchangeable for access tokens, but only for identity assertions', async () => {
    const { exchange } = setUp();
    const answer = await exchange(await idToken(), { requested_token_type: undefined, audience: undefined });
    expect(answer).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  it('is listed in the server metadata', async () => {
    const asking = new Request({ method: 'GET', headers: {}, query: {} });
    expect((await callEndpoint(setUp().server, 'server-metadata', asking)).body).toMatchObject({
      identity_chaining_requested_token_types_supported: [type('id-jag')],
    });
  });

  it('is redeemed once, at the server that it is for, by the client that it names', async () => {
    const { exchange, model } = setUp();
    model.answer = { clientId: 'wiki-at-chat' };
    class Chat extends MemoryStore {
      constructor() {
        const client = { secret: 'secret', grants: [BEARER], scopes: ['chat.read', 'chat.write'] };
        const clients = [
          { ...client, id: 'wiki-at-chat' },
          { ...client, id: 'mallory' },
        ];
        super({ clients, users: { findById: (id) => ({ id }), findByCredentials: () => null } });
      }
      findAssertedUser({ iss, sub }: AssertionClaims) {
        return iss === IDP && { id: `acme:${sub}` };
      }
    }
    const issuers = [{ issuer: IDP, jwks: own.jwks, profile: 'id-jag' as const }];
    const chat = new OAuth2Server({ model: new Chat(), issuer: CHAT, features: [jwtBearer({ issuers })] });
    const redeem = async (assertion: unknown, client: string) => {
      const headers = { ...FORM, authorization: basic(client, 'secret') };
      const response = new Response();
      const form = { grant_type: BEARER, assertion: String(assertion) };
      await chat.token(formRequest(form, { headers }), response).catch(() => undefined);
      return response.body as Body;
    };
    const token = await idToken();
    const { access_token: assertion } = await exchange(token, { scope: 'chat.read' });
    expect(await redeem(assertion, 'mallory')).toMatchObject({ error: 'invalid_grant' });
    expect(await redeem(assertion, 'wiki-at-chat')).toMatchObject({ token_type: 'Bearer', scope: 'chat.read' });
    expect(await redeem(assertion, 'wiki-at-chat')).toMatchObject({ error: 'invalid_grant' });
    // The ID token itself is not accepted there.
    expect(await redeem(token, 'wiki-at-chat')).toMatchObject({ error: 'invalid_grant' });
    const { access_token: elsewhere } = await exchange(token, { audience: 'https://mail.example' });
    expect(await redeem(elsewhere, 'wiki-at-chat')).toMatchObject({ error: 'invalid_grant' });
  });

  it.each<[string, IdentityAssertionsOptions, RegExp]>([
    ['a lifetime of a day', { lifetime: 86_400 }, /`lifetime` of `identityAssertions\(\)`/],
    ['a lifetime of 0', { lifetime: 0 }, /`lifetime` of `identityAssertions\(\)`/],
    ['a weak algorithm', { alg: 'HS256' as never }, /`alg` of `identityAssertions\(\)` must be one of/],
    ['an algorithm without a key', { alg: 'PS256' }, /no key in `keys\(\)` supports `alg: 'PS256'`/],
    ['a misspelled option', { ttl: 5 } as never, /unknown option `ttl`/],
  ])('cannot be configured with %s', (_what, options, sentence) => {
    expect(() => setUp(options)).toThrow(sentence);
  });

  it.each<[string, () => unknown, RegExp]>([
    ['openid()', () => [tokenExchange(), identityAssertions()], /requires `openid\(\)`/],
    [
      'tokenExchange()',
      () => [keys({ from: [own.privateJwk] }), openid({ alg: 'ES256' }), identityAssertions()],
      /requires `tokenExchange\(\)`/,
    ],
  ])('requires the feature %s', (_what, features, sentence) => {
    const make = () => new OAuth2Server({ model: new Store(), issuer: IDP, features: features() as never });
    expect(make).toThrow(sentence);
  });

  it('requires mayAssert() of the model', () => {
    const model = Object.assign(new Store(), { mayAssert: undefined });
    const features = [
      keys({ from: [own.privateJwk] }),
      openid({ alg: 'ES256' }),
      tokenExchange(),
      identityAssertions(),
    ];
    expect(() => new OAuth2Server({ model, issuer: IDP, features })).toThrow(/mayAssert/);
  });
});
