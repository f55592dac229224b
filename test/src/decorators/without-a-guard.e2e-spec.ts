import { Controller, Get, type LoggerService, type Type, UseGuards } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AccessToken, CurrentUser, OAuth2Module, OAuthGuard, Public } from 'nest-oauth2';
import { bearer, get } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { model } from '../../support/servers/guarded-controllers.js';

@Controller('forgotten')
class ForgottenController {
  @Get('user')
  user(@CurrentUser('id') id: string) {
    return { id };
  }

  @Get('token')
  token(@AccessToken() token: unknown) {
    return { token };
  }
}

@Controller('open')
class OpenController {
  @Get()
  @Public()
  user(@CurrentUser({ optional: true }) user: unknown, @AccessToken() token: unknown) {
    return { user: user ?? null, token: token ?? null };
  }
}

/** Allows every request, and identifies the user if there is a token. */
class LenientGuard extends OAuthGuard {
  override canActivate(...args: Parameters<OAuthGuard['canActivate']>) {
    return super.canActivate(...args).catch(() => true);
  }
}

@Controller('lenient')
@UseGuards(LenientGuard)
class LenientController {
  @Get()
  user(@CurrentUser('id', { optional: true }) id: string | undefined) {
    return { id: id ?? null };
  }
}

const sentence = (decorator: string, route: string) =>
  `Invalid argument: ${decorator} of ${route} finds no access token because OAuthGuard does not guard this route: add \`@UseGuards(OAuthGuard)\` to ` +
  'the method or its controller, or `@Public()` if the route needs no login';

describe.each(PLATFORMS)('a decorator that injects the token, on %s,', (platform) => {
  const error = jest.fn<LoggerService['error']>();
  afterEach(stopApplications);

  const start = async (controller: Type) => {
    const imports = [OAuth2Module.forRoot({ model, controllers: false })];
    const logger = { error, log() {}, warn() {} };
    return (await startApplication(platform, { imports, controllers: [controller] }, { logger })).url;
  };

  it.each([
    ['user', sentence('@CurrentUser()', 'ForgottenController.user()')],
    ['token', sentence('@AccessToken()', 'ForgottenController.token()')],
  ])('fails with a clear message if no guard has run: %s', async (route, said) => {
    error.mockReset();
    const url = await start(ForgottenController);
    expect((await get(`${url}/forgotten/${route}`, bearer('read'))).status).toBe(500);
    expect(String(error.mock.calls.flat())).toContain(said);
  });

  it('injects undefined on a public route, and if the application’s own guard allowed the request', async () => {
    expect(await (await get(`${await start(OpenController)}/open`)).json()).toEqual({ user: null, token: null });
    const url = await start(LenientController);
    expect(await (await get(`${url}/lenient`)).json()).toEqual({ id: null });
    expect(await (await get(`${url}/lenient`, bearer('read'))).json()).toEqual({ id: 'u' });
  });
});
