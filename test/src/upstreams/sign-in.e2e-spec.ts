import { afterEach, describe, expect, it } from '@jest/globals';

import { PLATFORMS, stopApplications } from '../../support/test-application.js';
import { ISSUER, startSite } from './site.js';

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
    const { browser, acme } = await startSite({ platform });
    const visitor = browser();
    const { location } = await visitor.begin();
    const [path, query] = acme.respond(location, ERIN).split('?') as [string, string];
    const crossSite = browser();
    const redirected = await crossSite.post(path, Object.fromEntries(new URLSearchParams(query)), {
      origin: acme.issuer,
      'sec-fetch-site': 'cross-site',
    });
    expect(redirected.status).toBe(303);
    expect(redirected.location).toMatch(/^\/oauth\/upstreams\/acme\/callback\?form=[\w-]+$/);
    expect(crossSite.cookies.size).toBe(0);
    const done = await visitor.get(redirected.location!);
    expect([done.status, await visitor.user()]).toEqual([303, 'Erin']);
  });

  it('finishes two attempts of two tabs in any order', async () => {
    const { browser, acme } = await startSite({ platform });
    const visitor = browser();
    const [one, two] = [
      await visitor.begin('acme', { return_to: '/one' }),
      await visitor.begin('acme', { return_to: '/two' }),
    ];
    expect((await visitor.get(acme.respond(two.location, ERIN))).location).toBe('/two');
    expect((await visitor.get(acme.respond(one.location, ERIN))).location).toBe('/one');
  });
});
