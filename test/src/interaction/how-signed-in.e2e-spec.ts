import { generateKeyPairSync } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { OAuth2ModuleOptions, SignIn } from 'nest-oauth2';
import { introspection } from 'nest-oauth2/features';
import { jwtAccessTokens, keys } from 'nest-oauth2/jose';
import { pages } from 'nest-oauth2/pages';

import { decide } from '../../support/clients/consent.js';
import {
  AUTHORIZATION_PARAMETERS,
  CALLBACK,
  DemoInteraction,
  demoModule,
  demoStore,
  SECRET,
} from '../../support/servers/demo.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';

const MOMENT = new Date('2026-01-02T03:04:05.678Z');
const SECONDS = Math.floor(MOMENT.getTime() / 1000);
const from = [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })];

/** Returns an interaction of an application that records how its users signed in. */
const telling = (signIn: SignIn | undefined) =>
  Object.assign(new DemoInteraction(), { howSignedIn: () => Promise.resolve(signIn) });

describe.each(ANY_PLATFORM)('the details of a user’s login, on %s,', (platform) => {
  afterEach(stopApplications);

  async function open(options: Partial<OAuth2ModuleOptions>) {
    const { url } = await startApplication(platform, demoModule({ features: [introspection()], ...options }));
    const post = async (path: string, form: Record<string, string>) => {
      const headers = { authorization: `Basic ${btoa('web:web-secret')}` };
      const response = await fetch(url + path, { method: 'POST', headers, body: new URLSearchParams(form) });
      return (await response.json()) as Record<string, string>;
    };
    const redeem = (code: string | null) =>
      post('/oauth/token', { grant_type: 'authorization_code', code: code!, redirect_uri: CALLBACK });
    const introspect = (token: string) => post('/oauth/introspect', { token });
    return { url, post, redeem, introspect };
  }

  it('are reported by introspection for access and refresh tokens, also after a refresh', async () => {
    const signIn = { authTime: MOMENT, acr: 'urn:example:mfa', amr: ['pwd', 'otp'], sid: 'session-1' };
    const { url, post, redeem, introspect } = await open({ interaction: telling(signIn) });
    const { searchParams } = await decide(url, AUTHORIZATION_PARAMETERS, 'alice', 'allow');
    const tokens = await redeem(searchParams.get('code'));
    const known = { active: true, acr: 'urn:example:mfa', auth_time: SECONDS };
    expect(await introspect(tokens['access_token']!)).toMatchObject(known);
    expect(await introspect(tokens['refresh_token']!)).toMatchObject(known);
    const { access_token: second, refresh_token: next } = await post('/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: tokens['refresh_token']!,
    });
    expect(await introspect(second!)).toMatchObject(known);
    const { access_token: third } = await post('/oauth/token', { grant_type: 'refresh_token', refresh_token: next! });
    expect(await introspect(third!)).toMatchObject(known);
  });

  it('are in signed access tokens except for the session ID, and not in token responses', async () => {
    const signIn = { authTime: MOMENT, acr: 'urn:example:mfa', amr: ['pwd', 'otp'], sid: 'session-1' };
    const { url, redeem } = await open({
      interaction: telling(signIn),
      issuer: 'https://id.example',
      features: [keys({ from }), jwtAccessTokens()],
      allowExtendedTokenAttributes: true,
    });
    const { searchParams } = await decide(url, AUTHORIZATION_PARAMETERS, 'alice', 'allow');
    const tokens = await redeem(searchParams.get('code'));
    const { acr, amr, auth_time: time, sid } = decodeJwt(tokens['access_token']!);
    expect({ acr, amr, time, sid }).toEqual({ acr: signIn.acr, amr: signIn.amr, time: SECONDS, sid: undefined });
    const said = ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope'];
    expect(Object.keys(tokens).filter((name) => /^(?:auth_time|acr|amr|sid)$/.test(name))).toEqual([]);
    expect(Object.keys(tokens)).toEqual(expect.arrayContaining(said));
  });

  it('are optional: without them, introspection responses have no `acr` and no `auth_time`', async () => {
    const { url, redeem, introspect } = await open({ interaction: telling(undefined) });
    const tokens = await redeem(
      (await decide(url, AUTHORIZATION_PARAMETERS, 'alice', 'allow')).searchParams.get('code'),
    );
    const said = await introspect(tokens['access_token']!);
    expect([said['active'], Object.keys(said).filter((name) => /acr|auth_time/.test(name))]).toEqual([true, []]);
  });

  it('cause server_error if `authTime` is not a Date', async () => {
    const { url } = await open({ interaction: telling({ authTime: 'yesterday' as never }) });
    const { searchParams } = await decide(url, AUTHORIZATION_PARAMETERS, 'alice', 'allow');
    expect(searchParams.get('error')).toBe('server_error');
  });

  it('are stored with each code by the built-in pages; the session ID changes only when another user signs in', async () => {
    const store = demoStore();
    const { url } = await open({
      model: store,
      secret: SECRET,
      interaction: undefined,
      features: [pages(), introspection()],
    });
    const kept: object[] = [];
    const { saveAuthorizationCode } = store;
    store.saveAuthorizationCode = (code, ...more) => {
      kept.push(code);
      return saveAuthorizationCode.call(store, code, ...more);
    };
    const browser = new PageBrowser(url);
    const before = Math.floor(Date.now() / 1000);
    const authorize = `/oauth/authorize?${new URLSearchParams(AUTHORIZATION_PARAMETERS).toString()}`;
    const agree = async () => browser.send(await browser.get(authorize), { decision: 'allow' });
    const form = await browser.get('/oauth/login');
    await browser.send(form, { username: 'alice', password: 'wonderland' });
    await agree();
    // The form is for the current session cookie.
    const again = await browser.get('/oauth/login');
    const { csrf_token: token } = again.form.fields;
    await browser.post('/oauth/login', { csrf_token: token!, username: 'alice', password: 'wonderland' });
    await browser.get(authorize);
    await browser.post('/oauth/login', {
      csrf_token: (await browser.get('/oauth/login')).form.fields['csrf_token']!,
      username: 'bob',
      password: 'wonderland',
    });
    await agree();
    const [alice, same, bob] = kept as { auth_time: number; sid: string }[];
    expect(alice!.auth_time).toBeGreaterThanOrEqual(before);
    expect(alice!.sid).toMatch(/^[\w-]{22}$/);
    expect(same!.sid).toBe(alice!.sid);
    expect(bob!.sid).toMatch(/^[\w-]{22}$/);
    expect(bob!.sid).not.toBe(alice!.sid);
  });
});
