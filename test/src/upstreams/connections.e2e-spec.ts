import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { accounts as passwordAccounts } from 'nest-oauth2/accounts';
import { OAuth2Upstreams } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { oidc, type UpstreamConsentRequired } from 'nest-oauth2/upstreams';

import { SECRET } from '../../support/servers/demo.js';
import { PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import { CLIENT, ISSUER, startSite } from './site.js';
import { StandIn } from './stand-in.js';

afterEach(stopApplications);
afterEach(() => {
  jest.restoreAllMocks();
});

const ERIN = { sub: 'e-1', name: 'Erin' };
const PAGE = '/oauth/connections';

/** Lets time pass by the clock of this process. */
const pass = (seconds: number) => {
  const now = Date.now() + seconds * 1000;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
};

describe.each(PLATFORMS)('the page of connected accounts on %s', (platform) => {
  it('connects a provider, with which the user then signs in, and disconnects it', async () => {
    const { browser, acme, accounts, events } = await startSite({ platform });
    const alice = browser();
    await alice.signIn('/oauth/login');
    expect((await alice.get(PAGE)).html).toContain('No account is connected.');
    const back = await alice.get(acme.respond((await alice.connect()).location, ERIN));
    expect(back.location).toBe(`${PAGE}?changed=`);
    const shown = await alice.get(back.location!);
    expect(shown.html).toMatch(/Your connected accounts have changed[^]*<bdi>Acme<\/bdi>[^]*Erin/);
    expect(accounts.linked).toMatchObject([{ sub: 'e-1' }]);
    expect((await alice.get('/oauth/account')).html).toMatch(
      /Connected accounts[^]*<bdi>Acme<\/bdi>[^]*href="\/oauth\/connections"/,
    );

    const other = browser();
    await other.signInWith(acme, ERIN);
    expect([await other.user(), accounts.all.length]).toEqual(['Alice', 1]);

    const removed = await alice.press(shown, PAGE, 'disconnect');
    expect(removed.location).toBe(`${PAGE}?changed=`);
    const stranger = browser();
    await stranger.signInWith(acme, ERIN);
    expect(await stranger.user()).toBe('Erin');
    expect(events.map(([name, { userId }]) => [name, userId])).toEqual([
      ['linked', '1'],
      ['signed_in', '1'],
      ['unlinked', '1'],
      ['linked', '2'],
      ['signed_in', '2'],
    ]);
  });

  it('sends users who are not signed in to the login page', async () => {
    const { browser } = await startSite({ platform });
    expect((await browser().get(PAGE)).location).toMatch(/^\/oauth\/login\?return_to=%2Foauth%2Fconnections/);
  });

  it('requires a recent login to connect and to disconnect', async () => {
    const { browser, acme } = await startSite({ platform });
    const alice = browser();
    await alice.signIn('/oauth/login');
    await alice.get(acme.respond((await alice.connect()).location, ERIN));
    pass(301);
    const page = await alice.get(PAGE);
    for (const which of ['value="acme"', 'disconnect']) {
      const { location } = await alice.press(page, PAGE, which);
      expect(location).toBe('/oauth/login?return_to=%2Foauth%2Fconnections&prompt=login');
    }
    expect((await alice.get(PAGE)).html).toContain('Erin');
  });

  it('does not disconnect the last way to sign in, also if two requests race', async () => {
    const [acme, other] = [new StandIn('https://acme.example'), new StandIn('https://other.example')];
    const fetch = (url: string, init?: RequestInit) => (url.startsWith(other.issuer) ? other : acme).fetch(url, init);
    const providers = {
      acme: oidc({ issuer: acme.issuer, label: 'Acme', ...CLIENT }),
      other: oidc({ issuer: other.issuer, label: 'Other', ...CLIENT }),
    };
    const { browser, events, model } = await startSite({ platform, providers, fetch });
    const erin = browser();
    await erin.signInWith(acme, ERIN);
    const refused = await erin.press(await erin.get(PAGE), PAGE, 'disconnect');
    expect([refused.status, refused.html]).toEqual([409, expect.stringContaining('your only way to sign in')]);
    await erin.get(other.respond((await erin.connect('other')).location, { sub: 'o-1', name: 'Erin at Other' }));
    const page = await erin.get(PAGE);
    const ids = [...page.html.matchAll(/name="disconnect" value="([^"]+)"/g)].map(([, id]) => id!);
    expect(ids).toHaveLength(2);
    await Promise.all(ids.map((id) => erin.post(PAGE, { ...page.form.fields, disconnect: id })));
    expect((await model.listIdentities({ realm: '', userId: '2' })).length).toBeGreaterThanOrEqual(1);
    expect(events.at(-1)).toEqual([
      'refused',
      expect.objectContaining({ reason: expect.stringContaining('last way') }),
    ]);
  });

  it('counts a stored password of `accounts()` as a way to sign in', async () => {
    const users = { findById: () => undefined, findByEmail: () => undefined, create: () => undefined };
    const features = [passwordAccounts({ users, mail: { send: () => undefined } })];
    const { browser, acme, model } = await startSite({ platform, features });
    const erin = browser();
    await erin.signInWith(acme, ERIN);
    expect((await erin.press(await erin.get(PAGE), PAGE, 'disconnect')).status).toBe(409);
    await model.addCredential({ realm: '', userId: '2' }, { kind: 'password', key: '2', data: '{}' });
    await erin.press(await erin.get(PAGE), PAGE, 'disconnect');
    expect(await model.listIdentities({ realm: '', userId: '2' })).toEqual([]);
  });

  it('counts a provider for links only, or one that was removed, as no way to sign in', async () => {
    const { browser, model, accounts, events } = await startSite({ platform, acme: { use: 'link' } });
    const alice = browser();
    await alice.signIn('/oauth/login');
    const identity = { realm: '', userId: '1', name: undefined, linkedAt: 1 };
    await model.addIdentity({ ...identity, iss: 'https://acme.example', sub: 'a', provider: 'acme' });
    await model.addIdentity({ ...identity, iss: 'https://gone.example', sub: 'b', provider: 'gone' });
    const page = await alice.get(PAGE);
    expect(page.html).toContain('gone.example');
    delete accounts.all[0]!.password;
    expect((await alice.press(page, PAGE, 'disconnect')).status).toBe(409);
    accounts.all[0]!.password = 'wonderland';
    expect((await alice.press(page, PAGE, 'disconnect')).status).toBe(303);
    expect(events.map(([name]) => name)).toEqual(['refused', 'unlinked']);
  });

  it('requires the second factor of the account, even if the pages ask for it at some logins only', async () => {
    const by = { isEnrolled: () => true, verify: (_: unknown, code: string) => code === '123456' };
    const acr = 'urn:example:mfa';
    const { app, browser, acme, model } = await startSite({
      platform,
      vault: true,
      pagesOptions: { secondFactor: { by, when: 'wanted', acr } },
      features: [keys({ secret: SECRET, algorithms: ['RS256'] }), openid({ acrValues: [acr] })],
    });
    const alice = browser();
    expect((await alice.signIn('/oauth/login')).location).toBe('/');
    const requested = await alice.connect();
    expect(requested.location).toBe('/oauth/second_factor?return_to=%2Foauth%2Fconnections');
    await alice.send(await alice.get(requested.location!), { code: '123456' });
    await alice.get(acme.respond((await alice.connect()).location, ERIN));

    const needed = app.get(OAuth2Upstreams).token({ id: '1' }, 'acme', { scope: 'calendar' });
    const { url } = (await needed.catch((error: unknown) => error)) as UpstreamConsentRequired;
    const thief = browser();
    await thief.signIn('/oauth/login');
    const removed = await thief.press(await thief.get(PAGE), PAGE, 'disconnect');
    expect(removed.location).toBe('/oauth/second_factor?return_to=%2Foauth%2Fconnections');
    const page = await thief.get(url.slice(ISSUER.length));
    const consent = await thief.press(page, `${PAGE}/consent`);
    expect(consent.location).toMatch(/^\/oauth\/second_factor\?return_to=%2Foauth%2Fconnections%2Fconsent%3Fconsent/);
    expect(await model.listIdentities({ realm: '', userId: '1' })).toHaveLength(1);
  });

  // Keycloak CVE-2026-9087, -82968, -92358: a proof that is not bound to user and identity, or outlives its link.
  it('never links a response to another user, or to a user who has signed out', async () => {
    const { browser, acme, accounts, events, model } = await startSite({ platform });
    accounts.all.push({ id: '2', name: 'Bob', password: 'builder' });
    const shared = browser();
    await shared.signIn('/oauth/login');
    const response = acme.respond((await shared.connect()).location, ERIN);
    await shared.send(await shared.get('/oauth/logout'));
    expect((await shared.get(response)).status).toBe(403);

    await shared.signIn('/oauth/login');
    const second = acme.respond((await shared.connect()).location, ERIN);
    await shared.signIn('/oauth/login?prompt=login', 'bob', 'builder');
    const shown = await shared.get(second);
    expect([shown.status, shown.html]).toEqual([403, expect.stringContaining('please sign in again')]);
    expect(await Promise.all(['1', '2'].map((userId) => model.listIdentities({ realm: '', userId })))).toEqual([
      [],
      [],
    ]);
    expect(events.map(([name]) => name)).toEqual(['refused', 'refused']);
  });

  it('does not restore a removed link by the response that made it', async () => {
    const { browser, acme, model } = await startSite({ platform });
    const alice = browser();
    await alice.signIn('/oauth/login');
    const { location } = await alice.connect();
    const [response, replay] = [acme.respond(location, ERIN), acme.respond(location, ERIN)];
    const cookies = new Map(alice.cookies);
    await alice.get(response);
    await alice.press(await alice.get(PAGE), PAGE, 'disconnect');
    for (const [name, value] of cookies) alice.cookies.set(name, value);
    expect((await alice.get(replay)).status).toBe(400);
    expect(await model.listIdentities({ realm: '', userId: '1' })).toEqual([]);
  });

  // Keycloak CVE-2026-15571: a predictable value protected the request. GHSA of login CSRF by GET: CVE-2015-9284.
  it('connects only by a form of this page in this browser', async () => {
    const { browser, acme } = await startSite({ platform });
    const [alice, mallory] = [browser(), browser()];
    await alice.signIn('/oauth/login');
    const { form } = await mallory.get('/oauth/login');
    const forged = { connect: 'acme', csrf_token: form.fields['csrf_token']! };
    expect((await alice.post(PAGE, forged)).status).toBe(403);
    const { form: own } = await alice.get(PAGE);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await alice.post(PAGE, { ...own.fields, connect: 'acme' }, foreign)).status).toBe(403);
    expect(acme.requests).toEqual([]);
  });

  it('lets the browser of a victim link no identity of the attacker', async () => {
    const { browser, acme, model } = await startSite({ platform });
    const [alice, mallory] = [browser(), browser()];
    await alice.signIn('/oauth/login');
    await mallory.signIn('/oauth/login');
    const response = acme.respond((await mallory.connect()).location, { sub: 'm-1', name: 'Mallory' });
    expect((await alice.get(response)).status).toBe(400);
    expect(await model.listIdentities({ realm: '', userId: '1' })).toEqual([]);
  });

  it('never moves an identity from another account', async () => {
    const { browser, acme } = await startSite({ platform });
    const [erin, alice] = [browser(), browser()];
    await erin.signInWith(acme, ERIN);
    await alice.signIn('/oauth/login');
    const shown = await alice.get(acme.respond((await alice.connect()).location, ERIN));
    expect([shown.status, shown.html]).toEqual([403, expect.stringContaining('connected to another account')]);
    const again = browser();
    await again.signInWith(acme, ERIN);
    expect(await again.user()).toBe('Erin');
  });

  it('lets the application refuse a link', async () => {
    const { browser, acme, accounts } = await startSite({ platform });
    accounts.allows = false;
    const alice = browser();
    await alice.signIn('/oauth/login');
    expect((await alice.get(acme.respond((await alice.connect()).location, ERIN))).status).toBe(403);
  });

  it('offers no provider for sign-in only', async () => {
    const { browser } = await startSite({ platform, acme: { use: 'signIn' } });
    const alice = browser();
    await alice.signIn('/oauth/login');
    const page = await alice.get(PAGE);
    expect(page.html).not.toContain('Connect Acme');
    const { fields } = (await alice.get('/oauth/logout')).form;
    const forged = await alice.post(PAGE, { csrf_token: fields['csrf_token']!, connect: 'acme' });
    expect([forged.status, forged.html]).toEqual([403, expect.stringContaining('cannot be connected')]);
  });
});
