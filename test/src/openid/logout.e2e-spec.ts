import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';

import type { Feature } from 'nest-oauth2/features';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';
import * as client from 'openid-client';

import { type ClientShape, clientShapes, withoutSector } from '../../support/clients/client-shapes.js';
import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';
import { PageBrowser } from '../pages/page-browser.js';

// OpenID Connect RP-Initiated Logout 1.0

const CALLBACK = 'https://app.example/callback';
const GOODBYE = 'https://app.example/goodbye';
const ELSEWHERE = 'https://elsewhere.example/client';
const SHAPES = clientShapes(CALLBACK);
const [ONE_HOST] = SHAPES as [ClientShape];
const users = [
  { id: '1', username: 'alice', name: 'Alice' },
  { id: '2', username: 'bob', name: 'Bob' },
];

class Model extends MemoryStore {
  getClaims = () => ({});
}

describe.each(ANY_PLATFORM)('RP-initiated logout on %s', (platform) => {
  afterEach(stopApplications);

  async function open(shape: ClientShape = ONE_HOST) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const web = {
      id: 'web',
      secret: 'secret-of-the-client-web',
      grants: ['authorization_code'],
      ...withoutSector(shape),
      postLogoutRedirectUris: [GOODBYE, `${GOODBYE}?by=app`],
      scopes: ['openid'],
      consent: 'never',
    } as StoredClient;
    const text = GOODBYE as unknown as string[];
    const model = new Model({
      clients: [
        web,
        { ...web, id: 'other', postLogoutRedirectUris: [] },
        { ...web, id: 'text', postLogoutRedirectUris: text },
      ],
      users: {
        findById: (id) => users.find((user) => user.id === id),
        findByCredentials: (name) => users.find(({ username }) => username === name),
      },
    });
    const elsewhere: Feature = {
      id: 'clients of elsewhere',
      install: () => ({ client: { find: (id) => (id === ELSEWHERE ? { ...web, id } : undefined) } }),
    };
    const features = [keys({ from: [RSA] }), openid(), pages(), elsewhere];
    const imports = [OAuth2Module.forRoot({ model, issuer: url, features, secret: SECRET })];
    await startApplication(platform, { imports }, { port });
    const config = await client.discovery(new URL(url), 'web', 'secret-of-the-client-web', undefined, {
      execute: [client.allowInsecureRequests],
    });
    const browser = new PageBrowser(url);
    const signIn = async (as: PageBrowser, username: string) => {
      const requested = {
        response_type: 'code',
        client_id: 'web',
        scope: 'openid',
        state: 'x',
        redirect_uri: CALLBACK,
      };
      const start = `/oauth/authorize?${new URLSearchParams(requested).toString()}`;
      await as.signIn('/oauth/login', username);
      const { location } = await as.get(start);
      const tokens = await client.authorizationCodeGrant(config, new URL(location!), { expectedState: 'x' });
      return tokens.id_token!;
    };
    const logout = (query: Record<string, string> = {}) => `/oauth/logout?${new URLSearchParams(query).toString()}`;
    const isSignedIn = async () => (await browser.get('/oauth/logout')).heading === 'Sign out?';
    return { url, config, browser, signIn, logout, isSignedIn };
  }

  it.each(SHAPES)(
    'redirects a signed-out user to a client with redirect URIs of $shape, without a page',
    async (shape) => {
      const { config, browser, signIn, isSignedIn } = await open(shape);
      const hint = await signIn(browser, 'alice');
      const to = { post_logout_redirect_uri: GOODBYE, id_token_hint: hint, state: 'a b' };
      const { pathname, search } = client.buildEndSessionUrl(config, to);
      const response = await browser.get(pathname + search);
      expect([response.status, response.location]).toEqual([303, `${GOODBYE}?state=a%20b`]);
      expect(await isSignedIn()).toBe(false);
      // A user who is signed out already is redirected.
      const query = { ...to, post_logout_redirect_uri: `${GOODBYE}?by=app` };
      expect((await browser.get(`${pathname}?${new URLSearchParams(query).toString()}`)).location).toBe(
        `${GOODBYE}?by=app&state=a%20b`,
      );
    },
  );

  it('works for a client that a feature resolves, such as one from a metadata document', async () => {
    const { browser, logout } = await open();
    const leave = (post_logout_redirect_uri: string) =>
      browser.get(logout({ client_id: ELSEWHERE, post_logout_redirect_uri }));
    expect((await leave(GOODBYE)).location).toBe(GOODBYE);
    expect((await leave('https://evil.example/')).status).toBe(400);
  });

  it('accepts a cross-site form without the cookie, and follows it by a request with the cookie', async () => {
    const { browser, signIn, isSignedIn, url } = await open();
    const hint = await signIn(browser, 'alice');
    const elsewhere = new PageBrowser(url);
    const form = { id_token_hint: hint, post_logout_redirect_uri: GOODBYE };
    const sent = await elsewhere.post('/oauth/logout', form, { 'sec-fetch-site': 'cross-site' });
    expect([sent.status, sent.location]).toEqual([303, expect.stringMatching(/^\/oauth\/logout\?id_token_hint=/)]);
    expect((await browser.get(sent.location!)).location).toBe(GOODBYE);
    expect(await isSignedIn()).toBe(false);
  });

  it.each([
    ['the request has no id_token_hint', ONE_HOST, () => ({})],
    ...SHAPES.map(
      (shape) =>
        [
          `the id_token_hint of a client with redirect URIs of ${shape.shape} is of another user`,
          shape,
          (hint: string) => ({ id_token_hint: hint }),
        ] as const,
    ),
  ])('asks the user for confirmation if %s', async (_, shape, more) => {
    const { browser, signIn, logout, isSignedIn, url } = await open(shape);
    const hint = await signIn(new PageBrowser(url), 'bob');
    await signIn(browser, 'alice');
    const page = await browser.get(
      logout({ client_id: 'web', post_logout_redirect_uri: GOODBYE, state: 's', ...more(hint) }),
    );
    expect([page.status, page.heading]).toEqual([200, 'Sign out?']);
    expect(await isSignedIn()).toBe(true);
    const response = await browser.send(page);
    expect([response.status, response.location]).toEqual([303, `${GOODBYE}?state=s`]);
    expect(await isSignedIn()).toBe(false);
  });

  it('ends on a page of the server without post_logout_redirect_uri', async () => {
    const { browser, signIn, logout } = await open();
    const hint = await signIn(browser, 'alice');
    expect((await browser.get(logout({ id_token_hint: hint, state: 's' }))).heading).toBe('You are signed out');
    expect((await browser.get(logout({ state: 's' }))).heading).toBe('You are signed out');
  });

  it.each([
    ['an unregistered URI', { post_logout_redirect_uri: 'https://evil.example/' }],
    ['a registered URI with an additional query', { post_logout_redirect_uri: `${GOODBYE}?more=1` }],
    ['a URI that starts with a registered one', { post_logout_redirect_uri: `${GOODBYE}/..` }],
    ['a URI of another client', { client_id: 'other' }],
    ['a URI without a client', { client_id: '' }],
    [
      'a prefix of a URI that is registered as a string instead of a list',
      { client_id: 'text', post_logout_redirect_uri: 'https://app.ex' },
    ],
    ['a registered URI in capitals', { post_logout_redirect_uri: 'https://APP.example/goodbye' }],
    ['a registered URI with a port', { post_logout_redirect_uri: 'https://app.example:443/goodbye' }],
    ['a registered URI with a slash', { post_logout_redirect_uri: `${GOODBYE}/` }],
    ['a registered URI with a user name', { post_logout_redirect_uri: 'https://evil@app.example/goodbye' }],
    ['a registered URI with percent-encoding', { post_logout_redirect_uri: 'https://app.example/%67oodbye' }],
    ['a URI of an unknown client', { client_id: 'nobody' }],
    ['a registered URI with a malformed id_token_hint', { id_token_hint: 'nonsense' }],
    ['a registered URI with an unsigned id_token_hint', { id_token_hint: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.' }],
  ])('never redirects to %s', async (_, change) => {
    const { browser, signIn, logout, isSignedIn } = await open();
    await signIn(browser, 'alice');
    const query = { client_id: 'web', post_logout_redirect_uri: GOODBYE, ...change };
    const page = await browser.get(logout(query));
    expect([page.status, page.location, page.heading]).toEqual([400, null, "This request can't be completed"]);
    const posted = await browser.post('/oauth/logout', query);
    expect([posted.status, posted.location]).toEqual([400, null]);
    expect(await isSignedIn()).toBe(true);
  });

  it('shows an error page with details for the developer of the client', async () => {
    const { browser, logout } = await open();
    const page = await browser.get(logout({ client_id: 'web', post_logout_redirect_uri: `${GOODBYE}/` }));
    expect(page.html).toContain('`post_logout_redirect_uri` is not registered for the client');
    const other = await browser.get(logout({ id_token_hint: 'nonsense' }));
    expect(other.html).toContain('`id_token_hint` is not an ID token that this server has issued');
  });

  it('rejects an id_token_hint issued to another client', async () => {
    const { browser, signIn, logout, isSignedIn } = await open();
    const hint = await signIn(browser, 'alice');
    const page = await browser.get(logout({ client_id: 'other', id_token_hint: hint }));
    expect([page.status, page.heading]).toEqual([400, "This request can't be completed"]);
    expect(await isSignedIn()).toBe(true);
  });
});
