import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { oidc, upstreams } from 'nest-oauth2/upstreams';

import { type AnyStore, findStores, type OpenStore } from '../../stores/every-store.js';
import { SECRET } from '../../support/servers/demo.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { Accounts, CLIENT, SiteBrowser } from './site.js';
import { StandIn } from './stand-in.js';

// OpenID Connect Back-Channel Logout 1.0

const SERVERS = [
  { server: 'red', headers: { 'x-tenant': 'red' }, prefix: '/oauth' },
  { server: 'blue', headers: { 'x-tenant': 'blue' }, prefix: '/oauth' },
  { server: 'partners', headers: {}, prefix: '/partners' },
] as const;

/** Starts a server with tenants and a named server, which share a store and the provider Acme. */
async function startServers(model: AnyStore, acme: StandIn, accounts: Accounts) {
  const options = () => ({
    model,
    secret: SECRET,
    features: [
      pages(),
      upstreams({ providers: { acme: oidc({ issuer: acme.issuer, ...CLIENT }) }, accounts, fetch: acme.fetch }),
    ],
  });
  const { url } = await startApplication(ANY_PLATFORM[0]!, {
    imports: [
      OAuth2Module.forRoot({
        ...options(),
        tenants: {
          findTenant: ({ request }) => request.get('x-tenant'),
          createTenantOptions: (tenant) => ({ issuer: `https://${tenant}.example` }),
        },
      }),
      OAuth2Module.forRoot({
        ...options(),
        name: 'partners',
        issuer: 'https://partners.example',
        paths: { prefix: 'partners' },
      }),
    ],
  });
  return url;
}

describe.each(await findStores())('back-channel logout with a store in $name', ({ open }) => {
  const acme = new StandIn('https://acme.example');
  let opened: OpenStore;
  /** Two processes with the same data. */
  let urls: string[];

  beforeAll(async () => {
    opened = await open();
    const accounts = new Accounts();
    urls = [];
    for (const store of new Set([opened.store, opened.another])) urls.push(await startServers(store, acme, accounts));
  });
  afterAll(async () => {
    await stopApplications();
    await opened.close();
  });

  /** Sends a logout token to a server in another process than the one in which the users signed in. */
  const send = async ({ headers, prefix }: (typeof SERVERS)[number], token: string, url = urls.at(-1)) =>
    fetch(`${url}${prefix}/upstreams/acme/backchannel_logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
      headers,
    });

  it.each(SERVERS)('ends sessions of the server $server only, in all processes', async (target) => {
    const sub = `sub of ${target.server}`;
    const signIn = async (sid: string) =>
      Promise.all(
        SERVERS.map(async ({ server, headers, prefix }) => {
          const browser = new SiteBrowser(urls[0]!, headers, prefix);
          await browser.signInWith(acme, { sub, name: 'Erin', sid });
          return { server, user: async () => browser.user() };
        }),
      );
    const [one, two] = [await signIn('one'), await signIn('two')];
    const signedIn = async (browsers: typeof one) => {
      const users = await Promise.all(browsers.map(async ({ server, user }) => [server, await user()] as const));
      return users.filter(([, user]) => user !== undefined).map(([server]) => server);
    };
    const all = SERVERS.map(({ server }) => server);
    const others = all.filter((server) => server !== target.server);
    expect([await signedIn(one), await signedIn(two)]).toEqual([all, all]);

    const token = await acme.logoutToken({ sid: 'one' });
    expect((await send(target, token)).status).toBe(200);
    expect([await signedIn(one), await signedIn(two)]).toEqual([others, all]);
    expect((await send(target, await acme.logoutToken({ sub }))).status).toBe(200);
    expect([await signedIn(one), await signedIn(two)]).toEqual([others, others]);

    // The token was used, in all processes.
    const next = await signIn('one');
    for (const url of urls) expect((await send(target, token, url)).status).toBe(400);
    expect(await signedIn(next)).toEqual(all);
  });
});
