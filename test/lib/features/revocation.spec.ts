import { describe, expect, it } from '@jest/globals';
import { revocation, type RevocationOptions } from 'nest-oauth2/features';
import {
  type Client,
  InvalidGrantError,
  InvalidTokenError,
  OAuth2Server,
  type Request,
  TemporarilyUnavailableError,
} from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { callEndpoint } from '../../support/call-endpoint.js';
import {
  addAccessToken,
  addRefreshToken,
  ALICE,
  createTestModel,
  earlier,
  type TestModel,
  later,
  SECRET,
  SPA,
  WEB,
} from '../../support/model.js';
import { runOperation, basic, FORM, formRequest, resourceRequest, tokenRequest } from '../../support/requests.js';

const OTHER: Client = { id: 'other', grants: ['refresh_token', 'password'] };

/** A store with two pairs of tokens of alice's: of the grant `family`, and of another. */
async function store(): Promise<MemoryStore> {
  const known = { secret: SECRET, scopes: ['read'] };
  const users = { findByCredentials: () => undefined, findById: () => ALICE };
  const model = new MemoryStore({
    clients: [
      { ...WEB, ...known },
      { ...OTHER, ...known },
      { ...SPA, scopes: ['read'] },
    ],
    users,
  });
  await save(model, { grantId: 'family' });
  await save(model, { grantId: 'family' }, 'second ');
  await save(model, { grantId: 'stranger' }, 'strange ');
  return model;
}

function save(model: MemoryStore, more: object, prefix = '', client = WEB) {
  const token = { accessToken: `${prefix}access`, accessTokenExpiresAt: later(), scope: 'read' };
  const refresh = { refreshToken: `${prefix}refresh`, refreshTokenExpiresAt: later() };
  return model.saveToken({ ...token, ...refresh, ...more }, client, ALICE);
}

const TOKENS = ['access', 'second access', 'strange access', 'refresh', 'second refresh', 'strange refresh'];

/** Which tokens are let in, or get others. */
async function alive(model: MemoryStore): Promise<string[]> {
  const found = await Promise.all(
    TOKENS.map(async (token) =>
      token.endsWith('access')
        ? await model.getAccessToken(token)
        : await model.getRefreshToken(token).then((row) => !row?.revokedAt && row),
    ),
  );
  return TOKENS.filter((_, index) => found[index]);
}

const serverOf = (model: TestModel['model'] | MemoryStore, options: RevocationOptions = {}, more: object = {}) =>
  new OAuth2Server({ model, features: [revocation(options)], ...more });

/** What an endpoint says when there is nothing to complain of. */
const DONE = { status: 200, body: {}, error: undefined };
const GONE = (...tokens: string[]) => TOKENS.filter((token) => !tokens.includes(token));

describe('revocation', () => {
  it.each([
    ['an access token ends it, and nothing else', 'access', undefined, ['access']],
    ['an access token by its hint', 'access', 'access_token', ['access']],
    ['an access token by a wrong hint', 'access', 'refresh_token', ['access']],
    ['an access token by an unknown hint', 'access', 'urn:example:"hint"', ['access']],
    ['a refresh token ends its family', 'refresh', undefined, ['access', 'second access', 'refresh', 'second refresh']],
    ['a refresh token by a wrong hint', 'second refresh', 'access_token', GONE('strange access', 'strange refresh')],
    ['what is unknown ends nothing', 'no such token', undefined, []],
  ])('of %s', async (_, token, token_type_hint, ended) => {
    const model = await store();
    const answered = await callEndpoint(serverOf(model), 'revocation', tokenRequest({ token, token_type_hint }));
    expect(answered).toMatchObject(DONE);
    expect(answered.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(await alive(model)).toEqual(GONE(...ended));
  });

  it('of an access token ends its grant too, where the host says so', async () => {
    const model = await store();
    const server = serverOf(model, { accessTokenEndsGrant: true });
    expect(await callEndpoint(server, 'revocation', tokenRequest({ token: 'access' }))).toMatchObject(DONE);
    expect(await alive(model)).toEqual(['strange access', 'strange refresh']);
  });

  it('of a revoked access token turns away whoever brings it', async () => {
    const model = await store();
    const server = serverOf(model);
    expect((await runOperation(server, 'authenticate', resourceRequest('Bearer access'))).status).toBe(200);
    await callEndpoint(server, 'revocation', tokenRequest({ token: 'access' }));
    const { status, error } = await runOperation(server, 'authenticate', resourceRequest('Bearer access'));
    expect([status, error?.name]).toEqual([401, 'invalid_token']);
  });

  it('twice is as good as once', async () => {
    const model = await store();
    const server = serverOf(model);
    for (const token of ['access', 'access', 'refresh', 'refresh']) {
      expect(await callEndpoint(server, 'revocation', tokenRequest({ token }))).toMatchObject(DONE);
    }
    expect(await alive(model)).toEqual(['strange access', 'strange refresh']);
  });

  it('of a spent refresh token ends its family: a client that lost its answer has no other', async () => {
    const model = await store();
    const server = serverOf(model);
    await runOperation(server, 'token', tokenRequest({ grant_type: 'refresh_token', refresh_token: 'refresh' }));
    expect(await callEndpoint(server, 'revocation', tokenRequest({ token: 'refresh' }))).toMatchObject(DONE);
    expect(await alive(model)).toEqual(['strange access', 'strange refresh']);
  });

  it.each(['access', 'refresh'])("of another client's token is refused, and the %s token lives on", async (token) => {
    const model = await store();
    const request = formRequest({ token, client_id: 'other', client_secret: SECRET });
    const { status, body, error } = await callEndpoint(serverOf(model), 'revocation', request);
    expect([status, body['error']]).toEqual([400, 'invalid_grant']);
    expect(JSON.stringify(body)).not.toContain('web');
    expect(error?.name).toBe('invalid_grant');
    expect(await alive(model)).toEqual(TOKENS);
  });

  it("of a public client's own token needs no secret, of a confidential one it does", async () => {
    const model = await store();
    await save(model, { grantId: 'of spa' }, 'spa ', SPA);
    const server = serverOf(model, {}, { requireClientAuthentication: { password: false } });
    const own = formRequest({ token: 'spa access', client_id: 'spa' });
    expect(await callEndpoint(server, 'revocation', own)).toMatchObject(DONE);
    expect(await model.getAccessToken('spa access')).toBeUndefined();
    const unproven = formRequest({ token: 'access', client_id: 'web', grant_type: 'password' });
    expect(await callEndpoint(server, 'revocation', unproven)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    expect(await alive(model)).toEqual(TOKENS);
  });

  it('of what has expired ends nothing, whoever asks', async () => {
    const host = createTestModel({ revokeAccessToken: () => true } as object);
    addAccessToken(host, { accessTokenExpiresAt: earlier(), client: OTHER });
    addRefreshToken(host, { refreshTokenExpiresAt: earlier(), client: OTHER });
    for (const token of ['access', 'refresh']) {
      expect(await callEndpoint(serverOf(host.model), 'revocation', tokenRequest({ token }))).toMatchObject(DONE);
    }
    expect(host.calls.map(([method]) => method).filter((method) => method.startsWith('revoke'))).toEqual([]);
  });

  it('of what is unknown to a model that says so by an error answers 200 all the same', async () => {
    const { model } = createTestModel({
      getAccessToken: () => Promise.reject(new InvalidTokenError('Invalid token: unknown')),
      getRefreshToken: () => {
        throw new InvalidGrantError('Invalid grant: unknown');
      },
    });
    expect(await callEndpoint(serverOf(model), 'revocation', tokenRequest({ token: 'unknown' }))).toMatchObject(DONE);
  });

  it('of a model without families spends the refresh token, and leaves access tokens alone', async () => {
    const host = createTestModel();
    addAccessToken(host);
    addRefreshToken(host, { refreshTokenExpiresAt: undefined });
    const server = serverOf(host.model);
    expect(await callEndpoint(server, 'revocation', tokenRequest({ token: 'refresh' }))).toMatchObject(DONE);
    expect(host.refreshTokens.size).toBe(0);
    const { status, body } = await callEndpoint(server, 'revocation', tokenRequest({ token: 'access' }));
    expect([status, body['error']]).toEqual([400, 'unsupported_token_type']);
    expect(host.accessTokens.size).toBe(1);
  });

  it.each<[string, Request, string]>([
    ['without a token', tokenRequest({ token: '' }), 'Missing parameter: `token`'],
    ['with two tokens', tokenRequest({ token: ['access', 'refresh'] }), 'Repeated parameter: `token`'],
    [
      'with two hints',
      tokenRequest({ token: 'access', token_type_hint: ['a', 'b'] }),
      'Repeated parameter: `token_type_hint`',
    ],
    ['by GET', tokenRequest({ token: 'access' }, { method: 'GET' }), 'Invalid request: method must be POST'],
    ['with a token in its URL only', tokenRequest({}, { query: { token: 'access' } }), 'Missing parameter: `token`'],
  ])('%s is an invalid request', async (_, request, description) => {
    const model = await store();
    const { status, body } = await callEndpoint(serverOf(model), 'revocation', request);
    expect([status, body]).toEqual([400, { error: 'invalid_request', error_description: description }]);
    expect(await alive(model)).toEqual(TOKENS);
  });

  it('of a client with a wrong secret asks for the right one', async () => {
    const model = await store();
    const headers = { ...FORM, authorization: basic('web', 'wrong') };
    const { status, headers: sent } = await callEndpoint(
      serverOf(model),
      'revocation',
      tokenRequest({ token: 'access' }, { headers }),
    );
    expect([status, sent['www-authenticate']]).toEqual([401, 'Basic realm="Service", error="invalid_client"']);
    expect(await alive(model)).toEqual(TOKENS);
  });

  it('says that it cannot be done now, where the model cannot', async () => {
    const model = await store();
    const unavailable = () =>
      Promise.reject(new TemporarilyUnavailableError('The database is away', { retryAfter: 7 }));
    for (const failing of ['getAccessToken', 'revokeGrant']) {
      const broken = Object.assign(Object.create(model) as MemoryStore, { [failing]: unavailable });
      const token = failing === 'revokeGrant' ? 'refresh' : 'access';
      const { status, headers } = await callEndpoint(serverOf(broken), 'revocation', tokenRequest({ token }));
      expect([status, headers['retry-after']]).toEqual([503, '7']);
    }
    expect(await alive(model)).toEqual(TOKENS);
  });

  it('tells the operator what was ended, and nothing when nothing was', async () => {
    const model = await store();
    const told: [string, object][] = [];
    const wants = (name: string) => name !== 'client.authenticated';
    const events = { emit: (name: string, payload: object) => told.push([name, payload]), wants };
    const server = serverOf(model, {}, { events });
    for (const token of ['access', 'refresh', 'refresh', 'no such token']) {
      await callEndpoint(server, 'revocation', tokenRequest({ token }));
    }
    const at: unknown = expect.any(Date);
    const facts = { at, endpoint: 'revocation', clientId: 'web', userId: 'alice', grantId: 'family' };
    expect(told).toEqual([
      ['token.revoked', { ...facts, kind: 'access token' }],
      ['token.revoked', { ...facts, kind: 'grant' }],
      ['grant.ended', { ...facts, reason: 'revoked' }],
    ]);
    await callEndpoint(
      server,
      'revocation',
      formRequest({ token: 'strange access', client_id: 'other', client_secret: SECRET }),
    );
    expect(told[3]).toEqual([
      'endpoint.refused',
      expect.objectContaining({ endpoint: 'revocation', clientId: 'other', error: 'invalid_grant', given: 'other' }),
    ]);
  });

  it('is refused at the start with a misspelt option', () => {
    expect(() => serverOf(createTestModel().model, { accessTokenEndGrant: true } as object)).toThrow(
      'unknown option `accessTokenEndGrant` of `revocation()`: there is `accessTokenEndsGrant`',
    );
  });

  it.each<[string, Record<string, undefined>, RevocationOptions, RegExp]>([
    ['can end nothing', { revokeToken: undefined }, {}, /`revocation\(\)` needs a model that finds and ends tokens/],
    [
      'knows no families',
      {},
      { accessTokenEndsGrant: true },
      /`accessTokenEndsGrant` of `revocation\(\)` needs a model that implements `revokeGrant\(\)`/,
    ],
  ])('is refused at the start for a model that %s', (_, methods, options, fault) => {
    expect(() => serverOf(createTestModel(methods).model, options)).toThrow(fault);
  });
});
