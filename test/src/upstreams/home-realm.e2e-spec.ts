import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { oidc } from 'nest-oauth2/upstreams';

import { ANY_PLATFORM, PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import { Accounts, CLIENT, type SiteBrowser, type SiteOptions, startSite } from './site.js';

afterEach(stopApplications);
afterEach(() => {
  jest.restoreAllMocks();
});

/** Accounts whose users with an address of `acme.example` sign in with the provider Acme. */
class CompanyAccounts extends Accounts {
  readonly domains: string[] = [];

  constructor(private readonly provider = 'acme') {
    super();
  }

  providerFor(domain: string): string | undefined {
    this.domains.push(domain);
    return domain === 'acme.example' ? this.provider : undefined;
  }
}

const ERIN = { sub: 'e-1', name: 'Erin' };
const PASSWORD_FIELD = 'name="password"';

/** Types a user name on the login page. */
async function typeName(userBrowser: SiteBrowser, username: string, query: Record<string, string> = {}) {
  return userBrowser.send(await userBrowser.get(`/oauth/login?${new URLSearchParams(query).toString()}`), { username });
}

const start = (options: Partial<SiteOptions> = {}) =>
  startSite({ platform: ANY_PLATFORM[0]!, accounts: new CompanyAccounts(), ...options });

describe.each(PLATFORMS)('home-realm discovery on %s', (platform) => {
  it('sends a user to the provider of the e-mail domain before a password is asked', async () => {
    const { browser, acme } = await start({ platform });
    const userBrowser = browser();
    expect((await userBrowser.get('/oauth/login')).html).not.toContain(PASSWORD_FIELD);
    const { status, location } = await typeName(userBrowser, ' Erin@ACME.example ', { return_to: '/notes' });
    expect([status, new URL(location!).origin]).toEqual([303, acme.issuer]);
    expect(new URL(location!).searchParams.get('login_hint')).toBe('Erin@ACME.example');
    expect((await userBrowser.get(acme.respond(location, ERIN))).location).toBe('/notes');
    expect(await userBrowser.user()).toBe('Erin');
  });

  it('sends a user to the provider by the login_hint of the authorization request', async () => {
    const { browser, acme } = await start({ platform });
    const begun = await browser().get('/oauth/login?return_to=/notes&login_hint=erin@acme.example');
    expect([begun.status, new URL(begun.location!).origin]).toEqual([303, acme.issuer]);
    const other = await browser().get(
      '/oauth/login?return_to=/notes&login_hint=erin@acme.example&prompt=select_account',
    );
    expect([other.status, other.html]).toEqual([200, expect.stringContaining('value="erin@acme.example"')]);
    const local = await browser().get('/oauth/login?return_to=/notes&login_hint=alice@example.com');
    expect([local.status, local.html]).toEqual([200, expect.stringContaining(PASSWORD_FIELD)]);
  });

  it('asks other users for the password on the next page', async () => {
    const { browser } = await start({ platform });
    const userBrowser = browser();
    const next = await typeName(userBrowser, 'alice', { return_to: '/notes' });
    expect([next.status, next.html]).toEqual([200, expect.stringContaining(PASSWORD_FIELD)]);
    const done = await userBrowser.send(next, { username: 'alice', password: 'wonderland' });
    expect([done.location, await userBrowser.user()]).toEqual(['/notes', 'Alice']);
  });

  it('shows a page and emits the cause if `providerFor()` returns an unknown provider', async () => {
    const { browser, events } = await start({ platform, accounts: new CompanyAccounts('acne') });
    const userBrowser = browser();
    const typed = await typeName(userBrowser, 'erin@acme.example');
    const hinted = await userBrowser.get('/oauth/login?login_hint=erin@acme.example');
    expect([typed.status, hinted.status]).toEqual([503, 503]);
    expect(hinted.html).toContain('Please try again in a moment');
    const reason = expect.stringContaining(
      '`providerFor()` of the application returned a provider that does not exist',
    );
    const refused = { provider: 'acne', reason, remedy: expect.stringContaining('Return the name of a provider') };
    expect(events).toMatchObject([
      ['refused', refused],
      ['refused', refused],
    ]);
  });
});

describe('home-realm discovery', () => {
  it('responds by the domain only, never by whether an account exists', async () => {
    const accounts = new CompanyAccounts();
    const { browser } = await start({ accounts });
    const look = async (name: string) => {
      const { status, location, html } = await typeName(browser(), name);
      const plain = html.replaceAll(name, '').replaceAll(/name="csrf_token" value="[^"]*"/g, '');
      return { status, plain, origin: location === null ? null : new URL(location).origin };
    };
    expect(await look('alice@example.com')).toEqual(await look('nobody@example.com'));
    expect(await look('alice@acme.example')).toEqual(await look('nobody@acme.example'));
    expect(accounts.domains).toEqual(['example.com', 'example.com', 'acme.example', 'acme.example']);
  });

  it('never verifies a password of a user whose domain has a provider', async () => {
    const accounts = new CompanyAccounts();
    const verify = jest.spyOn(accounts, 'findByCredentials');
    const { browser, acme } = await start({ accounts });
    const userBrowser = browser();
    const form = await userBrowser.get('/oauth/login');
    const sent = await userBrowser.send(form, { username: 'erin@acme.example', password: 'wonderland' });
    expect(new URL(sent.location!).origin).toBe(acme.issuer);
    expect(verify).not.toHaveBeenCalled();
  });

  it('rejects a form that another site sent', async () => {
    const { browser } = await start();
    const sent = await browser().post('/oauth/login', { username: 'erin@acme.example' });
    expect([sent.status, sent.location]).toEqual([403, null]);
  });

  it('never sends a user to a provider that signs nobody in', async () => {
    const { browser } = await start({ acme: { use: 'link' } });
    expect((await typeName(browser(), 'erin@acme.example')).status).toBe(503);
  });

  it('shows the login page again if the provider does not respond', async () => {
    const { browser, acme, events } = await start();
    acme.reply = () => new Response(null, { status: 503 });
    expect((await typeName(browser(), 'erin@acme.example')).status).toBe(503);
    expect(events).toMatchObject([['refused', { provider: 'acme', status: 503 }]]);
  });

  it('limits the names of one network whose domain has no provider', async () => {
    const accounts = new CompanyAccounts();
    const { browser, model } = await start({ accounts });
    const count = jest.spyOn(model, 'countWithin');
    await typeName(browser(), 'erin@one.example');
    await typeName(browser(), 'frank@two.example');
    const keys = count.mock.calls.map(([key]) => key).filter((key) => key.includes('home realm'));
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    count.mockResolvedValue({ count: 1001, expiresIn: 30_000 });
    const limited = await typeName(browser(), 'erin@three.example');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '30']);
    expect(accounts.domains).toEqual(['one.example', 'two.example']);
  });

  it('does not count users of a provider, whose company may have one address', async () => {
    const { browser, model } = await start();
    const count = jest.spyOn(model, 'countWithin');
    await typeName(browser(), 'erin@acme.example');
    const deltas = count.mock.calls.filter(([key]) => key.includes('home realm')).map(([, , by = 1]) => by);
    expect(deltas).toEqual([1, -1]);
  });

  it('reports an address without a provider if users have no passwords', async () => {
    const { browser, acme } = await start({ pagesOptions: { password: false } });
    const userBrowser = browser();
    const refused = await typeName(userBrowser, 'erin@other.example');
    expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('no sign-in for this address')]);
    expect(refused.html).not.toContain(PASSWORD_FIELD);
    expect(new URL((await typeName(userBrowser, 'erin@acme.example')).location!).origin).toBe(acme.issuer);
  });

  it('requires a new login at the provider before a further identity is linked', async () => {
    const { browser, acme } = await start();
    const userBrowser = browser();
    await userBrowser.get(acme.respond((await typeName(userBrowser, 'erin@acme.example')).location, ERIN));
    const now = Date.now() + 301_000;
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    const requested = await userBrowser.connect();
    expect(requested.location).toMatch(/^\/oauth\/login\?.*prompt=login/);
    const { location } = await userBrowser.send(await userBrowser.get(requested.location!), {
      username: 'erin@acme.example',
    });
    const { searchParams } = new URL(location!);
    expect([searchParams.get('prompt'), searchParams.get('login_hint')]).toEqual(['login', 'erin@acme.example']);
  });

  it('asks for name and password at once if the application has no `providerFor()`', async () => {
    const { browser } = await startSite({ platform: ANY_PLATFORM[0]! });
    expect((await browser().get('/oauth/login')).html).toContain(PASSWORD_FIELD);
  });

  it('chooses among several providers', async () => {
    const accounts = new CompanyAccounts('other');
    const providers = {
      acme: oidc({ ...CLIENT, issuer: 'https://acme.example' }),
      other: oidc({ ...CLIENT, issuer: 'https://acme.example', label: 'Other' }),
    };
    const { browser } = await start({ accounts, providers });
    const { location } = await typeName(browser(), 'erin@acme.example');
    expect(new URL(location!).searchParams.get('redirect_uri')).toMatch(/\/oauth\/upstreams\/other\/callback$/);
  });
});
