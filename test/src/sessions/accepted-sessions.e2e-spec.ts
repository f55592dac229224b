import { Controller, Delete, Get, Post, Sse, UseGuards } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  AcceptSession,
  AccessToken,
  CurrentUser,
  OAuth2Module,
  OAuthClient,
  OAuthGuard,
  OptionalAuth,
  Public,
  RequireAuth,
  Scopes,
  type Token,
} from 'nest-oauth2';
import { pages, type PagesOptions } from 'nest-oauth2/pages';
import { NEVER, startWith } from 'rxjs';
import { SECRET } from '../../support/servers/demo.js';
import { advanceClock } from '../../support/environment/advance-clock.js';
import { bearer } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';
import { Accounts, SESSION, SignUpController } from './sign-up-application.js';

const ISSUER = 'http://id.example';
const OWN = { 'sec-fetch-site': 'same-origin' };
const SCRIPT = { ...OWN, 'x-requested-with': 'fetch' };

@Controller('api')
@UseGuards(OAuthGuard)
class ApiController {
  @Get('me')
  me(@CurrentUser('id') user: string, @OAuthClient('id') client: string | undefined, @AccessToken() token: Token) {
    return { user, client: client ?? null, scope: token.scope ?? null, secret: token.accessToken ?? null };
  }

  @Get('notes')
  @Scopes('notes:read')
  notes(@CurrentUser('id') user: string) {
    return { user };
  }

  @Post('notes')
  write(@CurrentUser('id') user: string) {
    return { user };
  }

  @Delete('notes')
  remove(@CurrentUser('id') user: string) {
    return { user };
  }

  @Get('fresh')
  @RequireAuth({ maxAge: 300 })
  fresh() {
    return { fresh: true };
  }

  @Get('optional')
  @OptionalAuth()
  optional(@CurrentUser('id') user: string | undefined) {
    return { user: user ?? null };
  }

  @Get('tokens-only')
  @AcceptSession(false)
  tokensOnly() {
    return {};
  }

  @Get('public')
  @Public()
  open() {
    return {};
  }

  @Sse('events')
  events(@CurrentUser('id') user: string) {
    return NEVER.pipe(startWith({ data: user }));
  }
}

@Controller('marked')
@UseGuards(OAuthGuard)
class MarkedController {
  @Get('session')
  @AcceptSession()
  session(@CurrentUser('id') user: string) {
    return { user };
  }

  @Get('token')
  token() {
    return {};
  }
}

interface Setting {
  acceptSessions?: PagesOptions['acceptSessions'];
  tenants?: object;
}

describe.each(PLATFORMS)('login sessions in the guard on %s', (platform) => {
  afterEach(stopApplications);

  async function open({ acceptSessions = true, tenants }: Setting = {}) {
    const store = new Accounts();
    const forms = { features: [pages({ acceptSessions })], secret: SECRET };
    const refused: Record<string, unknown>[] = [];
    const events = { emit: (name: string, event: object) => name === 'access.refused' && refused.push({ ...event }) };
    const imports = [
      OAuth2Module.forRoot({
        model: store,
        ...forms,
        ...(tenants ? { tenants: tenants as never } : { issuer: ISSUER, events }),
      }),
    ];
    const { url } = await startApplication(platform, {
      imports,
      controllers: [SignUpController, ApiController, MarkedController],
      providers: [{ provide: Accounts, useValue: store }],
    });
    const browser = new PageBrowser(url);
    const ask = async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url + path, { ...init, headers: { ...(cookie && { cookie }), ...headers } });
      const body = (await response.json()) as Record<string, unknown>;
      return { status: response.status, body, headers: response.headers };
    };
    const saveToken = async (accessToken: string, scope: string) => {
      const accessTokenExpiresAt = new Date(Date.now() + 3_600_000);
      const saved = { accessToken, accessTokenExpiresAt, scope, grantId: `grant of ${accessToken}`, issuer: ISSUER };
      await store.saveToken(saved, { id: 'web', grants: [] }, { id: '1' });
    };
    return { store, url, browser, ask, refused, saveToken };
  }

  it('accepts the session as a token of the user without client, secret and scopes', async () => {
    const { ask, browser } = await open();
    await browser.signIn('/oauth/login');
    const { status, body, headers } = await ask('/api/me', OWN);
    expect({ status, body }).toEqual({ status: 200, body: { user: '1', client: null, scope: null, secret: null } });
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('vary')).toBe('Cookie, Origin, Sec-Fetch-Site');
    expect(await ask('/api/notes', OWN)).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
  });

  it('gives the session the scopes of the option only', async () => {
    const { ask, browser } = await open({ acceptSessions: { scopes: ['notes:read'] } });
    await browser.signIn('/oauth/login');
    expect(await ask('/api/notes', OWN)).toMatchObject({ status: 200, body: { user: '1' } });
    expect((await ask('/api/me', OWN)).body['scope']).toBe('notes:read');
  });

  it('compares the scopes itself, even if the model has its own verifyScope()', async () => {
    const { ask, browser, store } = await open();
    Object.assign(store, { verifyScope: () => true });
    await browser.signIn('/oauth/login');
    expect((await ask('/api/notes', OWN)).status).toBe(403);
  });

  it('accepts sessions on marked routes only, without the option', async () => {
    for (const acceptSessions of [false, { routes: 'marked' as const }]) {
      const { ask, browser } = await open({ acceptSessions });
      await browser.signIn('/oauth/login');
      expect(await ask('/marked/session', OWN)).toMatchObject({ status: 200, body: { user: '1' } });
      expect((await ask('/marked/token', OWN)).status).toBe(401);
      expect((await ask('/api/me', OWN)).status).toBe(401);
    }
  });

  it('refuses sessions on routes with @AcceptSession(false), and ignores them on public ones', async () => {
    const { ask, browser } = await open();
    await browser.signIn('/oauth/login');
    expect((await ask('/api/tokens-only', OWN)).status).toBe(401);
    expect((await ask('/api/public', { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
  });

  it.each([
    ['no header of the browser', {}],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of a sibling domain', { 'sec-fetch-site': 'same-site' }],
    ['an address that the user typed', { 'sec-fetch-site': 'none' }],
    ['another site that sends the origin of the issuer', { 'sec-fetch-site': 'cross-site', origin: ISSUER }],
    ['two values of Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['a foreign origin of an old browser', { origin: 'https://evil.example' }],
    ['a hidden origin', { origin: 'null' }],
    ['another port', { origin: 'http://id.example:8080' }],
    ['another scheme', { origin: 'https://id.example' }],
    ['a host that begins like the issuer', { origin: 'http://id.example.evil.example' }],
  ])('refuses the session of %s', async (_name, headers: Record<string, string>) => {
    const { ask, browser, refused } = await open();
    await browser.signIn('/oauth/login');
    const { status, body } = await ask('/api/me', { ...headers, 'x-requested-with': 'fetch' });
    expect({ status, description: body['error_description'] }).toEqual({
      status: 401,
      description: expect.stringContaining('only from pages of the same origin'),
    });
    expect(refused).toMatchObject([{ reason: expect.stringContaining('no proof') }]);
    // Nothing reveals whether the session is active.
    browser.cookies.set(SESSION, 'A'.repeat(43));
    expect(await ask('/api/me', { ...headers, 'x-requested-with': 'fetch' })).toMatchObject({ status, body });
  });

  it('accepts the origin of the issuer from a browser without Sec-Fetch-Site', async () => {
    const { ask, browser } = await open();
    await browser.signIn('/oauth/login');
    expect((await ask('/api/me', { origin: ISSUER })).status).toBe(200);
  });

  it.each([['POST'], ['DELETE']])('requires a header that forms cannot send for %s', async (method) => {
    const { ask, browser } = await open();
    await browser.signIn('/oauth/login');
    const forms = ['application/x-www-form-urlencoded', 'text/plain'];
    for (const type of method === 'POST' ? forms : ['text/plain']) {
      const body = method === 'POST' ? 'a=b' : undefined;
      const form = { ...OWN, origin: ISSUER, 'content-type': type };
      const init = { method, ...(body && { body }) };
      expect((await ask('/api/notes', body ? form : OWN, init)).status).toBe(401);
      if (type === 'text/plain' && body) continue;
      expect((await ask('/api/notes', body ? { ...form, ...SCRIPT } : SCRIPT, init)).status).toBeLessThan(300);
    }
    expect((await ask('/api/notes', { 'x-requested-with': 'fetch' }, { method })).status).toBe(401);
  });

  it('lets a token decide alone, valid or not', async () => {
    const { ask, browser, saveToken } = await open();
    await browser.signIn('/oauth/login');
    await saveToken('good', 'notes:read');
    const cross = { 'sec-fetch-site': 'cross-site' };
    expect(await ask('/api/me', { ...cross, ...bearer('good') })).toMatchObject({
      status: 200,
      body: { client: 'web', scope: 'notes:read', secret: 'good' },
    });
    const wrong = [
      bearer('wrong'),
      { authorization: 'Bearer' },
      { authorization: 'Basic YTpi' },
      { authorization: ' x' },
    ];
    for (const header of wrong) {
      for (const path of ['/api/me', '/api/optional']) {
        expect([400, 401]).toContain((await ask(path, { ...SCRIPT, ...header })).status);
      }
    }
    expect((await ask('/api/me?access_token=wrong', OWN)).status).toBe(400);
  });

  it('ignores a session that an optional route does not accept', async () => {
    const { ask, browser } = await open();
    const anonymous = await ask('/api/optional', OWN);
    expect(anonymous.body).toEqual({ user: null });
    expect(anonymous.headers.get('cache-control')).toBe('private, no-store');
    await browser.signIn('/oauth/login');
    expect((await ask('/api/optional', OWN)).body).toEqual({ user: '1' });
    expect((await ask('/api/optional', { 'sec-fetch-site': 'cross-site' })).body).toEqual({ user: null });
    await browser.post('/sign-out', {});
    expect((await ask('/api/optional', OWN)).body).toEqual({ user: null });
  });

  it('refuses a session that was ended, elsewhere or by its expiry', async () => {
    const { ask, browser, store } = await open();
    await browser.signIn('/oauth/login');
    const cookie = browser.cookies.get(SESSION)!;
    await browser.post('/sign-out', {});
    browser.cookies.set(SESSION, cookie);
    expect((await ask('/api/me', OWN)).status).toBe(401);
    browser.cookies.clear();
    await browser.signIn('/oauth/login');
    await store.revokeGrantsOf({ userId: '1' });
    expect((await ask('/api/me', OWN)).status).toBe(401);
    browser.cookies.clear();
    await browser.signIn('/oauth/login');
    advanceClock(8 * 3_600_000 + 1000);
    expect((await ask('/api/me', OWN)).status).toBe(401);
  });

  it('never adopts a session cookie that was set before the login', async () => {
    const { ask, browser } = await open();
    const planted = 'P'.repeat(43);
    browser.cookies.set(SESSION, planted);
    await browser.signIn('/oauth/login');
    expect(browser.cookies.get(SESSION)).not.toBe(planted);
    expect((await ask('/api/me', OWN)).status).toBe(200);
    browser.cookies.set(SESSION, planted);
    expect((await ask('/api/me', OWN)).status).toBe(401);
  });

  it('requires a new login if the session is older than the maxAge of the route', async () => {
    const { ask, browser } = await open();
    await browser.signIn('/oauth/login');
    expect((await ask('/api/fresh', OWN)).status).toBe(200);
    advanceClock(301_000);
    expect(await ask('/api/fresh', OWN)).toMatchObject({
      status: 401,
      body: { error: 'insufficient_user_authentication', max_age: 300 },
    });
  });

  it('refuses the session of another tenant', async () => {
    const { ask, browser } = await open({
      tenants: {
        findTenant: ({ request }: { request: { get(name: string): unknown } }) => request.get('x-tenant') ?? 'acme',
        createTenantOptions: (tenant: string) => ({ issuer: `http://${tenant}.example` }),
      },
    });
    await browser.signIn('/oauth/login');
    expect((await ask('/api/me', OWN)).status).toBe(200);
    expect((await ask('/api/me', { ...OWN, 'x-tenant': 'globex' })).status).toBe(401);
    const other = new PageBrowser(browser.url, { 'x-tenant': 'globex' });
    await other.get('/oauth/login');
    // The cookie of one tenant is renamed to that of another.
    const [name] = [...other.cookies.keys()];
    browser.cookies.set(name!, [...browser.cookies.values()][0]!);
    expect((await ask('/api/me', { ...OWN, 'x-tenant': 'globex' })).status).toBe(401);
    expect((await ask('/api/me', { origin: 'http://globex.example' })).status).toBe(401);
    expect((await ask('/api/me', { origin: 'http://acme.example' })).status).toBe(200);
  });

  it('closes an event stream when its session ends, and opens none for another site', async () => {
    const { ask, browser, url } = await open();
    await browser.signIn('/oauth/login');
    const cookie = `${SESSION}=${browser.cookies.get(SESSION)!}`;
    expect((await ask('/api/events', { accept: 'text/event-stream' })).status).toBe(401);
    expect((await ask('/api/events', { origin: 'https://evil.example' })).status).toBe(401);
    const stream = await fetch(`${url}/api/events`, { headers: { ...OWN, cookie } });
    expect(stream.status).toBe(200);
    const text = stream.text().catch(() => 'closed');
    await browser.post('/sign-out', {});
    expect(await text).toMatch(/data: 1|closed/);
  });
});

describe('the configuration of sessions in the guard', () => {
  afterEach(stopApplications);

  it.each([
    [{ acceptSessions: 'yes' }, 'true, false or an object'],
    [{ acceptSessions: { scope: ['a'] } }, 'scope'],
    [{ acceptSessions: { scopes: ['a b'] } }, '`scopes` in `acceptSessions` of `pages()` contains `a b`'],
    [{ acceptSessions: { routes: 'some' } }, "'marked'"],
  ])('rejects %j', (options, message) => {
    expect(() => pages(options as never)).toThrow(message);
  });

  it('rejects @AcceptSession() with another value, and at a server without sessions', async () => {
    expect(() => AcceptSession('no' as never)).toThrow('@AcceptSession()');
    const started = startApplication('express', {
      imports: [OAuth2Module.forRoot({ model: new Accounts(), controllers: false })],
      controllers: [MarkedController],
    });
    await expect(started).rejects.toThrow('@AcceptSession() requires `pages()`');
  });
});
