import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Module, OAuth2Server } from 'nest-oauth2';
import { accounts } from 'nest-oauth2/accounts';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import type { CredentialModel } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { FACTOR_RESET } from '../../../src/accounts/factors/factor-reset.js';
import { SECRET } from '../../support/servers/demo.js';
import { type Ceremony, type PasskeyOptions, SoftwarePasskey } from '../../support/clients/software-authenticator.js';
import { ANY_PLATFORM, PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser, type ShownPage } from '../pages/page-browser.js';
import {
  AccountApplication,
  choose,
  ISSUER,
  isSignedIn,
  NEW_PASSWORD,
  PASSWORD,
  sectionForm,
  UserTable,
} from './account-application.js';
import { codeOf, setUpApp } from './authenticator-page.js';

const ALICE = 'alice@example.com';
const BOB = 'bob@example.com';
const ACCOUNT = '/oauth/account';
const OTHER_SITE = { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' };
const OPTIONS = { passkeys: true };

afterEach(async () => {
  jest.restoreAllMocks();
  await stopApplications();
});

/** A form with a passkey: its action, its hidden fields and the options of the script. */
interface Form {
  action: string;
  fields: Record<string, string>;
  options: PasskeyOptions;
}

const unescape = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&#39;', "'");

/** Returns the form of a page that contains a passkey. `undefined` if there is none. */
function findForm({ html }: ShownPage): Form | undefined {
  const form = [...html.matchAll(/<form[^]*?<\/form>/g)]
    .map(([text]) => text)
    .find((text) => text.includes('data-passkey'));
  if (!form) return undefined;
  const fields = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return {
    action: unescape(/action="([^"]*)"/.exec(form)![1]!),
    fields: Object.fromEntries(fields.map(([, name, value]) => [name!, unescape(value!)])),
    options: JSON.parse(unescape(/data-passkey="([^"]*)"/.exec(form)![1]!)) as PasskeyOptions,
  };
}

const formOf = async (browser: PageBrowser, path: string): Promise<Form> => findForm(await browser.get(path))!;

/** Adds a passkey on the account page. */
async function add(browser: PageBrowser, passkey: SoftwarePasskey, ceremony: Ceremony = {}, form?: Form) {
  const { action, fields, options } = form ?? (await formOf(browser, ACCOUNT));
  const response = passkey.create(options, ceremony);
  return browser.post(action, { ...fields, response, name: 'Laptop' });
}

/** Uses a passkey on a page. */
async function use(browser: PageBrowser, passkey: SoftwarePasskey, path = '/oauth/login', ceremony: Ceremony = {}) {
  const { action, fields, options } = await formOf(browser, path);
  return browser.post(action, { ...fields, response: passkey.get(options, ceremony) });
}

type Setup = NonNullable<Parameters<typeof AccountApplication.start>[0]>;

async function startWithPasskey(more: Setup = {}, isSynced = false) {
  const app = await AccountApplication.start({ options: OPTIONS, ...more });
  const browser = await app.signUp(ALICE);
  const passkey = new SoftwarePasskey(ISSUER, isSynced);
  const added = await add(browser, passkey);
  if (added.status !== 303) throw new Error(`The passkey was refused: ${added.html}`);
  return { app, browser, passkey };
}

const withOpenid = () => {
  const users = new UserTable();
  const model = Object.assign(new MemoryStore({ users }), { getClaims: () => ({}) });
  const acrValues = ['urn:example:pwd', 'urn:example:mfa'];
  const features = [keys({ secret: SECRET, algorithms: ['RS256'] }), openid({ acrValues })];
  const look = { signIn: { acr: 'urn:example:pwd', amr: ['pwd'] }, secondFactor: { acr: 'urn:example:mfa' } };
  return { users, model, features, look };
};

/** Returns how the user of a browser signed in, as the store knows it. */
async function loginsOf(app: AccountApplication, userId = '1') {
  const { sessions } = await app.model.listSessions({ userId });
  return sessions.map(({ acr, amr }) => ({ acr, amr }));
}

describe.each(PLATFORMS)('passkeys on %s', (platform) => {
  it('are added, named, used to sign in alone with autofill, renamed and removed', async () => {
    const events = new EventEmitter();
    const reported: unknown[] = [];
    for (const name of ['credential.added', 'credential.removed', 'user.signed_in'])
      events.on(name, ({ credential, endpoint }: Record<string, unknown>) =>
        reported.push([name, credential ?? endpoint]),
      );
    const { app, browser, passkey } = await startWithPasskey({ platform, module: { events } });
    const account = await browser.get(`${ACCOUNT}?done=passkeys.add`);
    expect(account.html).toContain('Passkey added.');
    expect(account.html).toContain('Laptop');
    expect(account.headers.get('content-security-policy')).toContain("script-src 'self'");
    const script = await browser.get('/oauth/passkeys.js');
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);

    const elsewhere = app.browser();
    const login = await elsewhere.get('/oauth/login?return_to=%2Fnext');
    expect(login.html).toContain('autocomplete="username webauthn"');
    expect(login.html).toContain('<script src="/oauth/passkeys.js" type="module">');
    const { options, action, fields } = findForm(login)!;
    expect(options).toMatchObject({ rpId: 'id.example', ids: [], userVerification: 'required', autofill: true });
    const done = await elsewhere.post(action, { ...fields, response: passkey.get(options) });
    expect([done.status, done.location, await isSignedIn(elsewhere)]).toEqual([303, '/next', true]);

    const page = await elsewhere.get(ACCOUNT);
    const form = (name: string) =>
      Object.fromEntries(
        [...page.html.matchAll(/<form[^]*?<\/form>/g)]
          .map(([text]) => Array.from(text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)))
          .find(
            (all) =>
              all.some(([, key, value]) => key === 'form' && value === name) &&
              all.some(([, , value]) => value === 'passkeys'),
          )!
          .map(([, key, value]) => [key!, value!]),
      );
    expect((await elsewhere.post(ACCOUNT, { ...form('rename'), name: 'Telephone' })).status).toBe(303);
    expect((await elsewhere.get(ACCOUNT)).html).toContain('<b>Telephone</b>');
    for (const name of ['add', 'rename', 'remove']) {
      const sent = { ...form(name), name: 'Stolen' };
      expect((await elsewhere.post(ACCOUNT, sent, OTHER_SITE)).status).toBe(403);
      expect((await elsewhere.post(ACCOUNT, { ...sent, csrf_token: '' })).status).toBe(403);
    }
    expect((await elsewhere.post(ACCOUNT, form('remove'))).location).toContain('done=passkeys.remove');
    expect((await use(app.browser(), passkey)).status).toBe(401);
    expect(reported).toEqual([
      ['user.signed_in', 'new_password'],
      ['credential.added', 'passkey'],
      ['user.signed_in', 'passkey'],
      ['credential.removed', 'passkey'],
    ]);
  });

  it('are removed while they are used, by their user and by an operator', async () => {
    const { app, browser, passkey } = await startWithPasskey({ platform });
    const model = app.model as MemoryStore & CredentialModel;
    const remove = model.removeCredential.bind(model);
    const useMeanwhile = () =>
      jest.spyOn(model, 'removeCredential').mockImplementationOnce(async (credential) => {
        expect((await use(app.browser(), passkey)).status).toBe(303);
        return remove(credential);
      });
    const stored = async () => model.findCredentials({ realm: '', userId: '1' }, ['passkey']);
    const fields = await sectionForm(browser, 'passkeys', 'remove');
    useMeanwhile();
    await browser.post(ACCOUNT, fields);
    expect(await stored()).toEqual([]);

    await add(browser, passkey);
    useMeanwhile();
    const server = app.nest.get(OAuth2Server);
    expect(await server.context.find(FACTOR_RESET)!.reset('1')).toEqual(['passkey']);
    expect(await stored()).toEqual([]);
  });

  it('start no session if an operator removes them just after they were used', async () => {
    const { app, passkey } = await startWithPasskey({ platform });
    const thief = app.browser();
    const save = app.model.saveSession.bind(app.model);
    jest.spyOn(app.model, 'saveSession').mockImplementationOnce(async (session) => {
      await app.nest.get(OAuth2Server).context.find(FACTOR_RESET)!.reset('1');
      return save(session);
    });
    expect((await use(thief, passkey)).location).toBe('/oauth/login');
    expect(await isSignedIn(thief)).toBe(false);
  });

  it('reject a sign-in without a CSRF token, or from another site', async () => {
    const { app, passkey } = await startWithPasskey({ platform });
    const browser = app.browser();
    const { action, fields, options } = await formOf(browser, '/oauth/login');
    const response = passkey.get(options);
    expect((await browser.post(action, { ...fields, response }, OTHER_SITE)).status).toBe(403);
    expect((await browser.post(action, { ...fields, response, csrf_token: 'x' })).status).toBe(403);
    expect((await app.browser().post(action, { ...fields, response })).status).toBe(403);
    expect((await browser.post(action, { ...fields, response })).status).toBe(303);
  });
});

describe('a passkey', () => {
  it('is accepted once for each challenge, by 50 requests to two processes at the same time', async () => {
    const { app, passkey } = await startWithPasskey();
    const second = await AccountApplication.start({ users: app.users, model: app.model, options: OPTIONS });
    const browser = app.browser();
    const { action, fields, options } = await formOf(browser, '/oauth/login');
    const response = passkey.get(options);
    const other = new PageBrowser(second.url, { 'x-forwarded-proto': 'https' });
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    const sent = Array.from({ length: 50 }, (_, at) => [browser, other][at % 2]!.post(action, { ...fields, response }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
  });

  it('is rejected with the challenge of another browser, use or time, and with one that the server did not send', async () => {
    const { app, browser: owner, passkey } = await startWithPasskey();
    const [browser, other] = [app.browser(), app.browser()];
    const [form, ofOther] = [await formOf(browser, '/oauth/login'), await formOf(other, '/oauth/login')];
    const ofOwner = await formOf(owner, ACCOUNT);
    const send = async ({ fields, options }: Form, ceremony: Ceremony = {}) =>
      browser.post(form.action, {
        ...form.fields,
        challenge: fields['challenge']!,
        response: passkey.get(options, ceremony),
      });
    expect((await send(ofOther)).status).toBe(401);
    expect((await send(ofOwner)).status).toBe(401);
    expect((await send(form, { challenge: 'AAAA' })).status).toBe(401);
    const late = await formOf(browser, '/oauth/login');
    const now = Date.now() + 901_000;
    const time = jest.spyOn(Date, 'now').mockImplementation(() => now);
    expect((await send(late)).status).toBe(401);
    time.mockRestore();
    expect(await isSignedIn(browser)).toBe(false);
  });

  it.each<[string, Ceremony]>([
    ['of another origin', { origin: 'https://attacker.example' }],
    ['of another port', { origin: `${ISSUER}:8443` }],
    ['of another RP ID', { rpId: 'attacker.example' }],
    ['that has not verified the user', { verifiesUser: false }],
    ['of another type', { type: 'webauthn.create' }],
    ['with the user handle of another user', { userHandle: 'AAAA' }],
  ])('is rejected with a response %s', async (_, ceremony) => {
    const { app, passkey } = await startWithPasskey();
    const browser = app.browser();
    const refused = await use(browser, passkey, '/oauth/login', ceremony);
    expect([refused.status, refused.html]).toEqual([401, expect.stringContaining('could not be used')]);
    expect((await use(browser, passkey)).status).toBe(303);
  });

  it.each<[string, Ceremony]>([
    ['of another origin', { origin: 'https://attacker.example' }],
    ['of another RP ID', { rpId: 'attacker.example' }],
    ['that has not verified the user', { verifiesUser: false }],
    ['with another challenge', { challenge: 'AAAA' }],
  ])('is not added with a response %s', async (_, ceremony) => {
    const app = await AccountApplication.start({ options: OPTIONS });
    const browser = await app.signUp(ALICE);
    const passkey = new SoftwarePasskey(ISSUER);
    expect((await add(browser, passkey, ceremony)).status).toBe(400);
    expect(await app.model.findCredentials({ realm: '', userId: '1' }, ['passkey'])).toEqual([]);
  });

  it('belongs to one account, and cannot be added to another', async () => {
    const { app, passkey } = await startWithPasskey();
    const bob = await app.signUp(BOB);
    expect((await add(bob, passkey)).status).toBe(400);
    const browser = app.browser();
    await use(browser, passkey);
    expect((await browser.get(ACCOUNT)).html).toContain(ALICE);
  });

  it('is rejected if its counter does not grow, or if its backup eligibility changes', async () => {
    const { app, passkey } = await startWithPasskey();
    passkey.counter = 5;
    expect((await use(app.browser(), passkey)).status).toBe(303);
    expect((await use(app.browser(), passkey)).status).toBe(401);
    passkey.counter = 6;
    expect((await use(app.browser(), passkey)).status).toBe(303);
    passkey.counter = 7;
    passkey.isSynced = true;
    expect((await use(app.browser(), passkey)).status).toBe(401);
    const synced = await startWithPasskey({}, true);
    // Synced passkeys have no counter.
    expect((await use(synced.app.browser(), synced.passkey)).status).toBe(303);
    expect((await use(synced.app.browser(), synced.passkey)).status).toBe(303);
    expect(await loginsOf(synced.app)).toContainEqual({ acr: undefined, amr: ['swk', 'user', 'mfa'] });
  });

  it('keeps working after a password reset, which ends the sessions', async () => {
    const { app, browser, passkey } = await startWithPasskey();
    const { mail } = await app.request('/oauth/forgot_password', ALICE);
    await choose(app.browser(), mail!, NEW_PASSWORD);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await use(app.browser(), passkey)).status).toBe(303);
  });

  it('can be added only in the ten minutes after a login', async () => {
    const app = await AccountApplication.start({ options: OPTIONS });
    const browser = await app.signUp(ALICE);
    const form = await formOf(browser, ACCOUNT);
    const now = Date.now() + 660_000;
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    expect(findForm(await browser.get(ACCOUNT))).toBeUndefined();
    const late = await add(browser, new SoftwarePasskey(ISSUER), {}, form);
    expect([late.status, late.location]).toEqual([303, expect.stringContaining('prompt=login')]);
  });
});

describe('passkeys and a second factor', () => {
  const options = { passkeys: true, authenticator: true };

  it('replace each other: a passkey after the password, or alone, instead of a code', async () => {
    const { app, browser, passkey } = await startWithPasskey({ options });
    const telephone = await setUpApp(browser);
    const login = await app.signIn(ALICE, PASSWORD);
    expect(login.shown.location).toBe('/oauth/second_factor');
    const page = await login.browser.get('/oauth/second_factor');
    expect(page.html).toContain('href="/oauth/second_factor/passkey"');
    const form = await formOf(login.browser, '/oauth/second_factor/passkey');
    expect(form.options).toMatchObject({ ids: [passkey.id], userVerification: 'preferred' });
    const done = await use(login.browser, passkey, '/oauth/second_factor/passkey', { verifiesUser: false });
    expect([done.status, await isSignedIn(login.browser)]).toEqual([303, true]);
    expect(await loginsOf(app)).toContainEqual({ acr: undefined, amr: ['pwd', 'hwk', 'user', 'mfa'] });

    const alone = app.browser();
    expect([(await use(alone, passkey)).status, await isSignedIn(alone)]).toEqual([303, true]);
    expect(telephone.recoveryCodes).toHaveLength(10);
  });

  it('refuse the passkey of another user after a password, and one without a pending login', async () => {
    const { app, browser, passkey } = await startWithPasskey({ options });
    await setUpApp(browser);
    const bob = await app.signUp(BOB);
    const ofBob = new SoftwarePasskey(ISSUER);
    await add(bob, ofBob);
    await setUpApp(bob);
    const login = await app.signIn(BOB, PASSWORD);
    const { action, fields, options: given } = await formOf(login.browser, '/oauth/second_factor/passkey');
    const crossed = await login.browser.post(action, { ...fields, response: passkey.get(given) });
    expect([crossed.status, await isSignedIn(login.browser)]).toEqual([401, false]);
    expect((await app.browser().get('/oauth/second_factor/passkey')).location).toBe('/');
  });

  it('let nobody add a passkey or an app by the password alone, if the account has one', async () => {
    const { app, passkey } = await startWithPasskey({ options });
    const thief = (await app.signIn(ALICE, PASSWORD)).browser;
    expect(await isSignedIn(thief)).toBe(true);
    const account = await thief.get(ACCOUNT);
    expect([findForm(account), account.html]).toEqual([
      undefined,
      expect.stringContaining('Confirm with your second factor'),
    ]);
    expect((await thief.get('/oauth/authenticator')).location).toContain('/oauth/second_factor?return_to=');
    const code = await thief.get('/oauth/second_factor?return_to=%2Foauth%2Faccount');
    expect(code.location).toBe('/oauth/second_factor/passkey?return_to=%2Foauth%2Faccount');
    expect((await use(thief, new SoftwarePasskey(ISSUER), code.location!)).status).toBe(401);
    // The owner confirms with the passkey.
    expect((await use(thief, passkey, code.location!)).location).toBe(ACCOUNT);
    expect((await add(thief, new SoftwarePasskey(ISSUER))).status).toBe(303);
  });

  it('strengthen a session for a client that requests it', async () => {
    const { look, ...rest } = withOpenid();
    const { app, passkey } = await startWithPasskey({ options, look, ...rest });
    const { browser, shown } = await app.signIn(ALICE, PASSWORD);
    expect(shown.location).toBe('/');
    const path = '/oauth/login?return_to=%2Fnext&acr_values=urn%3Aexample%3Amfa';
    const stepUp = (await browser.get(path)).location!;
    expect(stepUp).toContain('/oauth/second_factor?');
    const done = await use(browser, passkey, (await browser.get(stepUp)).location!);
    expect(done.location).toBe('/next');
    expect(await loginsOf(app)).toContainEqual({ acr: 'urn:example:mfa', amr: ['pwd', 'hwk', 'user', 'mfa'] });
    const alone = app.browser();
    expect((await use(alone, passkey, path)).location).toBe('/next');
    expect(await loginsOf(app)).toContainEqual({ acr: 'urn:example:mfa', amr: ['hwk', 'user', 'mfa'] });
    expect(await codeOf({ secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' })).toMatch(/^\d{6}$/);
  });
});

describe.each(ANY_PLATFORM)('passkeys of tenants on %s', (platform) => {
  it('have the host of each tenant as RP ID, and are unknown at other tenants', async () => {
    const users = new UserTable();
    const bob = await users.create({ email: ALICE });
    const model = new MemoryStore({ users });
    const { url } = await startApplication(platform, {
      imports: [
        OAuth2Module.forRoot({
          model,
          secret: SECRET,
          tenants: {
            findTenant: ({ path }) => path.split('/')[1],
            createTenantOptions: (tenant) => ({ issuer: `https://${tenant}.example/${tenant}` }),
          },
          paths: { prefix: ':tenant/oauth' },
          features: [pages(), accounts({ users, mail: { send: () => undefined }, passkeys: true })],
        }),
      ],
    });
    const { hashPassword } = await import('nest-oauth2/stores');
    const data = JSON.stringify({ hash: await hashPassword(PASSWORD) });
    for (const realm of ['acme', 'globex'])
      await model.addCredential({ realm, userId: bob!.id }, { kind: 'password', key: bob!.id, data });
    const browser = new PageBrowser(url);
    await browser.signIn('/acme/oauth/login', ALICE, PASSWORD);
    const form = await formOf(browser, '/acme/oauth/account');
    expect(form.options.rpId).toBe('acme.example');
    const passkey = new SoftwarePasskey('https://acme.example');
    expect((await add(browser, passkey, {}, form)).status).toBe(303);
    expect((await use(new PageBrowser(url), passkey, '/acme/oauth/login')).status).toBe(303);
    const other = new PageBrowser(url);
    expect((await formOf(other, '/globex/oauth/login')).options.rpId).toBe('globex.example');
    const crossed = { origin: 'https://globex.example' };
    expect((await use(other, passkey, '/globex/oauth/login', crossed)).status).toBe(401);
    // The challenge of one tenant at another one.
    const [here, there] = [await formOf(other, '/acme/oauth/login'), await formOf(other, '/globex/oauth/login')];
    const challenge = there.fields['challenge']!;
    const response = passkey.get(there.options, { rpId: 'acme.example' });
    expect((await other.post(here.action, { ...here.fields, challenge, response })).status).toBe(401);
  });
});
