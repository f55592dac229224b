import { afterEach, describe, expect, it } from '@jest/globals';
import { deviceAuthorization } from 'nest-oauth2/features';
import { ciba } from 'nest-oauth2/openid';

import { bearer } from '../../support/clients/http.js';
import { PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import { AccountApplication, sectionForm } from '../accounts/account-application.js';
import {
  ACME,
  authorize,
  CHOICE,
  client,
  CONSENT,
  GLOBEX,
  Memberships,
  NotesController,
  OrganizationApplication,
  redirected,
  Store,
  USERS,
} from './organization-application.js';

const INITECH = { id: 'initech', name: 'Initech' };

describe.each(PLATFORMS)('attacks on the choice of an organization on %s', (platform) => {
  afterEach(stopApplications);

  it('refuses an organization of others in the form, and reveals neither its name nor whether it exists', async () => {
    const app = await OrganizationApplication.start({ platform });
    app.memberships.byUser.set('mallory', [INITECH, ACME]);
    const browser = await app.signIn();
    const page = await browser.get(authorize());
    const pages = [];
    for (const choice of ['initech', 'nowhere', 'acme ', 'ACME', '__proto__', 'acme,globex']) {
      const answer = await browser.send(page, { choice });
      expect([answer.status, answer.heading]).toEqual([400, CHOICE]);
      expect(answer.html).toContain('Choose one of your organizations.');
      pages.push(answer.html.replaceAll(/value="[\w.-]{40,}"/g, ''));
    }
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).not.toContain('Initech');
    const repeated = new URLSearchParams([
      ...Object.entries(page.form.fields),
      ['choice', 'acme'],
      ['choice', 'globex'],
    ]);
    expect((await browser.post(page.form.action, repeated as never)).heading).toBe(CHOICE);
  });

  it('refuses an organization of others in the request, alike for one that does not exist', async () => {
    const app = await OrganizationApplication.start({ platform });
    app.memberships.byUser.set('mallory', [INITECH]);
    const browser = await app.signIn();
    const answers = [];
    for (const organization of ['initech', 'nowhere', 'ACME']) {
      for (const more of [{}, { prompt: 'none' }] as Record<string, string>[]) {
        answers.push(redirected(await browser.get(authorize({ organization, ...more }))));
      }
    }
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(answers[0]).toMatchObject({ error: 'access_denied', state: 'xyz' });
    const long = redirected(await browser.get(authorize({ organization: 'a'.repeat(256) })));
    expect(long).toMatchObject({ error: 'invalid_request' });
    // The form cannot change what the client requested.
    const consent = await browser.get(authorize({ organization: 'acme' }));
    const changed = await browser.send(consent, { decision: 'allow', choice: 'globex' });
    const token = await app.redeem(changed);
    expect((await app.organizationsOf(token)).guard).toBe('acme');
  });

  it('refuses a consent for another organization than the one that the user was shown', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    const page = await browser.get(authorize());
    const consent = await browser.send(page, { choice: 'acme' });
    expect(consent.html).toContain('Acme');
    for (const [choice, heading] of [
      ['globex', CONSENT],
      ['initech', CHOICE],
      ['', CHOICE],
    ] as const) {
      const answer = await browser.send(consent, { decision: 'allow', choice });
      expect([answer.location, answer.heading]).toEqual([null, heading]);
    }
    const { choice: _, ...withoutChoice } = consent.form.fields;
    const without = await browser.post(consent.form.action, { ...withoutChoice, decision: 'allow' });
    expect(without.heading).toBe(CHOICE);
    // The token of the choice is no consent.
    const direct = await browser.send(page, { choice: 'acme', decision: 'allow' });
    expect([direct.location, direct.heading]).toEqual([null, CONSENT]);
  });

  it('keeps the choices of two tabs apart', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    const [first, second] = [authorize(), authorize({ client_id: 'other' })];
    const [tab, otherTab] = [await browser.get(first), await browser.get(second)];
    const swapped = await browser.post(otherTab.form.action, { ...tab.form.fields, choice: 'acme' });
    expect([swapped.status, swapped.heading]).toEqual([403, CHOICE]);
    const consent = await browser.send(tab, { choice: 'acme' });
    const otherConsent = await browser.send(otherTab, { choice: 'globex' });
    const crossed = await browser.post(otherConsent.form.action, { ...consent.form.fields, decision: 'allow' });
    expect([crossed.location, crossed.heading]).toEqual([null, CONSENT]);
    const done = await browser.send(consent, { decision: 'allow' });
    const otherDone = await browser.send(otherConsent, { decision: 'allow' });
    expect((await app.organizationsOf(await app.redeem(done))).guard).toBe('acme');
    expect((await app.organizationsOf(await app.redeem(otherDone, 'other'))).guard).toBe('globex');
  });

  it('refuses the forms of another user', async () => {
    const app = await OrganizationApplication.start({ platform });
    app.memberships.byUser.set('bob', [ACME, GLOBEX]);
    const [alice, bob] = [await app.signIn('alice'), await app.signIn('bob')];
    const page = await alice.get(authorize());
    const stolen = await bob.post(page.form.action, { ...page.form.fields, choice: 'acme' });
    expect([stolen.status, stolen.heading]).toEqual([403, CHOICE]);
    const consent = await alice.send(page, { choice: 'acme' });
    const crossed = await bob.post(consent.form.action, { ...consent.form.fields, decision: 'allow' });
    expect(crossed.heading).toBe(CONSENT);
  });

  it('refuses a choice that another site sends', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    await browser.send(await browser.send(await browser.get(authorize()), { choice: 'globex' }), { decision: 'allow' });
    const page = await browser.get(authorize());
    for (const fields of [{ ...page.form.fields, choice: 'globex' }, { choice: 'globex' }]) {
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      const answer = await browser.post(page.form.action, fields, headers);
      expect([answer.status, answer.location]).toEqual([403, null]);
    }
    const withoutToken = await browser.post(page.form.action, { choice: 'globex' });
    expect(withoutToken.heading).toBe(CHOICE);
  });

  it('refuses an organization that the user has left between choice and consent', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    const consent = await browser.send(await browser.get(authorize()), { choice: 'acme' });
    app.memberships.byUser.set('alice', [GLOBEX, INITECH]);
    const answer = await browser.send(consent, { decision: 'allow' });
    expect([answer.status, answer.heading]).toEqual([400, CHOICE]);
    // With one organization left, the consent that was shown does not count for it.
    app.memberships.byUser.set('alice', [GLOBEX]);
    const other = await browser.send(consent, { decision: 'allow' });
    expect([other.location, other.heading]).toEqual([null, CONSENT]);
    expect(other.html).toContain('Globex');
    app.memberships.byUser.set('alice', []);
    expect((await browser.send(consent, { decision: 'allow' })).location).toBeNull();
  });

  it('refuses the code and the refresh token of a user who has left the organization, without consuming them', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    const done = await browser.send(await browser.get(authorize({ organization: 'acme' })), { decision: 'allow' });
    const before = app.memberships.byUser.get('alice')!;
    app.memberships.byUser.set('alice', [GLOBEX]);
    expect(await app.redeem(done)).toMatchObject({ error: 'invalid_grant' });
    app.memberships.byUser.set('alice', before);
    const token = await app.redeem(done);
    app.memberships.byUser.set('alice', [GLOBEX]);
    expect(await app.refresh(token.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    expect(await app.exchange(token.access_token)).toMatchObject({ error: expect.any(String) });
    app.memberships.byUser.set('alice', before);
    expect((await app.organizationsOf(await app.refresh(token.refresh_token))).guard).toBe('acme');
  });

  it('never changes the organization by refresh or token exchange', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    const page = await browser.get(authorize({ organization: 'acme' }));
    const token = await app.redeem(await browser.send(page, { decision: 'allow' }));
    const more = { organization: 'globex', org_id: 'globex', choice: 'globex' };
    const refreshed = await app.refresh(token.refresh_token, more);
    expect((await app.organizationsOf(refreshed)).guard).toBe('acme');
    const exchanged = await app.exchange(refreshed.access_token, more);
    expect((await app.organizationsOf(exchanged)).guard).toBe('acme');
    // Tokens without an organization do not get one, although the user belongs to some by now.
    app.memberships.byUser.set('bob', []);
    const bob = await app.signIn('bob');
    const none = await app.redeem(await bob.send(await bob.get(authorize()), { decision: 'allow' }));
    app.memberships.byUser.set('bob', [ACME]);
    const later = await app.refresh(none.refresh_token, more);
    expect((await app.organizationsOf(later)).guard).toBeNull();
  });

  it('keeps tenants apart, whose users and organizations have the same IDs', async () => {
    const tenants = {
      findTenant: ({ path }: { path: string }) => path.split('/')[1],
      createTenantOptions: (tenant: string) =>
        ['north', 'south'].includes(tenant) && { issuer: `https://id.example/${tenant}` },
    };
    const module = { tenants, paths: { prefix: ':tenant/oauth' }, issuer: undefined as never };
    const app = await OrganizationApplication.start({ platform, module });
    const list = app.memberships.list.bind(app.memberships);
    app.memberships.list = (user, context) =>
      list(user, context).filter(({ id }) => id !== 'globex' || context.issuer?.endsWith('/south') === true);
    const browser = await app.signIn('alice', '/south');
    await browser.signIn('/north/oauth/login', 'alice');
    const page = await browser.get(authorize({}, '/south'));
    expect(page.heading).toBe(CHOICE);
    // The north has one organization, so nothing is to be chosen, and the consent of the south does not count.
    const consent = await browser.send(page, { choice: 'globex' });
    const north = authorize({}, '/north');
    const crossed = await browser.post(north, { ...consent.form.fields, decision: 'allow' });
    expect([crossed.location, crossed.heading]).toEqual([null, CONSENT]);
    expect(crossed.html).toContain('Acme');
    expect((await browser.send(consent, { decision: 'allow' })).status).toBe(303);
    expect(redirected(await browser.get(authorize({ organization: 'globex' }, '/north')))).toMatchObject({
      error: 'access_denied',
    });
    expect((await browser.get(authorize({ organization: 'acme' }, '/north'))).heading).toBe(CONSENT);
  });

  it('refuses a request of a device or of CIBA for an organization, whose tokens would have none', async () => {
    const app = await OrganizationApplication.start({
      platform,
      features: [deviceAuthorization(), ciba()],
      options: { devices: true },
      model: Object.assign(new Store({ clients: [client('web')], users: USERS }), {
        findHintedUser: () => ({ id: 'alice' }),
        askUser: () => undefined,
      }),
    });
    const request = { scope: 'openid notes:read', login_hint: 'alice' };
    for (const [path, id] of [
      ['/oauth/device_authorization', 'device_code'],
      ['/oauth/backchannel_authentication', 'auth_req_id'],
    ] as const) {
      const refused = await app.post(path, { ...request, organization: 'acme' });
      expect(refused).toMatchObject({
        error: 'invalid_request',
        error_description: expect.stringContaining('browser'),
      });
      expect(await app.post(path, request)).toHaveProperty(id);
    }
  });

  it('gives personal access tokens no organization', async () => {
    const memberships = new Memberships();
    memberships.list = () => [ACME];
    const app = await AccountApplication.start({
      platform,
      options: { personalAccessTokens: { scopes: ['notes:read'] } },
      controllers: [NotesController],
      look: { organizations: memberships },
    });
    const browser = await app.signUp('alice@example.com');
    const form = await sectionForm(browser, 'tokens', 'create');
    const forged = { organization: 'acme', org_id: 'acme', choice: 'acme' };
    const shown = await browser.post('/oauth/account', {
      token_name: 'CI',
      'scope:notes:read': '1',
      ...forged,
      ...form,
    });
    const token = /<code>(pat_\w+)<\/code>/.exec(shown.html)![1]!;
    const response = await fetch(`${app.url}/notes`, { headers: bearer(token) });
    expect([response.status, await response.json()]).toEqual([200, { organization: null }]);
  });
});
