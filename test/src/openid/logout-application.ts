import { createRemoteJWKSet, jwtVerify } from 'jose';
import { OAuth2Module } from 'nest-oauth2';
import { registration } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { logout, type LogoutOptions, openid } from 'nest-oauth2/openid';
import { pages, type PagesOptions } from 'nest-oauth2/pages';
import { OAuth2Server } from 'nest-oauth2/server';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';
import * as client from 'openid-client';

import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { type Platform, startApplication } from '../../support/servers/test-application.js';
import { EC, RSA } from '../../support/servers/openid-server.js';
import { CERTIFICATE, type Reply, type TlsServer } from '../../support/servers/tls-server.js';
import { waitUntil } from '../../support/environment/wait-until.js';
import { PageBrowser } from '../pages/page-browser.js';

export const CALLBACK = 'https://client.example/callback';
const users = [
  { id: '1', username: 'alice', name: 'Alice' },
  { id: '2', username: 'bob', name: 'Bob' },
];

class Model extends MemoryStore {
  getClaims = () => ({});
}

interface Setup extends LogoutOptions {
  /** Additional metadata of the clients `web` and `other`. */
  web?: object;
  other?: object;
  pages?: PagesOptions;
}

/** Starts a provider that sends logout notifications, with two clients at different paths of one web server. */
export async function openProvider(platform: Platform, clients: TlsServer, setup: Setup = {}) {
  const { web, other, pages: look, ...options } = setup;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const known = {
    secret: 'secret-of-the-client-web',
    grants: ['authorization_code', 'refresh_token', 'implicit'],
    redirectUris: [CALLBACK],
    scopes: ['openid', 'offline_access'],
    consent: 'never',
  } as const;
  const list: StoredClient[] = [
    { ...known, id: 'web', backchannelLogoutUri: clients.url('/web'), ...web },
    { ...known, id: 'other', ...other },
  ];
  const model = new Model({
    clients: list,
    users: {
      findById: (id) => users.find((user) => user.id === id),
      findByCredentials: (name) => users.find(({ username }) => username === name),
    },
  });
  const fetch = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };
  const salt = 'salt of thirty-two characters at least';
  const features = [
    keys({ from: [RSA, EC] }),
    openid({ pairwise: { salt }, responseTypes: ['code id_token', 'id_token'] }),
    logout({ fetch, ...options }),
    pages(look),
    registration({ open: true, scopes: ['openid'], rate: false }),
  ];
  const events: [string, Record<string, unknown>][] = [];
  const sink = { emit: (name: string, payload: object) => events.push([name, { ...payload }]) };
  const module = OAuth2Module.forRoot({ model, issuer: url, features, secret: SECRET, events: sink });
  const { app } = await startApplication(platform, { imports: [module] }, { port });

  const reported = (name: string) => events.filter(([event]) => event === name).map(([, payload]) => payload);
  /** Waits until this number of notifications have succeeded or failed. */
  const settled = async (count: number) =>
    waitUntil(() => reported('logout.delivered').length + reported('logout.failed').length >= count);
  const configs = new Map<string, client.Configuration>();
  const configOf = async (id: string) => {
    const execute = [client.allowInsecureRequests];
    const config = configs.get(id) ?? (await client.discovery(new URL(url), id, known.secret, undefined, { execute }));
    configs.set(id, config);
    return config;
  };
  /** Signs in at a client within the browser’s existing session. */
  const enter = async (as: PageBrowser, id = 'web', scope = 'openid') => {
    const requested = { response_type: 'code', client_id: id, scope, state: 'x', redirect_uri: CALLBACK };
    const consent = scope.includes('offline') ? '&prompt=consent' : '';
    const start = `/oauth/authorize?${new URLSearchParams(requested).toString()}${consent}`;
    const page = await as.get(start);
    const { location } = page.location === null ? await as.send(page, { decision: 'allow' }) : page;
    const tokens = await client.authorizationCodeGrant(await configOf(id), new URL(location!), { expectedState: 'x' });
    return { ...tokens, claims: tokens.claims()! };
  };
  const signIn = async (username = 'alice') => {
    const browser = new PageBrowser(url);
    await browser.signIn('/oauth/login', username);
    return browser;
  };
  /** Signs out with the form of the logout page. */
  const signOut = async (as: PageBrowser) => as.send(await as.get('/oauth/logout'));
  const jwks = createRemoteJWKSet(new URL(`${url}/oauth/jwks`));
  /** Validates a logout token as a client does. Back-Channel Logout §2.6 */
  const judge = async (token: string, audience = 'web') =>
    jwtVerify(token, jwks, { issuer: url, audience, typ: 'logout+jwt', maxTokenAge: 120 });
  const server = app.get(OAuth2Server);
  return { url, model, server, app, events, reported, settled, configOf, enter, signIn, signOut, judge };
}

/** Returns a request handler of a client that records the logout tokens it receives. */
export function logoutListener(heard: string[], reply: Reply = (response) => response.writeHead(204).end()): Reply {
  return async (response, request) => {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    heard.push(form.get('logout_token')!);
    reply(response, request);
  };
}
