import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import * as client from 'openid-client';

import { ANY_PLATFORM, stopApplications } from '../../support/servers/test-application.js';
import { TlsServer } from '../../support/servers/tls-server.js';
import { openProvider } from './logout-application.js';

// OpenID Connect Front-Channel Logout 1.0

const clients = new TlsServer();
beforeAll(() => clients.start());
afterAll(() => clients.stop());
afterEach(stopApplications);

const BYE = 'https://client.example/bye?a="b&c';
const web = { backchannelLogoutUri: undefined, frontchannelLogoutUri: 'https://client.example/out?a=b"' };
const other = { frontchannelLogoutUri: 'https://other.example:8443/out', postLogoutRedirectUris: [BYE] };

const framesOf = (html: string) =>
  [...html.matchAll(/<iframe\s+src="([^"]*)"/g)].map(([, url]) => new URL(url!.replaceAll('&amp;', '&')));
const policyOf = (headers: Headers) => headers.get('content-security-policy')!;

describe.each(ANY_PLATFORM)('front-channel logout of a client on %s', (platform) => {
  it('opens the logout URI with `sid` in a frame of the signed-out page, and on no other page', async () => {
    const { enter, signIn, configOf, url } = await openProvider(platform, clients, { web, other });
    expect((await configOf('web')).serverMetadata()).toMatchObject({
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
    });
    const browser = await signIn();
    const { claims } = await enter(browser);
    await enter(browser, 'other');
    await enter(browser, 'other');
    const question = await browser.get('/oauth/logout');
    const page = await browser.send(question);
    expect([page.status, page.heading, page.headers.get('refresh')]).toEqual([200, 'You are signed out', null]);
    const frames = framesOf(page.html).toSorted((a, b) => (a.host < b.host ? -1 : 1));
    expect(frames.map(({ origin }) => origin)).toEqual(['https://client.example', 'https://other.example:8443']);
    for (const { searchParams } of frames) {
      expect([searchParams.get('iss'), searchParams.get('sid')]).toEqual([url, claims['sid']]);
    }
    expect(page.html.match(/sandbox="allow-scripts allow-same-origin"/g)).toHaveLength(2);
    const [, sources] = / frame-src ([^;]*)/.exec(policyOf(page.headers))!;
    expect(sources!.split(' ').toSorted()).toEqual(['https://client.example', 'https://other.example:8443']);
    const after = await browser.get('/oauth/logout');
    for (const { html, headers } of [question, after]) {
      expect([framesOf(html), policyOf(headers)]).toEqual([[], expect.not.stringContaining('frame-src')]);
    }
  });

  it('loads the frames before the user is redirected to the client that signed them out', async () => {
    const { enter, signIn, configOf } = await openProvider(platform, clients, { web, other });
    const browser = await signIn();
    await enter(browser);
    const { id_token: hint } = await enter(browser, 'other');
    const to = { id_token_hint: hint!, post_logout_redirect_uri: BYE, state: 's' };
    const { pathname, search } = client.buildEndSessionUrl(await configOf('other'), to);
    const page = await browser.get(pathname + search);
    expect([page.status, page.location, framesOf(page.html).length]).toEqual([200, null, 2]);
    expect(page.headers.get('refresh')).toBe(`3; url=${BYE}&state=s`);
    expect(page.html).toContain('href="https://client.example/bye?a=&quot;b&amp;c&amp;state=s"');
    // A user who is signed out already is redirected immediately.
    expect((await browser.get(pathname + search)).location).toBe(`${BYE}&state=s`);
  });
});

describe('a front-channel logout URI that is not a web page', () => {
  it.each([
    'javascript:alert(1)',
    'http://client.example/out',
    'data:text/html,x',
    'https://client.example/#a',
    'x',
    1,
    'https://client.example,default-src/out',
    'https://client.example;sandbox/out',
  ])('is not opened: %s', async (frontchannelLogoutUri) => {
    const { enter, signIn, signOut } = await openProvider('express', clients, {
      web: { ...web, frontchannelLogoutUri },
    });
    const browser = await signIn();
    await enter(browser);
    const page = await signOut(browser);
    expect([page.status, page.html.includes('<iframe')]).toEqual([303, false]);
  });
});
