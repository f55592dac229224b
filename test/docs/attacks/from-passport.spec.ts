import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { SignJWT } from 'jose';
import { clientItself, getOAuth2ServerToken, type OAuth2Server, type User } from 'nest-oauth2';

import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { GuideCode, provide } from './guide-code.js';

// The guide from-passport.md, with a table in memory and hashes that are compared as text.
provide({ bcryptjs: { compare: async (password: string, stored: string) => stored === `hash of ${password}` } });
const code = GuideCode.write('from-passport', ['docs/guides/from-passport.md'], {
  'src/user-table.ts': `
    export class UserTable {
      rows = ['alice', 'bob', 'root'].map((name, at) => ({
        id: at + 1,
        email: name + '@example.com',
        roles: name === 'root' ? ['admin'] : [],
        passwordHash: 'hash of ' + name,
        passwordChangedAt: new Date('2020-01-01'),
      }));
      findById = async (id: number) => this.rows.find((row) => row.id === id);
      findByEmail = async (email: string) => this.rows.find((row) => row.email === email);
    }`,
});

const NOW = Date.now();
const at = (days: number) => new Date(NOW + days * 86_400_000).toISOString();
const ENV = {
  ISSUER: 'http://localhost:3000',
  OAUTH2_SECRET: 'the secret of the server, which signs cookies',
  JWT_SECRET: 'the old secret of JwtModule, long enough for each algorithm of JWS: HS256, HS384, HS512',
  OLD_LOGIN_OFF: at(-1),
  OLD_TOKENS_UNTIL: at(30),
};

afterEach(stopApplications);
afterEach(() => {
  for (const name of Object.keys(ENV)) delete process.env[name];
});
afterAll(() => code.remove());

const { AppModule } = await code.import<{ AppModule: Type }>('src/app.module.ts');
const { UserTable } = await code.import<{ UserTable: Type<{ rows: Record<string, unknown>[] }> }>('src/user-table.ts');
const { UsersService } = await code.import<{ UsersService: Type }>('src/users.service.ts');

interface Old {
  sub?: unknown;
  iat?: number;
  exp?: number | undefined;
  secret?: string;
  alg?: string;
}

/** Returns a JWT as the old login signed it, two days ago and for a month. */
function oldToken({ sub = 1, iat = -2, exp = 28, secret = ENV.JWT_SECRET, alg = 'HS256' }: Old = {}): Promise<string> {
  const seconds = (days: number) => Math.floor(NOW / 1000 + days * 86_400);
  const payload = { sub, iat: seconds(iat), ...(exp !== Infinity && { exp: seconds(exp) }) };
  return new SignJWT(payload as never).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
}

/** Returns a JWT without signature. */
async function unsigned(): Promise<string> {
  const [, payload] = (await oldToken()).split('.');
  return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
}

describe.each(PLATFORMS)('the application of from-passport.md on %s', (platform) => {
  const start = async (environment: Partial<typeof ENV> = {}) => {
    Object.assign(process.env, ENV, environment);
    const { url, app } = await startApplication(platform, { imports: [AppModule] });
    const call = async (path: string, token?: string) => {
      const response = await fetch(url + path, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
      return response.ok ? await response.json() : response.status;
    };
    return { app, call };
  };

  /** Returns an access token of the server for a user, or for a service. */
  async function newToken(app: INestApplication, user?: User): Promise<string> {
    const { model } = app.get<OAuth2Server>(getOAuth2ServerToken()).options;
    const client = { id: 'web', grants: ['authorization_code'] };
    const accessToken = `token ${user ? String(user['id']) : 'of a service'}`.replaceAll(' ', '-');
    const token = {
      accessToken,
      accessTokenExpiresAt: new Date(NOW + 3_600_000),
      scope: ['notes:read'],
      issuer: ENV.ISSUER,
    };
    await model.saveToken(token, client, user ?? clientItself(client));
    return accessToken;
  }

  it('accepts old and new tokens, with the same user', async () => {
    const { app, call } = await start();
    const [old, fresh] = [await oldToken(), await newToken(app, { id: 1 })];
    for (const token of [old, fresh]) {
      expect(await call('/notes', token)).toEqual({ where: { authorId: 1 } });
      expect(await call('/notes/old', token)).toEqual({ where: { authorId: 1 } });
      expect(await call('/notes/all', token)).toBe(403);
    }
    expect(await call('/notes', await oldToken({ sub: '2' }))).toEqual({ where: { authorId: 2 } });
    for (const token of [await oldToken({ sub: 3 }), await newToken(app, { id: 3 })])
      expect(await call('/notes/all', token)).toEqual({ where: {} });
  });

  it('shows the data of no user to a service', async () => {
    const { app, call } = await start();
    const service = await newToken(app);
    expect([
      await call('/notes', service),
      await call('/notes/all', service),
      await call('/notes/old', service),
    ]).toEqual([403, 403, 401]);
  });

  it.each<[string, () => string | Promise<string> | undefined]>([
    ['no token', () => undefined],
    ['a token of another secret', () => oldToken({ secret: 'another secret' })],
    ['a token without signature', () => unsigned()],
    ['a token of another algorithm', () => oldToken({ alg: 'HS512' })],
    ['an expired token', () => oldToken({ iat: -9, exp: -8 })],
    ['a token without expiry', () => oldToken({ exp: Infinity })],
    ['a token that was signed after the old login was switched off', () => oldToken({ iat: -0.5 })],
    ['a token of the future', () => oldToken({ iat: 5 })],
    ['a token of a deleted user', () => oldToken({ sub: 9 })],
    ['a token whose user is a service', () => oldToken({ sub: 'client:web' })],
    ['a token whose user is an expression', () => oldToken({ sub: '1 OR 1=1' })],
    ['a token whose user is an object', () => oldToken({ sub: { id: 1 } })],
    ['another text', () => 'a.b.c'],
  ])('rejects %s', async (_, make) => {
    const { call } = await start();
    expect(await call('/notes', await make())).toBe(401);
  });

  it('rejects old tokens after the last day', async () => {
    const { call } = await start({ OLD_TOKENS_UNTIL: at(-0.1) });
    expect(await call('/notes', await oldToken())).toBe(401);
  });

  it('ends the old tokens of a user with a new password', async () => {
    const { app, call } = await start();
    const table = app.get(UserTable, { strict: false });
    const token = await oldToken();
    expect(await call('/notes', token)).toEqual({ where: { authorId: 1 } });
    table.rows[0]!['passwordChangedAt'] = new Date();
    expect(await call('/notes', token)).toBe(401);
  });

  it('verifies the existing hashes, and takes one of a missing user', async () => {
    const { app } = await start();
    const users = app.get<{
      findByUsername(name: string): Promise<User>;
      verifyPassword(user: User | undefined, word: string): Promise<boolean>;
    }>(UsersService, { strict: false });
    const alice = await users.findByUsername(' Alice@example.com');
    expect(alice).toEqual({ id: 1, email: 'alice@example.com', roles: [], passwordChangedAt: expect.any(Number) });
    expect(await users.verifyPassword(alice, 'alice')).toBe(true);
    expect(await users.verifyPassword(alice, 'bob')).toBe(false);
    expect(await users.verifyPassword(undefined, 'alice')).toBe(false);
  });
});
