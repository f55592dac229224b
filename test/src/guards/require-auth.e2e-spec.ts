import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Module, OAuthGuard, OptionalAuth, Public, RequireAuth, Scopes, type SignIn } from 'nest-oauth2';
import { IntrospectedTokens, introspection, serverMetadata, type RequestedLogin } from 'nest-oauth2/features';
import { jwtAccessTokens, JwtTokens, keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, basic, bearer, get, post } from '../../support/clients/http.js';
import {
  type TestApplication,
  PLATFORMS,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';

// RFC 9470: a route with authentication requirements that a token does not meet, and a client that steps up.

const PWD = 'urn:example:pwd';
const MFA = 'urn:example:mfa';
const CALLBACK = 'https://app.example/callback';
const alice = { id: 'alice', name: 'Alice' };

@Controller('account')
@UseGuards(OAuthGuard)
@RequireAuth({ maxAge: 300 })
class AccountController {
  @Get()
  recent() {
    return { recent: true };
  }

  @Get('payment')
  @Scopes('openid')
  @RequireAuth({ acr: [MFA, 'urn:example:phr'], maxAge: 60 })
  pay() {
    return { paid: true };
  }

  @Get('limits')
  @RequireAuth({ acr: MFA })
  @OptionalAuth()
  limits() {
    return { limits: true };
  }

  @Get('terms')
  @Public()
  terms() {
    return { terms: true };
  }

  @Get('admin')
  @Scopes('admin')
  admin() {
    return {};
  }
}

const SETUPS = PLATFORMS.flatMap((platform) =>
  (['opaque', 'signed', 'introspected'] as const).map((of) => ({ platform, of })),
);

describe.each(SETUPS)('step-up authentication by @RequireAuth() with $of tokens on $platform', ({ platform, of }) => {
  let issuer: string;
  let server: TestApplication;
  let api: TestApplication;
  let signedIn: SignIn;
  const wanted: Readonly<RequestedLogin>[] = [];

  beforeAll(async () => {
    const port = await freePort();
    issuer = `http://127.0.0.1:${port}`;
    const model = Object.assign(
      new MemoryStore({
        clients: [
          {
            id: 'app',
            secret: 'app-secret',
            grants: ['authorization_code', 'client_credentials'],
            redirectUris: [CALLBACK],
            scopes: ['openid'],
          },
        ],
        users: { findById: () => alice, findByCredentials: () => alice },
      }),
      { getClaims: () => ({}) },
    );
    // A login page that authenticates the user as required.
    const interaction = Object.assign(new DemoInteraction(), {
      findUser: () => alice,
      howSignedIn: () => signedIn,
      hasConsented: () => true,
      login(context: { returnTo: string; requestedLogin: Readonly<RequestedLogin> }) {
        wanted.push(context.requestedLogin);
        signedIn = { authTime: new Date(), acr: context.requestedLogin.acr?.[0] ?? PWD };
        return { redirect: context.returnTo };
      },
    });
    const features = [
      keys({ from: [RSA] }),
      openid({ acrValues: [PWD, MFA] }),
      introspection(),
      serverMetadata(),
      ...(of === 'signed' ? [jwtAccessTokens()] : []),
    ];
    const controllers = [AccountController];
    const imports = [OAuth2Module.forRoot({ model, issuer, features, interaction, secret: SECRET })];
    server = await startApplication(platform, { imports, controllers }, { port });
    const credentials = { id: 'app', secret: 'app-secret' };
    const apart =
      of === 'signed'
        ? new JwtTokens({ issuer, audience: issuer })
        : new IntrospectedTokens({ issuer, credentials, audience: null });
    const alone = [OAuth2Module.forRoot({ model: apart, controllers: false })];
    api = of === 'opaque' ? server : await startApplication(platform, { imports: alone, controllers });
  });
  afterEach(() => {
    wanted.length = 0;
  });
  afterAll(stopApplications);

  /**
   * Returns a token from an authorization request with these parameters. Other properties of the login stay as they
   * are.
   */
  async function tokenFor(more: Record<string, string> = {}): Promise<string> {
    const requested = {
      response_type: 'code',
      client_id: 'app',
      scope: 'openid',
      state: 'x',
      redirect_uri: CALLBACK,
      ...more,
    };
    let at = `${issuer}/oauth/authorize?${new URLSearchParams(requested).toString()}`;
    for (let hops = 0; hops < 4 && at.startsWith(issuer); hops += 1) {
      at = new URL((await readResponse(get(at))).headers['location']!, issuer).href;
    }
    const form = {
      grant_type: 'authorization_code',
      code: new URL(at).searchParams.get('code')!,
      redirect_uri: CALLBACK,
    };
    const { body } = await readResponse(post(`${issuer}/oauth/token`, form, basic('app', 'app-secret')));
    return (body as { access_token: string }).access_token;
  }

  const call = async (path: string, token?: string) => {
    const { status, headers, body } = await readResponse(get(`${api.url}/account${path}`, token ? bearer(token) : {}));
    return { status, challenge: headers['www-authenticate'], body: body as Record<string, unknown> };
  };

  it('rejects a weak login with the required acr values, and accepts the user after a step-up', async () => {
    signedIn = { authTime: new Date(), acr: PWD };
    const refused = await call('/payment', await tokenFor());
    expect(refused).toEqual({
      status: 401,
      challenge: `Bearer realm="Service",error="insufficient_user_authentication",acr_values="${MFA} urn:example:phr",max_age="60"`,
      body: {
        statusCode: 401,
        message: 'Insufficient user authentication: a stronger login is required',
        error: 'insufficient_user_authentication',
        error_description: 'Insufficient user authentication: a stronger login is required',
        acr_values: `${MFA} urn:example:phr`,
        max_age: 60,
      },
    });
    const { acr_values, max_age } = refused.body as { acr_values: string; max_age: number };
    const token = await tokenFor({ acr_values, max_age: String(max_age) });
    expect(wanted).toEqual([{ acr: [MFA] }]);
    expect(await call('/payment', token)).toMatchObject({ status: 200, body: { paid: true } });
  });

  it('rejects an old login with a valid token, and accepts the user after a new login', async () => {
    signedIn = { authTime: new Date(Date.now() - 301_000), acr: MFA };
    const { status, challenge } = await call('', await tokenFor());
    expect([status, challenge]).toEqual([
      401,
      'Bearer realm="Service",error="insufficient_user_authentication",max_age="300"',
    ]);
    expect(await call('', await tokenFor({ max_age: '300' }))).toMatchObject({ status: 200, body: { recent: true } });
    expect(wanted).toEqual([{ reauthenticate: true }]);
  });

  it('rejects a login whose time is in the future', async () => {
    signedIn = { authTime: new Date(Date.now() + 120_000), acr: MFA };
    expect((await call('', await tokenFor())).status).toBe(401);
  });

  it('rejects a token without login data, and a token of a client credentials client', async () => {
    signedIn = {};
    expect((await call('', await tokenFor())).status).toBe(401);
    const form = { grant_type: 'client_credentials', scope: 'openid' };
    const { body } = await readResponse(post(`${issuer}/oauth/token`, form, basic('app', 'app-secret')));
    const { status, body: said } = await call('', (body as { access_token: string }).access_token);
    expect([status, said['error']]).toEqual([401, 'insufficient_user_authentication']);
  });

  it('combines with other decorators, where the nearest counts, and always requires a token', async () => {
    signedIn = { authTime: new Date(Date.now() - 3_600_000), acr: MFA };
    const token = await tokenFor();
    expect((await call('/limits', token)).status).toBe(200);
    expect((await call('/limits')).challenge).toBe('Bearer realm="Service"');
    expect((await call('/terms')).status).toBe(200);
    expect((await call('/admin', token)).body['error']).toBe('insufficient_scope');
  });
});

describe('the decorator @RequireAuth()', () => {
  it.each<[object, string]>([
    [{}, '@RequireAuth() requires `acr`, `maxAge` or both'],
    [{ acr: '' }, '`acr` of @RequireAuth() must be a name without spaces, or a list of names'],
    [{ acr: [] }, '`acr` of @RequireAuth() must be a name without spaces, or a list of names'],
    [{ acr: 'a b' }, '`acr` of @RequireAuth() must be a name without spaces, or a list of names'],
    [{ maxAge: 0 }, '`maxAge` of @RequireAuth() must be an integer of seconds, greater than 0'],
    [{ maxage: 5 }, 'unknown option `maxage` of @RequireAuth(): the known ones are `acr` and `maxAge`'],
  ])('throws for the options %j', (options, sentence) => {
    expect(() => RequireAuth(options)).toThrow(sentence);
  });
});
