import { EventEmitter } from 'node:events';
import { crc32 } from 'node:zlib';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2PersonalTokens } from 'nest-oauth2';
import {
  type Feature,
  introspection,
  mutualTls,
  personalAccessTokens,
  type PersonalAccessTokenOptions,
  registration,
  resourceIndicators,
  revocation,
  tokenExchange,
} from 'nest-oauth2/features';
import { dpop } from 'nest-oauth2/jose';
import { OAuth2Server, OAuthError, Request, Response, type Token, type User } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { callEndpoint } from '../../support/clients/call-endpoint.js';
import { SECRET } from '../../support/models/model.js';
import { basic, FORM, summary, tokenRequest } from '../../support/clients/requests.js';

const ISSUER = 'https://id.example';
const API = 'https://api.example';
const DAY = 86_400;

const CLIENTS = [
  { id: 'web', secret: SECRET, grants: ['urn:ietf:params:oauth:grant-type:token-exchange'], scopes: ['read'] },
  { id: 'api', secret: SECRET, grants: [], resources: [API] },
];

/** Returns the error of a promise that is rejected, as a client sees it. */
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => (error instanceof OAuthError ? summary(error) : error),
  );

const UNKNOWN = '401 invalid_token: Invalid token: access token is invalid';
const REFUSED = '401 invalid_token: Invalid token: personal access tokens are not accepted here';
const INSUFFICIENT = '403 insufficient_scope: Insufficient scope: authorized scope is insufficient';

describe('personalAccessTokens()', () => {
  let users: Map<string, User>;
  let store: MemoryStore;
  let events: EventEmitter;

  beforeEach(() => {
    users = new Map(['alice', 'bob'].map((id) => [id, { id, allowed: ['read', 'write'] }]));
    store = new MemoryStore({ clients: CLIENTS, users: { findById: (id) => users.get(id) } });
    events = new EventEmitter();
  });
  const alice = () => users.get('alice')!;

  function serve(
    options: Partial<PersonalAccessTokenOptions> = {},
    features: Feature[] = [],
    issuer: string | undefined = ISSUER,
  ) {
    const feature = personalAccessTokens({ scopes: ['read', 'write'], ...options });
    const server = new OAuth2Server(
      { model: store, ...(issuer !== undefined && { issuer }), features: [feature, ...features] },
      events,
    );
    return { server, tokens: new OAuth2PersonalTokens(server) };
  }
  const requestWith = (token: string, { ip, scheme = 'Bearer' }: { ip?: string; scheme?: string } = {}) =>
    Object.assign(
      new Request({ method: 'GET', headers: { authorization: `${scheme} ${token}` }, query: {} }),
      ip && { native: { ip } },
    );
  const use = (server: OAuth2Server, token: string, options: object = { scope: 'read' }, more: object = {}) =>
    server.authenticate(requestWith(token, more), new Response(), options);
  const create = async (tokens: OAuth2PersonalTokens, more: object = {}) =>
    tokens.create(undefined, alice(), { name: 'CI', scopes: ['read'], ...more });

  it('creates tokens of a form that secret scanners find, with the default lifetime of 90 days', async () => {
    const { tokens } = serve({ prefix: 'acme_pat' });
    const { token, scope, expiresAt, id } = await create(tokens);
    const [, start, checksum] = /^(acme_pat_[0-9A-Za-z]{30})_([0-9A-Za-z]{6})$/.exec(token)!;
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    expect(checksum!.split('').reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)).toBe(crc32(start!));
    expect(scope).toBe('read');
    expect(Math.abs(expiresAt.getTime() - Date.now() - 90 * DAY * 1000)).toBeLessThan(60_000);
    expect(await tokens.list(undefined, alice())).toMatchObject([{ id, name: 'CI', scope: 'read', expiresAt }]);
    expect((await create(tokens)).token).not.toBe(token);
  });

  it('accepts a token where a scope is required, with the user, its scope and no client', async () => {
    const { server, tokens } = serve();
    const { token, id } = await create(tokens);
    const accepted: Partial<Token> = await use(server, token);
    expect(accepted).toMatchObject({ user: alice(), scope: 'read', grantId: id, issuer: ISSUER, tokenName: 'CI' });
    expect(accepted.client).toBeUndefined();
    expect(await use(server, token, { anyScope: ['read', 'write'] })).toMatchObject({ scope: 'read' });
    expect(await use(server, token, { scope: 'read', userRequired: true })).toMatchObject({ scope: 'read' });
    expect(await errorOf(use(server, token, { scope: 'write' }))).toEqual(INSUFFICIENT);
    expect(await errorOf(use(server, token, { scope: 'read', roles: ['admin'] }))).toMatch(/^403 /);
    expect(await errorOf(use(server, token, { scope: 'read', stepUp: { maxAge: 60 } }))).toMatch(/^401 /);
  });

  it('looks no token up where none is accepted, or if its checksum is wrong', async () => {
    const { server, tokens } = serve();
    const { token } = await create(tokens);
    const find = jest.spyOn(store, 'findPersonalToken');
    const other = jest.spyOn(store, 'getAccessToken');
    for (const options of [{}, { userRequired: true }, { scope: 'read', personalTokens: false }]) {
      expect(await errorOf(use(server, token, options))).toEqual(REFUSED);
    }
    expect(await errorOf(server.authenticate(requestWith(token), new Response()))).toEqual(REFUSED);
    const typo = `pat_${token[4] === 'a' ? 'b' : 'a'}${token.slice(5)}`;
    expect(await errorOf(use(server, typo))).toEqual(UNKNOWN);
    expect(await errorOf(use(server, typo, {}))).toEqual(REFUSED);
    expect([find.mock.calls.length, other.mock.calls.length]).toEqual([0, 0]);
    // Another prefix, or another length, may be an access token of a client.
    for (const value of [`xyz_${token.slice(4)}`, token.slice(0, -1), `${token}x`])
      expect(await errorOf(use(server, value))).toEqual(UNKNOWN);
    expect([find.mock.calls.length, other.mock.calls.length]).toEqual([0, 3]);
  });

  it('gives a token no scope that its user or the option does not allow any more', async () => {
    const { server, tokens } = serve({ scopes: ({ allowed }: User) => allowed as string[] });
    expect(await errorOf(create(tokens, { scopes: ['read', 'admin'] }))).toMatch(/^400 invalid_scope/);
    expect(await errorOf(create(tokens, { scopes: [] }))).toMatch(/^400 invalid_scope/);
    const { token } = await create(tokens, { scopes: ['read', 'write'] });
    expect(await use(server, token, { scope: 'read write' })).toMatchObject({ scope: 'read write' });
    alice()['allowed'] = ['read', 'admin'];
    expect(await use(server, token)).toMatchObject({ scope: 'read' });
    expect(await errorOf(use(server, token, { scope: 'write' }))).toEqual(INSUFFICIENT);
    expect(await errorOf(use(server, token, { scope: 'admin' }))).toEqual(INSUFFICIENT);
    const { server: reduced } = serve({ scopes: ['write'] });
    expect(await errorOf(use(reduced, token))).toEqual(INSUFFICIENT);
  });

  it('rejects a token that expired, was revoked, or whose user no longer exists', async () => {
    const { server, tokens } = serve();
    const [one, other, third] = [await create(tokens), await create(tokens), await create(tokens, { lifetime: 60 })];
    expect(await tokens.revoke(undefined, users.get('bob')!, one.id)).toBe(false);
    expect(await tokens.revoke(undefined, alice(), one.id)).toBe(true);
    expect(await errorOf(use(server, one.token))).toEqual(UNKNOWN);
    jest.useFakeTimers({ now: Date.now() + 61_000, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    expect(await errorOf(use(server, third.token))).toMatch(/^401 /);
    jest.useRealTimers();
    await store.revokeGrantsOf({ userId: 'alice' });
    expect(await errorOf(use(server, other.token))).toEqual(UNKNOWN);
    const last = await create(tokens);
    users.delete('alice');
    expect(await errorOf(use(server, last.token))).toEqual(UNKNOWN);
  });

  it('accepts no token of another issuer, and no token at a server without the feature', async () => {
    const { tokens, server } = serve();
    const { token } = await create(tokens);
    const { server: other, tokens: foreign } = serve({}, [], 'https://other.example');
    expect(await errorOf(use(other, token))).toEqual(UNKNOWN);
    expect(await foreign.list(undefined, alice())).toEqual([]);
    expect(await errorOf(use(new OAuth2Server({ model: store, issuer: ISSUER }), token))).toEqual(UNKNOWN);
    expect(await use(server, token)).toMatchObject({ scope: 'read' });
  });

  it('keeps tokens away from endpoints that issue tokens or register clients', async () => {
    const { server, tokens } = serve({}, [
      introspection(),
      revocation(),
      registration({ initialAccessScope: 'read' }),
      tokenExchange(),
    ]);
    const { token } = await create(tokens);
    const { status } = await callEndpoint(
      server,
      'registration',
      new Request({
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': '2' },
        query: {},
        body: { redirect_uris: ['https://app.example/callback'] },
      }),
    );
    expect(status).toBe(401);
    const exchange = tokenRequest({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    });
    expect(await errorOf(server.token(exchange, new Response()))).toMatch(/^400 /);
    await callEndpoint(server, 'revocation', tokenRequest({ token }));
    expect(await use(server, token)).toMatchObject({ scope: 'read' });
  });

  it('refuses a bearer token where tokens must be bound to a key', async () => {
    const { server, tokens } = serve({}, [dpop(), mutualTls()]);
    const { token } = await create(tokens);
    expect(await use(server, token)).toMatchObject({ scope: 'read' });
    expect(await errorOf(use(server, token, { scope: 'read' }, { scheme: 'DPoP' }))).toBe(
      '401 invalid_token: Invalid token: access token is presented with the wrong authentication scheme',
    );
  });

  it('binds tokens to the resource of the option, and shows them to its resource server by introspection', async () => {
    const { server, tokens } = serve({ resource: API }, [introspection()]);
    const { token } = await create(tokens);
    const introspect = async (id: string, value = token) => {
      const headers = { ...FORM, authorization: basic(id, SECRET) };
      return (await callEndpoint(server, 'introspection', tokenRequest({ token: value }, { headers }))).body;
    };
    const exp = expect.any(Number);
    const shown = { active: true, token_type: 'Bearer', token_use: 'personal_access_token', scope: 'read', exp };
    expect(await introspect('api')).toEqual({ ...shown, sub: 'alice', aud: API, iss: ISSUER });
    expect(await introspect('web')).toEqual({ active: false });
    // An introspection is no use of the token.
    const [listed] = await tokens.list(undefined, alice());
    expect(listed!.lastUsedAt).toBeUndefined();
    await tokens.revoke(undefined, alice(), listed!.id);
    expect(await introspect('api')).toEqual({ active: false });

    const { server: elsewhere } = serve({ resource: API }, [resourceIndicators({ own: ['https://other.example'] })]);
    const { token: another } = await create(tokens);
    expect(await errorOf(use(elsewhere, another))).toMatch(/^401 invalid_token/);
  });

  it('records a use at most once a minute, and reports each new network once', async () => {
    const { server, tokens } = serve();
    const created = jest.fn();
    const seen = jest.fn<(payload: { network: string; tokenName: string; userId: string }) => void>();
    events.on('personal_token.created', created).on('personal_token.new_network', seen);
    const { token, id } = await create(tokens);
    expect(created).toHaveBeenCalledWith(
      expect.objectContaining({ userId: 'alice', grantId: id, tokenName: 'CI', scope: 'read', issuer: ISSUER }),
    );
    const record = jest.spyOn(store, 'recordPersonalTokenUse');
    const from = (ip: string) => use(server, token, { scope: 'read' }, { ip });
    await Promise.all(Array.from({ length: 20 }, () => from('192.0.2.1')));
    expect(seen.mock.calls.map(([{ network }]) => network)).toEqual(['192.0.2.1']);
    record.mockClear();
    for (let count = 0; count < 5; count += 1) await from('192.0.2.1');
    expect(record).not.toHaveBeenCalled();
    for (const ip of ['2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:2::1']) await from(ip);
    expect(seen.mock.calls.map(([{ network }]) => network)).toEqual(['192.0.2.1', '2001:db8:0:1', '2001:db8:0:2']);
    const [listed] = await tokens.list(undefined, alice());
    expect(Date.now() - listed!.lastUsedAt!.getTime()).toBeLessThan(60_000);
    record.mockRejectedValue(new Error('read-only'));
    expect(await from('192.0.2.9')).toMatchObject({ scope: 'read' });
    expect(seen).toHaveBeenCalledTimes(3);
  });

  it('limits the number of tokens, their names and their lifetime', async () => {
    const { tokens } = serve({ maxLifetime: 30 * DAY });
    const { expiresAt } = await create(tokens);
    expect(Math.abs(expiresAt.getTime() - Date.now() - 30 * DAY * 1000)).toBeLessThan(60_000);
    for (const more of [{ lifetime: 31 * DAY }, { lifetime: 0 }, { lifetime: 1.5 }, { name: '' }, { name: 'a\u202eb' }])
      await expect(create(tokens, more)).rejects.toThrow('Invalid argument');
    for (let count = 1; count < 50; count += 1) await create(tokens);
    await expect(create(tokens)).rejects.toThrow('the user has 50 tokens');
  });

  it('lets no request with an access token create another token', async () => {
    const { server, tokens } = serve();
    const { token } = await create(tokens);
    const native = { method: 'POST', headers: {}, oauth2: { token: await use(server, token) } };
    const creation = tokens.create(native, alice(), { name: 'CI', scopes: ['read'] });
    expect(await errorOf(creation)).toMatch(/^403 access_denied/);
  });

  it.each([
    [{}, '`personalAccessTokens()` requires `scopes`: a non-empty list of scopes without spaces, or a function'],
    [{ scopes: [] }, '`scopes` of `personalAccessTokens()` must be a non-empty list of scopes'],
    [{ scopes: ['a b'] }, '`scopes` of `personalAccessTokens()` must be a non-empty list of scopes'],
    [{ scopes: ['a'], prefix: 'a-b' }, '`prefix` of `personalAccessTokens()` must begin with a letter'],
    [{ scopes: ['a'], prefix: 'a_' }, '`prefix` of `personalAccessTokens()` must begin with a letter'],
    [{ scopes: ['a'], lifetime: 10 }, '`lifetime` of `personalAccessTokens()` must be a whole number'],
    [
      { scopes: ['a'], lifetime: 100, maxLifetime: 90 },
      '`lifetime` of `personalAccessTokens()` must not be above `maxLifetime`',
    ],
    [{ scopes: ['a'], maxLifetime: 0 }, '`maxLifetime` of `personalAccessTokens()` must be a whole number'],
    [{ scopes: ['a'], resource: 'notes' }, '`resource` of `personalAccessTokens()` must be an absolute URI'],
    [{ scopes: ['a'], expiry: 1 }, 'unknown option `expiry` of `personalAccessTokens()`'],
  ])('rejects the options %j', (options, message) => {
    expect(() => personalAccessTokens(options as never)).toThrow(message);
  });
});
