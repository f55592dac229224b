import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Model, OAuth2Server, type OAuth2ServerOptions } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { ALICE, createTestModel, WEB } from '../../support/models/model.js';
import { runOperation, summary, tokenRequest } from '../../support/clients/requests.js';

const DAY = 86_400;
const PASSWORD = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };
const EXPIRED = '400 invalid_grant: Invalid grant: refresh token has expired';

const realNow = Date.now;
afterEach(() => {
  jest.restoreAllMocks();
});

/** Sets the clock of this process to the given number of days from now. */
const goTo = (days: number) => jest.spyOn(Date, 'now').mockImplementation(() => realNow() + days * DAY * 1000);

const client = { ...WEB, secret: 's3cret', scopes: ['read', 'write'] };
const users = { findById: () => ALICE, findByCredentials: () => ALICE };

/** Models with token families: a store, and an application's model with `revokeGrant()`. */
const MODELS: [string, () => Model][] = [
  ['a store', () => new MemoryStore({ clients: [client], users })],
  ['a model with `revokeGrant()`', () => createTestModel({ revokeGrant: () => true }).model],
];

function createServer(model: Model, options: Partial<OAuth2ServerOptions> = {}) {
  const lifetimes = { accessTokenLifetime: 3 * DAY, refreshTokenLifetime: 10 * DAY };
  const server = new OAuth2Server({ model, ...lifetimes, ...options });
  const ask = async (form: object) => {
    const { error, result, body } = await runOperation(server, 'token', tokenRequest({ ...form }));
    if (error) return summary(error);
    const days = (date: unknown) => date && Math.round(((date as Date).getTime() - realNow()) / 1000 / DAY);
    const { accessTokenExpiresAt, refreshTokenExpiresAt } = result!;
    return {
      refreshToken: body['refresh_token'],
      ends: [days(accessTokenExpiresAt), days(refreshTokenExpiresAt)],
      body,
    };
  };
  const refresh = async (token: unknown) =>
    ask({ grant_type: 'refresh_token', refresh_token: (token as { refreshToken: string }).refreshToken });
  return { sign: () => ask(PASSWORD), refresh };
}

describe.each(MODELS)('`grantLifetime` with %s', (_, createModel) => {
  it('is unlimited by default', async () => {
    const { sign, refresh } = createServer(createModel());
    let token = await sign();
    for (const day of [9, 18, 27]) {
      goTo(day);
      token = await refresh(token);
      expect(token).toMatchObject({ ends: [day + 3, day + 10] });
    }
  });

  it('limits the expiry of access and refresh tokens, however often they are refreshed', async () => {
    const { sign, refresh } = createServer(createModel(), { grantLifetime: 20 * DAY });
    let token = await sign();
    expect(token).toMatchObject({ ends: [3, 10] });
    goTo(9);
    token = await refresh(token);
    expect(token).toMatchObject({ ends: [12, 19] });
    goTo(15);
    token = await refresh(token);
    expect(token).toMatchObject({ ends: [18, 20] });
    goTo(19);
    token = await refresh(token);
    expect(token).toMatchObject({ ends: [20, 20] });
    goTo(20.1);
    expect(await refresh(token)).toBe(EXPIRED);
  });

  it('also limits grants that were issued before it was shortened', async () => {
    const model = createModel();
    const token = await createServer(model, { grantLifetime: 30 * DAY }).sign();
    const { refresh } = createServer(model, { grantLifetime: 5 * DAY });
    goTo(4);
    const next = await refresh(token);
    expect(next).toMatchObject({ ends: [5, 5] });
    goTo(6);
    expect(await createServer(model, { grantLifetime: 5 * DAY }).refresh(next)).toBe(EXPIRED);
    expect(await createServer(model, { grantLifetime: 30 * DAY }).refresh(next)).toBe(EXPIRED);
  });

  it('limits access tokens if refresh tokens are not rotated', async () => {
    const options = { grantLifetime: 5 * DAY, alwaysIssueNewRefreshToken: false };
    const { sign, refresh } = createServer(createModel(), options);
    const token = await sign();
    goTo(4);
    expect(await refresh(token)).toMatchObject({ ends: [5, undefined] });
    goTo(5.1);
    expect(await refresh(token)).toBe(EXPIRED);
  });

  it('adds no member to the token response', async () => {
    const options = { grantLifetime: 20 * DAY, allowExtendedTokenAttributes: true };
    const { body } = (await createServer(createModel(), options).sign()) as { body: object };
    expect(Object.keys(body).toSorted()).toEqual([
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ]);
  });
});

describe('`grantLifetime`', () => {
  it('counts from the first refresh if the model did not store when the grant began', async () => {
    const model = createTestModel({ revokeGrant: () => true }).model;
    const token = await createServer(model).sign();
    goTo(9);
    const { refresh } = createServer(model, { grantLifetime: 5 * DAY });
    const next = await refresh(token);
    expect(next).toMatchObject({ ends: [12, 14] });
    goTo(14.5);
    expect(await refresh(next)).toBe(EXPIRED);
  });

  it('requires a model with `revokeGrant()`', async () => {
    const { sign } = createServer(createTestModel().model, { grantLifetime: DAY });
    expect(await sign()).toMatch(/^500 invalid_argument: .*`revokeGrant\(\)`/);
  });

  it.each(['soon', Number.NaN, -1, Number.POSITIVE_INFINITY])('must be a positive number, not %p', async (given) => {
    const { sign } = createServer(MODELS[0]![1](), { grantLifetime: given as number });
    expect(await sign()).toMatch(/^500 invalid_argument: \w+ parameter: `grantLifetime`$/);
  });

  it('can be a numeric string, as in an environment variable', async () => {
    const { sign } = createServer(MODELS[0]![1](), { grantLifetime: String(2 * DAY) as never });
    expect(await sign()).toMatchObject({ ends: [2, 2] });
  });
});
