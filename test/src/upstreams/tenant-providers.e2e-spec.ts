import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { OAuth2Module, type OAuth2Tenants, OAuth2TenantServers } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { type FetchFunction, oauth, oidc, type ProviderSetting, upstreams } from 'nest-oauth2/upstreams';

import { SECRET } from '../../support/servers/demo.js';
import { ANY_PLATFORM, PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { Accounts, CLIENT, SiteBrowser, startSite } from './site.js';
import { type Claims, StandIn } from './stand-in.js';

afterEach(stopApplications);

const ERIN = { sub: 'e-1', name: 'Erin' };

/** The provider of a customer, as the database of the application contains it. */
interface Customer {
  issuer?: string;
  clientId?: string;
  label?: string;
}

const customers: Record<string, Customer> = {};

/** Nest creates this class. It reads the provider of each tenant from the database. */
@Injectable()
class Tenants implements OAuth2Tenants {
  findTenant = ({ request }: Parameters<OAuth2Tenants['findTenant']>[0]) => request.get('x-tenant');
  createTenantOptions = (tenant: string) => ({ issuer: `https://${tenant}.example`, config: customers[tenant] });
}

const company: ProviderSetting = ({ issuer, clientId = 'us', label = 'Company' }: Customer) =>
  issuer !== undefined && oidc({ ...CLIENT, issuer, clientId, label });

/** Starts a server with tenants whose providers differ. The tenant `gray` has none. */
async function start({
  platform = ANY_PLATFORM[0]!,
  fetch,
}: Partial<{ platform: 'express' | 'fastify'; fetch: object }> = {}) {
  const one = new StandIn('https://red-idp.example');
  const two = new StandIn('https://blue-idp.example');
  customers['red'] = { issuer: one.issuer, label: 'Red Ltd' };
  customers['blue'] = { issuer: two.issuer, clientId: 'blue-client', label: 'Blue Inc' };
  customers['gray'] = {};
  const send: FetchFunction = async (url, init) => (url.startsWith(one.issuer) ? one : two).fetch(url, init);
  const accounts = new Accounts();
  const model = new MemoryStore({ users: accounts });
  const { url, app } = await startApplication(platform, {
    imports: [
      OAuth2Module.forRoot({
        model,
        secret: SECRET,
        tenants: Tenants,
        features: [pages(), upstreams({ providers: { acme: company }, accounts, fetch: fetch ?? send, vault: true })],
      }),
    ],
  });
  const browser = (tenant: string) => new SiteBrowser(url, { 'x-tenant': tenant });
  const logout = async (tenant: string, token: string) =>
    globalThis.fetch(`${url}/oauth/upstreams/acme/backchannel_logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
      headers: { 'x-tenant': tenant },
    });
  return { url, app, one, two, model, accounts, browser, logout };
}

const loginPage = async (browser: SiteBrowser) => (await browser.get('/oauth/login')).html;

describe.each(PLATFORMS)('the providers of tenants on %s', (platform) => {
  it('have the issuer, the client and the label of the tenant', async () => {
    const { one, two, browser } = await start({ platform });
    const [red, blue] = [browser('red'), browser('blue')];
    expect(await loginPage(red)).toContain('Sign in with Red Ltd');
    expect(await loginPage(blue)).toContain('Sign in with Blue Inc');
    const { searchParams, origin } = new URL((await blue.begin()).location!);
    expect([origin, searchParams.get('client_id'), searchParams.get('redirect_uri')]).toEqual([
      two.issuer,
      'blue-client',
      'https://blue.example/oauth/upstreams/acme/callback',
    ]);
    await red.signInWith(one, ERIN);
    await blue.signInWith(two, { ...ERIN, name: 'Bob' });
    expect([await red.user(), await blue.user()]).toEqual(['Erin', 'Bob']);
  });

  it('do not exist at a tenant whose function returns none', async () => {
    const { one, browser, logout } = await start({ platform });
    const gray = browser('gray');
    expect(await loginPage(gray)).not.toContain('/oauth/upstreams/');
    const requests = [gray.get('/oauth/upstreams/acme'), gray.get('/oauth/upstreams/acme/callback?code=c&state=s')];
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect([...statuses, (await logout('gray', await one.logoutToken({ sub: 'e-1' }))).status]).toEqual([
      404, 404, 404,
    ]);
  });
});

describe('the providers of tenants', () => {
  it('refuse the response to an attempt of another tenant', async () => {
    const { one, browser } = await start();
    const [red, blue] = [browser('red'), browser('blue')];
    const path = one.respond((await red.begin()).location, ERIN);
    for (const [name, value] of red.cookies) blue.cookies.set(name, value);
    expect((await blue.get(path)).status).toBe(400);
    expect(await blue.user()).toBeUndefined();
    expect((await red.get(path)).status).toBe(303);
  });

  it('have accounts of their own for the same issuer and `sub`', async () => {
    const { one, browser, accounts } = await start();
    customers['blue'] = { issuer: one.issuer };
    const [red, blue] = [browser('red'), browser('blue')];
    await red.signInWith(one, ERIN);
    await blue.signInWith(one, { ...ERIN, name: 'Erin of Blue' });
    await browser('red').signInWith(one, ERIN);
    expect(accounts.all.map(({ name }) => name)).toEqual(['Alice', 'Erin', 'Erin of Blue']);
    expect([await red.user(), await blue.user()]).toEqual(['Erin', 'Erin of Blue']);
  });

  it('refuse logout tokens of the provider of another tenant', async () => {
    const { one, two, browser, logout } = await start();
    const blue = browser('blue');
    await blue.signInWith(two, { ...ERIN, sid: 'one' });
    const claims = { sub: 'e-1', sid: 'one', aud: 'blue-client' };
    expect((await logout('blue', await one.logoutToken(claims))).status).toBe(400);
    expect(await blue.user()).toBe('Erin');
    expect((await logout('blue', await two.logoutToken(claims))).status).toBe(200);
    expect(await blue.user()).toBeUndefined();
  });

  it('change when the options of the tenant are loaded again', async () => {
    const { app, one, two, browser } = await start();
    expect(await loginPage(browser('red'))).toContain('Red Ltd');
    customers['red'] = { issuer: two.issuer, label: 'New Ltd' };
    app.get(OAuth2TenantServers).forget('red');
    const red = browser('red');
    expect(await loginPage(red)).toContain('New Ltd');
    // A response of the old provider is not accepted.
    expect((await red.signInWith(one, ERIN)).status).toBe(400);
    expect((await red.signInWith(two, ERIN)).status).toBe(303);
  });
});

describe('a function in `providers`', () => {
  const site = async (providers: Record<string, ProviderSetting>, config: object = {}, fetch?: object) =>
    startSite({ platform: ANY_PLATFORM[0]!, providers, options: { config }, ...(fetch && { fetch }) });

  it('may return a private host, which tenants may not', async () => {
    const requests: string[] = [];
    const server = createServer(({ url }, response) => {
      requests.push(url!);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { browser } = await start({ fetch: {} });
    customers['red'] = { issuer };
    expect((await browser('red').begin()).status).toBe(503);
    expect(requests).toEqual([]);
    const other = await site({ acme: company }, { issuer }, {});
    await other.browser().begin();
    expect(requests).toEqual(['/.well-known/openid-configuration']);
    await new Promise((resolve) => server.close(resolve));
  });

  it('receives the option `config` of a server without tenants', async () => {
    const acme = new StandIn('https://acme.example');
    const { browser } = await site({ acme: company }, { issuer: acme.issuer });
    const { location } = await browser().begin();
    expect(new URL(location!).origin).toBe(acme.issuer);
  });

  it('may return a provider without ID tokens, which sends no logout tokens', async () => {
    const issuer = 'https://acme.example';
    const endpoints = { authorization: `${issuer}/authorize`, token: `${issuer}/token` };
    const profile = (): { sub: string; claims: Claims } => ({ sub: '1', claims: {} });
    const { url } = await site({ acme: () => oauth({ ...CLIENT, issuer, endpoints, apis: [], profile }) });
    const body = new URLSearchParams({ logout_token: 'x' });
    expect((await fetch(`${url}/oauth/upstreams/acme/backchannel_logout`, { method: 'POST', body })).status).toBe(404);
  });

  it.each([[7], [{}], [[]]])('must return a provider, not %j', async (value) => {
    await expect(site({ acme: () => value as never })).rejects.toThrow(
      '`providers.acme` of `upstreams()` must be the result of',
    );
  });
});
