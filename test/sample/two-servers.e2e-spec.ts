import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { AppModule } from '../../sample/09-two-servers/src/app.module.js';
import { readResponse, basic, bearer, get, post } from '../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';

describe.each(PLATFORMS)('the servers of sample/09-two-servers on %s', (platform) => {
  let url: string;
  let shop: string;
  let partner: string;

  const tokenOf = async (path: string, form: Record<string, string>, client: string) => {
    const { body } = await readResponse(post(`${url}/${path}/token`, form, basic(client, `${client}-secret`)));
    return (body as { access_token: string }).access_token;
  };

  beforeAll(async () => {
    ({ url } = await startApplication(platform, { imports: [AppModule] }));
    const password = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'orders:read' };
    shop = await tokenOf('oauth', password, 'shop-app');
    partner = await tokenOf('partners', { grant_type: 'client_credentials', scope: 'stock:read' }, 'acme');
  });
  afterAll(stopApplications);

  it('accept at each route only tokens of its server', async () => {
    const orders = { customer: 'Alice Liddell', orders: ['A looking-glass'] };
    expect(await readResponse(get(`${url}/orders`, bearer(shop)))).toMatchObject({ status: 200, body: orders });
    const stock = { partner: 'acme', stock: { 'looking-glass': 3 } };
    expect(await readResponse(get(`${url}/stock`, bearer(partner)))).toMatchObject({ status: 200, body: stock });
    expect((await get(`${url}/orders`, bearer(partner))).status).toBe(401);
    expect((await get(`${url}/stock`, bearer(shop))).status).toBe(401);
  });

  it('include a second server with its own options and features', async () => {
    expect(await readResponse(get(`${url}/stock/terms`))).toMatchObject({ body: { seconds: 300 } });
    expect((await post(`${url}/oauth/revoke`, {})).status).toBe(404);
    const other = await tokenOf('partners', { grant_type: 'client_credentials', scope: 'stock:read' }, 'acme');
    await post(`${url}/partners/revoke`, { token: other }, basic('acme', 'acme-secret'));
    expect((await get(`${url}/stock`, bearer(other))).status).toBe(401);
  });
});
