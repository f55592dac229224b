import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AnyScope, type Feature, OAuth2Module, OAuthGuard, Roles, Scopes, UserRequired } from 'nest-oauth2';

import { bearer, get } from '../../support/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/test-application.js';
import { model } from '../../support/guarded-controllers.js';

/** Returns the scopes listed in a header of the request. */
const byHeader = ({ headers }: { headers: object }) =>
  String((headers as Record<string, unknown>)['x-wanted'] ?? '')
    .split(' ')
    .filter(Boolean);

@Controller()
@UseGuards(OAuthGuard)
class RoutesController {
  @Get('any')
  @AnyScope('admin', 'write')
  any() {
    return 'any';
  }

  @Get('dynamic')
  @Scopes(byHeader)
  @UserRequired()
  dynamic() {
    return 'dynamic';
  }

  @Get('dynamic/roles')
  @Scopes('read', byHeader)
  @Roles('admin')
  roles() {
    return 'roles';
  }
}

describe.each(PLATFORMS)('the access requirements of a route on %s', (platform) => {
  let url: string;
  /** The engine validates the options of a call once per operation object, so this counts the operations. */
  let made = 0;
  const feature: Feature = { id: 'counting', install: () => ({ callMisconfigurations: () => ((made += 1), []) }) };

  beforeAll(async () => {
    const imports = [OAuth2Module.forRoot({ model, controllers: false, features: [feature] })];
    ({ url } = await startApplication(platform, { imports, controllers: [RoutesController] }));
  });
  afterAll(stopApplications);

  async function ask(path: string, wanted = '', token = 'read+write') {
    const response = await get(`${url}/${path}`, { ...bearer(token), 'x-wanted': wanted });
    const { headers, status } = response;
    return [status, headers.get('www-authenticate'), headers.get('x-accepted-oauth-scopes')];
  }

  it('are evaluated once, not for each request', async () => {
    made = 0;
    for (let request = 0; request < 3; request++) expect(await ask('any')).toEqual([200, null, 'admin write']);
    expect(made).toBe(1);
  });

  it('are evaluated once per scope if a function returns the scope', async () => {
    made = 0;
    const insufficient = (scope: string) => `Bearer realm="Service",error="insufficient_scope",scope="${scope}"`;
    for (let request = 0; request < 2; request++) {
      expect(await ask('dynamic', 'read')).toEqual([200, null, 'read']);
      expect(await ask('dynamic', 'write read')).toEqual([200, null, 'read write']);
      expect(await ask('dynamic', 'share read')).toEqual([403, insufficient('read share'), 'read share']);
      expect(await ask('dynamic')).toEqual([200, null, null]);
    }
    expect(made).toBe(4);
  });

  it('apply in addition to the scopes that a function returns', async () => {
    const challenge = 'Bearer realm="Service",error="insufficient_scope"';
    expect(await ask('dynamic/roles', 'write')).toEqual([403, challenge, 'read write']);
    expect(await ask('dynamic/roles', 'share')).toEqual([403, `${challenge},scope="read share"`, 'read share']);
  });
});
