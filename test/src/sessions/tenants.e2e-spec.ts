import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, OAuth2Sessions } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';

import { SECRET } from '../../support/servers/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';
import { Accounts, jsonOf, SignUpController } from './sign-up-application.js';

describe.each(PLATFORMS)('OAuth2Sessions with tenants on %s', (platform) => {
  afterEach(stopApplications);

  /** Starts an application whose tenants are named by a header. They share a store, with equal user IDs. */
  async function open() {
    const store = new Accounts();
    const tenants = {
      findTenant: ({ request }: { request: { get(name: string): unknown } }) => request.get('x-tenant') as string,
      createTenantOptions: (tenant: string) =>
        ['acme', 'globex'].includes(tenant) ? { issuer: `http://${tenant}.example` } : undefined,
    };
    const imports = [OAuth2Module.forRoot({ model: store, tenants, features: [pages()], secret: SECRET })];
    const providers = [{ provide: Accounts, useValue: store }];
    const { app, url } = await startApplication(platform, { imports, controllers: [SignUpController], providers });
    return { app, url, at: (tenant: string) => new PageBrowser(url, { 'x-tenant': tenant }) };
  }

  it('signs a user in at the tenant of the request only', async () => {
    const { at } = await open();
    const [acme, globex] = [at('acme'), at('globex')];
    const signedIn = await acme.get('/link');
    expect(signedIn.given).toEqual([expect.stringMatching(/^oauth2-session-[\w-]{12}=/)]);
    expect(jsonOf(await acme.get('/me')).user).toBe('alice');
    // The cookie of one tenant is renamed to that of another.
    await globex.get('/oauth/login');
    const [name] = [...globex.cookies.keys()];
    globex.cookies.set(name!, [...acme.cookies.values()][0]!);
    expect(jsonOf(await globex.get('/me')).user).toBe(null);
    for (const [key, value] of acme.cookies) globex.cookies.set(key, value);
    expect(jsonOf(await globex.get('/me')).user).toBe(null);
  });

  it('rejects the form of one tenant at another', async () => {
    const { at } = await open();
    const form = await at('acme').get('/sign-up');
    const headers = { origin: 'null' };
    expect((await at('globex').send(form, { username: 'x', password: 'y' }, headers)).status).toBe(403);
  });

  it('rejects a request without a known tenant', async () => {
    const { app } = await open();
    const request = { headers: { 'x-tenant': 'nobody' }, method: 'GET' };
    await expect(app.get(OAuth2Sessions).findUser(request)).rejects.toMatchObject({ code: 404 });
  });
});
