import { Controller, Get, SetMetadata, UseGuards } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Module, OAuthGuard, Public, PUBLIC_METADATA, Scopes, UserRequired } from 'nest-oauth2';
import { CountingGuard } from '../../support/global-enhancers.js';
import { bearer, get } from '../../support/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/test-application.js';
import { model } from '../../support/guarded-controllers.js';

// Issue 10, 1.13

class ApiGuard extends OAuthGuard {}

class Plain {
  @Get('inherited')
  inherited() {
    return 'inherited';
  }

  @Get('said')
  @Public()
  said() {
    return 'said';
  }

  @Get('guarded')
  @UseGuards(OAuthGuard)
  guarded() {
    return 'guarded';
  }
}

@Public()
class Open extends Plain {}

@Scopes('admin')
class Administration extends Plain {}

@Public()
class OpenAdministration extends Administration {}

@Public()
@UseGuards(OAuthGuard)
class OpenThoughGuarded extends Plain {}

@UseGuards(OAuthGuard)
class Closed extends Plain {}

@Controller('open')
class OpenController extends Open {}

@Controller('own-guard')
@UseGuards(OAuthGuard)
class OwnGuardController extends Open {}

@Controller('own-subclass')
@UseGuards(CountingGuard, ApiGuard)
class OwnSubclassController extends Open {}

@Controller('grandchild')
class GrandchildController extends OwnGuardController {}

@Controller('other-guard')
@UseGuards(CountingGuard)
class OtherGuardController extends Open {}

@Controller('other-beside-inherited')
@UseGuards(CountingGuard)
class OtherBesideInheritedController extends OpenThoughGuarded {}

@Controller('guarded-again')
@UseGuards(CountingGuard)
@UseGuards(OAuthGuard)
class GuardedAgainController extends OpenThoughGuarded {}

@Controller('opened-again')
@UseGuards(OAuthGuard)
@Public()
class OpenedAgainController extends OwnGuardController {}

@Controller('opened')
@Public()
class OpenedController extends Closed {}

@Controller('not-public')
@UseGuards(OAuthGuard)
@SetMetadata(PUBLIC_METADATA, false)
class NotPublicController extends Open {}

@Controller('user-required')
@UseGuards(OAuthGuard)
@UserRequired()
class UserRequiredController extends Open {}

@Controller('scoped-above')
@UseGuards(OAuthGuard)
class ScopedAboveController extends OpenAdministration {}

const controllers = [
  OpenController,
  OwnGuardController,
  OwnSubclassController,
  GrandchildController,
  OtherGuardController,
  OtherBesideInheritedController,
  GuardedAgainController,
  OpenedAgainController,
  OpenedController,
  NotPublicController,
  UserRequiredController,
  ScopedAboveController,
];

const OPEN = { inherited: [200, 200], said: [200, 200], guarded: [401, 200] };
const CLOSED = { inherited: [401, 200], said: [200, 200], guarded: [401, 200] };
const ADMIN = { inherited: [401, 403], said: [200, 200], guarded: [401, 403] };

describe.each(PLATFORMS)('a controller that extends another on %s', (platform) => {
  describe.each([
    ['without a guard of the application', []],
    ['behind OAuthGuard for the whole application', [{ provide: APP_GUARD, useClass: OAuthGuard }]],
  ])('%s', (_, providers) => {
    let url: string;
    beforeAll(async () => {
      const imports = [OAuth2Module.forRoot({ model, controllers: false })];
      ({ url } = await startApplication(platform, { imports, controllers, providers }));
    });
    afterAll(stopApplications);

    it.each([
      ['open', 'an open one, and says nothing, is open', OPEN],
      ['own-guard', 'an open one, and has a guard of its own, is guarded', CLOSED],
      ['own-subclass', 'an open one, and has a guard that extends OAuthGuard, is guarded', CLOSED],
      ['grandchild', 'one that guards itself is guarded', CLOSED],
      ['other-guard', 'an open one, and has a guard that is not for tokens, is open', OPEN],
      ['other-beside-inherited', 'an open one with OAuthGuard, and adds another guard, is open', OPEN],
      ['guarded-again', 'an open one with OAuthGuard, and adds it again, is guarded', CLOSED],
      ['opened-again', 'a guarded one, and says that it is open, is open', OPEN],
      ['opened', 'a guarded one, and says so, is open', OPEN],
      ['not-public', 'an open one, and says that it is not, is guarded', CLOSED],
      ['user-required', 'an open one, and requires a user, is guarded', CLOSED],
      ['scoped-above', 'an open one that extends one with scopes, and has a guard of its own, demands those', ADMIN],
    ])('/%s, which extends %s', async (path, _sentence, expected) => {
      const statusOf = async (route: string, headers = {}) => (await get(`${url}/${path}/${route}`, headers)).status;
      for (const [route, [without, withToken]] of Object.entries(expected)) {
        const seen = [await statusOf(route), await statusOf(route, bearer('read'))];
        expect({ route, seen }).toEqual({ route, seen: [without, withToken] });
      }
    });
  });
});
