import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';
import { PageBrowser } from '../pages/page-browser.js';
import { startAuthJs } from './relying-parties/auth-js.js';
import { hasAuthlib, signInByAuthlib } from './relying-parties/authlib.js';
import { startPassport } from './relying-parties/passport.js';
import type { Provider } from './relying-parties/relying-party.js';

const ALICE = { sub: 'alice', name: 'Alice Liddell', email: 'alice@wonderland.example' };
const isAuthlibHere = hasAuthlib();
const AUTHLIB_CALLBACK = 'http://127.0.0.1/callback';

/** Clients of Auth.js applications that read the user from the ID token, with the member that selects its claims. */
const MEMBERS: Record<string, object> = {
  'with-field': { claimsInIdToken: true },
  'with-registration': {
    metadata: {
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      claims_in_id_token: true,
    },
  },
  'with-neither': {},
};

class Model extends MemoryStore {
  getClaims() {
    return { name: ALICE.name, email: ALICE.email, email_verified: true };
  }
}

describe.each(ANY_PLATFORM)('an OpenID provider for real relying parties, on %s,', (platform) => {
  const running: { stop(): Promise<void> }[] = [];
  let provider: Provider;
  let authJs: string;
  let passport: string;
  const byIdToken: Record<string, string> = {};

  beforeAll(async () => {
    const port = await freePort();
    provider = { issuer: `http://127.0.0.1:${port}`, clientId: 'judge', clientSecret: 'secret-of-the-judge' };
    const model = new Model({
      clients: [],
      users: {
        findById: (id) => ({ id }),
        findByCredentials: (name, password) => password === 'wonderland' && { id: name },
      },
    });
    const features = [keys({ from: [RSA] }), openid(), pages()];
    const imports = [OAuth2Module.forRoot({ model, issuer: provider.issuer, secret: SECRET, features })];
    await startApplication(platform, { imports }, { port });
    const parties = [await startAuthJs(provider), await startPassport(provider)];
    running.push(...parties);
    [authJs, passport] = parties.map(({ url }) => url) as [string, string];
    for (const [clientId, member] of Object.entries(MEMBERS)) {
      const client = { ...provider, clientId };
      const party = await startAuthJs(client, {});
      running.push(party);
      byIdToken[clientId] = party.url;
      await model.saveClient({
        id: clientId,
        secret: provider.clientSecret,
        grants: ['authorization_code'],
        redirectUris: [`${party.url}/auth/callback/wonderland`],
        scopes: ['openid', 'profile', 'email'],
        ...member,
      });
    }
    await model.saveClient({
      id: provider.clientId,
      secret: provider.clientSecret,
      grants: ['authorization_code', 'refresh_token'],
      redirectUris: [`${authJs}/auth/callback/wonderland`, `${passport}/callback`, AUTHLIB_CALLBACK],
      scopes: ['openid', 'profile', 'email'],
    });
  });

  afterAll(async () => {
    for (const { stop } of running) await stop();
    await stopApplications();
  });

  /** Signs in at the provider and consents once in a browser, and returns the redirect URL with the response. */
  async function visit(url: string): Promise<string> {
    expect(new URL(url).origin).toBe(provider.issuer);
    const { pathname, search } = new URL(url);
    const browser = new PageBrowser(provider.issuer);
    const login = await browser.get(pathname + search);
    const signedIn = await browser.signIn(login.location!, ALICE.sub);
    const consent = await browser.get(signedIn.location!);
    return consent.location ?? (await browser.send(consent, { decision: 'allow' })).location!;
  }

  it('signs a user in at Auth.js', async () => {
    const browser = new PageBrowser(authJs);
    const { csrfToken } = JSON.parse((await browser.get('/auth/csrf')).html) as { csrfToken: string };
    const sent = await browser.post('/auth/signin/wonderland', { csrfToken });
    await browser.get(await visit(sent.location!));
    const session = JSON.parse((await browser.get('/auth/session')).html) as { reported?: object };
    expect(session.reported).toMatchObject(ALICE);
  });

  it.each([
    ['with-field', { name: ALICE.name, email: ALICE.email }],
    ['with-registration', { name: ALICE.name, email: ALICE.email }],
    ['with-neither', {}],
  ])('gives Auth.js in its default configuration, as the client %s, the user %j', async (clientId, user) => {
    const browser = new PageBrowser(byIdToken[clientId]!);
    const { csrfToken } = JSON.parse((await browser.get('/auth/csrf')).html) as { csrfToken: string };
    const sent = await browser.post('/auth/signin/wonderland', { csrfToken });
    await browser.get(await visit(sent.location!));
    const session = JSON.parse((await browser.get('/auth/session')).html) as { user?: object };
    expect(session.user).toEqual(user);
  });

  it('signs a user in at passport-openidconnect', async () => {
    const browser = new PageBrowser(passport);
    const sent = await browser.get('/login');
    await browser.get(await visit(sent.location!));
    const reported = JSON.parse((await browser.get('/')).html) as object;
    expect(reported).toMatchObject({ id: ALICE.sub, displayName: ALICE.name, emails: [{ value: ALICE.email }] });
  });

  if (isAuthlibHere)
    it('signs a user in at Authlib, if Python and Authlib are installed', async () => {
      expect(await signInByAuthlib(provider, AUTHLIB_CALLBACK, visit)).toMatchObject(ALICE);
    });
});
