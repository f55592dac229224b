import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { SignJWT } from 'jose';
import { clientItself, getOAuth2ServerToken, type OAuth2Server, type User } from 'nest-oauth2';

import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { GuideCode } from './guide-code.js';

// The guide from-passport.md, with the module that `nest add --existing` writes, over a table in memory.
const code = GuideCode.write('from-passport', ['docs/guides/from-passport.md'], {
  'src/oauth/oauth-users.ts': `
    export class OAuthUsers {
      rows = ['alice', 'bob', 'root'].map((name, at) => ({
        id: at + 1,
        email: name + '@example.com',
        roles: name === 'root' ? ['admin'] : [],
        passwordChangedAt: undefined as Date | undefined,
      }));
      findById = async (id: string) => (/^\\d+$/.test(id) ? this.rows.find((row) => row.id === Number(id)) : undefined);
      findByUsername = async (email: string) => this.rows.find((row) => row.email === email);
      verifyPassword = async () => false;
    }`,
  'src/app.module.ts': `
    import { Module } from '@nestjs/common';
    import { ConfigModule, ConfigService } from '@nestjs/config';
    import { OAuth2Module, type User } from 'nest-oauth2';
    import { MemoryStore } from 'nest-oauth2/stores/memory';
    import { NotesController } from './notes.controller.js';
    import { OAuthUsers } from './oauth/oauth-users.js';
    import { acceptOldTokens } from './oauth/old-tokens.js';

    const grants = ['authorization_code'];
    const web = { id: 'web', secret: 'the secret of the client', grants, redirectUris: ['http://localhost:3001/callback'] };

    @Module({
      imports: [
        ConfigModule.forRoot({ isGlobal: true }),
        OAuth2Module.forRootAsync({
          isGlobal: true,
          extraProviders: [OAuthUsers],
          inject: [ConfigService, OAuthUsers],
          useFactory: (config: ConfigService, users: OAuthUsers) => ({
            model: acceptOldTokens(new MemoryStore({ users, clients: [web] }), users, {
              secret: config.getOrThrow('JWT_SECRET'),
              issuedBefore: new Date(config.getOrThrow('OLD_LOGIN_OFF')),
              until: new Date(config.getOrThrow('OLD_TOKENS_UNTIL')),
              scopes: ['notes:read'],
              passwordChangedAt: (user: User) => user.passwordChangedAt as Date | undefined,
            }),
            interaction: null,
            issuer: config.getOrThrow('ISSUER'),
            secret: config.getOrThrow('OAUTH2_SECRET'),
          }),
        }),
      ],
      controllers: [NotesController],
    })
    export class AppModule {}`,
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
const { OAuthUsers } = await code.import<{ OAuthUsers: Type<{ rows: Record<string, unknown>[] }> }>(
  'src/oauth/oauth-users.ts',
);

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
    const table = app.get(OAuthUsers, { strict: false });
    const token = await oldToken();
    expect(await call('/notes', token)).toEqual({ where: { authorId: 1 } });
    table.rows[0]!['passwordChangedAt'] = new Date();
    expect(await call('/notes', token)).toBe(401);
  });
});
