import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, type TenantRequest } from 'nest-oauth2';
import { registration } from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { readResponse, basic, bearer, get, post } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

const SECRET = 'a secret of at least thirty-two characters';
const CALLBACK = 'https://app.example/callback';
const alice = { id: 'alice' };
const METADATA = {
  redirect_uris: [CALLBACK],
  grant_types: ['client_credentials', 'authorization_code'],
  client_name: 'Notes',
  scope: 'read',
};

/** A store that allows registration only while it is open. */
class Store extends MemoryStore {
  open = true;
  mayRegister() {
    return this.open;
  }
}

const newStore = () =>
  new Store({
    clients: [
      {
        id: 'web',
        secret: 'web-secret',
        grants: ['password', 'refresh_token', 'client_credentials'],
        redirectUris: [CALLBACK],
        scopes: ['read'],
      },
    ],
    users: { findById: () => alice, findByCredentials: (_name, password) => password === 'wonderland' && alice },
  });

describe.each(ANY_PLATFORM)('tenants that share a store on %s', (platform) => {
  let url: string;
  let store: Store;
  beforeEach(async () => {
    store = newStore();
    const tenants = {
      findTenant: ({ path }: TenantRequest) => path.split('/')[1],
      createTenantOptions: (tenant: string) => ({ issuer: `${url}/${tenant}` }),
    };
    const module = OAuth2Module.forRoot({
      model: store,
      tenants,
      secret: SECRET,
      paths: { prefix: ':tenant/oauth' },
      features: [
        registration({ scopes: ['read'], grants: ['client_credentials', 'authorization_code'], unusedLifetime: 0 }),
        pages({ signOutEndsGrants: true }),
      ],
    });
    ({ url } = await startApplication(platform, { imports: [module] }));
  });
  afterEach(stopApplications);

  const at = (tenant: string, path: string) => `${url}/${tenant}/oauth/${path}`;
  const send = (to: string, method: string, body?: object, token?: string) =>
    readResponse(
      fetch(to, {
        method,
        headers: { ...(body && { 'content-type': 'application/json' }), ...(token !== undefined && bearer(token)) },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );

  describe('and a client that registered at one of them', () => {
    let client: Record<string, string>;
    beforeEach(async () => {
      client = (await send(at('acme', 'register'), 'POST', METADATA)).body as Record<string, string>;
      store.open = false;
    });

    const token = async (tenant: string) =>
      readResponse(
        post(
          at(tenant, 'token'),
          { grant_type: 'client_credentials', scope: 'read' },
          basic(client['client_id']!, client['client_secret']!),
        ),
      );

    it('issue it tokens at that tenant only', async () => {
      expect(await token('acme')).toMatchObject({ status: 200 });
      expect(await token('globex')).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    });

    it('accept its authorization requests at that tenant only', async () => {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: client['client_id']!,
        redirect_uri: CALLBACK,
        state: 'xyz',
      }).toString();
      const ask = (tenant: string) => get(`${at(tenant, 'authorize')}?${query}`);
      expect((await ask('acme')).headers.get('location')).toMatch(/^\/acme\/oauth\/login\?/);
      const refused = await ask('globex');
      expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
    });

    it('let it manage its registration at that tenant only', async () => {
      const manage = (tenant: string, method: string, body?: object) =>
        send(
          `${at(tenant, 'register')}?client_id=${client['client_id']}`,
          method,
          body,
          client['registration_access_token'],
        );
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { ...METADATA, client_id: client['client_id'] } : undefined;
        expect(await manage('globex', method, body)).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
      }
      expect(await manage('acme', 'GET')).toMatchObject({ status: 200, body: { client_name: 'Notes' } });
    });

    it('keep it at that tenant when it changes its registration', async () => {
      store.open = true;
      const changed = { ...METADATA, client_id: client['client_id'], client_name: 'Others' };
      const manage = `${at('acme', 'register')}?client_id=${client['client_id']}`;
      expect(await send(manage, 'PUT', changed, client['registration_access_token'])).toMatchObject({ status: 200 });
      expect(await token('acme')).toMatchObject({ status: 200 });
      expect(await token('globex')).toMatchObject({ status: 401 });
    });

    it('reject it at every tenant if it is stored without an issuer, until the operator assigns one', async () => {
      await store.changeClient(client['client_id']!, { issuer: null });
      expect([(await token('acme')).status, (await token('globex')).status]).toEqual([401, 401]);
      await store.changeClient(client['client_id']!, { issuer: `${url}/globex` });
      expect([(await token('acme')).status, (await token('globex')).status]).toEqual([401, 200]);
    });
  });

  it('issue a client of the operator tokens at every tenant unless it has an issuer', async () => {
    const token = async (tenant: string) =>
      (await post(at(tenant, 'token'), { grant_type: 'client_credentials', scope: 'read' }, basic('web', 'web-secret')))
        .status;
    expect([await token('acme'), await token('globex')]).toEqual([200, 200]);
    await store.changeClient('web', { issuer: `${url}/acme` });
    expect([await token('acme'), await token('globex')]).toEqual([200, 401]);
  });

  it('end grants and sessions only at the tenant where the user signs out', async () => {
    const cookieOf = (response: Response) =>
      response.headers
        .getSetCookie()
        .map((one) => one.split(';', 1)[0]!)
        .join('; ');
    const field = (page: string) => /name="csrf_token" value="([^"]*)"/.exec(page)?.[1] ?? '';
    const signIn = async (tenant: string) => {
      const page = await get(at(tenant, 'login'));
      const form = { csrf_token: field(await page.text()), username: 'alice', password: 'wonderland' };
      return cookieOf(await post(at(tenant, 'login'), form, { cookie: cookieOf(page), origin: url }));
    };
    const isSignedIn = async (tenant: string, cookie: string) =>
      (await get(at(tenant, 'applications'), { cookie })).status === 200;
    const grant = async (tenant: string) => {
      const form = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };
      const { body } = await readResponse(post(at(tenant, 'token'), form, basic('web', 'web-secret')));
      return (body as { access_token: string }).access_token;
    };
    const [here, elsewhere, there] = [await signIn('acme'), await signIn('acme'), await signIn('globex')];
    const tokens = [await grant('acme'), await grant('globex')];
    await post(at('acme', 'logout'), {}, { cookie: here, origin: url });
    const found = await Promise.all(tokens.map(async (one) => Boolean(await store.getAccessToken(one))));
    expect(found).toEqual([false, true]);
    expect(await Promise.all([isSignedIn('acme', here), isSignedIn('acme', elsewhere)])).toEqual([false, false]);
    expect(await isSignedIn('globex', there)).toBe(true);
  });
});
