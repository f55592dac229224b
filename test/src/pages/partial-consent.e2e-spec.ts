import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { defineScopes, OAuth2Grants, OAuth2Module } from 'nest-oauth2';
import { authorizationDetails, type Feature } from 'nest-oauth2/features';
import { pages, type PagesOptions } from 'nest-oauth2/pages';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';

import { SECRET } from '../../support/servers/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser, type ShownPage } from './page-browser.js';

const CALLBACK = 'https://app.example/callback';
const web: StoredClient = {
  id: 'web',
  name: 'Notes',
  secret: 'secret-of-the-client-web',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: [CALLBACK],
  scopes: ['notes:read', 'notes:write', 'mail', ...Array.from({ length: 30 }, (_, index) => `s${index}`)],
};
const scopes = defineScopes({
  'notes:read': { title: 'Read your notes', required: true },
  'notes:write': { title: 'Write your notes' },
  mail: { title: 'Send mail as you' },
});

const authorize = (scope: string, more: Record<string, string> = {}) =>
  `/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: 'web', scope, state: 'xyz', redirect_uri: CALLBACK, ...more }).toString()}`;

interface TokenBody {
  scope?: string;
  refresh_token?: string;
  error?: string | undefined;
}

describe.each(PLATFORMS)('a consent to a part of the scope on %s', (platform) => {
  afterEach(stopApplications);

  async function open(options: PagesOptions = { optionalScopes: true }, more: Feature[] = []) {
    const store = new MemoryStore({
      clients: [web],
      users: { findById: () => ({ id: '1', name: 'Alice' }), findByCredentials: () => ({ id: '1', name: 'Alice' }) },
    });
    const given: unknown[] = [];
    const events = new EventEmitter();
    for (const name of ['consent.given', 'consent.forgotten']) {
      events.on(name, ({ scope, userId, clientId }: Record<string, unknown>) =>
        given.push([name, scope, userId, clientId]),
      );
    }
    const imports = [
      OAuth2Module.forRoot({ model: store, features: [scopes, pages(options), ...more], secret: SECRET, events }),
    ];
    const { app, url } = await startApplication(platform, { imports });
    const browser = new PageBrowser(url);
    await browser.signIn('/oauth/login');
    const redeem = async ({ location }: ShownPage): Promise<TokenBody> => {
      const parameters = new URL(location!).searchParams;
      const code = parameters.get('code');
      if (!code) return { error: parameters.get('error') ?? undefined };
      const headers = { authorization: `Basic ${btoa('web:secret-of-the-client-web')}` };
      const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
      const response = await fetch(`${url}/oauth/token`, { method: 'POST', headers, body });
      return (await response.json()) as TokenBody;
    };
    /** Allows access with these boxes checked. */
    const allow = async (page: ShownPage, checked: string[]) => {
      const body = new URLSearchParams([...Object.entries(page.form.fields), ['decision', 'allow']]);
      for (const scope of checked) body.append('granted_scope', scope);
      return browser.post(page.form.action, body as never);
    };
    return { app, url, store, browser, given, redeem, allow };
  }

  it('grants the checked and the required scopes, which the client reads', async () => {
    const { browser, redeem, allow, given, url } = await open();
    const page = await browser.get(authorize('notes:read notes:write mail'));
    const boxes = [...page.html.matchAll(/<input type="checkbox"[^>]*>/g)].map(([box]) => box);
    expect(boxes.map((box) => [/value="([^"]*)"/.exec(box)?.[1], box.includes('disabled')])).toEqual([
      [undefined, true],
      ['notes:write', false],
      ['mail', false],
    ]);
    expect(boxes.every((box) => box.includes('checked') && box.includes('form="decision"'))).toBe(true);
    expect(page.html).toContain('id="decision"');
    const token = await redeem(await allow(page, ['mail']));
    expect(token.scope).toBe('notes:read mail');
    expect(given).toEqual([['consent.given', 'notes:read mail', '1', 'web']]);
    // A refresh does not regain what was refused.
    const headers = { authorization: `Basic ${btoa('web:secret-of-the-client-web')}` };
    for (const [scope, status] of [
      ['notes:read notes:write', 400],
      ['notes:read mail', 200],
    ] as const) {
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token.refresh_token!, scope });
      expect((await fetch(`${url}/oauth/token`, { method: 'POST', headers, body })).status).toBe(status);
    }
  });

  it('is remembered: a client that requests the refused scope again gets the same part without a question', async () => {
    const { browser, redeem, allow } = await open();
    await allow(await browser.get(authorize('notes:read notes:write mail')), ['mail']);
    for (const more of [{ state: 'xyz' }, { state: 'other' }]) {
      expect((await redeem(await browser.get(authorize('notes:read notes:write mail', more)))).scope).toBe(
        'notes:read mail',
      );
    }
    expect((await redeem(await browser.get(authorize('notes:read notes:write')))).scope).toBe('notes:read');
    // The refused scope alone is asked for: nothing could be granted.
    const alone = await browser.get(authorize('notes:write'));
    expect(alone.heading).toBe('Allow access?');
    expect((await redeem(await allow(alone, []))).error).toBe('access_denied');
    // A new scope is asked for.
    expect((await browser.get(authorize('notes:read notes:write s1'))).heading).toBe('Allow access?');
  });

  it('is replaced by the next decision of the user', async () => {
    const { browser, redeem, allow, store } = await open();
    const request = authorize('notes:read notes:write mail');
    await allow(await browser.get(request), ['mail', 'notes:write']);
    expect((await redeem(await browser.get(request))).scope).toBe('notes:read notes:write mail');
    await store.forgetConsent({ userId: '1', clientId: 'web' });
    await allow(await browser.get(request), ['mail']);
    expect((await redeem(await browser.get(request))).scope).toBe('notes:read mail');
    // With a wider request, the user may allow now what was refused before.
    await allow(await browser.get(authorize('notes:read notes:write s1')), ['notes:write', 's1']);
    expect((await redeem(await browser.get(request))).scope).toBe('notes:read notes:write mail');
    // And refuse what was allowed before.
    await allow(await browser.get(authorize('notes:read notes:write mail s2')), ['s2']);
    expect((await redeem(await browser.get(request))).scope).toBe('notes:read');
  });

  it('never grants more than the request, and never less than the required scopes', async () => {
    const { browser, redeem, allow } = await open();
    const page = await browser.get(authorize('notes:read notes:write'));
    expect((await redeem(await allow(page, ['mail', 'admin', 'notes:write notes:read mail']))).scope).toBe(
      'notes:read',
    );
  });

  it('grants the authorization details without a scope if all scopes are refused', async () => {
    const { browser, redeem, allow } = await open({ optionalScopes: ['mail'] }, [
      authorizationDetails({ types: { payment: {} } }),
    ]);
    const details = [{ type: 'payment' }];
    const page = await browser.get(authorize('mail', { authorization_details: JSON.stringify(details) }));
    const token = await redeem(await allow(page, []));
    expect(token).toMatchObject({ authorization_details: details });
    expect(token.scope).toBeUndefined();
  });

  it('accepts many check boxes', async () => {
    const { browser, redeem, allow } = await open();
    const all = Array.from({ length: 30 }, (_, index) => `s${index}`);
    const page = await browser.get(authorize(all.join(' ')));
    const checked = all.filter((one) => one !== 's7');
    expect((await redeem(await allow(page, checked))).scope?.split(' ').toSorted()).toEqual(checked.toSorted());
  });

  it('offers only the listed scopes, and none by default', async () => {
    const listed = await open({ optionalScopes: ['mail', 'notes:read'] });
    const page = await listed.browser.get(authorize('notes:read notes:write mail'));
    expect((await listed.redeem(await listed.allow(page, []))).scope).toBe('notes:read notes:write');
    await stopApplications();
    const none = await open({});
    const whole = await none.browser.get(authorize('notes:read notes:write mail'));
    expect(whole.html).not.toContain('checkbox');
    expect((await none.redeem(await none.allow(whole, []))).scope).toBe('notes:read notes:write mail');
    expect(() => pages({ optionalScopes: ['a b'] })).toThrow('`optionalScopes`');
    expect(() => pages({ optionalScopes: 'mail' as never })).toThrow('`optionalScopes`');
  });

  it('is asked for again if a refused scope is required now', async () => {
    const { browser, allow, store } = await open();
    await allow(await browser.get(authorize('notes:read notes:write')), []);
    await stopApplications();
    const strict = pages({ optionalScopes: ['mail'] });
    const imports = [OAuth2Module.forRoot({ model: store, features: [scopes, strict], secret: SECRET })];
    const { url } = await startApplication(platform, { imports });
    const again = new PageBrowser(url);
    await again.signIn('/oauth/login');
    expect((await again.get(authorize('notes:read notes:write'))).heading).toBe('Allow access?');
  });

  it('is forgotten by the user or an operator, without ending tokens', async () => {
    const { app, browser, redeem, allow, given, store, url } = await open();
    const request = authorize('notes:read mail');
    const { refresh_token: refreshToken } = await redeem(await allow(await browser.get(request), ['mail']));
    const list = await browser.get('/oauth/applications');
    expect(list.html).toContain('Ask me again');
    const forgotten = await browser.send(list, { ask_again: '1' });
    expect(forgotten.location).toBe('/oauth/applications?ask_again=');
    const shown = await browser.get(forgotten.location!);
    expect(shown.html).toContain('You will be asked when this app requests access again.');
    expect(shown.html).not.toContain('Ask me again');
    expect(given.at(-1)).toEqual(['consent.forgotten', undefined, '1', 'web']);
    const headers = { authorization: `Basic ${btoa('web:secret-of-the-client-web')}` };
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken! });
    expect((await fetch(`${url}/oauth/token`, { method: 'POST', headers, body })).status).toBe(200);
    await allow(await browser.get(request), ['mail']);
    const grants = app.get(OAuth2Grants);
    expect(await grants.forgetConsent({ userId: '1', clientId: 'web' })).toBe(1);
    expect(await grants.forgetConsent({ userId: '1', clientId: 'web' })).toBe(0);
    expect((await browser.get(request)).heading).toBe('Allow access?');
    expect(await store.listApplications('1')).toMatchObject([{ clientId: 'web', consentRemembered: false }]);
    // The account page has the same form.
    await allow(await browser.get(request), ['mail']);
    const { html } = await browser.get('/oauth/account');
    const [form] = /<form(?:(?!<\/form>)[^])*value="ask_again"[^]*?<\/form>/.exec(html)!;
    const fields = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]);
    const done = await browser.post('/oauth/account', Object.fromEntries(fields) as Record<string, string>);
    expect(done.location).toBe('/oauth/account?done=applications.ask_again#section-applications');
    expect(await store.listApplications('1')).toMatchObject([{ consentRemembered: false }]);
    // Another site cannot send the form.
    await allow(await browser.get(request), ['mail']);
    await browser.send(list, { ask_again: '1' }, { 'sec-fetch-site': 'cross-site' });
    expect(await store.listApplications('1')).toMatchObject([{ consentRemembered: true }]);
  });
});
