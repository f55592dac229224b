import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { OAuth2Module, OAuth2Sessions, type User } from 'nest-oauth2';
import type { Feature } from 'nest-oauth2/features';
import {
  definePage,
  defineMessages,
  finishLogin,
  hidden,
  html,
  type Login,
  LOGIN_METHODS,
  LOGIN_STEPS,
  type LoginStep,
  pages,
  type PagesOptions,
  PASSWORDS,
} from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { advanceClock } from '../../support/environment/advance-clock.js';
import { SECRET } from '../../support/servers/demo.js';
import { forRootError } from '../../support/servers/start-up-error.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from './page-browser.js';

const alice = { id: '1', name: 'Alice' };
const SESSION = 'oauth2-session';
const newModel = () =>
  new MemoryStore({
    clients: [],
    users: { findById: () => alice, findByCredentials: (name, word) => word === 'wonderland' && alice },
  });

/** A step with a page that is passed by its button. `demands` decides for which logins it is required. */
function step(
  id: string,
  more: Partial<LoginStep> & { demands?: (login: Login) => boolean; amr?: string[] } = {},
): Feature {
  const { demands = () => true, amr = [], ...rest } = more;
  return {
    id,
    endpoints: {
      [id]: definePage<Login, 'title', Login>({
        path: `steps/${id}`,
        messages: defineMessages({ title: `Step {id}` }),
        subject: async (call) => (await call.findStep(id)) ?? call.login(call.returnTo),
        binding: ({ user }) => `${id} ${String(user['id'])}`,
        get: (_call, login) => login,
        post: (call, login) => (call.text('answer') === 'yes' ? call.passStep(id, login, { amr }) : call.redirect()),
        leavesSite: true,
        render: (_login, { message, action, fields }) => ({
          title: message('title', { id }),
          main: html`<h1>${message('title', { id })}</h1>
            <form method="post" action="${action}">${hidden(fields)}<button name="answer" value="yes"></button></form>`,
        }),
      }),
    },
    install(builder) {
      builder.contribute(LOGIN_STEPS, { id, endpoint: id, isRequired: async (login) => demands(login), ...rest });
    },
  };
}

/** A method of login with an endpoint of its own, as a passkey or another identity provider would have. */
const badge: Feature = {
  id: 'badge',
  endpoints: {
    badge: definePage({
      path: 'badge',
      leavesSite: true,
      get: async (call) => call.finishLogin({ user: alice, amr: ['hwk'], returnTo: call.returnTo ?? '/' }),
      render: () => ({ title: html`Badge`, main: html`` }),
    }),
    raw: {
      path: 'raw-badge',
      methods: ['GET'],
      make: (server) => ({
        async handle(request, response) {
          const login = { user: alice, amr: ['hwk'], returnTo: '/welcome' };
          response.redirect((await finishLogin({ server, endpoint: 'raw', request, response }, login)).location);
        },
      }),
    },
  },
  install(builder) {
    builder.contribute(LOGIN_METHODS, {
      id: 'badge',
      show: ({ loginPath }) => ({
        label: 'Use your <badge>',
        action: `/badge?return_to=${encodeURIComponent(loginPath)}`,
        script: '/badge.js',
      }),
    });
    builder.contribute(LOGIN_METHODS, { id: 'absent', show: () => undefined });
    builder.contribute(LOGIN_METHODS, {
      id: 'button',
      show: async () => ({ label: 'Press', action: '/press', fields: { secret: 'a"b' } }),
    });
  },
};

@Controller()
class SignInController {
  constructor(@Inject(OAuth2Sessions) private readonly sessions: OAuth2Sessions) {}
  @Get('own-sign-in')
  async signIn(@Req() request: never, @Res({ passthrough: true }) reply: never) {
    return { next: await this.sessions.signIn(request, reply, alice, { amr: ['email'], returnTo: '/welcome' }) };
  }
}

const code = { isEnrolled: () => true, verify: (_user: User, typed: string) => typed === '123456' };

describe.each(ANY_PLATFORM)('the steps of a login on %s', (platform) => {
  afterEach(stopApplications);

  async function open(features: readonly Feature[], options: PagesOptions = {}) {
    const model = newModel();
    const all = [pages({ rememberLifetime: 2_592_000, ...options }), badge, ...features];
    const imports = [OAuth2Module.forRoot({ model, secret: SECRET, features: all })];
    const { url } = await startApplication(platform, { imports, controllers: [SignInController] });
    return { browser: new PageBrowser(url), model };
  }
  type Browser = Awaited<ReturnType<typeof open>>['browser'];

  /** The methods of login. Each returns the path at which the login continues. */
  const METHODS: Record<string, (browser: Browser) => Promise<string | null>> = {
    'the password': async (browser) => (await browser.signIn('/oauth/login?return_to=/welcome')).location,
    'OAuth2Sessions.signIn()': async (browser) => JSON.parse((await browser.get('/own-sign-in')).html).next,
    'call.finishLogin() of a page': async (browser) => (await browser.get('/badge?return_to=/welcome')).location,
    'finishLogin() of an endpoint': async (browser) => (await browser.get('/raw-badge')).location,
  };
  /** The steps, each with the form that passes it. */
  const STEPS: Record<string, { features: Feature[]; options?: PagesOptions; form: Record<string, string> }> = {
    'the second factor': { features: [], options: { secondFactor: { by: code } }, form: { code: '123456' } },
    'a step of its own': { features: [step('terms')], form: { answer: 'yes' } },
    'a step for logins without two factors': {
      features: [step('strong', { demands: ({ amr }) => !amr?.includes('mfa'), amr: ['mfa'] })],
      form: { answer: 'yes' },
    },
  };
  const pairs = Object.keys(METHODS).flatMap((method) => Object.keys(STEPS).map((name) => [method, name] as const));

  it.each(pairs)('lets no user who signs in by %s skip %s', async (method, name) => {
    const { features, options, form } = STEPS[name]!;
    const { browser } = await open(features, options);
    const signedIn = async () => (await browser.get('/oauth/login')).heading === 'Choose an account';
    const next = await METHODS[method]!(browser);
    expect(next).toMatch(/^\/(?:oauth\/second_factor|steps\/\w+)\?return_to=%2Fwelcome/);
    expect([browser.cookies.has('oauth2-pending-login'), await signedIn()]).toEqual([true, false]);

    // A wrong form, a form without its CSRF token, and the cookie of the pending login in place of a session.
    const page = await browser.get(next!);
    await browser.send(page, { code: '0', answer: 'no' });
    await browser.post(page.form.action, form);
    const forger = new PageBrowser(browser.url);
    forger.cookies.set(SESSION, browser.cookies.get('oauth2-pending-login')!);
    expect([await signedIn(), (await forger.get('/oauth/login')).heading]).toEqual([false, 'Sign in']);

    const done = await browser.send(await browser.get(next!), form);
    expect([done.status, done.location, await signedIn()]).toEqual([303, '/welcome', true]);
  });

  it('lets a remembered browser skip no step that has become required', async () => {
    let demanded = false;
    const { browser } = await open([step('terms', { demands: () => demanded })]);
    await browser.send(await browser.get('/oauth/login'), { username: 'alice', password: 'wonderland', remember: '1' });
    browser.cookies.delete(SESSION);
    demanded = true;
    const { location } = await browser.get('/oauth/login?return_to=/welcome');
    expect(location).toBe('/steps/terms?return_to=%2Fwelcome');
    expect((await browser.get('/oauth/applications')).status).toBe(303);
    expect((await browser.send(await browser.get(location!), { answer: 'yes' })).location).toBe('/welcome');
    expect((await browser.get('/oauth/applications')).status).toBe(200);
  });

  it('are not passed by a page that passes another step or another user', async () => {
    const cheat: Feature = {
      id: 'cheat',
      endpoints: {
        cheat: definePage({
          path: 'cheat',
          get: (call) => call.passStep(call.text('step')!, { user: { id: call.text('user') } }),
          render: 'error',
        }),
      },
    };
    const { browser } = await open([step('terms'), cheat], { secondFactor: { by: code } });
    const next = (await browser.signIn('/oauth/login?return_to=/welcome')).location!;
    for (const query of ['step=terms&user=1', 'step=secondFactor&user=2']) {
      expect((await browser.get(`/cheat?${query}`)).location).toContain('/oauth/login?');
      expect((await browser.get('/oauth/applications')).status).toBe(303);
    }
    expect((await browser.send(await browser.get(next), { code: '123456' })).location).toContain('/steps/terms');
  });

  it('are passed in the declared order, whatever the order of the features', async () => {
    const third = step('aaa', { after: 'bbb' });
    const second = step('bbb', { after: ['secondFactor'] });
    for (const features of [
      [third, second],
      [second, third],
    ]) {
      const { browser, model } = await open(features, { secondFactor: { by: code }, signIn: { amr: ['pwd'] } });
      const saved: unknown[] = [];
      const save = model.saveSession.bind(model);
      model.saveSession = (session) => {
        saved.push([session.passedSteps, session.amr]);
        return save(session);
      };
      const first = (await browser.signIn('/oauth/login?return_to=/welcome')).location!;
      expect(first).toContain('/oauth/second_factor');
      // The page of a later step leads to the step that must be passed first.
      expect((await browser.get('/steps/aaa?return_to=/welcome')).location).toContain('/oauth/second_factor?');
      const afterCode = (await browser.send(await browser.get(first), { code: '123456' })).location!;
      expect(afterCode).toBe('/steps/bbb?return_to=%2Fwelcome');
      const afterB = (await browser.send(await browser.get(afterCode), { answer: 'yes' })).location!;
      expect(afterB).toBe('/steps/aaa?return_to=%2Fwelcome');
      expect((await browser.send(await browser.get(afterB), { answer: 'yes' })).location).toBe('/welcome');
      const amr = ['pwd', 'otp', 'mfa'];
      expect(saved).toEqual([
        [undefined, ['pwd']],
        [['secondFactor'], amr],
        [['secondFactor', 'bbb'], amr],
        [undefined, amr],
      ]);
    }
  });

  it('continue at the page of a step that was completed elsewhere, if it may be', async () => {
    let isVerified = false;
    for (const endsElsewhere of [true, false]) {
      isVerified = false;
      const { browser } = await open([step('verifyEmail', { demands: () => !isVerified, endsElsewhere })]);
      const next = (await browser.signIn('/oauth/login?return_to=/welcome')).location!;
      isVerified = true;
      const { location, heading } = await browser.get(next);
      expect([location, heading]).toEqual(endsElsewhere ? ['/welcome', undefined] : [null, 'Step verifyEmail']);
      expect((await browser.get('/oauth/applications')).status).toBe(endsElsewhere ? 200 : 303);
    }
  });

  it('end with the lifetime of the step', async () => {
    const { browser } = await open([step('terms', { lifetime: 60 })]);
    const next = (await browser.signIn('/oauth/login?return_to=/welcome')).location!;
    const page = await browser.get(next);
    advanceClock(61_000);
    expect((await browser.send(page, { answer: 'yes' })).location).toContain('/oauth/login');
    expect((await browser.get('/oauth/applications')).status).toBe(303);
  });

  it('cannot be passed by the form of another user in the same browser', async () => {
    const { browser } = await open([step('terms')]);
    const next = (await browser.signIn('/oauth/login')).location!;
    const page = await browser.get(next);
    alice.id = '2';
    try {
      await browser.signIn('/oauth/login?prompt=login');
      expect((await browser.send(page, { answer: 'yes' })).status).toBe(403);
    } finally {
      alice.id = '1';
    }
  });

  it('show the methods on the login page, as links, buttons and scripts', async () => {
    const { browser } = await open([]);
    const page = await browser.get('/oauth/login?return_to=/welcome');
    expect(page.html).toMatch(/<a class="button wide" href="\/badge\?return_to=[^"]+">Use your &lt;badge&gt;<\/a>/);
    expect(page.html).toMatch(/action="\/press">\s*<input type="hidden" name="secret" value="a&quot;b" \/>/);
    expect(page.html).toContain('<script src="/badge.js" type="module"></script>');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const href = /href="(\/badge[^"]*)"/.exec(page.html)![1]!;
    expect((await browser.get(href)).location).toBe('/welcome');
    const plain = await browser.get('/oauth/applications');
    expect(plain.headers.get('content-security-policy')).not.toContain('script-src');
  });

  it('follow other methods only with password: false, which needs no passwords of the model', async () => {
    const { browser } = await open([], { password: false });
    const page = await browser.get('/oauth/login');
    expect([page.html.includes('type="password"'), page.html.includes('Use your')]).toEqual([false, true]);
    await browser.get('/badge');
    const chooser = await browser.get('/oauth/login');
    const { csrf_token: token } = chooser.form.fields;
    const form = { csrf_token: token!, username: 'alice', password: 'wonderland' };
    expect([chooser.heading, (await browser.post('/oauth/login', form)).status]).toEqual(['Choose an account', 401]);
  });

  it('follow a password that a feature verifies in place of the model', async () => {
    const passwords: Feature = {
      id: 'passwords',
      install: (builder) =>
        builder.provide(PASSWORDS, () => ({
          find: (name) =>
            name === 'alice'
              ? { account: '1', verify: async (password) => (password === 'looking glass' ? alice : undefined) }
              : undefined,
        })),
    };
    const { browser } = await open([passwords, step('terms')]);
    for (const [name, password] of [
      ['alice', 'wonderland'],
      ['bob', 'looking glass'],
    ]) {
      expect((await browser.signIn('/oauth/login', name, password)).status).toBe(401);
    }
    expect((await browser.signIn('/oauth/login', 'alice', 'looking glass')).location).toContain('/steps/terms');
  });

  it.each<[string, Feature[], string]>([
    [
      'names an unknown step',
      [step('terms', { after: 'secondfactor' })],
      '`after` of the login step `terms` names the unknown step `secondfactor`: the known steps are `terms`, `secondFactor`',
    ],
    [
      'waits for itself through another',
      [step('one', { after: 'two' }), step('two', { after: 'one' })],
      'the login steps `one`, `two` wait for each other: change `after`',
    ],
    [
      'has no page',
      [step('terms', { endpoint: 'elsewhere' })],
      'the login step `terms` has no endpoint `elsewhere`: add it',
    ],
    [
      'has the ID of another',
      [step('terms'), { ...step('terms'), id: 'more', endpoints: {} }],
      'two features contribute the login step `terms`',
    ],
    [
      'is the only way to sign in',
      [],
      '`password: false` of `pages()` requires a feature with another method of login, such as `upstreams()`',
    ],
    [
      'would be skipped by sessions of the application',
      [step('terms')],
      'login steps require login sessions that the model stores: remove `sessions` of `pages()`',
    ],
  ])('are rejected at start-up if one %s', async (_, features, message) => {
    const sessions = { find: () => undefined, start: () => undefined, end: () => undefined };
    const site = message.includes('`sessions`') ? pages({ sessions }) : pages({ password: features.length > 0 });
    const options = { model: newModel(), secret: SECRET, features: [site, ...features] };
    expect(await forRootError(options)).toBe(message);
  });

  it('may come after the second factor even if the pages have none', async () => {
    const { browser } = await open([step('terms', { after: 'secondFactor' })]);
    expect((await browser.signIn('/oauth/login')).location).toContain('/steps/terms');
  });
});
