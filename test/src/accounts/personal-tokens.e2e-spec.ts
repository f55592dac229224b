import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Post, UseGuards } from '@nestjs/common';
import { AnyScope, CurrentUser, NoPersonalTokens, OAuthGuard, Scopes, type User } from 'nest-oauth2';
import { type PersonalAccessTokenOptions } from 'nest-oauth2/accounts';
import { bearer } from '../../support/clients/http.js';
import { PLATFORMS, type Platform, stopApplications } from '../../support/servers/test-application.js';
import { AccountApplication, choose, isSignedIn, NEW_PASSWORD, PASSWORD, sectionForm } from './account-application.js';

const ALICE = 'alice@example.com';

@Controller('notes')
@UseGuards(OAuthGuard)
class NotesController {
  @Get()
  @Scopes('notes:read')
  list(@CurrentUser('email') email: string) {
    return email;
  }

  @Post()
  @AnyScope('notes:write', 'notes:read')
  write() {
    return 'written';
  }

  @Get('any')
  any() {
    return 'any';
  }

  @Get('export')
  @Scopes('notes:read')
  @NoPersonalTokens()
  export() {
    return 'export';
  }
}

@Controller('billing')
@UseGuards(OAuthGuard)
@NoPersonalTokens()
class BillingController {
  @Get()
  @Scopes('notes:read')
  read() {
    return 'billing';
  }

  @Get('summary')
  @Scopes('notes:read')
  @NoPersonalTokens(false)
  summary() {
    return 'summary';
  }
}

/** Starts an application with a section of personal access tokens, and signs Alice up. */
async function start(platform: Platform, options: Partial<PersonalAccessTokenOptions> = {}) {
  const app = await AccountApplication.start({
    platform,
    options: { personalAccessTokens: { scopes: ['notes:read', 'notes:write'], ...options } },
    controllers: [NotesController, BillingController],
    look: { scopes: { 'notes:read': 'Read your notes' } },
  });
  const browser = await app.signUp(ALICE);
  const create = async (typed: Record<string, string> = {}) => {
    const form = await sectionForm(browser, 'tokens', 'create');
    return browser.post('/oauth/account', { token_name: 'CI', 'scope:notes:read': '1', ...form, ...typed });
  };
  const call = async (path: string, token: string, init: RequestInit = {}) => {
    const response = await fetch(new URL(path, app.url), { ...init, headers: bearer(token) });
    return `${response.status} ${await response.text()}`;
  };
  return { app, browser, create, call };
}

const tokenIn = (html: string) => /<code>(pat_\w+)<\/code>/.exec(html)?.[1];

describe.each(PLATFORMS)('personal access tokens of accounts() on %s', (platform) => {
  afterEach(stopApplications);

  it('are created, shown once, used and deleted on the account page', async () => {
    const { browser, create, call } = await start(platform);
    const shown = await create();
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const token = tokenIn(shown.html)!;
    expect(await call('/notes', token)).toBe(`200 ${ALICE}`);
    const { html } = await browser.get('/oauth/account');
    expect(html).not.toContain(token);
    for (const text of ['CI', 'Read your notes', 'Last used']) expect(html).toContain(text);
    const ended = await browser.post('/oauth/account', await sectionForm(browser, 'tokens', 'end'));
    expect([ended.status, ended.location]).toEqual([303, '/oauth/account?done=tokens.end#section-tokens']);
    expect(await call('/notes', token)).toMatch(/^401 .*access token is invalid/);
    expect((await browser.get('/oauth/account')).html).not.toContain('Last used');
  });

  it('are accepted only on routes that require a scope, and not where the route refuses them', async () => {
    const { app, create, call } = await start(platform);
    const token = tokenIn((await create()).html)!;
    expect(await call('/notes', token, { method: 'POST' })).toBe('201 written');
    expect(await call('/billing/summary', token)).toBe('200 summary');
    for (const path of ['/notes/any', '/notes/export', '/billing']) {
      expect(await call(path, token)).toMatch(/^401 .*personal access tokens are not accepted here/);
    }
    const page = await app.browser().get('/oauth/account', bearer(token));
    expect([page.status, page.location]).toEqual([303, '/oauth/login?return_to=%2Foauth%2Faccount']);
  });

  it('require a name, an offered scope and lifetime, a CSRF token and a recent login', async () => {
    const { browser, create } = await start(platform, {
      scopes: ({ email }: User) => (email === ALICE ? ['notes:read'] : []),
    });
    const days = (count: number) => String(count * 86_400);
    expect((await create({ token_name: ' ' })).html).toContain('Enter a name');
    expect((await create({ 'scope:notes:read': '1', 'scope:notes:write': '1' })).status).toBe(200);
    const missing = await browser.post('/oauth/account', {
      ...(await sectionForm(browser, 'tokens', 'create')),
      token_name: 'CI',
      'scope:notes:write': '1',
    });
    expect([missing.status, tokenIn(missing.html)]).toEqual([400, undefined]);
    expect(missing.html).toContain('Choose what the token may do.');
    const forged = await create({ csrf_token: 'x' });
    expect([forged.status, tokenIn(forged.html)]).toEqual([403, undefined]);
    await create({ lifetime: days(9999) });
    const { html } = await browser.get('/oauth/account');
    expect(html.match(/<h3><bdi>CI/g)).toHaveLength(2);

    jest.useFakeTimers({
      now: Date.now() + 11 * 60_000,
      doNotFake: [
        'nextTick',
        'setImmediate',
        'setTimeout',
        'setInterval',
        'clearTimeout',
        'clearInterval',
        'queueMicrotask',
      ],
    });
    const late = await create();
    jest.useRealTimers();
    expect([late.status, late.location]).toEqual([303, expect.stringContaining('/oauth/login?')]);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('are revoked with a new password, if the user asks for it', async () => {
    const { browser, create, call } = await start(platform);
    const token = tokenIn((await create()).html)!;
    const change = async (current: string, next: string, more: Record<string, string> = {}) =>
      browser.post('/oauth/account', {
        ...(await sectionForm(browser, 'password')),
        current_password: current,
        new_password: next,
        ...more,
      });
    await change(PASSWORD, NEW_PASSWORD);
    expect(await call('/notes', token)).toBe(`200 ${ALICE}`);
    await change(NEW_PASSWORD, PASSWORD, { end_access: '1' });
    expect(await call('/notes', token)).toMatch(/^401 /);
  });

  it('are revoked with a new password at another server with the same users too', async () => {
    const { app, browser } = await start(platform);
    const saved = { token: 'theirs', name: 'CI', scope: 'read', expiresAt: new Date(Date.now() + 60_000) };
    await app.model.savePersonalToken({ ...saved, issuer: 'https://partners.example' }, app.users.findById('1')!);
    const typed = { current_password: PASSWORD, new_password: NEW_PASSWORD, end_access: '1' };
    await browser.post('/oauth/account', { ...(await sectionForm(browser, 'password')), ...typed });
    expect(await app.model.findPersonalToken('theirs')).toBeUndefined();
  });

  it('are revoked if a new password ends their session while they are saved', async () => {
    const { app, create } = await start(platform);
    const { mail } = await app.request('/oauth/forgot_password', ALICE);
    const save = app.model.savePersonalToken.bind(app.model);
    jest.spyOn(app.model, 'savePersonalToken').mockImplementationOnce(async (...args) => {
      expect((await choose(app.browser(), mail!, NEW_PASSWORD, { end_access: '1' })).status).toBe(303);
      return save(...args);
    });
    const { location, html } = await create();
    expect([location, html]).toEqual([expect.stringContaining('/oauth/login'), expect.not.stringContaining('pat_')]);
    expect(await app.model.listPersonalTokens({ userId: '1' })).toEqual([]);
  });

  it('are neither shown nor created if the application has none', async () => {
    const app = await AccountApplication.start({ platform });
    const browser = await app.signUp(ALICE);
    expect((await browser.get('/oauth/account')).html).not.toContain('section-tokens');
    // The user can compute the CSRF token of a form that is not shown.
    const cookie = [...browser.cookies].find(([name]) => name.endsWith('oauth2-session'))![1];
    const token = createHmac('sha256', cookie).update('nest-oauth2 form of the account section tokens of 1');
    const form = { section: 'tokens', form: 'create', token_name: 'CI', csrf_token: token.digest('base64url') };
    const sent = await browser.post('/oauth/account', form);
    expect([sent.status, sent.location]).toEqual([303, '/oauth/account']);
  });
});
