import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ExchangePermission,
  type ExchangeRequest,
  type Feature,
  introspection,
  OTHER_TOKENS,
  type OtherTokens,
  resourceIndicators,
  revocation,
  tokenExchange,
  type VerifiedToken,
} from 'nest-oauth2/features';
import { OAuth2Server, OAuthError, type Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { callEndpoint } from '../../support/clients/call-endpoint.js';
import { basic, FORM, formRequest } from '../../support/clients/requests.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
const ACCESS = type('access_token');
const [NOTES, MAIL, FILES] = ['https://api.example/notes', 'https://mail.example/', 'https://files.example/'];
const ISSUER = 'https://id.example';
const SECRET = 'secret';

const SCOPES = ['read', 'write', 'admin'];
const confidential = {
  secret: SECRET,
  scopes: SCOPES,
  grants: [GRANT, 'password', 'refresh_token', 'client_credentials'],
};
const CLIENTS = [
  { ...confidential, id: 'web' },
  { ...confidential, id: 'notes', resources: [NOTES] },
  { ...confidential, id: 'stranger' },
  { ...confidential, id: 'modest', scopes: ['read'] },
  { ...confidential, id: 'brief', accessTokenLifetime: 5 },
  { ...confidential, id: 'unregistered', grants: ['password'] },
  { id: 'spa', tokenEndpointAuthMethod: 'none', scopes: SCOPES, grants: [GRANT, 'password', 'refresh_token'] },
];
const USERS = ['alice', 'bob'].map((id) => ({ id }));

class Store extends MemoryStore {
  constructor() {
    const findById = (id: string) => USERS.find((user) => user.id === id);
    super({ clients: CLIENTS, users: { findById, findByCredentials: findById } });
  }
}

/** A store of an application that decides which exchanges are allowed. */
class DecidingStore extends Store {
  requested: ExchangeRequest[] = [];
  answer: boolean | ExchangePermission = true;
  foreign: VerifiedToken | undefined;

  mayExchange(exchange: ExchangeRequest) {
    this.requested.push(exchange);
    return this.answer;
  }

  verifyForeignToken({ value }: { value: string }) {
    return value === 'foreign' && this.foreign;
  }
}

interface Answer extends Record<string, unknown> {
  access_token: string;
  refresh_token: string;
}

type Form = Record<string, string | string[] | undefined>;

const serverOf = (model: Store, features: Feature[] = [], more: object = {}) =>
  new OAuth2Server({
    model,
    issuer: ISSUER,
    features: [tokenExchange(), introspection(), revocation(), ...features],
    ...more,
  });

/** Returns a request of a client, with its secret or, for a public client, its id. */
const from = (id: string, form: Form): Request =>
  id === 'spa'
    ? formRequest({ client_id: id, ...form })
    : formRequest(form, { headers: { ...FORM, authorization: basic(id, SECRET) } });

/** Returns the body and the status of a token response. */
async function token(server: OAuth2Server, id: string, form: Form): Promise<Answer> {
  const response = new Response();
  try {
    await server.token(from(id, form), response);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
  }
  return { ...(response.body as Answer), status: response.status };
}

const exchange = (server: OAuth2Server, id: string, subject: string, more: Form = {}) =>
  token(server, id, { grant_type: GRANT, subject_token: subject, subject_token_type: ACCESS, ...more });

const signIn = async (server: OAuth2Server, id = 'web', more: Form = {}) =>
  await token(server, id, {
    grant_type: 'password',
    username: 'alice',
    password: 'x',
    scope: 'read write',
    ...more,
  });

const introspect = async (server: OAuth2Server, id: string, value: string) =>
  (await callEndpoint(server, 'introspection', from(id, { token: value }))).body;

describe('token exchange (RFC 8693)', () => {
  let store: Store;
  let server: OAuth2Server;
  beforeEach(() => {
    store = new Store();
    server = serverOf(store);
  });

  it('issues a token with a narrower scope for a token of the same client', async () => {
    const { access_token } = await signIn(server);
    const answer = await exchange(server, 'web', access_token, { scope: 'read' });
    expect(answer).toEqual({
      status: 200,
      access_token: expect.stringMatching(/^[\da-f]{64}$/),
      issued_token_type: ACCESS,
      token_type: 'Bearer',
      expires_in: expect.closeTo(3600, -1),
      scope: 'read',
    });
    const { active, sub, client_id, act } = await introspect(server, 'web', answer.access_token);
    expect([active, sub, client_id, act]).toEqual([true, 'alice', 'web', undefined]);
  });

  it('uses the scope of the subject token if none is requested', async () => {
    const { access_token } = await signIn(server);
    expect(await exchange(server, 'web', access_token)).toMatchObject({ scope: 'read write' });
  });

  it.each([
    ['a scope that the subject token does not have', 'web', { scope: 'read admin' }, 'invalid_scope'],
    ['a requested token type that is not supported', 'web', { requested_token_type: type('saml2') }, 'invalid_request'],
    [
      'a refresh token as requested token type',
      'web',
      { requested_token_type: type('refresh_token') },
      'invalid_request',
    ],
    ['a missing subject token type', 'web', { subject_token_type: undefined }, 'invalid_request'],
    ['a token type that is not a URI', 'web', { subject_token_type: 'access_token' }, 'invalid_request'],
    ['a token type in upper case', 'web', { subject_token_type: ACCESS.toUpperCase() }, 'invalid_request'],
    ['a token type with a trailing space', 'web', { subject_token_type: `${ACCESS} ` }, 'invalid_request'],
    [
      'a type of subject token that the model cannot read',
      'web',
      { subject_token_type: type('jwt') },
      'invalid_request',
    ],
    [
      'an access token that is declared as a refresh token',
      'web',
      { subject_token_type: type('refresh_token') },
      'invalid_request',
    ],
    ['a repeated subject token', 'web', { subject_token: ['a', 'b'] }, 'invalid_request'],
    ['an actor token without its type', 'web', { actor_token: 'x' }, 'invalid_request'],
    ['an actor token type without an actor token', 'web', { actor_token_type: ACCESS }, 'invalid_request'],
    ['an unknown actor token', 'web', { actor_token: 'x', actor_token_type: ACCESS }, 'invalid_request'],
    ['a resource if the server has no resource indicators', 'web', { resource: NOTES }, 'invalid_target'],
    ['an unknown audience', 'web', { audience: 'notes' }, 'invalid_target'],
    ['a token of another client', 'stranger', {}, 'invalid_request'],
    ['a public client', 'spa', {}, 'invalid_request'],
    ['a client without this grant', 'unregistered', {}, 'unauthorized_client'],
  ])('rejects %s', async (_, id, form, error) => {
    const { access_token } = await signIn(server);
    expect(await exchange(server, id, access_token, form)).toMatchObject({ status: 400, error });
  });

  it('rejects an unknown, revoked or used subject token, or one of another issuer, with the same error', async () => {
    const tokens = await signIn(server);
    const refused = {
      status: 400,
      error: 'invalid_request',
      error_description: 'Invalid request: `subject_token` is invalid',
    };
    const away = serverOf(store, [], { issuer: 'https://other.example' });
    expect(await exchange(away, 'web', tokens.access_token)).toMatchObject(refused);
    await token(server, 'web', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    const used = { subject_token_type: type('refresh_token') };
    expect(await exchange(server, 'web', tokens.refresh_token, used)).toMatchObject(refused);
    await callEndpoint(server, 'revocation', from('web', { token: tokens.access_token }));
    expect(await exchange(server, 'web', tokens.access_token)).toMatchObject(refused);
    expect(await exchange(server, 'web', 'x')).toMatchObject(refused);
  });

  it('accepts a refresh token of the client, which stays valid', async () => {
    const { refresh_token } = await signIn(server);
    const form = { subject_token_type: type('refresh_token'), scope: 'read' };
    expect(await exchange(server, 'web', refresh_token, form)).toMatchObject({ status: 200, scope: 'read' });
    expect(await token(server, 'web', { grant_type: 'refresh_token', refresh_token })).toMatchObject({ status: 200 });
    expect(await exchange(server, 'stranger', refresh_token, form)).toMatchObject({ error: 'invalid_request' });
  });

  it('rejects refresh tokens of public clients, even if mayExchange() allows the exchange', async () => {
    const deciding = new DecidingStore();
    const one = serverOf(deciding);
    const tokens = await signIn(one, 'spa');
    const refresh = { subject_token_type: type('refresh_token') };
    expect(await exchange(one, 'spa', tokens.refresh_token, refresh)).toMatchObject({ error: 'invalid_request' });
    expect(await exchange(one, 'spa', tokens.access_token)).toMatchObject({ status: 200 });
  });

  it('issues no token that is valid for longer than the subject token or the actor token', async () => {
    const brief = serverOf(new DecidingStore());
    const subject = await signIn(brief, 'brief');
    expect(await exchange(brief, 'web', subject.access_token)).toMatchObject({ expires_in: expect.closeTo(5, -1) });
    const lasting = await signIn(brief);
    const actor = { actor_token: subject.access_token, actor_token_type: ACCESS };
    expect(await exchange(brief, 'web', lasting.access_token, actor)).toMatchObject({
      expires_in: expect.closeTo(5, -1),
    });
  });

  it('grants no scope that the requesting client may not have', async () => {
    const model = new DecidingStore();
    const one = serverOf(model);
    const { access_token } = await signIn(one);
    expect(await exchange(one, 'modest', access_token, { scope: 'read' })).toMatchObject({ scope: 'read' });
    expect(await exchange(one, 'modest', access_token, { scope: 'write' })).toMatchObject({ error: 'invalid_scope' });
  });

  it('grants no scope for a subject token without scope, even with default scopes', async () => {
    const model = new DecidingStore();
    model.foreign = { user: { id: 'alice' } };
    const jwt = { subject_token_type: type('jwt') };
    const answer = await exchange(serverOf(model), 'web', 'foreign', jwt);
    expect([answer['status'], answer['scope']]).toEqual([200, undefined]);
    expect(await exchange(serverOf(model), 'web', 'foreign', { ...jwt, scope: 'read' })).toMatchObject({
      error: 'invalid_scope',
    });
  });

  describe('with a subject token that is revoked or used later', () => {
    const active = async (value: string, id = 'web') => (await introspect(server, id, value))['active'];
    let decided: DecidingStore;
    beforeEach(() => {
      decided = new DecidingStore();
      server = serverOf(decided);
    });

    it.each(['web', 'stranger'])(
      'revokes the tokens that the client %s exchanged when the grant of the subject token is revoked',
      async (id) => {
        const tokens = await signIn(server);
        const { access_token } = await exchange(server, id, tokens.access_token);
        const next = await exchange(server, 'notes', access_token);
        expect([await active(access_token, id), await active(next.access_token, 'notes')]).toEqual([true, true]);
        await callEndpoint(server, 'revocation', from('web', { token: tokens.refresh_token }));
        expect([await active(access_token, id), await active(next.access_token, 'notes')]).toEqual([false, false]);
      },
    );

    it('revokes only the exchanged tokens if the access token alone was revoked', async () => {
      const tokens = await signIn(server);
      const first = await exchange(server, 'stranger', tokens.access_token);
      await callEndpoint(server, 'revocation', from('web', { token: tokens.access_token }));
      expect(await active(first.access_token, 'stranger')).toBe(false);
      const again = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      expect(await token(server, 'web', again)).toMatchObject({ status: 200 });
    });

    it('keeps exchanged tokens valid when their subject token, a refresh token, is used for a refresh', async () => {
      const { refresh_token } = await signIn(server);
      const form = { subject_token_type: type('refresh_token') };
      const { access_token } = await exchange(server, 'web', refresh_token, form);
      await token(server, 'web', { grant_type: 'refresh_token', refresh_token });
      expect(await active(access_token)).toBe(true);
    });

    it('keeps the subject token valid if the user revokes the access of the client that exchanged it', async () => {
      const { access_token } = await signIn(server);
      const got = await exchange(server, 'stranger', access_token);
      const applications = (await decided.listApplications('alice')).map(({ clientId }) => clientId);
      expect(applications.toSorted()).toEqual(['stranger', 'web']);
      await decided.revokeGrantsOf({ clientId: 'stranger', userId: 'alice' });
      expect([await active(got.access_token, 'stranger'), await active(access_token)]).toEqual([false, true]);
    });

    it('rejects the ninth successive exchange of a token between two clients', async () => {
      let { access_token } = await signIn(server);
      const statuses: unknown[] = [];
      for (let time = 0; time < 9; time += 1) {
        const answer = await exchange(server, time % 2 ? 'web' : 'stranger', access_token);
        statuses.push(answer['status']);
        access_token = answer['access_token'] ?? '';
      }
      expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 400]);
    });
  });

  describe('with mayExchange() of the model', () => {
    let deciding: DecidingStore;
    beforeEach(() => {
      deciding = new DecidingStore();
      server = serverOf(deciding);
    });

    it('calls it with all details, after all other checks have passed', async () => {
      const { access_token } = await signIn(server);
      const actor = await signIn(server, 'notes', { username: 'bob' });
      const form = { actor_token: actor.access_token, actor_token_type: ACCESS, scope: 'read' };
      await exchange(server, 'notes', access_token, form);
      expect(deciding.requested).toMatchObject([
        {
          client: { id: 'notes' },
          authenticationMethod: 'client_secret_basic',
          subject: { type: ACCESS, user: { id: 'alice' }, scope: 'read write', token: { accessToken: access_token } },
          actor: { user: { id: 'bob' }, claims: { sub: 'bob', client_id: 'notes' } },
          act: { sub: 'bob', client_id: 'notes' },
          scope: 'read',
          resource: [],
        },
      ]);
      await exchange(server, 'notes', 'unknown', form);
      expect(deciding.requested).toHaveLength(1);
    });

    it('rejects an exchange that it refuses', async () => {
      deciding.answer = false;
      const { access_token } = await signIn(server);
      expect(await exchange(server, 'web', access_token)).toMatchObject({ status: 400, error: 'invalid_request' });
    });

    it('returns all actors in nested `act` claims', async () => {
      const { access_token } = await signIn(server);
      const own = async (id: string) => {
        const answer = await token(server, id, { grant_type: 'client_credentials', scope: 'read' });
        return { actor_token: answer.access_token, actor_token_type: ACCESS };
      };
      const first = await exchange(server, 'notes', access_token, await own('notes'));
      const second = await exchange(server, 'stranger', first.access_token, await own('stranger'));
      const third = await exchange(server, 'modest', second.access_token, { scope: 'read' });
      const { sub, client_id, act } = await introspect(server, 'modest', third.access_token);
      expect([sub, client_id]).toEqual(['alice', 'modest']);
      const notes = { sub: 'notes', client_id: 'notes' };
      expect(act).toEqual({ sub: 'stranger', client_id: 'stranger', act: notes });
    });

    it('keeps the client of a client credentials token as subject if another client exchanges it', async () => {
      const own = await token(server, 'web', { grant_type: 'client_credentials', scope: 'read' });
      const got = await exchange(server, 'notes', own.access_token);
      const next = await exchange(server, 'stranger', got.access_token);
      for (const [id, { access_token: value }] of [
        ['notes', got],
        ['stranger', next],
      ] as const) {
        expect(await introspect(server, id, value)).toMatchObject({
          active: true,
          sub: 'oauth2:client:web',
          client_id: id,
        });
      }
    });

    it.each([
      ['accepts the named actor', { sub: 'bob' }, true, 200],
      ['accepts the named client without an actor token', { client_id: 'notes' }, false, 200],
      ['rejects an actor that does not match completely', { sub: 'bob', iss: 'https://other.example' }, true, 400],
      ['rejects another actor', { sub: 'carol' }, true, 400],
      ['rejects a missing actor token', { sub: 'bob' }, false, 400],
      ['rejects an actor if the claim is empty', {}, true, 400],
    ])('applies the claim `may_act` of the subject token: %s', async (_, may_act, withActor, status) => {
      const says: Feature = {
        id: 'Delegation',
        install: () => ({
          token: {
            issue: ({ tokenMembers: kept, client }) => void (client.id === 'web' && (kept['may_act'] = may_act)),
          },
        }),
      };
      const one = serverOf(deciding, [says]);
      const { access_token } = await signIn(one);
      const bob = await signIn(one, 'notes', { username: 'bob' });
      const actor = withActor ? { actor_token: bob.access_token, actor_token_type: ACCESS } : {};
      expect(await introspect(one, 'web', access_token)).toMatchObject({ may_act });
      const answer = await exchange(one, 'notes', access_token, actor);
      expect(answer['status']).toBe(status);
      if (status !== 200) return;
      const said = await introspect(one, 'notes', answer.access_token);
      expect(said['act']).toEqual(
        withActor ? { sub: 'bob', client_id: 'notes' } : { sub: 'notes', client_id: 'notes' },
      );
      expect(said['may_act']).toBeUndefined();
    });

    it('accepts tokens of other issuers that the model verifies, within their scope and lifetime', async () => {
      const expiresAt = new Date(Date.now() + 100_000);
      deciding.foreign = { user: { id: 'alice' }, scope: ['read', 'write'], expiresAt, act: { sub: 'gateway' } };
      const jwt = { subject_token_type: type('jwt') };
      const answer = await exchange(server, 'web', 'foreign', { ...jwt, scope: 'read' });
      expect(answer).toMatchObject({ status: 200, scope: 'read', expires_in: expect.closeTo(100, -1) });
      const said = await introspect(server, 'web', answer.access_token);
      expect(said).toMatchObject({ sub: 'alice', act: { sub: 'gateway' } });
      expect(await exchange(server, 'web', 'forged', jwt)).toMatchObject({ error: 'invalid_request' });
      expect(await exchange(server, 'web', 'foreign', { ...jwt, scope: 'admin' })).toMatchObject({
        error: 'invalid_scope',
      });
      expect(await exchange(server, 'web', 'foreign')).toMatchObject({ error: 'invalid_request' });
      deciding.foreign = { ...deciding.foreign, expiresAt: new Date(0) };
      expect(await exchange(server, 'web', 'foreign', jwt)).toMatchObject({ error: 'invalid_request' });
    });

    it('rejects a sender-constrained subject token', async () => {
      const bound: Feature = {
        id: 'Bound',
        install: () => ({ token: { issue: ({ tokenMembers: kept }) => void (kept['cnf'] = { jkt: 'x' }) } }),
      };
      const one = serverOf(deciding, [bound]);
      const { access_token } = await signIn(one);
      expect(await exchange(one, 'web', access_token)).toMatchObject({ error: 'invalid_request' });
    });
  });

  describe('with resource indicators', () => {
    const features = [resourceIndicators({ resources: [NOTES, MAIL, FILES] })];
    let deciding: DecidingStore;
    beforeEach(() => {
      deciding = new DecidingStore();
      const exchanging = tokenExchange({ audiences: { mail: MAIL, files: FILES } });
      server = new OAuth2Server({
        model: deciding,
        issuer: ISSUER,
        features: [...features, exchanging, introspection()],
      });
    });
    const audienceOf = async (id: string, answer: Answer) => (await introspect(server, id, answer.access_token))['aud'];

    it('narrows the token to the requested values of `resource` and `audience`', async () => {
      const { access_token } = await signIn(server, 'web', { resource: [NOTES, MAIL] });
      const narrowed = async (form: Form) => audienceOf('web', await exchange(server, 'web', access_token, form));
      expect(await narrowed({})).toEqual([NOTES, MAIL]);
      expect(await narrowed({ resource: NOTES })).toBe(NOTES);
      expect(await narrowed({ audience: 'mail' })).toBe(MAIL);
      expect(await narrowed({ audience: ['mail'], resource: [NOTES, NOTES] })).toEqual([NOTES, MAIL]);
    });

    it.each([
      ['a resource that the subject token is not for', { resource: FILES }],
      ['an audience that the subject token is not for', { audience: ['mail', 'files'] }],
      ['an unknown resource', { resource: 'https://unknown.example/' }],
      ['a resource that is not a URI', { resource: 'notes' }],
      ['an unknown audience', { audience: 'toString' }],
    ])('rejects with invalid_target %s', async (_, form) => {
      const { access_token } = await signIn(server, 'web', { resource: [NOTES, MAIL] });
      expect(await exchange(server, 'web', access_token, form)).toMatchObject({ status: 400, error: 'invalid_target' });
    });

    it('issues a token for a resource that the application permits, if the client requests it', async () => {
      deciding.answer = { resource: [FILES] };
      const { access_token } = await signIn(server, 'web', { resource: NOTES });
      const there = await exchange(server, 'notes', access_token, { audience: 'files' });
      expect(await audienceOf('notes', there)).toBe(FILES);
      const same = await exchange(server, 'notes', access_token);
      expect(await audienceOf('notes', same)).toBe(NOTES);
      expect(await exchange(server, 'notes', access_token, { audience: 'mail' })).toMatchObject({
        error: 'invalid_target',
      });
    });

    it('lets a resource server exchange only tokens that are for this resource', async () => {
      const one = serverOf(new Store(), features);
      const [sent, other] = [
        await signIn(one, 'web', { resource: NOTES }),
        await signIn(one, 'web', { resource: MAIL }),
      ];
      expect(await exchange(one, 'notes', sent.access_token)).toMatchObject({ status: 200 });
      expect(await exchange(one, 'notes', other.access_token)).toMatchObject({ error: 'invalid_request' });
      expect(await exchange(one, 'notes', sent.access_token, { resource: MAIL })).toMatchObject({
        error: 'invalid_target',
      });
    });

    it('keeps the resources of a token even if resource indicators are no longer configured', async () => {
      const { access_token } = await signIn(server, 'web', { resource: NOTES });
      const later = serverOf(deciding);
      const got = await exchange(later, 'web', access_token);
      expect((await introspect(later, 'web', got.access_token))['aud']).toBe(NOTES);
    });
  });

  describe('with a feature that contributes other token types', () => {
    const contributing = (tokens: OtherTokens): Feature => ({
      id: 'Vouchers',
      install: (builder) => builder.contribute(OTHER_TOKENS, tokens),
    });
    const BADGE = 'urn:example:badge';
    const VOUCHER = { subject_token_type: 'urn:example:voucher' };

    it('exchanges a token that the feature reads', async () => {
      const read = ({ value }: { value: string }) =>
        value === 'voucher' ? { user: USERS[0]!, scope: 'read' } : undefined;
      server = serverOf(new DecidingStore(), [contributing({ read })]);
      const answer = await exchange(server, 'web', 'voucher', VOUCHER);
      expect(answer).toMatchObject({ status: 200, scope: 'read', issued_token_type: ACCESS, token_type: 'Bearer' });
      expect(await introspect(server, 'web', answer.access_token)).toMatchObject({ active: true, sub: 'alice' });
      expect(await exchange(server, 'web', 'unknown', VOUCHER)).toMatchObject({ error: 'invalid_request' });
    });

    it('issues a token of a type that the feature issues, without saving it', async () => {
      const issues = { [BADGE]: () => ({ value: 'badge of alice', expiresAt: new Date(Date.now() + 60_000) }) };
      server = serverOf(store, [contributing({ issues })], { allowExtendedTokenAttributes: true });
      const { access_token } = await signIn(server);
      const answer = await exchange(server, 'web', access_token, { requested_token_type: BADGE });
      expect(answer).toEqual({
        status: 200,
        access_token: 'badge of alice',
        issued_token_type: BADGE,
        token_type: 'N_A',
        expires_in: expect.closeTo(60, -1),
      });
      expect(await introspect(server, 'web', answer.access_token)).toEqual({ active: false });
      expect(await exchange(serverOf(store), 'web', access_token, { requested_token_type: BADGE })).toMatchObject({
        error: 'invalid_request',
      });
    });

    it('separates the token types of two servers that share one `tokenExchange()` value', async () => {
      const shared = tokenExchange();
      const [reading, other] = [
        contributing({ read: () => ({ user: USERS[0]!, scope: 'read' }) }),
        introspection(),
      ].map((feature) => new OAuth2Server({ model: new DecidingStore(), issuer: ISSUER, features: [shared, feature] }));
      expect(await exchange(reading!, 'web', 'voucher', VOUCHER)).toMatchObject({ status: 200 });
      expect(await exchange(other!, 'web', 'voucher', VOUCHER)).toMatchObject({ error: 'invalid_request' });
      expect(await exchange(reading!, 'web', 'voucher', VOUCHER)).toMatchObject({ status: 200 });
    });
  });

  it('narrows resources only at a server with resource indicators, if two servers share one `tokenExchange()` value', async () => {
    const shared = tokenExchange();
    const deciding = new DecidingStore();
    const make = (features: Feature[]) =>
      new OAuth2Server({ model: deciding, issuer: ISSUER, features: [shared, introspection(), ...features] });
    const [bound, plain] = [make([resourceIndicators({ resources: [NOTES, MAIL] })]), make([])];
    const { access_token } = await signIn(bound, 'web', { resource: [NOTES, MAIL] });
    const narrowed = await exchange(bound, 'web', access_token, { resource: MAIL });
    expect((await introspect(bound, 'web', narrowed.access_token))['aud']).toBe(MAIL);
    const whole = await exchange(plain, 'web', access_token);
    expect((await introspect(plain, 'web', whole.access_token))['aud']).toEqual([NOTES, MAIL]);
    expect(await exchange(plain, 'web', access_token, { resource: MAIL })).toMatchObject({ error: 'invalid_target' });
  });

  it.each([
    [
      'a misspelled option',
      () => tokenExchange({ audience: {} } as never),
      /unknown option `audience` of `tokenExchange\(\)`/,
    ],
    [
      'an audience that is not a URI',
      () => tokenExchange({ audiences: { notes: 'notes' } }),
      /must be an absolute URI/,
    ],
    [
      'audiences without resource indicators',
      () => tokenExchange({ audiences: { notes: NOTES } }),
      /requires the feature `resourceIndicators\(\)`/,
    ],
  ])('rejects at start-up %s', (_, feature, message) => {
    expect(() => new OAuth2Server({ model: store, features: [feature()] })).toThrow(message);
  });

  it('rejects at start-up a model that verifies tokens of other issuers without mayExchange()', () => {
    const model = Object.assign(store, { verifyForeignToken: () => undefined });
    expect(() => serverOf(model)).toThrow(/must also implement `mayExchange\(\)`/);
  });
});
