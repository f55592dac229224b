import { generateKeyPairSync } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';
import { jwtVerify } from 'jose';
import { OAuth2Upstreams } from 'nest-oauth2';
import {
  apple,
  facebook,
  type FetchFunction,
  github,
  gitlab,
  google,
  microsoft,
  oauth,
  oidc,
  type UpstreamProvider,
} from 'nest-oauth2/upstreams';

import { ANY_PLATFORM, stopApplications } from '../../support/servers/test-application.js';
import { AccountsWithEmail, CLIENT, ISSUER, startSite } from './site.js';
import { type Claims, StandIn } from './stand-in.js';

afterEach(stopApplications);

/** The first bytes of a PNG image. */
const PNG = 'data:image/png;base64,iVBORw0KGgo=';

/** Starts a site with one provider, and signs a user in for whom the provider responds with these claims. */
async function signIn(
  provider: UpstreamProvider,
  standIn: StandIn,
  claims: Claims,
  fetch: FetchFunction = standIn.fetch,
) {
  const accounts = new AccountsWithEmail();
  const site = await startSite({ platform: ANY_PLATFORM[0]!, providers: { it: provider }, fetch, accounts });
  const userBrowser = site.browser();
  const begun = await userBrowser.begin('it');
  const shown = await userBrowser.get(standIn.respond(begun.location, claims));
  return { ...site, browser: userBrowser, request: new URL(begun.location!), shown, profile: accounts.profiles[0] };
}

const refusal = ({ events }: { events: [string, Record<string, unknown>][] }) =>
  events.find(([name]) => name === 'refused')?.[1]['reason'];

// All metadata, tokens and profiles are from the documentation of the providers, read in November 2026.

describe('google()', () => {
  // https://developers.google.com/identity/openid-connect/openid-connect#obtainuserinfo
  const claims = {
    azp: 'us',
    sub: '10769150350006150715113082367',
    hd: 'example.com',
    email: 'jsmith@example.com',
    email_verified: true,
    name: 'J. Smith',
    picture: 'https://lh3.googleusercontent.com/a/photo.jpg',
  };
  const standIn = () =>
    Object.assign(new StandIn('https://accounts.google.com'), {
      metadata: {
        authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
        token_endpoint: 'https://oauth2.googleapis.com/token',
        token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      },
    });

  it('signs users in, and proves addresses of their Workspace domain and of Gmail only', async () => {
    const { request, profile } = await signIn(google(CLIENT), standIn(), claims);
    expect(request.origin + request.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
    expect(profile).toMatchObject({
      iss: 'https://accounts.google.com',
      sub: claims.sub,
      email: claims.email,
      name: 'J. Smith',
    });
    const gmail = await signIn(google(CLIENT), standIn(), { ...claims, hd: undefined, email: 'j@gmail.com' });
    expect(gmail.profile?.email).toBe('j@gmail.com');
    const other = await signIn(google(CLIENT), standIn(), { ...claims, email: 'jsmith@other.example' });
    expect(other.profile).toMatchObject({ email: undefined, unverifiedEmail: 'jsmith@other.example' });
  });

  it('refuses users of other Workspace domains by the claim `hd`', async () => {
    const provider = () => google({ ...CLIENT, hostedDomain: 'example.com' });
    expect((await signIn(provider(), standIn(), claims)).request.searchParams.get('hd')).toBe('example.com');
    const other = await signIn(provider(), standIn(), { ...claims, hd: 'evil.example' });
    expect([other.shown.status, refusal(other)]).toEqual([403, expect.stringContaining('`hd` is not example.com')]);
  });
});

describe('microsoft()', () => {
  const [tid, otherTid] = ['9122040d-6c67-4c5b-b112-36a304b66dad', '11111111-2222-4333-8444-555555555555'];
  const iss = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`;
  // https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
  const claims = {
    iss: iss(tid),
    tid,
    sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
    oid: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
    name: 'Abe Lincoln',
    preferred_username: 'abeli@microsoft.com',
    email: 'alice@example.com',
    email_verified: true,
  };
  const standIn = (issuer: string) =>
    Object.assign(new StandIn(issuer), { metadata: { issuer, authorization_endpoint: `${issuer}/authorize` } });
  const shared = () => Object.assign(standIn(iss('common')), { metadata: { issuer: iss('{tenantid}') } });

  it('signs users of one tenant in, and never takes an address for a proof', async () => {
    const { profile, browser: userBrowser } = await signIn(
      microsoft({ ...CLIENT, tenant: tid }),
      standIn(iss(tid)),
      claims,
    );
    expect(profile).toMatchObject({ iss: iss(tid), email: undefined, unverifiedEmail: 'alice@example.com' });
    expect(await userBrowser.user()).toBe('Abe Lincoln');
  });

  it('signs users of allowed tenants in at the endpoint of all tenants, and refuses others', async () => {
    const provider = () => microsoft({ ...CLIENT, tenant: 'common', allowedTenants: [tid] });
    expect((await signIn(provider(), shared(), claims)).profile?.iss).toBe(iss(tid));
    const other = await signIn(provider(), shared(), { ...claims, tid: otherTid, iss: iss(otherTid) });
    expect([other.shown.status, refusal(other)]).toEqual([403, expect.stringContaining('not in `allowedTenants`')]);
    const mixed = await signIn(provider(), shared(), { ...claims, iss: iss(otherTid) });
    expect(mixed.shown.status).toBe(400);
    const none = await signIn(provider(), shared(), { ...claims, tid: undefined });
    expect(none.shown.status).toBe(400);
  });

  it('requires the tenants that are allowed', () => {
    expect(() => microsoft({ ...CLIENT, tenant: 'common' })).toThrow('`allowedTenants` of `microsoft()` must be');
    expect(() => microsoft({ ...CLIENT, tenant: 'contoso.com' })).toThrow('`tenant` of `microsoft()` must be');
  });
});

describe('apple()', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  // https://developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple
  const claims = {
    sub: '001473.fe6f83bf4b8e4590aacbabdcb8598bd0.2039',
    email: 'x2kqrf2p@privaterelay.appleid.com',
    email_verified: 'true',
    is_private_email: 'true',
  };

  it('signs the client secret, and accepts the form post with the name', async () => {
    const standIn = new StandIn('https://appleid.apple.com');
    const provider = apple({
      clientId: 'us',
      teamId: 'TEAM123456',
      keyId: 'KEY1234567',
      privateKey: () => pem,
      trustEmail: ['privaterelay.appleid.com'],
    });
    const accounts = new AccountsWithEmail();
    const { browser } = await startSite({
      platform: ANY_PLATFORM[0]!,
      providers: { apple: provider },
      fetch: standIn.fetch,
      accounts,
    });
    const userBrowser = browser();
    const { location } = await userBrowser.begin('apple');
    expect(new URL(location!).searchParams.get('response_mode')).toBe('form_post');
    const [path, query] = standIn.respond(location, claims).split('?') as [string, string];
    const user = JSON.stringify({ name: { firstName: 'Erin', lastName: 'Example' }, email: 'erin@evil.example' });
    const form = { ...Object.fromEntries(new URLSearchParams(query)), user };
    const redirected = await browser().post(path, form, { origin: standIn.issuer });
    await userBrowser.get(redirected.location!);
    expect(accounts.profiles).toMatchObject([{ sub: claims.sub, name: 'Erin Example', email: claims.email }]);
    const { body } = standIn.requests.find(({ url }) => url.endsWith('/token'))!;
    const secret = new URLSearchParams(body).get('client_secret')!;
    const { payload, protectedHeader } = await jwtVerify(secret, publicKey, {
      audience: 'https://appleid.apple.com',
      issuer: 'TEAM123456',
      subject: 'us',
    });
    expect([protectedHeader, payload.exp! - payload.iat!]).toEqual([{ alg: 'ES256', kid: 'KEY1234567' }, 300]);
  });
});

describe('gitlab()', () => {
  it('signs users in at gitlab.com or at a self-managed GitLab', async () => {
    const { profile } = await signIn(gitlab(CLIENT), new StandIn('https://gitlab.com'), { sub: '4711', name: 'Erin' });
    expect(profile).toMatchObject({ iss: 'https://gitlab.com', sub: '4711' });
    const own = new StandIn('https://git.example');
    expect((await signIn(gitlab({ ...CLIENT, issuer: own.issuer }), own, { sub: '1' })).profile?.iss).toBe(own.issuer);
  });
});

/** Returns a stand-in for a provider without ID tokens. */
function withoutIdTokens(api: Record<string, unknown>): { standIn: StandIn; fetch: FetchFunction } {
  const standIn = new StandIn('https://unused.example');
  standIn.reply = (url) => {
    const { host, pathname } = new URL(url);
    if (pathname.endsWith('/access_token') || pathname === '/token') {
      return Response.json({ access_token: 'their-token', token_type: 'bearer', scope: 'read:user,user:email' });
    }
    const body = api[`${host}${pathname}`];
    return body instanceof Response
      ? body.clone()
      : body === undefined
        ? new Response('', { status: 404 })
        : Response.json(body);
  };
  return { standIn, fetch: standIn.fetch };
}

describe('github()', () => {
  // https://docs.github.com/rest/users/users#get-the-authenticated-user
  const user = {
    login: 'octocat',
    id: 583231,
    name: 'monalisa octocat',
    avatar_url: 'https://avatars.example/u/1',
    email: 'public@evil.example',
  };
  const emails = [
    { email: 'other@example.com', primary: false, verified: true },
    { email: 'octocat@github.com', primary: true, verified: true },
  ];
  const start = (more: Record<string, unknown> = {}, api: Record<string, unknown> = {}) => {
    const { standIn, fetch } = withoutIdTokens({
      'api.github.com/user': user,
      'api.github.com/user/emails': emails,
      ...api,
    });
    return { standIn, run: () => signIn(github({ ...CLIENT, ...more }), standIn, {}, fetch) };
  };

  it('reads the user from the API, and identifies it by the numeric ID', async () => {
    const { standIn, run } = start({ trustEmail: true });
    const { request, profile, browser: userBrowser } = await run();
    expect(request.href).toMatch(/^https:\/\/github\.com\/login\/oauth\/authorize\?/);
    expect(request.searchParams.get('redirect_uri')).toBe(`${ISSUER}/oauth/upstreams/it/callback`);
    expect(profile).toMatchObject({
      iss: 'https://github.com/login/oauth',
      sub: '583231',
      email: 'octocat@github.com',
    });
    expect(await userBrowser.user()).toBe('monalisa octocat');
    const calls = standIn.requests.filter(({ url }) => url.startsWith('https://api.github.com/'));
    expect(calls.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer their-token',
      'Bearer their-token',
    ]);
  });

  it.each([
    ['is not verified', [{ email: 'octocat@github.com', primary: true, verified: false }]],
    ['cannot be read', new Response('', { status: 403 })],
    ['is missing', [{ email: 'other@example.com', primary: false, verified: true }]],
  ])('proves no address if the primary address %s', async (_title, list) => {
    const { profile } = await start({ trustEmail: true }, { 'api.github.com/user/emails': list }).run();
    expect(profile).toMatchObject({ sub: '583231', email: undefined });
  });

  // https://docs.github.com/rest/apps/oauth-applications#delete-an-app-authorization
  it('ends the authorization of the app when the user disconnects it', async () => {
    const ended = new Response(null, { status: 204 });
    const api = { 'api.github.com/user': user, 'api.github.com/applications/us/grant': ended };
    const { standIn, fetch } = withoutIdTokens(api);
    const providers = { it: github(CLIENT) };
    const { app, browser } = await startSite({ platform: ANY_PLATFORM[0]!, providers, fetch, vault: true });
    const userBrowser = browser();
    await userBrowser.get(standIn.respond((await userBrowser.begin('it')).location, {}));
    standIn.requests.length = 0;
    expect(await app.get(OAuth2Upstreams).disconnect({ id: '2' }, 'it')).toBe(true);
    const [request, ...others] = standIn.requests;
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      method: 'DELETE',
      url: 'https://api.github.com/applications/us/grant',
      body: '{"access_token":"their-token"}',
    });
    expect(request!.headers.get('authorization')).toBe(`Basic ${btoa('us:our-secret')}`);
  });

  // GitHub sends `iss` since April 2026. RFC 9207
  it('accepts the `iss` of GitHub, and refuses another', async () => {
    const { standIn, fetch } = withoutIdTokens({ 'api.github.com/user': user });
    const { browser } = await startSite({ platform: ANY_PLATFORM[0]!, providers: { it: github(CLIENT) }, fetch });
    const userBrowser = browser();
    const bad = standIn.respond((await userBrowser.begin('it')).location, {}, { iss: 'https://gitlab.com' });
    expect((await userBrowser.get(bad)).status).toBe(400);
    const good = standIn.respond(
      (await userBrowser.begin('it')).location,
      {},
      { iss: 'https://github.com/login/oauth' },
    );
    expect((await userBrowser.get(good)).status).toBe(303);
  });

  it.each([
    [
      'an error with status 200',
      { error: 'bad_verification_code', error_description: 'The code is incorrect or expired.' },
    ],
    ['no access token', {}],
  ])('refuses a token response with %s', async (_title, body) => {
    const { standIn, fetch } = withoutIdTokens({});
    standIn.reply = () => Response.json(body);
    expect((await signIn(github(CLIENT), standIn, {}, fetch)).shown.status).toBe(400);
  });

  it('refuses a user API that fails', async () => {
    const { run } = start({}, { 'api.github.com/user': new Response('', { status: 401 }) });
    expect((await run()).shown.status).toBe(400);
    const busy = start({}, { 'api.github.com/user': [1, 2] });
    expect((await busy.run()).shown.status).toBe(400);
  });
});

describe('facebook()', () => {
  it('reads the user from the Graph API, and never takes an address for a proof', async () => {
    // https://developers.facebook.com/docs/graph-api/reference/user
    const me = { id: '10153877312345678', name: 'Erin Example', email: 'erin@example.com' };
    const { standIn, fetch } = withoutIdTokens({ 'graph.facebook.com/v23.0/me': me });
    const { profile, request } = await signIn(facebook(CLIENT), standIn, {}, fetch);
    expect(request.pathname).toBe('/v23.0/dialog/oauth');
    expect(profile).toMatchObject({
      iss: 'https://www.facebook.com',
      sub: me.id,
      email: undefined,
      unverifiedEmail: me.email,
    });
  });
});

describe('oauth()', () => {
  const options = {
    ...CLIENT,
    issuer: 'https://legacy.example',
    endpoints: { authorization: 'https://legacy.example/authorize', token: 'https://legacy.example/token' },
    apis: ['https://api.legacy.example'],
  };

  it('sends the access token to the APIs of the provider only', async () => {
    const { standIn, fetch } = withoutIdTokens({ 'evil.example/me': { id: 1 } });
    const provider = oauth({
      ...options,
      profile: async ({ fetch: call }) => ({ sub: String((await call('https://evil.example/me')).status), claims: {} }),
    });
    const { shown, ...site } = await signIn(provider, standIn, {}, fetch);
    expect([shown.status, refusal(site)]).toEqual([
      400,
      expect.stringContaining('must not be sent to https://evil.example/me'),
    ]);
    expect(standIn.requests.map(({ url }) => url)).toEqual(['https://legacy.example/token']);
  });

  it.each([undefined, {}, { sub: 7 }, { sub: '' }, 'text'])('refuses the profile %j', async (user) => {
    const { standIn, fetch } = withoutIdTokens({});
    const { shown } = await signIn(oauth({ ...options, profile: () => user as never }), standIn, {}, fetch);
    expect(shown.status).toBe(403);
  });

  it.each([
    [{ issuer: 'http://legacy.example' }, 'must be https URLs'],
    [{ apis: ['ftp://legacy.example'] }, 'must be https URLs'],
    [{ profile: undefined }, '`profile` of `oauth()` must be a function'],
    [{ clientId: '' }, '`clientId` of `oauth()` must be a text'],
    [{ use: 'never' }, "`use` of `oauth()` must be 'both'"],
    [{ trustEmail: ['@example.com'] }, '`trustEmail` of `oauth()` must be'],
    [{ parameters: { state: 'fixed' } }, '`parameters` of `oauth()` must not contain `state`'],
  ])('rejects the options %j', (wrong, message) => {
    expect(() => oauth({ ...options, profile: () => ({ sub: '1', claims: {} }), ...wrong } as never)).toThrow(message);
  });

  it.each([
    [{ idTokenSignedResponseAlg: 'none' }, '`idTokenSignedResponseAlg` of `oidc()` must be one of ES256'],
    [{ responseMode: 'fragment' }, "`responseMode` of `oidc()` must be 'query' or 'form_post'"],
    [{ logo: { light: 'https://cdn.example/a.png' } }, '`logo` of `oidc()` must have the image `light`'],
    [{ logo: { light: PNG, dark: 'data:text/html;base64,AAAA' } }, '`logo` of `oidc()` must have the image `light`'],
    [{ logo: { light: `${PNG}" onerror="` } }, '`logo` of `oidc()` must have the image `light`'],
  ])('rejects the options %j of `oidc()`', (wrong, message) => {
    expect(() => oidc({ ...CLIENT, issuer: 'https://acme.example', ...wrong } as never)).toThrow(message);
  });
});

describe('the buttons of the login page', () => {
  /** Returns the images of the buttons by the name of the provider, and the sources that the page allows. */
  async function images(providers: Record<string, UpstreamProvider>) {
    const { browser } = await startSite({ platform: ANY_PLATFORM[0]!, providers });
    const { html, headers } = await browser().get('/oauth/login');
    const buttons = [...html.matchAll(/action="\/oauth\/upstreams\/(\w+)"[^]*?<\/form>/g)];
    const sources = (button: string) => [...button.matchAll(/src(?:set)?="([^"]+)"/g)].map(([, uri]) => imageOf(uri!));
    const shown = buttons.map(([button, name]) => [name!, sources(button)] as const);
    return {
      images: Object.fromEntries(shown),
      policy: /img-src ([^;]+)/.exec(headers.get('content-security-policy')!)![1],
      html,
    };
  }

  const imageOf = (uri: string) => Buffer.from(uri.split(',')[1]!, 'base64').toString();
  const colorsOf = (image: string) => [...image.matchAll(/fill="(#\w+)"/g)].map(([, color]) => color);

  it('have the logos of Google and Microsoft in their colors, and that of GitHub in white on dark pages', async () => {
    const shown = await images({
      github: github(CLIENT),
      google: google(CLIENT),
      microsoft: microsoft({ ...CLIENT, tenant: 'common', allowedTenants: 'any' }),
    });
    const colors = Object.entries(shown.images).map(([name, list]) => [name, list.map((one) => colorsOf(one))]);
    expect(Object.fromEntries(colors)).toEqual({
      github: [['#fff'], ['#000']],
      google: [['#EA4335', '#4285F4', '#FBBC05', '#34A853']],
      microsoft: [['#F25022', '#7FBA00', '#00A4EF', '#FFB900']],
    });
    expect(shown.policy).toBe('data:');
  });

  it('have the logo that the application sets, and none without it', async () => {
    const plain = oidc({ ...CLIENT, issuer: 'https://acme.example' });
    const shown = await images({
      acme: oidc({ ...CLIENT, issuer: 'https://acme.example', logo: { light: PNG } }),
      gitlab: gitlab(CLIENT),
      plain,
    });
    expect(shown.images).toEqual({ acme: [imageOf(PNG)], gitlab: [], plain: [] });
    expect(shown.html).toMatch(/<img\s+src="data:image\/png[^>]+alt=""/);
  });
});
