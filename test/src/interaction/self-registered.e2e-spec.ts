import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, type OAuth2ModuleOptions } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { mcp } from 'nest-oauth2/mcp';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';
import { PageBrowser } from '../pages/page-browser.js';

// RFC 9700 §4.11.2

const PHISHING = 'https://phishing.example/callback';
const GOODBYE = 'https://phishing.example/goodbye';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

class Model extends MemoryStore {
  getClaims = () => ({});
}

const newStore = () =>
  new Model({
    clients: [
      {
        id: 'own',
        tokenEndpointAuthMethod: 'none',
        grants: ['authorization_code'],
        redirectUris: [PHISHING],
        postLogoutRedirectUris: [GOODBYE],
        scopes: ['notes:read'],
      },
    ],
    users: {
      findById: (id) => (id === 'alice' ? { id: 'alice', name: 'Alice' } : undefined),
      findByCredentials: (name) => (name === 'alice' ? { id: 'alice', name: 'Alice' } : undefined),
    },
  });

const provider = () => [keys({ from: [RSA] }), openid()];

/** Registers a client without authentication. */
async function register(url: string): Promise<string> {
  const body = {
    redirect_uris: [PHISHING],
    post_logout_redirect_uris: [GOODBYE],
    token_endpoint_auth_method: 'none',
    scope: 'notes:read',
  };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/oauth/register`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(201);
  return ((await response.json()) as { client_id: string }).client_id;
}

const requestOf = (clientId: string, change: Record<string, string | undefined> = {}): Record<string, string> => {
  const whole = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: PHISHING,
    scope: 'notes:read',
    state: 'xyz',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...change,
  };
  return Object.fromEntries(Object.entries(whole).filter((one): one is [string, string] => one[1] !== undefined));
};

const INVALID: [string, Record<string, string | undefined>, string][] = [
  ['an unknown scope', { scope: 'no such scope' }, 'invalid_scope'],
  ['no PKCE challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['an unknown resource', { resource: 'https://elsewhere.example' }, 'invalid_target'],
  ['an unknown response type', { response_type: 'nonsense' }, 'unsupported_response_type'],
  ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
  ['a malformed state', { state: 'a\u0000' }, 'invalid_request'],
];

describe.each(ANY_PLATFORM)('a request of a self-registered client on %s', (platform) => {
  afterEach(stopApplications);

  async function open(options: Partial<OAuth2ModuleOptions> = {}, more: readonly object[] = []) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const features = [pages(), mcp({ scopes: ['notes:read'] }), ...more] as OAuth2ModuleOptions['features'];
    const module = { model: newStore(), issuer: url, features, secret: SECRET, ...options };
    await startApplication(platform, { imports: [OAuth2Module.forRoot(module)] }, { port });
    const clientId = await register(url);
    const at = (change: Record<string, string | undefined>, id = clientId) =>
      `/oauth/authorize?${new URLSearchParams(requestOf(id, change)).toString()}`;
    return { url, at, clientId, browser: new PageBrowser(url) };
  }

  it.each(INVALID)(
    'with %s makes the user sign in first, then returns the error to the client',
    async (_name, change, error) => {
      const { at, browser } = await open();
      const first = await browser.get(at(change));
      expect(first.location).toMatch(/^\/oauth\/login\?return_to=/);
      const back = await browser.signIn(first.location!);
      const { location } = await browser.get(back.location!);
      expect(location).toMatch(new RegExp(`^${PHISHING}\\?error=${error}&`));
    },
  );

  it.each(INVALID)(
    'with %s needs no login before the error is returned if the application has registered the client instead',
    async (_name, change, error) => {
      const { at, browser } = await open();
      expect((await browser.get(at(change, 'own'))).location).toMatch(new RegExp(`^${PHISHING}\\?error=${error}&`));
    },
  );

  it('with an invalid scope passes the client, but no scope, to login() of the application’s own interaction', async () => {
    const seen: unknown[] = [];
    class Own extends DemoInteraction {
      override login(context: Parameters<DemoInteraction['login']>[0]) {
        const { client, requestedScope: scope, redirectUri } = context.authorization;
        seen.push([client.id, scope, redirectUri]);
        return super.login(context);
      }
    }
    const { at, clientId, browser } = await open({ interaction: Own, features: [mcp({ scopes: ['notes:read'] })] });
    const first = await browser.get(at({ scope: 'admin' }));
    expect([first.status, first.location]).toEqual([302, expect.stringMatching(/^\/login/)]);
    expect(seen).toEqual([[clientId, undefined, PHISHING]]);
    browser.cookies.set('user', 'alice');
    expect((await browser.get(at({ scope: 'admin' }))).location).toContain(`${PHISHING}?error=invalid_scope`);
  });

  it('with prompt=none shows an error page if it is invalid and no user is signed in; otherwise the client gets the error', async () => {
    const { at, browser } = await open({}, provider());
    const invalid = await browser.get(at({ scope: 'nonsense', prompt: 'none' }));
    expect([invalid.status, invalid.location]).toEqual([400, null]);
    const valid = await browser.get(at({ prompt: 'none' }));
    expect(valid.location).toContain(`${PHISHING}?error=login_required`);
    await browser.signIn('/oauth/login');
    const known = await browser.get(at({ scope: 'nonsense', prompt: 'none' }));
    expect(known.location).toContain(`${PHISHING}?error=invalid_scope`);
  });

  it('does not redirect a browser to the client because other browsers have used up the login prompts', async () => {
    const { at, browser, url } = await open({}, provider());
    let path = at({ prompt: 'login' });
    for (let time = 0; time < 3; time += 1) {
      const { location } = await new PageBrowser(url).get(path);
      path = new URL(location!, url).searchParams.get('return_to')!;
    }
    const last = await browser.get(path);
    expect(last.location ?? '').not.toContain('phishing');
  });

  it('to log out redirects to the client only after the user has confirmed it', async () => {
    const { clientId, browser } = await open({}, provider());
    const to = (id: string) =>
      `/oauth/logout?${new URLSearchParams({ client_id: id, post_logout_redirect_uri: GOODBYE }).toString()}`;
    const shown = await browser.get(to(clientId));
    expect([shown.status, shown.location, shown.headers.get('refresh')]).toEqual([200, null, null]);
    expect(shown.html).toContain(`href="${GOODBYE}"`);
    expect((await browser.get(to('own'))).location).toBe(GOODBYE);
  });
});

describe('OAuth2Server.authorize() for a self-registered client', () => {
  const client = { id: 'dcr_1', grants: ['authorization_code'], redirectUris: [PHISHING], scopes: ['notes:read'] };
  const newServer = (features: readonly object[] = []) =>
    new OAuth2Server({
      model: {
        getClient: () => client,
        saveAuthorizationCode: (code: object) => code,
        validateScope: (_user: unknown, _client: unknown, scope: unknown) => scope,
      } as never,
      features: features as never,
      issuer: 'https://id.example',
    });

  const signedIn = { handle: () => ({ id: 'alice' }) };
  const signedOut = {
    handle(_request: Request, response: Response) {
      response.redirect('/login');
    },
  };

  async function ask(change: Record<string, string | undefined>, handler: object, features?: readonly object[]) {
    const response = new Response();
    const request = new Request({ method: 'GET', headers: {}, query: requestOf('dcr_1', change) });
    await newServer(features)
      .authorize(request, response, { authenticateHandler: handler as never })
      .catch(() => undefined);
    return { status: response.status, location: response.get('location') };
  }

  it.each([
    ['an unknown response type', { response_type: 'nonsense' }, 'unsupported_response_type'],
    ['allowed=false', { allowed: 'false' }, 'access_denied'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
  ])('returns the error for %s to the client only if a user is signed in', async (_name, change, error) => {
    expect(await ask(change, signedOut)).toEqual({ status: 302, location: '/login' });
    expect((await ask(change, signedIn)).location).toContain(`${PHISHING}?error=${error}`);
  });

  it('returns unauthorized_client to a client that may not use the grant only if a user is signed in', async () => {
    client.grants = ['client_credentials'];
    expect((await ask({}, signedOut)).location).toBe('/login');
    expect((await ask({}, signedIn)).location).toContain('error=unauthorized_client');
    client.grants = ['authorization_code'];
  });

  it('does not redirect an invalid request that readAuthorizationRequest() rejects', async () => {
    const response = new Response();
    const request = new Request({ method: 'GET', headers: {}, query: requestOf('dcr_1', { request: 'e30.e30.' }) });
    await expect(newServer().readAuthorizationRequest(request, response)).rejects.toThrow('Request not supported');
    expect([response.status, response.get('location')]).toEqual([400, undefined]);
  });
});
