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

import { callEndpoint } from '../../support/call-endpoint.js';
import { basic, FORM, formRequest } from '../../support/requests.js';

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

/** A host that decides itself. */
class DecidingStore extends Store {
  asked: ExchangeRequest[] = [];
  answer: boolean | ExchangePermission = true;
  foreign: VerifiedToken | undefined;

  mayExchange(exchange: ExchangeRequest) {
    this.asked.push(exchange);
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

/** A request of a client, with its secret or, where it has none, its name. */
const from = (id: string, form: Form): Request =>
  id === 'spa'
    ? formRequest({ client_id: id, ...form })
    : formRequest(form, { headers: { ...FORM, authorization: basic(id, SECRET) } });

/** What the token endpoint says, with its status. */
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

describe('token exchange', () => {
  let store: Store;
  let server: OAuth2Server;
  beforeEach(() => {
    store = new Store();
    server = serverOf(store);
  });

  it('gives a client a lesser token for its own one', async () => {
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

  it('takes the scope of the subject token where none is named', async () => {
    const { access_token } = await signIn(server);
    expect(await exchange(server, 'web', access_token)).toMatchObject({ scope: 'read write' });
  });

  it.each([
    ['scope that the subject token has not', 'web', { scope: 'read admin' }, 'invalid_scope'],
    ['a type that is not issued', 'web', { requested_token_type: type('saml2') }, 'invalid_request'],
    ['a refresh token', 'web', { requested_token_type: type('refresh_token') }, 'invalid_request'],
    ['no subject token type', 'web', { subject_token_type: undefined }, 'invalid_request'],
    ['a type that is no URI', 'web', { subject_token_type: 'access_token' }, 'invalid_request'],
    ['a type in capitals', 'web', { subject_token_type: ACCESS.toUpperCase() }, 'invalid_request'],
    ['a type with a space behind it', 'web', { subject_token_type: `${ACCESS} ` }, 'invalid_request'],
    [
      'a subject token of a type that the model cannot read',
      'web',
      { subject_token_type: type('jwt') },
      'invalid_request',
    ],
    [
      'an access token said to be a refresh token',
      'web',
      { subject_token_type: type('refresh_token') },
      'invalid_request',
    ],
    ['two subject tokens', 'web', { subject_token: ['a', 'b'] }, 'invalid_request'],
    ['an actor token without its type', 'web', { actor_token: 'x' }, 'invalid_request'],
    ['a type without an actor token', 'web', { actor_token_type: ACCESS }, 'invalid_request'],
    ['an actor token that nobody knows', 'web', { actor_token: 'x', actor_token_type: ACCESS }, 'invalid_request'],
    ['a resource where tokens are for nothing in particular', 'web', { resource: NOTES }, 'invalid_target'],
    ['an audience that has no name here', 'web', { audience: 'notes' }, 'invalid_target'],
    ["another client's token", 'stranger', {}, 'invalid_request'],
    ['a client without a secret', 'spa', {}, 'invalid_request'],
    ['a client that may not', 'unregistered', {}, 'unauthorized_client'],
  ])('refuses %s', async (_, id, form, error) => {
    const { access_token } = await signIn(server);
    expect(await exchange(server, id, access_token, form)).toMatchObject({ status: 400, error });
  });

  it('refuses a subject token that is unknown, revoked, spent or of another issuer, by the same error', async () => {
    const tokens = await signIn(server);
    const refused = {
      status: 400,
      error: 'invalid_request',
      error_description: 'Invalid request: `subject_token` is invalid',
    };
    const away = serverOf(store, [], { issuer: 'https://other.example' });
    expect(await exchange(away, 'web', tokens.access_token)).toMatchObject(refused);
    await token(server, 'web', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    const spent = { subject_token_type: type('refresh_token') };
    expect(await exchange(server, 'web', tokens.refresh_token, spent)).toMatchObject(refused);
    await callEndpoint(server, 'revocation', from('web', { token: tokens.access_token }));
    expect(await exchange(server, 'web', tokens.access_token)).toMatchObject(refused);
    expect(await exchange(server, 'web', 'x')).toMatchObject(refused);
  });

  it('takes a refresh token of the client itself, which stays as it was', async () => {
    const { refresh_token } = await signIn(server);
    const form = { subject_token_type: type('refresh_token'), scope: 'read' };
    expect(await exchange(server, 'web', refresh_token, form)).toMatchObject({ status: 200, scope: 'read' });
    expect(await token(server, 'web', { grant_type: 'refresh_token', refresh_token })).toMatchObject({ status: 200 });
    expect(await exchange(server, 'stranger', refresh_token, form)).toMatchObject({ error: 'invalid_request' });
  });

  it('takes no refresh token of a client that proves nothing, whatever the host says', async () => {
    const deciding = new DecidingStore();
    const one = serverOf(deciding);
    const tokens = await signIn(one, 'spa');
    const refresh = { subject_token_type: type('refresh_token') };
    expect(await exchange(one, 'spa', tokens.refresh_token, refresh)).toMatchObject({ error: 'invalid_request' });
    expect(await exchange(one, 'spa', tokens.access_token)).toMatchObject({ status: 200 });
  });

  it('gives nothing that lasts longer than the subject token, or the actor token', async () => {
    const brief = serverOf(new DecidingStore());
    const subject = await signIn(brief, 'brief');
    expect(await exchange(brief, 'web', subject.access_token)).toMatchObject({ expires_in: expect.closeTo(5, -1) });
    const lasting = await signIn(brief);
    const actor = { actor_token: subject.access_token, actor_token_type: ACCESS };
    expect(await exchange(brief, 'web', lasting.access_token, actor)).toMatchObject({
      expires_in: expect.closeTo(5, -1),
    });
  });

  it('grants no more than the client that asks may have', async () => {
    const model = new DecidingStore();
    const one = serverOf(model);
    const { access_token } = await signIn(one);
    expect(await exchange(one, 'modest', access_token, { scope: 'read' })).toMatchObject({ scope: 'read' });
    expect(await exchange(one, 'modest', access_token, { scope: 'write' })).toMatchObject({ error: 'invalid_scope' });
  });

  it('gives no scope for a token that has none, default scopes or not', async () => {
    const model = new DecidingStore();
    model.foreign = { user: { id: 'alice' } };
    const jwt = { subject_token_type: type('jwt') };
    const answer = await exchange(serverOf(model), 'web', 'foreign', jwt);
    expect([answer['status'], answer['scope']]).toEqual([200, undefined]);
    expect(await exchange(serverOf(model), 'web', 'foreign', { ...jwt, scope: 'read' })).toMatchObject({
      error: 'invalid_scope',
    });
  });

  describe('and the grant of the subject token', () => {
    const active = async (value: string, id = 'web') => (await introspect(server, id, value))['active'];
    let decided: DecidingStore;
    beforeEach(() => {
      decided = new DecidingStore();
      server = serverOf(decided);
    });

    it.each(['web', 'stranger'])('ends what came of it, exchanged by %s', async (id) => {
      const tokens = await signIn(server);
      const { access_token } = await exchange(server, id, tokens.access_token);
      const next = await exchange(server, 'notes', access_token);
      expect([await active(access_token, id), await active(next.access_token, 'notes')]).toEqual([true, true]);
      await callEndpoint(server, 'revocation', from('web', { token: tokens.refresh_token }));
      expect([await active(access_token, id), await active(next.access_token, 'notes')]).toEqual([false, false]);
    });

    it('is alive where the access token alone was revoked, and what came of that is not', async () => {
      const tokens = await signIn(server);
      const first = await exchange(server, 'stranger', tokens.access_token);
      await callEndpoint(server, 'revocation', from('web', { token: tokens.access_token }));
      expect(await active(first.access_token, 'stranger')).toBe(false);
      const again = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      expect(await token(server, 'web', again)).toMatchObject({ status: 200 });
    });

    it('goes on when a refresh token is used that something came of', async () => {
      const { refresh_token } = await signIn(server);
      const form = { subject_token_type: type('refresh_token') };
      const { access_token } = await exchange(server, 'web', refresh_token, form);
      await token(server, 'web', { grant_type: 'refresh_token', refresh_token });
      expect(await active(access_token)).toBe(true);
    });

    it('stays where it was when a client ends what it got, or the user ends that client', async () => {
      const { access_token } = await signIn(server);
      const got = await exchange(server, 'stranger', access_token);
      const applications = (await decided.listApplications('alice')).map(({ clientId }) => clientId);
      expect(applications.toSorted()).toEqual(['stranger', 'web']);
      await decided.revokeGrantsOf({ clientId: 'stranger', userId: 'alice' });
      expect([await active(got.access_token, 'stranger'), await active(access_token)]).toEqual([false, true]);
    });

    it('is left by nobody who exchanges in circles', async () => {
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

  describe('with a host that decides', () => {
    let deciding: DecidingStore;
    beforeEach(() => {
      deciding = new DecidingStore();
      server = serverOf(deciding);
    });

    it('tells it all, and asks when all else is good', async () => {
      const { access_token } = await signIn(server);
      const actor = await signIn(server, 'notes', { username: 'bob' });
      const form = { actor_token: actor.access_token, actor_token_type: ACCESS, scope: 'read' };
      await exchange(server, 'notes', access_token, form);
      expect(deciding.asked).toMatchObject([
        {
          client: { id: 'notes' },
          proof: 'client_secret_basic',
          subject: { type: ACCESS, user: { id: 'alice' }, scope: 'read write', token: { accessToken: access_token } },
          actor: { user: { id: 'bob' }, claims: { sub: 'bob', client_id: 'notes' } },
          act: { sub: 'bob', client_id: 'notes' },
          scope: 'read',
          resource: [],
        },
      ]);
      await exchange(server, 'notes', 'unknown', form);
      expect(deciding.asked).toHaveLength(1);
    });

    it('refuses what it refuses', async () => {
      deciding.answer = false;
      const { access_token } = await signIn(server);
      expect(await exchange(server, 'web', access_token)).toMatchObject({ status: 400, error: 'invalid_request' });
    });

    it('says who acts, and who did before, and drops nobody', async () => {
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

    it('keeps the client whose token it was as the subject, when another one exchanges it', async () => {
      const own = await token(server, 'web', { grant_type: 'client_credentials', scope: 'read' });
      const got = await exchange(server, 'notes', own.access_token);
      const next = await exchange(server, 'stranger', got.access_token);
      for (const [id, { access_token: value }] of [
        ['notes', got],
        ['stranger', next],
      ] as const) {
        expect(await introspect(server, id, value)).toMatchObject({
          active: true,
          sub: 'web',
          client_id: id,
        });
      }
    });

    it.each([
      ['the actor that it names', { sub: 'bob' }, true, 200],
      ['the client itself, without an actor token', { client_id: 'notes' }, false, 200],
      ['an actor in all that is said of it', { sub: 'bob', iss: 'https://other.example' }, true, 400],
      ['anybody else', { sub: 'carol' }, true, 400],
      ['anybody without an actor token', { sub: 'bob' }, false, 400],
      ['nobody, where it says nothing', {}, true, 400],
    ])('judges by `may_act` whether there may act: %s', async (_, may_act, withActor, status) => {
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

    it('reads tokens of others by its verifier, within what that says', async () => {
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

    it('takes no token that is bound to a key', async () => {
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

    it('narrows to what is named, by `resource` and by `audience`, several of them', async () => {
      const { access_token } = await signIn(server, 'web', { resource: [NOTES, MAIL] });
      const narrowed = async (form: Form) => audienceOf('web', await exchange(server, 'web', access_token, form));
      expect(await narrowed({})).toEqual([NOTES, MAIL]);
      expect(await narrowed({ resource: NOTES })).toBe(NOTES);
      expect(await narrowed({ audience: 'mail' })).toBe(MAIL);
      expect(await narrowed({ audience: ['mail'], resource: [NOTES, NOTES] })).toEqual([NOTES, MAIL]);
    });

    it.each([
      ['a resource that the subject token is not for', { resource: FILES }],
      ['an audience that it is not for', { audience: ['mail', 'files'] }],
      ['a resource that is unknown', { resource: 'https://unknown.example/' }],
      ['a resource that is no URI', { resource: 'notes' }],
      ['an audience that is unknown', { audience: 'toString' }],
    ])('refuses %s', async (_, form) => {
      const { access_token } = await signIn(server, 'web', { resource: [NOTES, MAIL] });
      expect(await exchange(server, 'web', access_token, form)).toMatchObject({ status: 400, error: 'invalid_target' });
    });

    it('goes where the host permits, when the client asks for that, and no further', async () => {
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

    it('lets a resource server exchange what was sent to it, and nothing else', async () => {
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

    it('keeps a token to its resources also where the feature is no longer listed', async () => {
      const { access_token } = await signIn(server, 'web', { resource: NOTES });
      const later = serverOf(deciding);
      const got = await exchange(later, 'web', access_token);
      expect((await introspect(later, 'web', got.access_token))['aud']).toBe(NOTES);
    });
  });

  describe('with a feature of the application that contributes other tokens', () => {
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

    it('issues a token of a type that the feature issues, and saves none', async () => {
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

    it('keeps the tokens of two servers apart that share one `tokenExchange()` value', async () => {
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

  it('stores resources itself only at the server without resource indicators, if two servers share its value', async () => {
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
      'a misspelt option',
      () => tokenExchange({ audience: {} } as never),
      /unknown option `audience` of `tokenExchange\(\)`/,
    ],
    ['an audience that is no URI', () => tokenExchange({ audiences: { notes: 'notes' } }), /must be an absolute URI/],
    [
      'audiences without resources',
      () => tokenExchange({ audiences: { notes: NOTES } }),
      /needs the feature `resourceIndicators\(\)`/,
    ],
  ])('does not start with %s', (_, feature, message) => {
    expect(() => new OAuth2Server({ model: store, features: [feature()] })).toThrow(message);
  });

  it('does not start with a verifier of foreign tokens and nobody who decides', () => {
    const model = Object.assign(store, { verifyForeignToken: () => undefined });
    expect(() => serverOf(model)).toThrow(/must implement `mayExchange\(\)` too/);
  });
});
