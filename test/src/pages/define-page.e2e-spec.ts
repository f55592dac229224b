import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import type { Feature } from 'nest-oauth2/features';
import { defineMessages, definePage, html, pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { GuideCode } from '../../docs/attacks/guide-code.js';
import { SECRET } from '../../support/servers/demo.js';
import { forRootError } from '../../support/servers/start-up-error.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from './page-browser.js';

const alice = { id: '1', name: 'Alice' };
const newModel = () =>
  new MemoryStore({
    clients: [],
    users: { findById: () => alice, findByCredentials: (name, word) => word === 'wonderland' && alice },
  });

/** The users of the guide, which has a page for a newsletter. */
const users = {
  addresses: new Map<unknown, string>(),
  newsletterOf: async ({ id }: { id?: unknown }) => users.addresses.get(id),
  subscribe: async ({ id }: { id?: unknown }, email: string) => void users.addresses.set(id, email),
};

describe.each(ANY_PLATFORM)('a page of definePage() on %s', (platform) => {
  let guide: GuideCode;
  let newsletter: () => Feature;

  beforeAll(async () => {
    guide = GuideCode.write('define-page', ['docs/guides/own-pages.md'], {
      'src/store.ts': 'export const users = globalThis.guideUsers;',
    });
    Object.assign(globalThis, { guideUsers: users });
    ({ newsletter } = await guide.import<{ newsletter: () => Feature }>('src/newsletter.ts'));
  });
  afterAll(() => guide.remove());
  afterEach(stopApplications);

  async function open(features: readonly Feature[], options: object = {}) {
    const languages = { de: { messages: { formExpired: 'Abgelaufen.' } }, 'de-AT': {} };
    const imports = [
      OAuth2Module.forRoot({
        model: newModel(),
        secret: SECRET,
        features: [pages({ languages }), ...features],
        ...options,
      }),
    ];
    const { url } = await startApplication(platform, { imports });
    return new PageBrowser(url);
  }

  async function openSignedIn() {
    users.addresses.clear();
    const browser = await open([newsletter()]);
    await browser.signIn('/oauth/login');
    return browser;
  }

  it('sends users to the login page and back, and saves the form of the user', async () => {
    users.addresses.clear();
    const browser = await open([newsletter()]);
    const { status, location } = await browser.get('/newsletter');
    expect([status, location]).toEqual([303, '/oauth/login?return_to=%2Fnewsletter']);
    expect((await browser.signIn(location!)).location).toBe('/newsletter');
    const page = await browser.get('/newsletter?return_to=%2Fthere');
    expect([page.status, page.heading]).toEqual([200, 'Newsletter']);
    const saved = await browser.send(page, { email: 'a@example.com' });
    expect([saved.status, saved.location]).toEqual([303, '/there']);
    expect(users.addresses.get('1')).toBe('a@example.com');
    expect((await browser.get('/newsletter')).html).toContain('value="a@example.com"');
  });

  it('returns to no other site (open redirect)', async () => {
    const browser = await openSignedIn();
    const page = await browser.get('/newsletter?return_to=https%3A%2F%2Fevil.example');
    expect((await browser.send(page, { email: 'a@example.com' })).location).toBe('/');
  });

  it.each([
    ['a missing', {}],
    ['a wrong', { csrf_token: 'A'.repeat(43) }],
  ])('rejects a form with %s CSRF token, and shows the page again', async (_, fields) => {
    const browser = await openSignedIn();
    const shown = await browser.post('/newsletter', { email: 'thief@example.com', ...fields });
    expect([shown.status, shown.heading]).toEqual([403, 'Newsletter']);
    expect(shown.html).toContain('This form has expired. Please try again.');
    expect(users.addresses.size).toBe(0);
  });

  it('rejects a form of another site despite its CSRF token', async () => {
    const browser = await openSignedIn();
    const page = await browser.get('/newsletter');
    const origin = { origin: 'https://evil.example' };
    expect((await browser.send(page, { email: 'a@example.com' }, origin)).status).toBe(403);
    expect(users.addresses.size).toBe(0);
  });

  it('shows a problem with its status, and limits failed forms of a user, but not successful ones', async () => {
    const browser = await openSignedIn();
    const send = async (email: string) => browser.send(await browser.get('/newsletter'), { email });
    for (let times = 0; times < 6; times += 1) expect((await send('a@example.com')).status).toBe(303);
    for (let times = 0; times < 5; times += 1) {
      const shown = await send('none');
      expect([shown.status, shown.html.includes('Please enter an e-mail address.')]).toEqual([422, true]);
    }
    const limited = await send('a@example.com');
    expect([limited.status, limited.html.includes('Too many attempts.')]).toEqual([429, true]);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is shown in the preferred language, with missing messages of the page in English', async () => {
    const browser = await openSignedIn();
    for (const language of ['de', 'de-AT']) {
      const page = await browser.get('/newsletter', { 'accept-language': language });
      expect([page.heading, page.headers.get('content-language')]).toEqual(['Rundbrief', language]);
      expect(page.html).toContain('E-mail address');
      const expired = await browser.post('/newsletter', {}, { 'accept-language': language });
      expect(expired.html).toContain('Abgelaufen.');
    }
  });

  it('has a Content Security Policy that allows no script and no form to another site', async () => {
    const browser = await openSignedIn();
    const { headers } = await browser.get('/newsletter');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-.*form-action 'self'$/,
    );
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY']);
  });

  it('escapes what users have typed', async () => {
    const browser = await openSignedIn();
    users.addresses.set('1', '"><script>@');
    expect((await browser.get('/newsletter')).html).toContain('value="&quot;&gt;&lt;script&gt;@"');
  });

  const texts = defineMessages({ title: 'Ticket', wrong: 'Wrong ticket.' });

  const tickets = (more: object = {}): Feature => ({
    id: 'tickets',
    endpoints: {
      tickets: definePage({
        path: 'tickets',
        messages: texts,
        subject: (call) => ({ id: call.text('ticket') ?? 'none' }),
        binding: ({ id }) => `ticket ${id}`,
        get: (_call, { id }) => {
          if (id === 'broken') throw new Error('secret details');
          return { id };
        },
        post: (call, { id }) => call.redirect(call.path({ done: id })),
        render: ({ id }, { message, action, fields }) => ({
          title: message('title'),
          main: html`<h1>${id}</h1>
            <form method="post" action="${action}">
              ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
            </form>`,
        }),
        scripts: () => ['/tickets.js'],
        leavesSite: true,
        ...more,
      }),
    },
  });

  it('accepts a form only for the subject that its page has shown', async () => {
    const browser = await open([tickets()]);
    const page = await browser.get('/tickets?ticket=a');
    expect((await browser.send(page, { ticket: 'b' })).status).toBe(403);
    expect((await browser.send(page, { ticket: 'a' })).location).toBe('/tickets?done=a');
  });

  it('allows its own script, and redirects of its form to other sites', async () => {
    const browser = await open([tickets()]);
    const { headers, html: source } = await browser.get('/tickets');
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self'; connect-src 'self'$/);
    expect(source).toContain('<script src="/tickets.js" type="module"></script>');
  });

  it('shows the error page without details if a request fails', async () => {
    const browser = await open([tickets()]);
    const { status, heading, html: source } = await browser.get('/tickets?ticket=broken');
    expect([status, heading]).toEqual([503, "This request can't be completed"]);
    expect(source).not.toContain('secret details');
  });

  it('requires a recent login with maxAge', async () => {
    const browser = await open([tickets({ signedIn: { maxAge: 0 } })]);
    await browser.signIn('/oauth/login');
    await new Promise((done) => setTimeout(done, 5));
    const { location } = await browser.get('/tickets');
    expect(location).toBe('/oauth/login?return_to=%2Ftickets&prompt=login');
    const recent = await open([tickets({ signedIn: { maxAge: 60 } })]);
    await recent.signIn('/oauth/login');
    expect((await recent.get('/tickets')).status).toBe(200);
  });

  it('requires pages() at start-up', async () => {
    const options = { model: newModel(), secret: SECRET, interaction: null, features: [tickets()] };
    expect(await forRootError(options)).toBe('`tickets()` requires `pages()`: add it to `features`');
  });

  it('belongs to one server, also if two servers have the same page', async () => {
    const feature = tickets();
    const both = { model: newModel(), secret: SECRET, features: [pages(), feature] };
    const { url } = await startApplication(platform, {
      imports: [
        OAuth2Module.forRoot({ ...both, issuer: 'http://one.example' }),
        OAuth2Module.forRoot({
          ...both,
          model: newModel(),
          issuer: 'http://two.example',
          name: 'partners',
          paths: { prefix: 'partners', tickets: 'partners/tickets' },
        }),
      ],
    });
    const browser = new PageBrowser(url);
    for (const path of ['/tickets', '/partners/tickets']) {
      const page = await browser.get(`${path}?ticket=a`);
      expect(page.form.action).toBe(path);
      expect((await browser.send(page, { ticket: 'a' })).location).toBe(`${path}?done=a`);
    }
  });
});
