import { afterEach, describe, expect, it } from '@jest/globals';

import { OAuth2Module } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { oidc, upstreams } from 'nest-oauth2/upstreams';

import { SECRET } from '../../support/servers/demo.js';
import { ANY_PLATFORM, PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { Accounts, CLIENT, ISSUER, NestAccounts, SiteBrowser, startSite, startTenants } from './site.js';
import { StandIn } from './stand-in.js';

afterEach(stopApplications);

const ERIN = { sub: 'e-1', name: 'Erin', email: 'erin@acme.example', email_verified: true };

describe.each(PLATFORMS)('sign-in with a provider on %s', (platform) => {
  it('sends the browser to the provider with PKCE, state, nonce and a redirect URI of its own', async () => {
    const { browser } = await startSite({ platform });
    const begun = await browser().begin('acme', { login_hint: 'erin' });
    expect(begun.status).toBe(303);
    const { origin, searchParams } = new URL(begun.location!);
    expect(origin).toBe('https://acme.example');
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'us',
      response_type: 'code',
      redirect_uri: `${ISSUER}/oauth/upstreams/acme/callback`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      login_hint: 'erin',
    });
    const cookie = begun.given.find((line) => line.startsWith('__Host-oauth2-upstream-'))!;
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/);
    expect(cookie).not.toContain(searchParams.get('state'));
  });

  it('keeps the cookies of attempts at another port of its host', async () => {
    const { browser } = await startSite({ platform });
    const user = browser();
    user.cookies.set(`__Host-oauth2-upstream-${'a'.repeat(16)}`, 'forged');
    user.cookies.set(`__Host-oauth2-upstream.3001-${'a'.repeat(16)}`, 'of another application');
    const { given } = await user.begin();
    expect(given.filter((line) => line.includes('Max-Age=0'))).toEqual([expect.stringMatching(/upstream-a{16}=;/)]);
  });

  it('creates an account at the first sign-in, and finds it at the next', async () => {
    const { browser, acme, accounts, events } = await startSite({ platform });
    const first = browser();
    const done = await first.signInWith(acme, ERIN, { return_to: '/notes' });
    expect({ status: done.status, location: done.location, user: await first.user() }).toEqual({
      status: 303,
      location: '/notes',
      user: 'Erin',
    });
    const second = browser();
    await second.signInWith(acme, { ...ERIN, name: 'Erin Renamed' });
    expect(await second.user()).toBe('Erin');
    expect(accounts.profiles).toEqual([
      {
        provider: 'acme',
        iss: acme.issuer,
        sub: 'e-1',
        name: 'Erin',
        email: undefined,
        unverifiedEmail: 'erin@acme.example',
        picture: undefined,
        claims: expect.objectContaining(ERIN),
      },
    ]);
    const details = {
      endpoint: 'upstream_acme_callback',
      issuer: ISSUER,
      provider: 'acme',
      upstreamIssuer: acme.issuer,
    };
    expect(events).toEqual([
      ['linked', { ...details, at: expect.any(Date), userId: '2' }],
      ['signed_in', { ...details, at: expect.any(Date), userId: '2' }],
      ['signed_in', { ...details, at: expect.any(Date), userId: '2' }],
    ]);
  });

  it('authenticates with the client secret, and sends neither secrets nor codes to the browser', async () => {
    const { browser, acme } = await startSite({ platform });
    const done = await browser().signInWith(acme, ERIN);
    const { body } = acme.requests.find(({ url }) => url.endsWith('/token'))!;
    const form = Object.fromEntries(new URLSearchParams(body));
    expect(form).toMatchObject({
      grant_type: 'authorization_code',
      client_id: 'us',
      client_secret: 'our-secret',
      redirect_uri: `${ISSUER}/oauth/upstreams/acme/callback`,
    });
    expect(JSON.stringify(done)).not.toContain('their-access-token');
  });

  it('accepts a form post, which carries no cookies, by one redirect to a page that reads them', async () => {
    const { browser, acme } = await startSite({ platform, acme: { responseMode: 'form_post' } });
    const userBrowser = browser();
    const { location } = await userBrowser.begin();
    expect(new URL(location!).searchParams.get('response_mode')).toBe('form_post');
    const [path, query] = acme.respond(location, ERIN).split('?') as [string, string];
    const crossSite = browser();
    const redirected = await crossSite.post(path, Object.fromEntries(new URLSearchParams(query)), {
      origin: acme.issuer,
      'sec-fetch-site': 'cross-site',
    });
    expect(redirected.status).toBe(303);
    expect(redirected.location).toMatch(/^\/oauth\/upstreams\/acme\/callback\?form=[\w-]+$/);
    expect(crossSite.cookies.size).toBe(0);
    const done = await userBrowser.get(redirected.location!);
    expect([done.status, await userBrowser.user()]).toEqual([303, 'Erin']);
  });

  it('finishes two attempts of two tabs in any order', async () => {
    const { browser, acme } = await startSite({ platform });
    const userBrowser = browser();
    const [one, two] = [
      await userBrowser.begin('acme', { return_to: '/one' }),
      await userBrowser.begin('acme', { return_to: '/two' }),
    ];
    expect((await userBrowser.get(acme.respond(two.location, ERIN))).location).toBe('/two');
    expect((await userBrowser.get(acme.respond(one.location, ERIN))).location).toBe('/one');
  });
});

describe.each(ANY_PLATFORM)('the account of a sign-in with a provider on %s', (platform) => {
  it('is refused if the application creates none, and if it was disabled', async () => {
    const { browser, acme, accounts, events } = await startSite({ platform });
    const nobody = await browser().signInWith(acme, { sub: 'n', name: 'Nobody' });
    expect([nobody.status, accounts.all.length]).toEqual([403, 1]);
    await browser().signInWith(acme, ERIN);
    accounts.all.pop();
    const userBrowser = browser();
    const shown = await userBrowser.signInWith(acme, ERIN);
    expect([shown.status, shown.html]).toEqual([403, expect.stringContaining('disabled or was deleted')]);
    expect(await userBrowser.user()).toBeUndefined();
    expect(events.filter(([name]) => name === 'refused').map(([, { reason }]) => reason)).toEqual([
      '`create()` of the application created no account',
      '`findById()` of the application found no user for the identity',
    ]);
  });

  it('belongs to a class that Nest creates', async () => {
    const { browser, acme, accounts } = await startSite({ platform, accounts: NestAccounts });
    const userBrowser = browser();
    await userBrowser.signInWith(acme, ERIN);
    expect([await userBrowser.user(), accounts.all.length, accounts.profiles]).toEqual(['Erin', 1, []]);
  });

  it.each([
    ['counts only if the provider is trusted for it', false, true],
    ['counts if the provider is trusted for it', true, false],
  ])(
    'needs the second factor of this server: `mfa` of the provider %s',
    async (_title, trustAuthentication, isAsked) => {
      const secondFactor = { by: { isEnrolled: () => true, verify: (_: unknown, code: string) => code === '123456' } };
      const pagesOptions = { secondFactor };
      const { browser, acme } = await startSite({ platform, pagesOptions, acme: { trustAuthentication } });
      const userBrowser = browser();
      const done = await userBrowser.signInWith(acme, { ...ERIN, amr: ['pwd', 'mfa'] }, { return_to: '/notes' });
      expect(done.location).toMatch(isAsked ? /^\/oauth\/second_factor/ : /^\/notes$/);
      expect(await userBrowser.user()).toBe(isAsked ? undefined : 'Erin');
      if (!isAsked) return;
      const entered = await userBrowser.send(await userBrowser.get(done.location!), { code: '123456' });
      expect([entered.location, await userBrowser.user()]).toEqual(['/notes', 'Erin']);
    },
  );

  it.each([
    ['RS256', 'Erin'],
    ['PS256', undefined],
  ] as const)(
    'with an ID token signed with RS256 and `idTokenSignedResponseAlg: %s`: the user is %s',
    async (alg, user) => {
      const { browser, acme } = await startSite({ platform, acme: { idTokenSignedResponseAlg: alg } });
      acme.metadata = { id_token_signing_alg_values_supported: ['PS256', 'RS256'] };
      const userBrowser = browser();
      await userBrowser.signInWith(acme, ERIN);
      expect(await userBrowser.user()).toBe(user);
    },
  );

  it('has the login time of the provider, so that an old login there is no new login here', async () => {
    const { browser, acme } = await startSite({ platform });
    const userBrowser = browser();
    const { location } = await userBrowser.begin('acme', { prompt: 'login', acr_values: 'urn:example:mfa' });
    const { searchParams } = new URL(location!);
    expect([searchParams.get('prompt'), searchParams.get('acr_values')]).toEqual(['login', null]);
    await userBrowser.get(acme.respond(location, { ...ERIN, auth_time: Math.floor(Date.now() / 1000) - 3600 }));
    expect(await userBrowser.user()).toBe('Erin');
    const { location: again } = await userBrowser.connect();
    expect(again).toMatch(/^\/oauth\/login\?.*prompt=login/);
  });

  it('ignores a login time in the future', async () => {
    const { browser, acme } = await startSite({ platform });
    const userBrowser = browser();
    await userBrowser.signInWith(acme, { ...ERIN, auth_time: Math.floor(Date.now() / 1000) + 86_400 });
    expect(await userBrowser.user()).toBe('Erin');
  });
});

describe.each(PLATFORMS)('servers with providers on %s', (platform) => {
  it('keep attempts and identities of tenants apart', async () => {
    const { url, acme, accounts } = await startTenants(platform);
    const [red, blue] = ['red', 'blue'].map((tenant) => new SiteBrowser(url, { 'x-tenant': tenant })) as [
      SiteBrowser,
      SiteBrowser,
    ];
    const { location } = await red.begin();
    expect(new URL(location!).searchParams.get('redirect_uri')).toBe(
      'https://red.example/oauth/upstreams/acme/callback',
    );
    const response = acme.respond(location, ERIN);
    for (const [name, value] of red.cookies) blue.cookies.set(name, value);
    expect((await blue.get(response)).status).toBe(400);
    expect((await red.get(response)).status).toBe(303);
    await blue.signInWith(acme, ERIN);
    expect(accounts.profiles).toHaveLength(2);
    expect([await red.user(), await blue.user()]).toEqual(['Erin', 'Erin']);
  });

  it('have redirect URIs below a global prefix, and a server with a name has its own', async () => {
    const acme = new StandIn('https://acme.example');
    const accounts = new Accounts();
    const server = (options: object) => {
      const features = [
        pages(),
        upstreams({ providers: { acme: oidc({ issuer: acme.issuer, ...CLIENT }) }, accounts, fetch: acme.fetch }),
      ];
      return OAuth2Module.forRoot({
        model: new MemoryStore({ users: accounts }),
        secret: SECRET,
        features,
        ...options,
      });
    };
    const partners = Object.fromEntries(
      [
        'login',
        'logout',
        'applications',
        'account',
        'upstream_acme',
        'upstream_acme_callback',
        'upstream_acme_backchannel_logout',
        'upstream_connections',
      ].map((name) => [name, `partners/${name}`]),
    );
    const { url } = await startApplication(
      platform,
      {
        imports: [
          server({ issuer: ISSUER }),
          server({
            name: 'partners',
            issuer: 'https://partners.example.com',
            paths: { authorize: 'partners/authorize', token: 'partners/token', ...partners },
          }),
        ],
      },
      { prepare: (app) => app.setGlobalPrefix('api') },
    );
    for (const [root, begin, callback] of [
      ['/api/oauth/login', '/api/oauth/upstreams/acme', `${ISSUER}/api/oauth/upstreams/acme/callback`],
      [
        '/api/partners/login',
        '/api/partners/upstream_acme',
        'https://partners.example.com/api/partners/upstream_acme_callback',
      ],
    ] as const) {
      const userBrowser = new SiteBrowser(url);
      const { location } = await userBrowser.press(await userBrowser.get(`${root}?return_to=/notes`), begin);
      expect(new URL(location!).searchParams.get('redirect_uri')).toBe(callback);
      expect((await userBrowser.get(acme.respond(location, ERIN))).location).toBe('/notes');
    }
  });

  it('are offered in the order of the option', async () => {
    const accounts = new Accounts();
    const provider = (label: string) => oidc({ issuer: 'https://acme.example', label, ...CLIENT });
    const providers = { zebra: provider('Zebra'), acme: provider('Acme') };
    const options = { model: new MemoryStore({ users: accounts }), issuer: ISSUER, secret: SECRET };
    const features = [pages(), upstreams({ providers, accounts })];
    const { url } = await startApplication(platform, { imports: [OAuth2Module.forRoot({ ...options, features })] });
    const { html } = await new SiteBrowser(url).get('/oauth/login');
    expect(html.match(/Sign in with \w+/g)).toEqual(['Sign in with Zebra', 'Sign in with Acme']);
  });

  it('do not start without `issuer`, `secret` or `pages()`', async () => {
    await expect(startSite({ platform, options: { issuer: undefined as never } })).rejects.toThrow(
      '`upstreams()` requires the option `issuer`',
    );
    await expect(startSite({ platform, options: { secret: undefined as never } })).rejects.toThrow(
      'encrypts its cookies: set it to at least 32 random characters',
    );
    const without = { model: new MemoryStore({ users: new Accounts() }), issuer: ISSUER, secret: SECRET };
    const features = [
      upstreams({ providers: { acme: oidc({ issuer: 'https://acme.example', ...CLIENT }) }, accounts: new Accounts() }),
    ];
    const module = { imports: [OAuth2Module.forRoot({ ...without, features })] };
    await expect(startApplication(platform, module)).rejects.toThrow(/`pages\(\)`/);
  });

  it.each([
    [{ providers: {} }, '`providers` of `upstreams()` must name at least one provider'],
    [{ providers: { 'a/b': oidc({ issuer: 'https://a.example', ...CLIENT }) } }, 'the name `a/b` in `providers`'],
    [{ providers: { a: {} } }, '`providers.a` of `upstreams()` must be the result of'],
    [{ accounts: undefined }, '`upstreams()` requires `accounts`: a class, an instance or a provider of Nest'],
    [{ fetch: 7 }, '`fetch` of `upstreams()` must be'],
    [{ provider: {} }, 'unknown option `provider` of `upstreams()`'],
  ])('reject the options %j', (wrong, message) => {
    const providers = { acme: oidc({ issuer: 'https://acme.example', ...CLIENT }) };
    expect(() => upstreams({ providers, accounts: new Accounts(), ...wrong } as never)).toThrow(message);
  });
});
