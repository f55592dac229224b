import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import {
  deviceAuthorization,
  type DeviceRequest,
  findDeviceRequest,
  resourceIndicators,
  serverMetadata,
} from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';
import { OAuth2Server } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as openid from 'openid-client';

import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { type ShownPage, PageBrowser } from './page-browser.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const NOTES = 'https://api.example/notes';
const PAGE = '/oauth/device';

const device = { scopes: ['notes:read', 'notes:write'], grants: [GRANT, 'refresh_token'] };
const users = ['alice', 'bob', 'mallory'].map((id) => ({ id, username: id }));

const newStore = () =>
  new MemoryStore({
    clients: [
      { ...device, id: 'tv', name: 'TV <of> Wonderland', tokenEndpointAuthMethod: 'none' },
      { ...device, id: 'box', secret: 'box-secret' },
    ],
    users: {
      findById: (id) => users.find((user) => user.id === id),
      findByCredentials: (name) => users.find(({ username }) => username === name),
    },
  });

describe.each(ANY_PLATFORM)('the device flow with the built-in pages on %s', (platform) => {
  let url: string;
  let server: OAuth2Server;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    const features = [
      deviceAuthorization({ interval: 1 }),
      pages({ devices: true, scopes: { 'notes:read': 'Read your notes' } }),
      resourceIndicators({ resources: [NOTES] }),
      serverMetadata(),
    ];
    const imports = [OAuth2Module.forRoot({ model: newStore(), features, issuer: url, secret: SECRET })];
    const { app } = await startApplication(platform, { imports }, { port, trustProxy: true });
    server = app.get(OAuth2Server);
  });
  afterAll(stopApplications);

  const discover = (id = 'tv') =>
    openid.discovery(
      new URL(url),
      id,
      undefined,
      id === 'tv' ? openid.None() : openid.ClientSecretBasic('box-secret'),
      {
        execute: [openid.allowInsecureRequests],
        algorithm: 'oauth2',
      },
    );

  async function begin(id = 'tv') {
    const configuration = await discover(id);
    const begun = await openid.initiateDeviceAuthorization(configuration, { scope: 'notes:read', resource: NOTES });
    return { begun, poll: () => openid.pollDeviceAuthorizationGrant(configuration, begun) };
  }

  const local = (path: string | null | undefined) => path!.replace(url, '');

  let homes = 0;
  /** Returns a browser with its own IP address. */
  const newBrowser = () => new PageBrowser(url, { 'x-forwarded-for': `192.0.2.${(homes += 1)}` });

  /** Returns a browser in which this user is signed in. */
  async function browserOf(username: string): Promise<PageBrowser> {
    const browser = newBrowser();
    await browser.signIn('/oauth/login', username);
    return browser;
  }

  const enter = async (browser: PageBrowser, user_code: string): Promise<ShownPage> =>
    browser.send(await browser.get(PAGE), { user_code });

  it('gives a device no access if the user is signed out everywhere at the same moment', async () => {
    const { begun, poll } = await begin();
    const browser = await browserOf('alice');
    const shown = await enter(browser, begun.user_code);
    const model = server.context.options.model as MemoryStore;
    const decide = model.decideDeviceAuthorization.bind(model);
    jest.spyOn(model, 'decideDeviceAuthorization').mockImplementationOnce(async (...decision) => {
      await model.revokeGrantsOf({ userId: 'alice' });
      return decide(...decision);
    });
    expect((await browser.send(shown, { decision: 'allow' })).status).toBe(400);
    await expect(poll()).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(await model.listGrants('alice')).toEqual([]);
  });

  it.each(['tv', 'box'])(
    'returns tokens to the client %s, which polls with openid-client, after the user has allowed access',
    async (id) => {
      const { begun, poll } = await begin(id);
      expect(begun).toMatchObject({ verification_uri: url + PAGE, expires_in: 900, interval: 1 });
      expect((await discover()).serverMetadata()).toMatchObject({
        device_authorization_endpoint: `${url}/oauth/device_authorization`,
        grant_types_supported: expect.arrayContaining([GRANT]),
      });
      const browser = newBrowser();
      const first = await enter(browser, begun.user_code.toLowerCase().replace('-', ' '));
      expect(first.status).toBe(303);
      const back = await browser.signIn(first.location!);
      expect(back.location).toBe(`${PAGE}?user_code=${begun.user_code}`);
      const confirm = await browser.get(back.location!);
      expect(confirm.html).toContain('Does your device show this code?');
      const shown = await browser.send(confirm, { user_code: begun.user_code });
      expect([shown.status, shown.heading]).toEqual([200, 'Connect this device?']);
      for (const text of [
        id === 'tv' ? 'TV &lt;of&gt; Wonderland' : 'box',
        'Read your notes',
        NOTES,
        begun.user_code,
        'someone sent you',
      ]) {
        expect(shown.html).toContain(text);
      }
      const waiting = poll();
      const decided = await browser.send(shown, { decision: 'allow' });
      expect([decided.status, decided.location]).toEqual([303, `${PAGE}?done=allowed`]);
      expect((await browser.get(decided.location!)).heading).toBe('Your device is connected');
      expect(await waiting).toMatchObject({ scope: 'notes:read', refresh_token: expect.any(String) });
    },
  );

  it('returns access_denied if the user denies', async () => {
    const { begun, poll } = await begin();
    const browser = await browserOf('alice');
    const decided = await browser.send(await enter(browser, begun.user_code), { decision: 'deny' });
    expect((await browser.get(decided.location!)).heading).toBe('Device not connected');
    await expect(poll()).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('asks for the code again after a wrong code', async () => {
    const { status, html } = await enter(await browserOf('alice'), 'BBBB-BBBB');
    expect(status).toBe(400);
    expect(html).toContain('This code is incorrect or has expired.');
    expect(html).toContain('Enter the code shown on your device.');
    expect(html).not.toContain('Does your device show this code?');
  });

  it('asks the user to compare the code if it is opened with verification_uri_complete', async () => {
    const { begun } = await begin();
    const browser = await browserOf('alice');
    const { html, headers, form } = await browser.get(local(begun.verification_uri_complete));
    expect(html).toContain(`value="${begun.user_code}"`);
    expect(html).not.toContain('Wonderland');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self'/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(form.fields).not.toHaveProperty('decision');
  });

  it.each([
    ['a form with the token of another browser', {}, { csrf_token: 'x' }],
    ['a form sent by another site', { origin: 'https://evil.example' }, {}],
  ])('accepts no approval by %s (CSRF)', async (_, headers, changed) => {
    const { begun } = await begin();
    const browser = await browserOf('alice');
    const requested = await browser.get(PAGE);
    const entered = await browser.send(requested, { user_code: begun.user_code, ...changed }, headers);
    expect([entered.status, entered.html.includes('Wonderland')]).toEqual([403, false]);
    const shown = await enter(browser, begun.user_code);
    const decided = await browser.send(shown, { decision: 'allow', ...changed }, headers);
    expect(decided.status).not.toBe(303);
    expect(await findDeviceRequest(server, begun.user_code, { user: { id: 'bob' } })).toBeDefined();
  });

  it('approves a device only by a form that was shown to the same user for the same device', async () => {
    const [one, other] = [await begin(), await begin('box')];
    const browser = await browserOf('alice');
    const shown = await enter(browser, one.begun.user_code);
    const blind = await browser.send(await browser.get(PAGE), { user_code: one.begun.user_code, decision: 'allow' });
    const swapped = await browser.send(shown, { user_code: other.begun.user_code, decision: 'allow' });
    expect([blind.heading, swapped.heading]).toEqual(['Connect this device?', 'Connect this device?']);
    const bob = await browserOf('bob');
    const borrowed = await bob.send(shown, { decision: 'allow' });
    expect(borrowed.heading).toBe('Connect this device?');
    expect(borrowed.html).toContain('<b>bob</b>');
    for (const { begun } of [one, other]) {
      expect(await findDeviceRequest(server, begun.user_code, { user: { id: 'x' } })).toBeDefined();
    }
  });

  it('accepts only the first decision about a device', async () => {
    const { begun } = await begin();
    const [alice, bob] = [await browserOf('alice'), await browserOf('bob')];
    const [hers, his] = [await enter(alice, begun.user_code), await enter(bob, begun.user_code)];
    await alice.send(hers, { decision: 'deny' });
    const late = await bob.send(his, { decision: 'allow' });
    expect([late.status, late.html.includes('This code is incorrect')]).toEqual([400, true]);
  });

  it('responds with 429 after a user has entered 20 wrong codes', async () => {
    const mallory = await browserOf('mallory');
    const page = await mallory.get(PAGE);
    const statuses = new Map<number, number>();
    for (let time = 0; time < 25; time += 1) {
      const { status, headers } = await mallory.send(page, { user_code: 'BBBB-BBBB' });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const seconds = Number(headers.get('retry-after') ?? 0);
      expect(Math.ceil(seconds / 60)).toBe(status === 429 ? 5 : 0);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 400: 20, 429: 5 });
    expect((await mallory.send(page, { user_code: 'BBBB-BBBB' })).html).toContain('Please try again in 5 minutes.');
    expect((await mallory.send(page, { user_code: '<b>' })).html).not.toContain('<b>');
  });

  it('lets an application look up device requests itself: findDeviceRequest() returns undefined for an unknown code', () => {
    const request: Promise<DeviceRequest | undefined> = findDeviceRequest(server, 'BBBB-BBBB', {
      user: { id: 'carol' },
    });
    return expect(request).resolves.toBeUndefined();
  });

  it.each([
    [
      'pages({ devices }) without deviceAuthorization()',
      [pages({ devices: true })],
      /requires the feature `deviceAuthorization\(\)`/,
    ],
    ['deviceAuthorization() without pages({ devices })', [deviceAuthorization()], /add `pages\(\{ devices: true \}\)`/],
  ])('fails at start-up with %s', (_, features, message) => {
    expect(() => new OAuth2Server({ model: newStore(), features, issuer: 'https://id.example' })).toThrow(message);
  });
});
