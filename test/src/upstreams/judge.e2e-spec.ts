import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, OAuth2Upstreams } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { oauth, oidc } from 'nest-oauth2/upstreams';

import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { EC, RSA } from '../../support/servers/openid-server.js';
import {
  PLATFORMS,
  type Platform,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';
import { CLIENT, type SiteBrowser, startSite } from './site.js';

const servers: Server[] = [];
afterEach(stopApplications);
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** Starts an OpenID provider of this library, at which Alice has the password `wonderland`. */
async function startProvider(platform: Platform, redirectUri: string, claims: object = {}) {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const alice = { id: 'a-1', name: 'Alice at Work' };
  const users = {
    findById: () => alice,
    findByCredentials: (_: string, password: string) => password === 'wonderland' && alice,
  };
  const client = {
    id: CLIENT.clientId,
    secret: 'our-secret-with-enough-characters',
    redirectUris: [redirectUri],
    grants: ['authorization_code'],
    scopes: ['openid', 'profile', 'email'],
    consent: 'never' as const,
  };
  const model = Object.assign(new MemoryStore({ clients: [client], users }), {
    getClaims: () => ({ name: 'Alice at Work', email: 'alice@work.example', email_verified: true, ...claims }),
  });
  const features = [pages({ signIn: { amr: ['pwd'] } }), openid(), keys({ from: [EC, RSA] })];
  const module = { imports: [OAuth2Module.forRoot({ model, issuer, secret: SECRET, features })] };
  await startApplication(platform, module, { port });
  return { issuer, clientSecret: client.secret };
}

/** Signs in at a provider of this library, and returns the URL of its response. */
async function signInAt(location: string): Promise<string> {
  const { origin, href } = new URL(location);
  const browser = new PageBrowser(origin);
  const { location: login } = await browser.get(href.slice(origin.length));
  const page = await browser.get(login!);
  const signedIn = await browser.send(page, { username: 'alice', password: 'wonderland' });
  return (await browser.get(signedIn.location!)).location!;
}

const pathOf = (url: string) => url.slice(new URL(url).origin.length);

describe.each(PLATFORMS)('sign-in over the network on %s', (platform) => {
  const start = async (claims?: object, more: object = {}) => {
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const provider = await startProvider(platform, `${issuer}/oauth/upstreams/work/callback`, claims);
    const work = oidc({ ...CLIENT, ...provider, label: 'Work', trustEmail: ['work.example'], ...more });
    const site = await startSite({ platform, issuer, providers: { work }, fetch: {}, application: { port } });
    return { ...site, provider };
  };

  it('signs in with an OpenID provider that is another server of this library', async () => {
    const { browser, accounts, provider, events } = await start();
    const userBrowser = browser();
    const { location } = await userBrowser.begin('work', { return_to: '/notes' });
    const response = await signInAt(location!);
    expect(new URL(response).searchParams.get('iss')).toBe(provider.issuer);
    const done = await userBrowser.get(pathOf(response));
    expect([done.status, done.location, await userBrowser.user()]).toEqual([303, '/notes', 'Alice at Work']);
    expect(accounts.profiles).toMatchObject([{ iss: provider.issuer, sub: 'a-1', email: 'alice@work.example' }]);
    expect(events.map(([name]) => name)).toEqual(['linked', 'signed_in']);
  });

  it('refuses claims of one megabyte', async () => {
    const { browser, accounts, events } = await start({ picture: 'x'.repeat(2 ** 20) });
    const userBrowser = browser();
    const { location } = await userBrowser.begin('work');
    const shown = await userBrowser.get(pathOf(await signInAt(location!)));
    expect([shown.status, accounts.all.length, await userBrowser.user()]).toEqual([400, 1, undefined]);
    expect(events).toMatchObject([['refused', { reason: expect.stringContaining('more than 65536 bytes') }]]);
  });

  it('reports a wrong client secret to the operator, and not to the user', async () => {
    const { browser, events } = await start({}, { clientSecret: 'wrong' });
    const userBrowser = browser();
    const { location } = await userBrowser.begin('work');
    const shown = await userBrowser.get(pathOf(await signInAt(location!)));
    expect([shown.status, shown.html]).toEqual([400, expect.not.stringContaining('invalid_client')]);
    expect(events).toEqual([
      [
        'refused',
        expect.objectContaining({ reason: expect.stringContaining('the response of the provider is invalid') }),
      ],
    ]);
  });

  it('shows a provider that cannot be reached as unavailable', async () => {
    const providers = { gone: oidc({ ...CLIENT, issuer: `http://127.0.0.1:${await freePort()}`, label: 'Gone' }) };
    const { browser, events } = await startSite({ platform, providers, fetch: {} });
    const shown = await browser().begin('gone');
    expect([shown.status, shown.html]).toEqual([503, expect.stringContaining('Gone does not respond right now')]);
    expect(events).toMatchObject([['refused', { provider: 'gone', status: 503 }]]);
  });

  it('never sends requests to a private address that only the metadata names', async () => {
    const inner: string[] = [];
    const hidden = await listen((request, response) => {
      inner.push(request.url!);
      response.end('{}');
    });
    const evil = await listen((_request, response, issuer) => {
      response.setHeader('content-type', 'application/json');
      const at = (path: string) => `${hidden}${path}`;
      const metadata = { issuer, authorization_endpoint: `${issuer}/a`, token_endpoint: at('/t'), jwks_uri: at('/j') };
      response.end(JSON.stringify(metadata));
    });
    const providers = { evil: oidc({ ...CLIENT, issuer: evil }) };
    const { browser } = await startSite({ platform, providers, fetch: {} });
    const userBrowser = browser();
    const state = new URL((await userBrowser.begin('evil')).location!).searchParams.get('state')!;
    expect((await userBrowser.get(`/oauth/upstreams/evil/callback?code=c&state=${state}`)).status).toBe(400);
    expect(inner).toEqual([]);
  });

  it('signs in with a provider that issues no ID tokens', async () => {
    const { browser } = await startSite({ platform, providers: { hub: await startHub() }, fetch: {} });
    expect(await (await signInAtHub(browser())).user()).toBe('erin');
  });

  it('revokes tokens at a host that only `endpoints.revocation` names', async () => {
    const revoked: string[] = [];
    const host = await listen((request, response) => {
      revoked.push(request.url!);
      response.end();
    });
    const providers = { hub: await startHub({ revocation: `${host}/revoke` }) };
    const { app, browser } = await startSite({ platform, providers, fetch: {}, vault: true });
    await signInAtHub(browser());
    expect(await app.get(OAuth2Upstreams).disconnect({ id: '2' }, 'hub')).toBe(true);
    expect(revoked).toEqual(['/revoke']);
  });
});

/** Starts a provider without ID tokens, whose user is Erin. */
async function startHub(endpoints: { revocation?: string } = {}) {
  const issuer = await listen((request, response) => {
    response.setHeader('content-type', 'application/json');
    const isToken = request.url === '/token' && request.method === 'POST';
    const hasToken = request.headers.authorization === 'Bearer their-token';
    const body = isToken
      ? { access_token: 'their-token', token_type: 'bearer' }
      : hasToken
        ? { id: 7, login: 'erin' }
        : {};
    response.end(JSON.stringify(body));
  });
  return oauth({
    ...CLIENT,
    issuer,
    label: 'Hub',
    endpoints: { authorization: `${issuer}/authorize`, token: `${issuer}/token`, ...endpoints },
    apis: [issuer],
    async profile({ fetch }) {
      const claims = (await (await fetch(`${issuer}/user`)).json()) as { id: number; login: string };
      return { sub: String(claims.id), name: claims.login, claims: { ...claims } };
    },
  });
}

async function signInAtHub(userBrowser: SiteBrowser): Promise<SiteBrowser> {
  const { location } = await userBrowser.begin('hub');
  const state = new URL(location!).searchParams.get('state')!;
  await userBrowser.get(`/oauth/upstreams/hub/callback?code=c&state=${state}`);
  return userBrowser;
}

type Listener = (request: IncomingMessage, response: ServerResponse, url: string) => void;

/** Starts a server on a loopback address, and returns its URL. */
async function listen(handle: Listener): Promise<string> {
  let url = '';
  const server = createServer((request, response) => handle(request, response, url));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url;
}
