import { Controller, Get, SetMetadata, UseGuards } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAUTH2_METADATA, OAuth2Module, OAuthGuard, Public, Scopes, UserRequired } from 'nest-oauth2';
import { CountingGuard } from '../../support/servers/global-enhancers.js';
import { bearer, get } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { model } from '../../support/servers/guarded-controllers.js';

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
@SetMetadata(OAUTH2_METADATA.public, false)
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

describe.each(PLATFORMS)('a controller that extends another one, on %s', (platform) => {
  describe.each([
    ['without a global guard', []],
    ['with OAuthGuard as global guard', [{ provide: APP_GUARD, useClass: OAuthGuard }]],
  ])('%s', (_, providers) => {
    let url: string;
    beforeAll(async () => {
      const imports = [OAuth2Module.forRoot({ model, controllers: false })];
      ({ url } = await startApplication(platform, { imports, controllers, providers }));
    });
    afterAll(stopApplications);

    it.each([
      ['open', 'a public controller, is public', OPEN],
      ['own-guard', 'a public controller and adds OAuthGuard, is guarded', CLOSED],
      ['own-subclass', 'a public controller and adds a subclass of OAuthGuard, is guarded', CLOSED],
      ['grandchild', 'a guarded controller, is guarded', CLOSED],
      ['other-guard', 'a public controller and adds an unrelated guard, is public', OPEN],
      [
        'other-beside-inherited',
        'a public controller that has OAuthGuard and adds an unrelated guard, is public',
        OPEN,
      ],
      ['guarded-again', 'a public controller that has OAuthGuard and adds OAuthGuard again, is guarded', CLOSED],
      ['opened-again', 'a guarded controller and adds OAuthGuard and @Public(), is public', OPEN],
      ['opened', 'a guarded controller and adds @Public(), is public', OPEN],
      ['not-public', 'a public controller and declares that it is not public, is guarded', CLOSED],
      ['user-required', 'a public controller and requires a user, is guarded', CLOSED],
      [
        'scoped-above',
        'a public controller with scopes in its base class and adds a guard, requires these scopes',
        ADMIN,
      ],
    ])('/%s, which extends %s', async (path, _sentence, expected) => {
      const statusOf = async (route: string, headers = {}) => (await get(`${url}/${path}/${route}`, headers)).status;
      for (const [route, [without, withToken]] of Object.entries(expected)) {
        const seen = [await statusOf(route), await statusOf(route, bearer('read'))];
        expect({ route, seen }).toEqual({ route, seen: [without, withToken] });
      }
    });
  });
});
