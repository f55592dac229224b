import { afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { startApplication, stopApplications } from '../support/servers/test-application.js';

/** Returns the module of a sample. Its path is no literal, so that the compiler does not read the packages of the sample. */
const moduleOf = async (sample: string) =>
  ((await import(`../../sample/${sample}/app.module.js`)) as { AppModule: Type }).AppModule;

describe('the start page of a sample', () => {
  afterEach(stopApplications);

  const get = async (sample: string, user?: object) => {
    const prepare = (app: INestApplication) =>
      app.use((request: { session?: object }, _: unknown, next: () => void) => {
        request.session = { user };
        next();
      });
    const { url } = await startApplication('express', { imports: [await moduleOf(sample)] }, { prepare });
    return fetch(`${url}/`, { redirect: 'manual' });
  };

  it.each([
    ['11-openid/src/server', '/oauth/applications'],
    ['18-payments/src/server', '/phone'],
  ])('leads to the first page: %s', async (sample, location) => {
    const { status, headers } = await get(sample);
    expect([status, headers.get('location')]).toEqual([302, location]);
  });

  it('of 11-openid looks like the pages of the library, and offers to sign in and out', async () => {
    const page = await get('11-openid/src/web');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toMatch(/<h1>The tea party<\/h1>[^]*<a [^>]*href="\/sign-in"/);
    const signedIn = await (
      await get('11-openid/src/web', { sub: '1', name: '<Alice>', email: 'alice@example.com' })
    ).text();
    expect(signedIn).toContain('Welcome, &lt;Alice&gt; (alice@example.com)');
    expect(signedIn).toMatch(/<form method="post" action="\/sign-out">/);
  });
});
