import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ENGLISH, html, type Look, PageRenderer } from 'nest-oauth2/pages';
import { InvalidClientError, ServerError } from 'nest-oauth2/server';

const HOSTILE = `"><script>alert('1')</script>&amp;{client}\u0000\ud800`;
const ESCAPED = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;{client}\u{FFFD}\u{FFFD}';

const user = { id: '1', name: 'Alice' };
const client = { id: 'c', name: 'Notes', grants: [] };
const form = { action: '/here', fields: { csrf_token: 't' } };
const requested = {
  ...form,
  user,
  client,
  scopes: ['notes:read'],
  resources: [],
  redirectUri: 'https://app.example/callback',
};
const application = {
  clientId: 'c',
  client,
  scope: 'notes:read',
  createdAt: new Date('2026-01-02T12:00:00Z'),
  lastUsedAt: new Date('2026-03-04T12:00:00Z'),
};

const login = (look?: Look, acceptLanguage?: string) =>
  new PageRenderer(look).render('login', form, { acceptLanguage });
const headingOf = (shown: { html: string }) => /<h1>(.*?)<\/h1>/.exec(shown.html)?.[1];

/** Renders every page with hostile values. */
const hostile = (look: Look = {}) => {
  const renderer = new PageRenderer(look);
  const bad = { action: HOSTILE, fields: { [HOSTILE]: HOSTILE } };
  const [badUser, badClient] = [
    { id: '1', name: HOSTILE },
    { id: 'c', name: HOSTILE, grants: [] },
  ];
  return {
    login: renderer.render('login', { ...bad, username: HOSTILE, problem: 'wrong' }),
    secondFactor: renderer.render('secondFactor', {
      ...bad,
      user: badUser,
      codes: 'sent',
      recovery: HOSTILE,
      accounts: HOSTILE,
      problem: 'codeWrong',
    }),
    consent: renderer.render('consent', {
      ...bad,
      user: badUser,
      client: badClient,
      scopes: [HOSTILE],
      redirectUri: 'https://app.example/"><script>',
      clientHost: HOSTILE,
      resources: [HOSTILE],
      claims: [HOSTILE],
      accounts: HOSTILE,
    }),
    account: renderer.render('account', { ...bad, user: badUser, returnTo: HOSTILE }),
    signOut: renderer.render('signOut', { ...bad, user: badUser, login: HOSTILE }),
    signedOut: renderer.render('signOut', { ...bad, login: HOSTILE }),
    error: renderer.render('error', { error: new InvalidClientError(HOSTILE) }),
    applications: renderer.render('applications', {
      ...bad,
      user: badUser,
      accessRemoved: true,
      applications: [{ ...application, client: badClient, clientId: HOSTILE, scope: HOSTILE.replaceAll(' ', '') }],
    }),
  };
};

describe('every built-in page', () => {
  it('escapes all values, such as the names of clients and users', () => {
    for (const [name, { html: page }] of Object.entries(hostile({ site: HOSTILE, logo: HOSTILE }))) {
      expect([name, page.includes('<script')]).toEqual([name, false]);
      expect(page).toContain(ESCAPED);
      expect(page).not.toMatch(/\0|\{site\}/);
    }
  });

  it('has no script, one style sheet, and a policy that allows only this style sheet', () => {
    for (const [name, { html: page, headers }] of Object.entries(hostile({ css: ':root { --accent: red }\r\n' }))) {
      expect(page).not.toMatch(/<script|\son\w+=|style="|javascript:/i);
      const styles = [...page.matchAll(/<style>([^]*?)<\/style>/g)].map(([, css]) => css!);
      expect(styles).toHaveLength(1);
      expect(styles[0]).toContain('--accent: red');
      const policy = headers!['Content-Security-Policy']!;
      expect(policy).toContain("default-src 'none'; style-src 'sha256-" + hash('sha256', styles[0]!, 'base64') + "';");
      expect(policy).not.toContain('unsafe');
      // Chromium applies form-action to the redirects after a form too.
      const leadsOn = ['login', 'secondFactor', 'consent', 'signOut', 'signedOut'].includes(name);
      expect([name, policy.includes('form-action')]).toEqual([name, !leadsOn]);
    }
  });

  it('declares its language and text direction', () => {
    const languages = { he: { messages: { signInTitle: 'כניסה' } } };
    expect(login({ languages }).html).toContain('<html lang="en" dir="ltr">');
    const hebrew = login({ languages }, 'he-IL, en;q=0.5');
    expect(hebrew.html).toContain('<html lang="he" dir="rtl">');
    expect(hebrew.headers).toMatchObject({ 'Content-Language': 'he', Vary: 'Accept-Language' });
  });
});

describe('names on the built-in pages', () => {
  const consentOf = (name: unknown) =>
    new PageRenderer().render('consent', { ...requested, user: { id: 'u1', name } }).html;

  it('are not followed by a second full stop', () => {
    expect(consentOf('Otto P.')).toContain('You are signed in as <b>Otto P.</b>\n');
    expect(consentOf('Otto')).toContain('You are signed in as <b>Otto</b>.');
  });

  it.each([null, undefined, ''])('are the next known property of a user whose name is %j', (name) => {
    expect(consentOf(name)).toContain('You are signed in as <b>u1</b>.');
  });

  it('cannot change the direction of the text around them', () => {
    const page = new PageRenderer().render('account', { ...form, user: { id: '1', name: 'עלמה' }, returnTo: '/' }).html;
    expect(page).toContain('Continue as <bdi>עלמה</bdi>');
    expect(page).toMatch(/b, code, bdi \{ unicode-bidi: isolate; \}/);
  });
});

describe('the language of a page', () => {
  const languages = {
    de: { messages: { signInTitle: 'Anmelden', allow: 'Erlauben' }, scopes: { 'notes:read': 'Notizen lesen' } },
    'de-AT': { messages: { signInTitle: 'Einloggen' } },
    'pt-BR': { messages: { signInTitle: 'Entrar' } },
    en: { messages: { allow: 'Go ahead' } },
  };
  const look = { languages, scopes: { 'notes:read': 'Read your notes' } };

  it.each([
    [undefined, 'Sign in'],
    ['de', 'Anmelden'],
    ['de-CH', 'Anmelden'],
    ['DE-at', 'Einloggen'],
    ['pt', 'Entrar'],
    ['fr, de;q=0.5, pt-BR;q=0.8', 'Entrar'],
    ['de;q=0, en', 'Sign in'],
    ['*', 'Sign in'],
    ['../../etc/passwd;q=2,__proto__,constructor', 'Sign in'],
    [',;q=,;;;,,', 'Sign in'],
  ])('follows the Accept-Language header: %p leads to the heading %p', (header, heading) => {
    expect(headingOf(login(look, header))).toBe(heading);
  });

  it('is selected by `ui_locales` before the browser’s language', () => {
    const browser = { uiLocales: 'xx de', acceptLanguage: 'pt-BR' };
    expect(headingOf(new PageRenderer(look).render('login', form, browser))).toBe('Anmelden');
  });

  it('is the application’s default language if no requested language is available', () => {
    expect(headingOf(login({ ...look, language: 'de' }, 'fr'))).toBe('Anmelden');
    expect(headingOf(login({ ...look, language: 'de' }, 'en'))).toBe('Sign in');
  });

  it('falls back to another language for each missing message and scope', () => {
    const page = (acceptLanguage: string) =>
      new PageRenderer(look).render('consent', requested, { acceptLanguage }).html;
    expect(page('de-AT')).toMatch(/Notizen lesen[^]*Erlauben[^]*Deny/);
    expect(page('pt-BR')).toMatch(/Read your notes[^]*Go ahead[^]*Deny/);
    expect(page('en')).toMatch(/Read your notes[^]*Go ahead/);
  });

  it('determines the format of dates', () => {
    const facts = { ...form, user, applications: [application], accessRemoved: false };
    const page = (acceptLanguage: string) =>
      new PageRenderer(look).render('applications', facts, { acceptLanguage }).html;
    expect(page('en')).toContain('Since <bdi>Jan 2, 2026</bdi>, last used <bdi>Mar 4, 2026</bdi>');
    expect(page('de')).toContain('02.01.2026');
  });

  it('causes a configuration error if its tag is invalid', () => {
    expect(() => new PageRenderer({ languages: { 'not a tag': {} } })).toThrow(
      '`not a tag` is not a valid language tag',
    );
  });
});

describe('an application that customizes the built-in pages', () => {
  it('can replace one page within the common frame', () => {
    const render: Look['render'] = {
      consent: ({ client: asking, fields, nameOf }) => ({
        title: html`Mine`,
        main: html`<p>${nameOf(asking)} ${fields['csrf_token']} ${HOSTILE}</p>`,
      }),
    };
    const renderer = new PageRenderer({ render });
    const { html: page } = renderer.render('consent', { ...requested, fields: { csrf_token: 'T' } });
    expect(page).toContain(`<p>Notes T ${ESCAPED}</p>`);
    expect(page).toContain('<title>Mine</title>');
    expect(headingOf(renderer.render('login', form))).toBe('Sign in');
  });

  it('can replace the common frame', () => {
    const renderer = new PageRenderer({ render: { frame: ({ title, style }) => html`${style}<b>${title}</b>` } });
    expect(renderer.render('login', form).html).toMatch(/^<style>[^]*<\/style><b>Sign in<\/b>$/);
  });

  it('cannot close the style element with its style sheet', () => {
    expect(() => new PageRenderer({ css: '</style><script>' })).toThrow('`css` of the pages must be a style sheet');
  });

  it('can use a logo, whose origin the content security policy allows', () => {
    const policyOf = (logo?: string) => login(logo === undefined ? {} : { logo }).headers!['Content-Security-Policy'];
    expect(policyOf('https://cdn.example/a.svg')).toContain('img-src https://cdn.example;');
    expect(policyOf('/a.svg')).toContain("img-src 'self';");
    const methods = [{ label: 'Acme', action: '/acme', logo: { light: 'data:image/png;base64,iVBORw0KGgo=' } }];
    const shown = new PageRenderer({ logo: '/a.svg' }).render('login', { ...form, methods });
    expect(shown.headers!['Content-Security-Policy']).toContain("img-src 'self' data:;");
    expect(shown.html).toMatch(/<a class="button wide brand" href="\/acme"><picture>[^]*<span>Acme<\/span><\/a>/);
  });

  it('gets an error page that hides server errors but shows errors of a client’s request', () => {
    const show = (error: Error) => new PageRenderer().render('error', { error: error as ServerError }).html;
    expect(show(new InvalidClientError('Invalid client: who?'))).toContain(
      'invalid_client</code> Invalid client: who?',
    );
    const fault = show(new ServerError('the password of the database is x'));
    expect(fault).toContain(ENGLISH.serverError);
    expect(fault).not.toContain('database');
  });
});

describe('the built-in consent page of the device flow', () => {
  it('shows the host of a client from a metadata document', () => {
    const facts = { ...form, user, client, scopes: [], resources: [], userCode: 'BCDF-GHJK', accounts: '/' };
    const page = (more: object) => new PageRenderer().render('deviceConsent', { ...facts, ...more }).html;
    expect(page({ clientHost: 'tv.example' })).toContain('It says it belongs to <code>tv.example</code>.');
    expect(page({})).not.toContain('It says it belongs to');
  });
});

describe('the built-in consent page', () => {
  const page = (facts: object) => new PageRenderer().render('consent', { ...requested, ...facts }).html;

  it('shows the host of a client from a metadata document, and the requested resource', () => {
    const shown = page({ clientHost: 'agent.example:8443', resources: ['https://api.example/mcp'] });
    expect(shown).toContain('It says it belongs to <code>agent.example:8443</code>.');
    expect(shown).toContain('For: <code>https://api.example/mcp</code>');
    expect(page({})).not.toMatch(/It says it belongs to|For: /);
  });

  it('links to the privacy policy and terms of a self-registered client, without its logo', () => {
    const said = {
      policy_uri: 'https://app.example/privacy',
      tos_uri: 'https://app.example/terms',
      logo_uri: 'https://x.example',
    };
    const shown = page({ client: { ...client, metadata: said } });
    expect(shown).toContain(
      '<a href="https://app.example/privacy" target="_blank" rel="noopener noreferrer">Privacy policy',
    );
    expect(shown).toContain(
      '<a href="https://app.example/terms" target="_blank" rel="noopener noreferrer">Terms of service',
    );
    expect(shown).not.toContain('x.example');
    for (const uri of ['javascript:alert(1)', 'data:text/html,x', 7, ['https://app.example']]) {
      expect(page({ client: { ...client, metadata: { policy_uri: uri, tos_uri: uri } } })).not.toContain('target=');
    }
  });

  it('links to the privacy policy and terms of a client that an operator has created', () => {
    const shown = page({ client: { ...client, policyUri: 'https://app.example/privacy', tosUri: 'javascript:x' } });
    expect(shown).toContain(
      '<a href="https://app.example/privacy" target="_blank" rel="noopener noreferrer">Privacy policy',
    );
    expect(shown).not.toContain('javascript:');
  });

  it('names a scope without description as a permission', () => {
    expect(page({ scopes: ['files:read'] })).toContain('<li>Use the permission <code>files:read</code></li>');
  });

  it.each([8, 9, 30])(
    'lists each of %i scopes, and moves technical names into an element if there are many',
    (count) => {
      const scopes = Array.from({ length: count }, (_, index) => `scope:${index}`);
      const described = Object.fromEntries(scopes.map((scope) => [scope, `Description of ${scope}.`]));
      const shown = new PageRenderer({ scopes: described }).render('consent', { ...requested, scopes }).html;
      const [list, names = ''] = shown.slice(shown.indexOf('<ul class="scopes')).split('<details');
      for (const scope of scopes) {
        expect(list).toContain(`Description of ${scope}.`);
        expect((count > 8 ? names : list)!).toContain(`<code>${scope}</code>`);
      }
      expect(shown.includes('<details')).toBe(count > 8);
    },
  );

  it('warns if the redirect URI does not belong to the host of the client’s metadata document', () => {
    const documented = { ...client, id: 'https://agent.example/client.json', clientIdHost: 'agent.example' };
    const facts = { client: documented, clientHost: 'agent.example' };
    expect(page(facts)).toContain(
      'You will be sent to <bdi>app.example</bdi>, which does not belong to <bdi>agent.example</bdi>',
    );
    expect(page({ ...facts, redirectUri: 'https://agent.example/back' })).not.toContain('You will be sent to');
    expect(page({})).not.toContain('You will be sent to');
  });

  it('informs the user about a public client whose redirect URI is on the same device', () => {
    const notice = '<p class="notice info">This request comes from an app on this device.';
    const publicClient = { client: { ...client, tokenEndpointAuthMethod: 'none' } };
    for (const redirectUri of [
      'http://localhost:1/a',
      'http://127.0.0.1:5000/',
      'http://[::1]/',
      'com.example.app:/cb',
    ]) {
      const shown = page({ ...publicClient, redirectUri });
      expect(shown).toContain(notice);
      expect(shown).not.toContain('notice bad');
      expect(page({ redirectUri })).not.toContain(notice);
    }
    expect(page(publicClient)).not.toContain(notice);
  });

  it.each([
    ['en', '30', 'Please try again in 1 minute.'],
    ['en', '61', 'Please try again in 2 minutes.'],
    ['en', '7300', 'Please try again in 3 hours.'],
    ['en', undefined, 'Please try again in 1 minute.'],
    ['de', '300', 'Bitte in 5 Minuten.'],
    ['fr', '300', 'Plus tard.'],
  ])('names the time to wait in %s after %s seconds', (uiLocales, retryAfter, text) => {
    const languages = {
      de: { messages: { throttled: 'Bitte in {wait}.' } },
      fr: { messages: { throttled: 'Plus tard.' } },
    };
    const reader = { uiLocales, retryAfter };
    const { html: shown } = new PageRenderer({ languages }).render('login', { ...form, problem: 'throttled' }, reader);
    expect(shown).toContain(text);
  });
});
