import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, expect, it } from '@jest/globals';
import { Controller, Get, type INestApplication, Req, UseGuards } from '@nestjs/common';
import { CurrentUser, OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { mutualTls, serverMetadata } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { PageBrowser } from '../src/pages/page-browser.js';
import { CN, issue } from '../support/keys/certificates.js';
import { freePort } from '../support/environment/free-port.js';
import { basic, bearer, get, post, readResponse } from '../support/clients/http.js';
import { describeEach } from '../support/environment/requirements.js';
import {
  ANY_PLATFORM,
  PLATFORMS,
  type Platform,
  startApplication,
  stopApplications,
} from '../support/servers/test-application.js';
import { blockOf, CLIENT_ADDRESS, isInstalled, Network, type Program, Proxy } from './proxies.js';

const PAGE = 'guides/behind-a-proxy.md';
const CALLBACK = 'https://app.example/callback';
const SECRET = 'a secret of at least thirty-two characters';
const VERIFIER = 'dBjftJeZ4CVP-mBqqjQ5hMGVYR2l4gNhB6gnyjYiGFk';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** Longer than the default buffers of nginx for the headers of a response. */
const STATE = 's'.repeat(6000);

@Controller()
class Routes {
  @Get('notes')
  @UseGuards(OAuthGuard)
  @Scopes('notes:read')
  list(@CurrentUser('id') user: string) {
    return { user };
  }

  /** Returns how the platform sees the client. */
  @Get('client')
  client(@Req() { ip, host, protocol }: { ip: string; host: string; protocol: string }) {
    return { ip, host, protocol };
  }
}

const authority = issue({ subject: [[[CN, 'Authority']]], isAuthority: true });
const certificate = issue({ subject: [[[CN, 'warehouse']]], issuer: authority });

function moduleOf(issuer: string) {
  const alice = { id: '1', name: 'Alice' };
  const store = new MemoryStore({
    clients: [
      {
        id: 'web',
        secret: 'web-secret',
        grants: ['authorization_code', 'refresh_token'],
        redirectUris: [CALLBACK],
        scopes: ['notes:read', 'openid'],
      },
      {
        id: 'warehouse',
        grants: ['client_credentials'],
        scopes: ['notes:read'],
        tokenEndpointAuthMethod: 'tls_client_auth',
        tlsClientAuthSubjectDn: 'CN=warehouse',
      },
    ],
    users: {
      findById: (id) => id === '1' && alice,
      findByCredentials: (name, password) => name === 'alice' && password === 'wonderland' && alice,
    },
  });
  const model = Object.assign(store, { getClaims: () => ({}) });
  const proxy = {
    trusted: ['127.0.0.1'],
    header: 'ssl-client-cert',
    verified: { header: 'ssl-client-verify', value: 'SUCCESS' },
  };
  const features = [
    serverMetadata(),
    pages(),
    keys({ secret: SECRET }),
    openid({ alg: 'ES256' }),
    mutualTls({ proxy }),
  ];
  return { imports: [OAuth2Module.forRoot({ model, issuer, secret: SECRET, features })], controllers: [Routes] };
}

const mutualTlsPage = readFileSync(join(import.meta.dirname, '../../docs/reference/features/mutual-tls.md'), 'utf8');

interface Setup {
  name: string;
  program: Program;
  issuer: string;
  config: () => string;
  prepare?: (app: INestApplication) => unknown;
}

const NGINX = '/etc/nginx/conf.d/id.example.com.conf';
const HAPROXY = '/etc/haproxy/haproxy.cfg';
const HEADERS = /^ +proxy_(?:http_version|set_header) .*;\n/gm;

/** Returns the first block with the headers at the level of `server`, and the locations of the second block. */
function belowPath(): string {
  const block = blockOf(PAGE, NGINX);
  const locations = blockOf(PAGE, '/etc/nginx/conf.d/example.com.conf, in `server`');
  const headers = [...block.matchAll(HEADERS)].map(([line]) => line).join('');
  return block.replace(/ {2}location \/ \{.*?\}\n/s, () => headers + locations);
}

const SETUPS: Setup[] = [
  { name: 'nginx', program: 'nginx', issuer: 'https://id.example.com', config: () => blockOf(PAGE, NGINX) },
  { name: 'nginx that removes a path', program: 'nginx', issuer: 'https://example.com/auth', config: belowPath },
  {
    name: 'nginx that keeps a path',
    program: 'nginx',
    issuer: 'https://example.com/auth',
    config: () => belowPath().replaceAll(':3000/;', ':3000;'),
    prepare: (app) => app.setGlobalPrefix('auth'),
  },
  { name: 'HAProxy', program: 'haproxy', issuer: 'https://id.example.com', config: () => blockOf(PAGE, HAPROXY) },
  {
    name: 'Apache',
    program: 'apache2',
    issuer: 'https://id.example.com',
    config: () => blockOf(PAGE, '/etc/apache2/sites-available/id.example.com.conf'),
  },
];

const MUTUAL_TLS: Omit<Setup, 'issuer'>[] = [
  { name: 'nginx', program: 'nginx', config: () => /^server \{.*?^\}/ms.exec(mutualTlsPage)![0] },
  {
    name: 'HAProxy',
    program: 'haproxy',
    config: () =>
      blockOf(PAGE, HAPROXY).replace(/ +bind .*\n/, () => blockOf(PAGE, `${HAPROXY}, in \`frontend https\``)),
  },
];

const programs = (['nginx', 'haproxy', 'apache2'] as const).filter(isInstalled);
const installed = <T extends { program: Program }>(setups: readonly T[]) =>
  setups.filter(({ program }) => programs.includes(program));

/** A busy machine needs more time than the default. */
const TIMEOUT = 60_000;

/** Only the trust in the proxy depends on the platform, so most configurations are tested on one. */
const platforms = PLATFORMS.filter((platform) =>
  programs.some((program) => program === 'nginx' || platform === ANY_PLATFORM[0]),
);

describeEach(platforms)('the configurations of docs/guides/behind-a-proxy.md on %s', (platform) => {
  const isChosen = platform === ANY_PLATFORM[0];
  let close: (() => Promise<void>) | undefined;
  afterEach(async () => {
    await close?.();
    await stopApplications();
  });

  async function start({ program, issuer, config, prepare }: Setup, withCertificate = false) {
    const { url } = await startBehindProxy(platform, issuer, prepare);
    const port = await freePort();
    const proxy = await Proxy.start(program, config(), port, Number(new URL(url).port), authority.cert);
    const network = await Network.open(new URL(issuer).host, port, withCertificate ? certificate : undefined);
    close = async () => {
      close = undefined;
      network.close();
      await proxy.stop();
    };
    return { origin: network.url, base: network.url + new URL(issuer).pathname.replace(/\/$/, '') };
  }

  const signsIn = installed(SETUPS).filter(({ name }) => name === 'nginx' || isChosen);
  for (const setup of signsIn)
    it(
      `sign a user in behind ${setup.name}`,
      async () => {
        const { origin, base } = await start(setup);
        const host = new URL(setup.issuer).host;
        const client = await readResponse(get(`${base}/client`));
        expect(client.body).toEqual({ ip: CLIENT_ADDRESS, host, protocol: 'https' });

        const path = new URL(setup.issuer).pathname.replace(/\/$/, '');
        for (const document of [
          `/.well-known/oauth-authorization-server${path}`,
          `${path}/.well-known/openid-configuration`,
        ])
          expect((await readResponse(get(origin + document))).body).toMatchObject({ issuer: setup.issuer });

        const { code, cookies } = await signIn(origin, path);
        expect(cookies).toContain('__Host-oauth2-session');
        const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
        const token = await readResponse(post(`${base}/oauth/token`, form, basic('web', 'web-secret')));
        expect(token).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
        const { access_token: accessToken } = token.body as { access_token: string };
        const notes = await readResponse(get(`${base}/notes`, bearer(accessToken)));
        expect(notes).toMatchObject({ status: 200, body: { user: '1' } });
        const rejected = await readResponse(get(`${base}/notes`, bearer('invalid')));
        expect(rejected).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
      },
      TIMEOUT,
    );

  for (const setup of isChosen ? installed(MUTUAL_TLS) : [])
    it(
      `authenticate a client by its certificate behind ${setup.name}`,
      async () => {
        const form = { grant_type: 'client_credentials', scope: 'notes:read', client_id: 'warehouse' };
        const issuer = 'https://id.example.com';
        const { base } = await start({ ...setup, issuer }, true);
        expect((await readResponse(post(`${base}/oauth/token`, form))).status).toBe(200);
        await close!();
        const { base: other } = await start({ ...setup, issuer });
        expect(await readResponse(post(`${other}/oauth/token`, form))).toMatchObject({
          status: 401,
          body: { error: 'invalid_client' },
        });
      },
      TIMEOUT,
    );
});

async function startBehindProxy(platform: Platform, issuer: string, prepare?: Setup['prepare']) {
  return startApplication(platform, moduleOf(issuer), { trustProxy: '127.0.0.1', ...(prepare && { prepare }) });
}

const isBackAtClient = (location: string | null) => location?.startsWith(CALLBACK) === true;

/** Signs Alice in and consents. Returns the authorization code and the names of the cookies. */
async function signIn(origin: string, path: string) {
  const browser = new PageBrowser(origin, { 'sec-fetch-site': 'same-origin' });
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'web',
    scope: 'notes:read',
    state: STATE,
    redirect_uri: CALLBACK,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  });
  let page = await browser.get(`${path}/oauth/authorize?${query.toString()}`);
  for (let steps = 0; steps < 8 && !isBackAtClient(page.location); steps += 1) {
    if (page.location !== null) page = await browser.get(page.location);
    else if (page.form.action.includes('login'))
      page = await browser.send(page, { username: 'alice', password: 'wonderland' });
    else page = await browser.send(page, { decision: 'allow' });
  }
  const landed = new URL(page.location!);
  expect(landed.searchParams.get('state')).toBe(STATE);
  return { code: landed.searchParams.get('code')!, cookies: [...browser.cookies.keys()] };
}
