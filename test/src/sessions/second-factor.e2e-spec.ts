import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Sessions, type User } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import type { PagesOptions } from 'nest-oauth2/pages';

import { ANY_PLATFORM, stopApplications } from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';
import { PageBrowser } from '../pages/page-browser.js';
import { authorize, CALLBACK, jsonOf, openSignUp, SESSION } from './sign-up-application.js';

const PWD = 'urn:example:pwd';
const MFA = 'urn:example:mfa';

/** An authenticator app in which every user is enrolled. */
const app = { isEnrolled: () => true, verify: (_user: User, code: string) => code === '123456' };

const openId = {
  features: [keys({ from: [RSA] }), openid({ acrValues: [PWD, MFA] })],
  module: { issuer: 'http://127.0.0.1' },
};

describe.each(ANY_PLATFORM)('OAuth2Sessions.signIn() with a second factor on %s', (platform) => {
  afterEach(stopApplications);

  const open = async (factor: Partial<PagesOptions['secondFactor']> = {}, options: object = {}) => {
    const looks = { signIn: { acr: PWD, amr: ['pwd'] }, secondFactor: { by: app, acr: MFA, ...factor } };
    const opened = await openSignUp(platform, { ...openId, pages: looks });
    return { ...opened, browser: new PageBrowser(opened.url, { 'x-options': JSON.stringify(options) }) };
  };
  const back = `?return_to=${encodeURIComponent('/welcome')}`;

  it('redirects to the page of the second factor, and signs the user in only after the code', async () => {
    const { browser } = await open({}, { amr: ['email'] });
    const sent = await browser.get(`/link${back}`);
    expect(jsonOf(sent).next).toBe('/oauth/second_factor?return_to=%2Fwelcome');
    expect(browser.cookies.has(SESSION)).toBe(false);
    expect(jsonOf(await browser.get('/me')).user).toBe(null);
    expect((await browser.get(authorize())).location).toContain('/oauth/login');

    const form = await browser.get(jsonOf(sent).next!);
    expect((await browser.send(form, { code: '654321' })).status).toBe(401);
    expect(jsonOf(await browser.get('/me')).user).toBe(null);
    const done = await browser.send(await browser.get(jsonOf(sent).next!), { code: '123456' });
    expect([done.status, done.location]).toEqual([303, '/welcome']);
    expect(jsonOf(await browser.get('/me')).user).toBe('alice');
  });

  it('discards the pending login when the other sessions of the user are ended', async () => {
    const { browser, app: host } = await open({}, { amr: ['email'] });
    const form = await browser.get(jsonOf(await browser.get('/link')).next!);
    const sessions = host.get(OAuth2Sessions);
    expect(await sessions.endOthers({ headers: {}, method: 'GET' }, { id: '1' })).toBe(0);
    await browser.send(form, { code: '123456' });
    expect(jsonOf(await browser.get('/me')).user).toBe(null);
  });

  it('reports the authentication methods (amr) of the application and of the second factor', async () => {
    const { browser, store } = await open({}, { amr: ['email'] });
    const saved: unknown[] = [];
    const save = store.saveSession.bind(store);
    store.saveSession = (session) => {
      saved.push([session.acr, session.amr]);
      return save(session);
    };
    const form = await browser.get(jsonOf(await browser.get('/link')).next!);
    await browser.send(form, { code: '123456' });
    expect(saved).toEqual([
      [undefined, ['email']],
      [MFA, ['email', 'otp', 'mfa']],
    ]);
  });

  it.each([{ amr: ['hwk', 'mfa'] }, { acr: MFA }])(
    'asks for no code after a login with two factors: %j',
    async (proof) => {
      const { browser } = await open({}, proof);
      expect(jsonOf(await browser.get(`/link${back}`)).next).toBe('/welcome');
      expect(jsonOf(await browser.get('/me')).user).toBe('alice');
    },
  );

  it.each([{}, { amr: ['pwd'] }, { acr: PWD, amr: ['pwd'] }, { acr: 'urn:example:unknown' }, { amr: [] }])(
    'asks for a code after any other login: %j',
    async (proof) => {
      const { browser } = await open({}, proof);
      expect(jsonOf(await browser.get('/link')).next).toBe('/oauth/second_factor');
      expect(jsonOf(await browser.get('/me')).user).toBe(null);
    },
  );

  it("with `when: 'wanted'` asks for a code only if a client requires it", async () => {
    const { browser, url } = await open({ when: 'wanted' }, { acr: PWD });
    expect(jsonOf(await browser.get(`/link${back}`)).next).toBe('/welcome');
    const other = new PageBrowser(url, { 'x-options': JSON.stringify({ acr: PWD }) });
    const requested = authorize({ acr_values: MFA, scope: 'openid' });
    const login = (await other.get(requested)).location!;
    const sent = await other.get(`/link?${new URLSearchParams({ return_to: login }).toString()}`);
    expect(jsonOf(sent).next).toMatch(/^\/oauth\/second_factor\?return_to=.*acr_values=urn%3Aexample%3Amfa/);
    const done = await other.send(await other.get(jsonOf(sent).next!), { code: '123456' });
    expect((await other.get(done.location!)).location).toContain(`${CALLBACK}?code=`);
  });

  it('sends a code, and redirects to the page that sends it if sending fails', async () => {
    const sent: unknown[] = [];
    const by = { ...app, send: ({ id }: User) => void sent.push(id) };
    const { browser } = await open({ by }, {});
    for (const next of ['?sent=', '?sent=', '?sent=', '?sent=', '?sent=', '']) {
      expect(jsonOf(await browser.get('/link')).next).toBe(`/oauth/second_factor${next}`);
    }
    expect(sent).toHaveLength(5);
    expect((await browser.get('/oauth/second_factor')).html).toContain('Send me a code');
  });
});
