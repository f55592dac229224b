import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { auth0, type ClaimRules, cognito, entra, JwtTokens, type JwtTokensOptions, keycloak } from 'nest-oauth2/jose';
import { isClientItself, OAuth2Server } from 'nest-oauth2/server';

import { runOperation, resourceRequest } from '../../support/clients/requests.js';

const AUDIENCE = 'https://notes.example.com';

/** Calls a protected resource. `reason` is the payload of the event for a refused token. */
async function call(options: JwtTokensOptions, token: string, scope?: string) {
  let reason: unknown;
  const events = { emit: (name: string, payload: object) => void (name === 'access.refused' && (reason = payload)) };
  const server = new OAuth2Server({ model: new JwtTokens(options), events });
  const { status, result, error } = await runOperation(
    server,
    'authenticate',
    resourceRequest(`Bearer ${token}`),
    scope ? { scope } : {},
  );
  return { status, token: result, message: error?.message, reason: reason as Record<string, unknown> | undefined };
}

describe('JwtTokens with access tokens recorded from Keycloak', () => {
  const recorded = JSON.parse(
    readFileSync(new URL('../../support/servers/keycloak-tokens.json', import.meta.url), 'utf8'),
  ) as Record<'issuer' | 'recordedAt' | 'accessToken' | 'idToken' | 'refreshToken' | 'clientCredentialsToken', string> &
    Pick<JwtTokensOptions, 'jwks'>;
  const { issuer, jwks } = recorded;
  const options = { issuer, jwks, audience: AUDIENCE, ...keycloak({ client: 'notes-api' }) };

  beforeEach(() => {
    const now = Date.parse(recorded.recordedAt) + 1000;
    jest.spyOn(Date, 'now').mockReturnValue(now);
    // `jose` reads the clock by `new Date()`.
    jest.useFakeTimers({ now, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout', 'performance'] });
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('accepts them, and returns user, client, scopes, and roles of realm and client', async () => {
    const { status, token } = await call(options, recorded.accessToken, 'profile');
    expect(status).toBe(200);
    expect(token).toMatchObject({ client: { id: 'web' }, preferred_username: 'alice' });
    expect(token!['user']).toMatchObject({ roles: expect.arrayContaining(['editor', 'reader']) });
    expect(isClientItself(token!['user'] as object)).toBe(false);
  });

  it('ignores roles of other clients', async () => {
    const { token } = await call(options, recorded.accessToken);
    expect((token!['user'] as { roles: string[] }).roles).not.toContain('manage-account');
  });

  it('accepts tokens of a service account as tokens of the client itself', async () => {
    const { status, token } = await call(options, recorded.clientCredentialsToken);
    expect([status, isClientItself(token!['user'] as object)]).toEqual([200, true]);
  });

  it.each([
    ['an ID token', 'idToken', 'the token is not an access token', 'ID'],
    ['a refresh token', 'refreshToken', /./, undefined],
  ] as const)('rejects %s of Keycloak', async (_, name, message, given) => {
    const { status, message: said, reason } = await call(options, recorded[name]);
    expect([status, said]).toEqual([401, expect.stringMatching(message)]);
    expect(reason?.['given']).toBe(given);
  });

  it('rejects them without keycloak(), and names the missing option in the event', async () => {
    const { status, message, reason } = await call({ issuer, jwks, audience: AUDIENCE }, recorded.accessToken);
    expect([status, message]).toEqual([401, 'Invalid token: the type of the token is not accepted']);
    expect(reason).toMatchObject({ reason: expect.stringContaining('`keycloak()`'), expected: 'at+jwt', given: 'JWT' });
  });
});

describe('JwtTokens with access tokens in the documented formats of other products', () => {
  const issuer = 'https://id.example.com';
  let sign: (claims: object, header?: object) => Promise<string>;
  let jwks: NonNullable<JwtTokensOptions['jwks']>;
  const now = Math.floor(Date.now() / 1000);

  beforeAll(async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256');
    jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' }] };
    sign = (claims, header = { typ: 'JWT' }) =>
      new SignJWT({ iss: issuer, iat: now, exp: now + 600, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
        .sign(privateKey);
  });
  const ask = async (rules: ClaimRules, claims: object, header?: object, audience = AUDIENCE) =>
    call({ issuer, jwks, audience, ...rules }, await sign(claims, header));

  it('accepts a Keycloak user who is named like a service account', async () => {
    const claims = { sub: 'u', aud: AUDIENCE, azp: 'web', typ: 'Bearer', preferred_username: 'service-account-web' };
    const { token } = await ask(keycloak(), claims);
    expect(token).toMatchObject({ user: { id: 'u' } });
    const service = await ask(keycloak(), { ...claims, client_id: 'web' });
    expect(isClientItself(service.token!['user'] as object)).toBe(true);
  });

  it('accepts Auth0 tokens with permissions as roles', async () => {
    const claims = {
      sub: 'auth0|1',
      aud: [AUDIENCE, `${issuer}/userinfo`],
      azp: 'spa',
      scope: 'openid read',
      permissions: ['edit'],
    };
    const { status, token } = await ask(auth0(), claims);
    expect(status).toBe(200);
    expect(token).toMatchObject({
      client: { id: 'spa' },
      scope: 'openid read',
      user: { id: 'auth0|1', roles: ['edit'] },
    });
  });

  it('accepts Auth0 tokens with roles in the claim of an Action', async () => {
    const claims = { sub: 'auth0|1', aud: AUDIENCE, azp: 'spa', 'https://notes.example.com/roles': ['editor'] };
    const { token } = await ask(auth0({ rolesClaim: 'https://notes.example.com/roles' }), claims);
    expect(token).toMatchObject({ user: { roles: ['editor'] } });
  });

  it('accepts Auth0 machine-to-machine tokens as tokens of the client itself', async () => {
    for (const claims of [{ azp: 'm2m', gty: 'client-credentials' }, { azp: 'm2m' }, { client_id: 'm2m' }]) {
      const { token } = await ask(auth0(), { sub: 'm2m@clients', aud: AUDIENCE, ...claims });
      expect(isClientItself(token!['user'] as object)).toBe(true);
    }
  });

  it.each(['samlp|company|mallory@clients', 'auth0|web@clients', 'other@clients'])(
    'accepts the Auth0 user %s',
    async (sub) => {
      const { token } = await ask(auth0(), { sub, aud: AUDIENCE, azp: 'web' });
      expect(token).toMatchObject({ user: { id: sub } });
      expect(isClientItself(token!['user'] as object)).toBe(false);
    },
  );

  it.each([
    ['1.0', { appid: 'spa' }],
    ['2.0', { azp: 'spa' }],
  ])('accepts tokens of Entra ID %s with scopes in `scp`', async (_, client) => {
    const { status, token } = await ask(entra(), {
      sub: 's',
      oid: 'o',
      aud: AUDIENCE,
      scp: 'Notes.Read',
      roles: ['Editor'],
      ...client,
    });
    expect(status).toBe(200);
    expect(token).toMatchObject({ client: { id: 'spa' }, scope: 'Notes.Read', user: { id: 's', roles: ['Editor'] } });
  });

  it('accepts application tokens of Entra ID with roles, as tokens of the client itself', async () => {
    const { token } = await ask(entra(), {
      sub: 'o',
      oid: 'o',
      aud: AUDIENCE,
      azp: 'daemon',
      roles: ['Notes.Read.All'],
    });
    expect(isClientItself(token!['user'] as object)).toBe(true);
    expect(token!['user']).toMatchObject({ roles: ['Notes.Read.All'] });
  });

  it('rejects tokens of Entra ID that name no client, such as ID tokens', async () => {
    const { message } = await ask(entra(), { sub: 's', oid: 'o', aud: AUDIENCE, nonce: 'n', roles: ['Editor'] });
    expect(message).toBe('Invalid token: the claim `azp` is missing');
  });

  it('accepts Cognito tokens with the client as audience, groups as roles, and no `typ`', async () => {
    const claims = { sub: 'u', client_id: 'app', token_use: 'access', scope: 'read', 'cognito:groups': ['editors'] };
    const { status, token } = await ask(cognito(), claims, {}, 'app');
    expect(status).toBe(200);
    expect(token).toMatchObject({ client: { id: 'app' }, user: { id: 'u', roles: ['editors'] } });
    expect(await ask(cognito(), claims, {}, 'other')).toMatchObject({ status: 401 });
  });

  it.each(['sub', 'client_id', 'token_use'])(
    'rejects access tokens of Cognito without the claim `%s`',
    async (name) => {
      const claims = { sub: 'u', client_id: 'app', aud: 'app', token_use: 'access', [name]: undefined };
      const { message } = await ask(cognito(), claims, {}, 'app');
      expect(message).toBe(`Invalid token: the claim \`${name}\` is missing`);
    },
  );

  it('rejects ID tokens of Cognito', async () => {
    const { message } = await ask(cognito(), { sub: 'u', client_id: 'app', aud: 'app', token_use: 'id' }, {}, 'app');
    expect(message).toBe('Invalid token: the token is not an access token');
  });

  it.each<[string, object, object | undefined, string]>([
    ['another issuer', { iss: 'https://evil.example', sub: 's' }, undefined, 'the token was issued by another issuer'],
    ['a missing claim', { aud: AUDIENCE, azp: 'spa' }, undefined, 'the claim `sub` is missing'],
    [
      'another audience',
      { sub: 's', aud: 'https://other.example', azp: 'spa' },
      undefined,
      'it is not intended for this resource',
    ],
    [
      'another type',
      { sub: 's', aud: AUDIENCE, azp: 'spa' },
      { typ: 'logout+jwt' },
      'the type of the token is not accepted',
    ],
    [
      'an unknown key',
      { sub: 's', aud: AUDIENCE },
      { typ: 'JWT', kid: 'two' },
      'the issuer has no key that matches the token',
    ],
    [
      'a token that is not valid yet',
      { sub: 's', aud: AUDIENCE, azp: 'spa', nbf: now + 600 },
      undefined,
      'the claim `nbf` is invalid',
    ],
    [
      'a malformed scope',
      { sub: 's', aud: AUDIENCE, azp: 'spa', scope: { read: true } },
      undefined,
      'the claim `scope` is invalid',
    ],
    [
      'an expired token',
      { sub: 's', aud: AUDIENCE, azp: 'spa', exp: now - 600 },
      undefined,
      'access token has expired',
    ],
  ])('rejects %s with a specific reason', async (_, claims, header, message) => {
    const { status, message: said, reason } = await ask(auth0(), claims, header);
    expect([status, said]).toEqual([401, `Invalid token: ${message}`]);
    expect(reason).toMatchObject({ error: 'invalid_token', reason: expect.any(String) });
  });

  it('grants no role for a claim of the wrong type', async () => {
    const { token } = await ask(auth0(), { sub: 's', aud: AUDIENCE, azp: 'spa', permissions: { admin: true } });
    expect(token!['user']).toEqual({ id: 's' });
  });

  it('rejects opaque tokens with a reason', async () => {
    const { message } = await call({ issuer, jwks, audience: AUDIENCE }, 'opaque-token');
    expect(message).toBe('Invalid token: the token is not a signed JWT');
  });
});
