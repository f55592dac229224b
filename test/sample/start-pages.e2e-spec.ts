import { afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { AppModule as Provider } from '../../sample/11-openid/src/server/app.module.js';
import { AppModule as TeaParty } from '../../sample/11-openid/src/web/app.module.js';
import { AppModule as Bank } from '../../sample/18-payments/src/server/app.module.js';
import { startApplication, stopApplications } from '../support/test-application.js';

describe('the start page of a sample', () => {
  afterEach(stopApplications);

  const get = async (module: Type, user?: object) => {
    const prepare = (app: INestApplication) =>
      app.use((request: { session?: object }, _: unknown, next: () => void) => {
        request.session = { user };
        next();
      });
    const { url } = await startApplication('express', { imports: [module] }, { prepare });
    return fetch(`${url}/`, { redirect: 'manual' });
  };

  it.each([
    ['11-openid, the provider', Provider, '/oauth/applications'],
    ['18-payments', Bank, '/phone'],
  ])('leads to the first page: %s', async (_, module, location) => {
    const { status, headers } = await get(module);
    expect([status, headers.get('location')]).toEqual([302, location]);
  });

  it('of 11-openid looks like the pages of the library, and offers to sign in and out', async () => {
    const page = await get(TeaParty);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toMatch(/<h1>The tea party<\/h1>[^]*<a [^>]*href="\/sign-in"/);
    const signedIn = await (await get(TeaParty, { sub: '1', name: '<Alice>', email: 'alice@example.com' })).text();
    expect(signedIn).toContain('Welcome, &lt;Alice&gt; (alice@example.com)');
    expect(signedIn).toMatch(/<form method="post" action="\/sign-out">/);
  });
});
