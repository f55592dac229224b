import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, type User } from 'nest-oauth2';
import type { Feature } from 'nest-oauth2/features';
import { ACCOUNT_SECTIONS, defineMessages, defineSection, html, pages, type PagesOptions } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { advanceClock } from '../../support/environment/advance-clock.js';
import { SECRET } from '../../support/servers/demo.js';
import { forRootError } from '../../support/servers/start-up-error.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser, type ShownPage } from './page-browser.js';

const CALLBACK = 'https://app.example/callback';
const users: Record<string, User & { name: string }> = {
  1: { id: '1', name: 'Alice <b>' },
  2: { id: '2', name: 'Bob' },
};
const newModel = () =>
  new MemoryStore({
    clients: [
      {
        id: 'web',
        name: 'Notes',
        grants: ['authorization_code'],
        redirectUris: [CALLBACK],
        scopes: ['read'],
        tokenEndpointAuthMethod: 'none',
      },
    ],
    users: {
      findById: (id) => users[id],
      findByCredentials: (name, word) => word === 'wonderland' && users[name === 'bob' ? 2 : 1],
    },
  });

/** The nicknames of the users, which the section of the test changes. */
const nicknames = new Map<unknown, string>();

const nickname = (more: object = {}): Feature => ({
  id: 'nicknames',
  install(builder) {
    builder.contribute(
      ACCOUNT_SECTIONS,
      defineSection({
        id: 'nickname',
        messages: defineMessages(
          { title: 'Nickname of {name}', saved: 'Nickname saved.', tooShort: 'Too short.' },
          { de: { title: 'Spitzname', saved: 'Gespeichert.' } },
        ),
        title: 'title',
        get: ({ user }) => (user['id'] === '2' ? undefined : { name: nicknames.get(user['id']) ?? '' }),
        forms: {
          save: {
            done: 'saved',
            post(call) {
              const name = call.text('nickname') ?? '';
              if (name === 'secret') return html`<p id="once">Shown once: ${'<key>'}</p>`;
              if (name === 'elsewhere') return call.redirect('/elsewhere');
              if (name.length < 3) return call.problem('tooShort');
              nicknames.set(call.user['id'], name);
              return undefined;
            },
          },
        },
        render: ({ name }, { form }) =>
          form('save', html`<input name="nickname" value="${name}" /><button>Save</button>`),
        ...more,
      }),
    );
  },
});

/** Returns the forms of a page that belong to a section, with their hidden fields. */
function formsOf({ html: source }: ShownPage, section: string) {
  const part = source.split(`id="section-${section}"`)[1]!.split('</section>')[0]!;
  return [...part.matchAll(/<form[^]*?<\/form>/g)].map(([form]) =>
    Object.fromEntries(
      [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
    ),
  );
}

describe.each(ANY_PLATFORM)('the account page on %s', (platform) => {
  afterEach(stopApplications);

  async function open(features: Feature[] = [nickname()], options: PagesOptions = {}) {
    nicknames.clear();
    const model = newModel();
    const all = [pages({ languages: { de: { messages: { yourAccount: 'Ihr Konto' } } }, ...options }), ...features];
    const { url } = await startApplication(platform, {
      imports: [OAuth2Module.forRoot({ model, secret: SECRET, features: all })],
    });
    const signIn = async (name: string) => {
      const browser = new PageBrowser(url);
      await browser.signIn('/oauth/login', name);
      return browser;
    };
    return { url, model, signIn, browser: await signIn('alice') };
  }
  const account = '/oauth/account';

  it('sends users who are not signed in to the login page and back', async () => {
    const { url } = await open();
    const { location } = await new PageBrowser(url).get(account);
    expect(location).toBe('/oauth/login?return_to=%2Foauth%2Faccount');
  });

  it('shows the sections of all features in their order, and none that does not concern the user', async () => {
    const { browser: userBrowser, signIn } = await open([nickname()]);
    const page = await userBrowser.get(account);
    expect([page.status, page.heading]).toEqual([200, 'Your account']);
    const ids = (source: string) =>
      [...source.matchAll(/<section class="stack" id="section-(\w+)">/g)].map(([, id]) => id);
    expect(ids(page.html)).toEqual(['nickname', 'sessions', 'applications']);
    expect(page.html).toContain('You are signed in as <b>Alice &lt;b&gt;</b>.');
    expect(ids((await (await signIn('bob')).get(account)).html)).toEqual(['sessions', 'applications']);
    const last = await open([nickname({ order: 90 })]);
    expect(ids((await last.browser.get(account)).html)).toEqual(['sessions', 'applications', 'nickname']);
  });

  it('handles the form of a section, and shows its message once, in the language of the user', async () => {
    const { browser: userBrowser } = await open();
    const [form] = formsOf(await userBrowser.get(account), 'nickname');
    const saved = await userBrowser.post(account, { ...form, nickname: 'Al"ly' });
    expect([saved.status, saved.location]).toEqual([303, '/oauth/account?done=nickname.save#section-nickname']);
    const shown = await userBrowser.get('/oauth/account?done=nickname.save', { 'accept-language': 'de' });
    expect([shown.heading, shown.html.includes('Gespeichert.')]).toEqual(['Ihr Konto', true]);
    expect(shown.html).toContain('value="Al&quot;ly"');
    expect((await userBrowser.get(account)).html).not.toContain('Nickname saved.');
    expect((await userBrowser.get('/oauth/account?done=nickname.title')).html).not.toContain('class="notice"');
  });

  it('shows a problem at its section only, what a form returns once, and follows its redirects', async () => {
    const { browser: userBrowser } = await open();
    const [form] = formsOf(await userBrowser.get(account), 'nickname');
    const short = await userBrowser.post(account, { ...form, nickname: 'x' });
    expect([short.status, short.html.match(/role="alert"/g)]).toEqual([400, ['role="alert"']]);
    expect(short.html.split('id="section-sessions"')[0]).toContain('Too short.');
    const once = await userBrowser.post(account, { ...form, nickname: 'secret' });
    expect([once.status, once.html.includes('Shown once: &lt;key&gt;')]).toEqual([200, true]);
    expect((await userBrowser.post(account, { ...form, nickname: 'elsewhere' })).location).toBe('/elsewhere');
  });

  it('rejects forms without a token of this section, user and browser, and unknown forms', async () => {
    const { browser: userBrowser, signIn } = await open();
    const page = await userBrowser.get(account);
    const [form] = formsOf(page, 'nickname');
    const [ofSessions] = formsOf(await (await signIn('alice')).get(account), 'nickname');
    const others: Record<string, string>[] = [
      { ...form, csrf_token: ofSessions!['csrf_token']! },
      { ...form, csrf_token: '' },
    ];
    for (const forged of others) {
      const shown = await userBrowser.post(account, { ...forged, nickname: 'thief' });
      expect([shown.status, shown.html.includes('This form has expired.')]).toEqual([403, true]);
    }
    const origin = { origin: 'https://evil.example' };
    expect((await userBrowser.post(account, { ...form, nickname: 'thief' }, origin)).status).toBe(403);
    const unknown: Record<string, string>[] = [{ form: 'toString' }, { section: 'constructor' }, { section: '' }];
    for (const change of unknown) {
      const shown = await userBrowser.post(account, { ...form, ...change, nickname: 'thief' });
      expect([shown.status, shown.location]).toEqual([303, account]);
    }
    // A form of another section.
    const shown = await userBrowser.post(account, { ...form, section: 'sessions', form: 'endOthers' });
    expect(shown.status).toBe(403);
    expect(nicknames.size).toBe(0);
  });

  it('requires a recent login for a section with maxAge, to show it and to send its form', async () => {
    const { browser: userBrowser } = await open([nickname({ maxAge: 60 })]);
    const [form] = formsOf(await userBrowser.get(account), 'nickname');
    advanceClock(61_000);
    const late = await userBrowser.post(account, { ...form, nickname: 'late' });
    const again = '/oauth/login?return_to=%2Foauth%2Faccount&prompt=login';
    expect([late.status, late.location, nicknames.size]).toEqual([303, again, 0]);
    const page = await userBrowser.get(account);
    expect(formsOf(page, 'nickname')).toEqual([]);
    expect(page.html).toContain(again.replace('&', '&amp;'));
    expect(formsOf(page, 'applications')).toEqual([]);
    await userBrowser.signIn(again);
    expect(formsOf(await userBrowser.get(account), 'nickname')).toHaveLength(1);
  });

  it('lists the browsers of the user, and signs out one or all others', async () => {
    const { browser: userBrowser, signIn } = await open();
    const [second, third, bob] = [await signIn('alice'), await signIn('alice'), await signIn('bob')];
    const page = await userBrowser.get(account);
    expect(page.html.match(/This browser/g)).toHaveLength(1);
    const forms = formsOf(page, 'sessions');
    expect(forms.map(({ form }) => form)).toEqual(['end', 'end', 'endOthers']);
    const isSignedIn = async (browser: PageBrowser) => (await browser.get(account)).status === 200;
    const ended = await userBrowser.post(account, forms[0]!);
    expect(ended.location).toBe('/oauth/account?done=sessions.end#section-sessions');
    expect([await isSignedIn(second), await isSignedIn(third)].filter(Boolean)).toHaveLength(1);
    // The session of another user cannot be ended.
    const ofBob = formsOf(await bob.get(account), 'sessions');
    expect(ofBob).toEqual([]);
    await userBrowser.post(account, forms[2]!);
    expect(await Promise.all([userBrowser, second, third, bob].map(isSignedIn))).toEqual([true, false, false, true]);
    expect(formsOf(await userBrowser.get(account), 'sessions')).toEqual([]);
  });

  it('lists the applications with access, and removes their access', async () => {
    const { browser: userBrowser, model } = await open();
    const grant = { client: { id: 'web', grants: ['authorization_code'] }, scope: ['read'] };
    await model.saveConsent(users['1']!, { ...grant, scope: 'read', redirectUri: CALLBACK, data: {} });
    const page = await userBrowser.get(account);
    expect(page.html).toMatch(/<h3><bdi>Notes<\/bdi><\/h3>/);
    const [form] = formsOf(page, 'applications');
    const removed = await userBrowser.post(account, form!);
    expect(removed.location).toBe('/oauth/account?done=applications.remove#section-applications');
    const after = await userBrowser.get('/oauth/account?done=applications.remove');
    expect([after.html.includes('Access removed.'), formsOf(after, 'applications')]).toEqual([true, []]);
  });

  it('can be left out', async () => {
    const { browser: userBrowser } = await open([], { account: false });
    expect((await userBrowser.get(account)).status).toBe(404);
  });

  it.each<[string, Feature[], string]>([
    [
      'two sections have the same ID',
      [nickname(), { ...nickname(), id: 'more' }],
      'two features contribute the account section `nickname`',
    ],
    [
      'an ID is no word',
      [nickname({ id: 'my nickname' })],
      'the `id` of the account section `my nickname` must be a word',
    ],
  ])('prevents the start if %s', async (_, features, message) => {
    expect(await forRootError({ model: newModel(), secret: SECRET, features: [pages(), ...features] })).toBe(message);
  });
});
