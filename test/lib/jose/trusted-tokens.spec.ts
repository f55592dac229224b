import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { UnsecuredJWT } from 'jose';
import { type ExchangeRequest, introspection, tokenExchange } from 'nest-oauth2/features';
import {
  type AssertionClaims,
  dpop,
  jwtAccessTokens,
  keys,
  trustedTokens,
  type TrustedTokensOptions,
} from 'nest-oauth2/jose';
import { OAuth2Server, OAuthError, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { callEndpoint } from '../../support/clients/call-endpoint.js';
import { ForeignIssuer, seconds } from '../../support/servers/foreign-issuer.js';
import { basic, FORM, formRequest } from '../../support/clients/requests.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
const ISSUER = 'https://id.example';
const SCOPE = { scope: 'read write' };

let idp: ForeignIssuer;
let partner: ForeignIssuer;
let stranger: ForeignIssuer;
beforeAll(async () => {
  idp = await ForeignIssuer.make('https://idp.example');
  partner = await ForeignIssuer.make('https://partner.example', 'EdDSA');
  stranger = await ForeignIssuer.make('https://stranger.example');
});

class Store extends MemoryStore {
  requested: ExchangeRequest[] = [];

  constructor() {
    const usual = { secret: 'secret', scopes: ['read', 'write'], grants: [GRANT, 'client_credentials'] };
    const findById = (id: string) => ['alice', 'robot'].includes(id) && { id };
    super({ clients: [{ ...usual, id: 'api' }], users: { findById, findByCredentials: () => null } });
  }

  findAssertedUser({ iss, sub }: AssertionClaims) {
    const known: Record<string, string> = { 'https://idp.example U1': 'alice', 'https://partner.example R1': 'robot' };
    const id = known[`${iss} ${sub}`];
    return id !== undefined && { id };
  }

  mayExchange(exchange: ExchangeRequest) {
    this.requested.push(exchange);
    return true;
  }
}

type Body = Record<string, unknown>;

describe('token exchange with trustedTokens()', () => {
  let store: Store;
  let server: OAuth2Server;
  let heard: Body[];
  beforeEach(() => {
    store = new Store();
    heard = [];
    const issuers = [
      { issuer: idp.issuer, jwks: idp.jwks, audience: ['our-client-id', 'https://api.example/'], scope: 'read write' },
      { issuer: partner.issuer, jwks: partner.jwks },
    ];
    server = new OAuth2Server({
      model: store,
      issuer: ISSUER,
      features: [tokenExchange(), trustedTokens({ issuers }), introspection(), dpop()],
      events: { emit: (name, payload) => heard.push({ name, ...payload }) },
    });
  });

  const post = async (form: Body, at = server): Promise<Body> => {
    const response = new Response();
    const request = formRequest(form, { headers: { ...FORM, authorization: basic('api', 'secret') } });
    await at.token(request, response).catch((error: unknown) => {
      if (!(error instanceof OAuthError)) throw error;
    });
    return { ...(response.body as Body), status: response.status };
  };
  const exchange = (token: string, of: string, form: object = {}) =>
    post({ grant_type: GRANT, subject_token: token, subject_token_type: type(of), ...form });
  const introspect = async (token: unknown) =>
    (
      await callEndpoint(
        server,
        'introspection',
        formRequest({ token: String(token) }, { headers: { ...FORM, authorization: basic('api', 'secret') } }),
      )
    ).body as Body;

  const idToken = (claims: object = {}, header: object = {}) =>
    idp.sign({ sub: 'U1', aud: 'our-client-id', ...claims }, header);
  const accessToken = (claims: object = {}, header: object = {}) =>
    idp.sign({ sub: 'U1', aud: 'https://api.example/', client_id: 'app', ...claims }, { typ: 'at+jwt', ...header });

  it.each<[string, () => Promise<string>, string]>([
    ['an ID token', () => idToken(), 'id_token'],
    ['an ID token with the type JWT', () => idToken({}, { typ: 'JWT' }), 'id_token'],
    ['an access token', () => accessToken(), 'access_token'],
    ['an access token that is declared as a JWT', () => accessToken(), 'jwt'],
    ['a JWT', () => idToken(), 'jwt'],
    ['a JWT for several audiences', () => idToken({ aud: ['another', 'our-client-id'] }), 'jwt'],
    [
      'an ID token for several audiences that was issued to this server',
      () => idToken({ aud: ['x', 'our-client-id'], azp: 'our-client-id' }),
      'id_token',
    ],
  ])('accepts %s', async (_what, make, of) => {
    const answer = await exchange(await make(), of);
    expect(answer).toMatchObject({ status: 200, issued_token_type: type('access_token'), ...SCOPE });
    expect(answer['expires_in']).toBeLessThanOrEqual(310);
    expect(await introspect(answer['access_token'])).toMatchObject({ active: true, sub: 'alice', client_id: 'api' });
    expect(store.requested).toMatchObject([
      { subject: { type: type(of), user: { id: 'alice' }, allClaims: { iss: idp.issuer } } },
    ]);
    expect(store.requested[0]!.subject.token).toBeUndefined();
  });

  it('accepts an expired token within the clock tolerance', async () => {
    const answer = await exchange(await idToken({ exp: seconds() - 2 }), 'id_token');
    expect(answer).toMatchObject({ status: 200 });
    expect(answer['expires_in']).toBeLessThanOrEqual(8);
  });

  it('grants no scope beyond that of the token and the option `scope` of its issuer', async () => {
    const scopeOf = async (claims: object, form: object = {}) => {
      const { scope, error } = await exchange(await accessToken(claims), 'access_token', form);
      return error ?? scope;
    };
    expect(await scopeOf({ scope: 'read admin' })).toBe('read');
    expect(await scopeOf({ scope: 'admin' })).toBeUndefined();
    expect(await scopeOf({ scope: 'read' }, { scope: 'write' })).toBe('invalid_scope');
    expect(await scopeOf({}, { scope: 'admin' })).toBe('invalid_scope');
    const without = await exchange(await partner.sign({ sub: 'R1', aud: ISSUER, scope: 'read' }), 'jwt');
    expect([without['status'], without['scope']]).toEqual([200, undefined]);
  });

  it('names the actor in `act`', async () => {
    const actor = { actor_token: await partner.sign({ sub: 'R1', aud: ISSUER }), actor_token_type: type('jwt') };
    const { access_token: token } = await exchange(await idToken(), 'id_token', actor);
    const act = { sub: 'R1', iss: partner.issuer };
    expect(await introspect(token)).toMatchObject({ sub: 'alice', act });
    const { access_token: again } = await exchange(await idToken({ act: { sub: 'before' } }), 'id_token', actor);
    expect(await introspect(again)).toMatchObject({ act: { ...act, act: { sub: 'before' } } });
  });

  it('applies the claim `may_act` of the subject token to the actor token', async () => {
    const actor = { actor_token: await partner.sign({ sub: 'R1', aud: ISSUER }), actor_token_type: type('jwt') };
    const may = async (may_act: unknown) => (await exchange(await idToken({ may_act }), 'id_token', actor))['status'];
    expect(await may({ sub: 'R1', iss: partner.issuer })).toBe(200);
    expect(await may({ sub: 'R1', iss: 'https://else.example' })).toBe(400);
    expect(await may('R1')).toBe(400);
  });

  const REFUSED = {
    status: 400,
    error: 'invalid_request',
    error_description: 'Invalid request: `subject_token` is invalid',
  };

  it.each<[string, () => Promise<string> | string, string]>([
    ['a token of an unknown issuer', () => stranger.sign({ sub: 'U1', aud: 'our-client-id' }), 'id_token'],
    [
      'a token signed by an unknown issuer with the name of a trusted one',
      () => stranger.sign({ iss: idp.issuer, sub: 'U1', aud: 'our-client-id' }),
      'jwt',
    ],
    ['an ID token for another audience', () => idToken({ aud: 'another' }), 'id_token'],
    [
      'an ID token for several audiences that was issued to another client',
      () => idToken({ aud: ['our-client-id', 'x'], azp: 'x' }),
      'id_token',
    ],
    ['an ID token for several audiences without `azp`', () => idToken({ aud: ['our-client-id', 'x'] }), 'id_token'],
    ['a token without an audience', () => idToken({ aud: undefined }), 'jwt'],
    ['an access token for another resource', () => accessToken({ aud: 'https://mail.example/' }), 'access_token'],
    ['an ID token that is declared as an access token', () => idToken(), 'access_token'],
    ['an access token that is declared as an ID token', () => accessToken({ aud: 'our-client-id' }), 'id_token'],
    ['an expired token', () => idToken({ exp: seconds() - 60 }), 'id_token'],
    ['a token without an expiry', () => idToken({ exp: undefined }), 'id_token'],
    ['a token that is not valid yet', () => idToken({ nbf: seconds() + 60 }), 'id_token'],
    ['an identity assertion', () => idToken({}, { typ: 'oauth-id-jag+jwt' }), 'jwt'],
    ['a token of an unknown user', () => idToken({ sub: 'U2' }), 'id_token'],
    ['a token with the subject of another issuer', () => partner.sign({ sub: 'U1', aud: ISSUER }), 'jwt'],
    ['a sender-constrained token', () => idToken({ cnf: { jkt: 'x' } }), 'jwt'],
    ['a token with an unknown confirmation', () => idToken({ cnf: 'x' }), 'jwt'],
    ['a token that is too long', () => idToken({ padding: 'x'.repeat(20_000) }), 'jwt'],
    ['text that is not a JWT', () => 'token', 'jwt'],
    ['an unknown access token', () => 'token', 'access_token'],
    ['a token of another issuer that is declared as a refresh token', () => idToken(), 'refresh_token'],
    [
      'a token without signature',
      () => new UnsecuredJWT({ iss: idp.issuer, sub: 'U1', aud: 'our-client-id', exp: seconds() + 60 }).encode(),
      'jwt',
    ],
  ])('rejects %s', async (_what, make, of) => {
    expect(await exchange(await make(), of)).toEqual(REFUSED);
    expect(store.requested).toEqual([]);
  });

  it('rejects an invalid actor token as well, and emits an event with the reason', async () => {
    const actor = { actor_token: await idToken({ aud: 'another' }), actor_token_type: type('id_token') };
    const answer = await exchange(await idToken(), 'id_token', actor);
    expect(answer).toMatchObject({ error_description: 'Invalid request: `actor_token` is invalid' });
    const refusal = heard.find(({ name }) => name === 'token.refused');
    expect(refusal).toMatchObject({ reason: 'token was not issued for this server', given: '"another"' });
  });

  it('accepts an access token of this server with the token type access_token, but not jwt', async () => {
    const { access_token: own } = await post({ grant_type: 'client_credentials', scope: 'read' });
    expect(await exchange(String(own), 'access_token')).toMatchObject({ status: 200, scope: 'read' });
    const signing = new OAuth2Server({
      model: store,
      issuer: ISSUER,
      features: [
        tokenExchange(),
        trustedTokens({ issuers: [{ issuer: idp.issuer, jwks: idp.jwks }] }),
        keys({ secret: 'x'.repeat(32) }),
        jwtAccessTokens(),
      ],
    });
    const { access_token: signed } = await post({ grant_type: 'client_credentials', scope: 'read' }, signing);
    const form = { grant_type: GRANT, subject_token: signed, subject_token_type: type('jwt') };
    expect(await post(form, signing)).toEqual(REFUSED);
    expect(await post({ ...form, subject_token_type: type('access_token') }, signing)).toMatchObject({ status: 200 });
  });

  it('lets verifyForeignToken() of the model read tokens of other types and issuers', async () => {
    Object.assign(store, {
      verifyForeignToken: ({ value }: { value: string }) =>
        value === 'saml' && { user: { id: 'alice' }, scope: 'read' },
    });
    expect(await exchange('saml', 'saml2')).toMatchObject({ status: 200, scope: 'read' });
    expect(await exchange('another', 'saml2')).toEqual(REFUSED);
    expect(await exchange(await idToken({ aud: 'another' }), 'jwt')).toEqual(REFUSED);
  });

  it.each<[string, unknown, RegExp]>([
    ['a missing list of issuers', {}, /`trustedTokens\(\)` requires `issuers`: a list of trusted issuers/],
    ['an empty list of issuers', { issuers: [] }, /requires a non-empty list of trusted `issuers`/],
    ['a misspelled option', { issuers: [], audience: 'x' }, /unknown option `audience` of `trustedTokens\(\)`/],
    [
      'a misspelled option of an issuer',
      { issuers: [{ issuer: 'https://a.example', scopes: [] }] },
      /unknown option `scopes`/,
    ],
    ['an empty audience', { issuers: [{ issuer: 'https://a.example', audience: [] }] }, /`audience` of .* must be/],
    [
      'a scope in a list',
      { issuers: [{ issuer: 'https://a.example', scope: ['read'] }] },
      /`scope` of an issuer of `trustedTokens\(\)`/,
    ],
  ])('rejects at start-up %s', (_what, options, sentence) => {
    expect(() => trustedTokens(options as TrustedTokensOptions)).toThrow(sentence);
  });

  it('rejects at start-up a server without tokenExchange(), and a model without mayExchange()', () => {
    const features = [trustedTokens({ issuers: [{ issuer: idp.issuer }] })];
    expect(() => new OAuth2Server({ model: store, issuer: ISSUER, features })).toThrow(/requires `tokenExchange\(\)`/);
    const model = new MemoryStore({ clients: [], users: { findById: () => null, findByCredentials: () => null } });
    Object.assign(model, { findAssertedUser: () => null });
    expect(() => new OAuth2Server({ model, issuer: ISSUER, features: [tokenExchange(), ...features] })).toThrow(
      /mayExchange/,
    );
  });
});
