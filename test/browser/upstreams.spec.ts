import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { ar } from 'nest-oauth2-languages/ar';
import { ENGLISH, pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { github, google, microsoft, oidc, UPSTREAM_MESSAGES, upstreams } from 'nest-oauth2/upstreams';
import type { Browser } from 'playwright-core';

import { AccountsWithEmail, CLIENT } from '../src/upstreams/site.js';
import { type Claims, StandIn } from '../src/upstreams/stand-in.js';
import { freePort } from '../support/environment/free-port.js';
import { SECRET } from '../support/servers/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';
import { describeInBrowser, openBrowser, openPage } from './browser.js';
import { LOOKS } from './looks.js';

type Texts = typeof ENGLISH & typeof UPSTREAM_MESSAGES;
const TEXTS = {
  en: { ...ENGLISH, ...UPSTREAM_MESSAGES },
  ar: { ...ar.messages, ...ar.features.upstreams },
} as unknown as Readonly<Record<string, Texts>>;

const LONG = 'Verkehrsbetriebe und Grundstücksverwaltung Musterstadt';
const ERIN = { sub: 'e-1', name: 'Erin Example', email: 'erin@mail.example' };

/** Starts an application with providers, two of which are stand-ins. */
async function start(platform: 'express' | 'fastify') {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const [acme, other] = [new StandIn('https://acme.example'), new StandIn('https://other.example')];
  const accounts = new AccountsWithEmail();
  const model = new MemoryStore({ users: accounts });
  const features = [
    pages({ site: 'Wonderland', home: '/oauth/connections', languages: { ar } }),
    upstreams({
      accounts,
      providers: {
        acme: oidc({ ...CLIENT, issuer: acme.issuer, label: 'Acme', trustEmail: ['mail.example'] }),
        github: github(CLIENT),
        google: google(CLIENT),
        microsoft: microsoft({ ...CLIENT, tenant: 'common', allowedTenants: 'any' }),
        other: oidc({ ...CLIENT, issuer: other.issuer, label: LONG }),
        once: oidc({ ...CLIENT, issuer: acme.issuer, label: 'Once', use: 'signIn' }),
        later: oidc({ ...CLIENT, issuer: acme.issuer, label: 'Later', use: 'link' }),
      },
      fetch: async (target, init) => (target.startsWith(acme.issuer) ? acme : other).fetch(target, init),
    }),
  ];
  const imports = [OAuth2Module.forRoot({ model, features, secret: SECRET, issuer: url })];
  await startApplication(platform, { imports }, { port });
  return { url, acme, other, accounts, model };
}

describeInBrowser('the pages of upstreams() in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterEach(stopApplications);
  afterAll(async () => browser?.close());

  // Each look is tested on one of both platforms.
  const looks = LOOKS.map((look, index) => [look.place, PLATFORMS[index % PLATFORMS.length]!, look] as const);

  it.each(looks)(
    'have no accessibility violations, fit the screen and work: %s on %s',
    async (place, platform, look) => {
      const { url, acme, other, accounts, model } = await start(platform);
      const { page, complaints, look: lookAt } = await openPage(browser, look);
      const text = TEXTS[look.locale]!;
      const wide: Record<string, number> = {};
      const say = (key: keyof typeof UPSTREAM_MESSAGES, provider = 'Acme') =>
        text[key].replaceAll('{provider}', provider);
      const seen = async (name: string) => {
        wide[name] = await lookAt(`upstreams-${name}-${place}`);
        expect(await page.evaluate('document.documentElement.dir')).toBe(look.locale === 'ar' ? 'rtl' : 'ltr');
      };
      const shows = async (message: string) => page.getByText(message).first().waitFor();
      const click = async (name: string) => page.getByRole('button', { name, exact: true }).click();

      /** What the provider does when the browser arrives there. */
      let respond: (provider: StandIn, location: string) => Promise<string> = async () => '/';
      const respondWith = (claims: Claims, before = async () => {}) => {
        respond = async (provider, location) => {
          await before();
          return provider.respond(location, claims);
        };
      };
      for (const provider of [acme, other]) {
        await page.route(`${provider.issuer}/**`, async (route) => {
          const location = url + (await respond(provider, route.request().url()));
          await route.fulfill({ status: 302, headers: { location } });
        });
      }

      // First sign-in
      await page.goto(`${url}/oauth/login`);
      await seen('login');
      respondWith(ERIN);
      await click(say('upstreamSignIn'));
      await shows(text.connectionsIntro);
      await seen('connections');

      // The last way to sign in
      await page.getByRole('button', { name: new RegExp(text.connectionsDisconnectName.slice(0, 6)) }).click();
      await shows(text.connectionsLast);
      await seen('last-sign-in');

      // Second provider
      respondWith({ sub: 'o-1', name: 'Erin Example of the second provider with a very long name' });
      await click(say('connectionsConnect', LONG));
      await shows(text.connectionsChanged);
      await seen('second-provider');

      // Refused links
      await model.addIdentity({
        realm: '',
        iss: acme.issuer,
        sub: 'taken',
        provider: 'acme',
        userId: '1',
        linkedAt: 0,
      });
      const connect = async (name: string, claims: Claims, before?: () => Promise<void>) => {
        await page.goto(`${url}/oauth/connections`);
        respondWith(claims, before);
        await click(say('connectionsConnect'));
        await page.getByRole('alert').waitFor();
        await page.getByRole('heading', { name: say('connectionsConnect') }).waitFor();
        await page.getByRole('link', { name: text.connectionsTitle }).waitFor();
        await seen(name);
      };
      await connect('other-account', { sub: 'taken' });
      await shows(say('upstreamOtherAccount'));
      accounts.allows = false;
      await connect('not-allowed', { sub: 'new' });
      await shows(say('upstreamNotAllowed'));
      accounts.all.at(-1)!.isVerified = false;
      await connect('unverified', { sub: 'new' });
      await shows(say('upstreamUnverified'));
      await page.goto(`${url}/oauth/connections`);
      await page.evaluate(`document.querySelector('input[value=acme]').value = 'once'`);
      await click(say('connectionsConnect'));
      await shows(say('upstreamSignInOnly', 'Once'));
      await seen('sign-in-only');

      // Unlink
      await page.goto(`${url}/oauth/connections`);
      await page.locator('ul button').first().click();
      await shows(text.connectionsChanged);
      await seen('disconnected');

      // The session ends before the provider responds.
      const signOut = async () => page.context().clearCookies({ name: /^(?!oauth2-upstream)/ });
      await connect('not-fresh', { sub: 'new' }, signOut);
      await shows(say('upstreamNotFresh'));

      // Refused sign-ins
      const signIn = async (name: string, message: string, claims: Claims) => {
        await page.goto(`${url}/oauth/login`);
        respondWith(claims);
        await click(say('upstreamSignIn'));
        await shows(message);
        await seen(name);
      };
      const alice = accounts.all[0]!;
      alice.email = 'alice@mail.example';
      const claims = { sub: 'a-1', name: 'Alice', email: alice.email, email_verified: true };
      await signIn('email-in-use', say('upstreamEmailInUse'), claims);
      await signIn('not-created', say('upstreamNotAllowed'), { sub: 'n-1', name: 'Nobody' });
      respond = async (provider, location) => provider.respond(location, ERIN, { error: 'access_denied' });
      await page.goto(`${url}/oauth/login`);
      await click(say('upstreamSignIn'));
      await shows(say('upstreamCancelled'));
      await seen('cancelled');
      await page.goto(`${url}/oauth/upstreams/acme/callback?code=of-another-browser&state=unknown`);
      await shows(text.upstreamWrongBrowser);
      await seen('wrong-browser');
      await page.getByRole('link', { name: text.upstreamBack }).click();
      await page.evaluate(`document.querySelector('form[action$=acme]').action = '/oauth/upstreams/later'`);
      await click(say('upstreamSignIn'));
      await shows(say('upstreamLinkOnly', 'Later'));
      await seen('link-only');

      expect(complaints).toEqual([]);
      expect(Object.entries(wide).filter(([, pixels]) => pixels > 0)).toEqual([]);
      await page.context().close();
    },
  );
});
