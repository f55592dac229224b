import { EventEmitter } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OAuth2Grants, OAuth2Module } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from './page-browser.js';

/** A client whose document all installations share, as of Claude Code. */
const EDITOR = 'https://editor.example/client.json';
const PATH = '/oauth/applications';

describe.each(ANY_PLATFORM)('the installations of one client on %s', (platform) => {
  const users = ['alice', 'bob'].map((name) => ({ id: name, username: name }));
  const client = {
    id: EDITOR,
    clientIdHost: 'editor.example',
    name: 'Editor',
    grants: ['authorization_code'],
    redirectUris: [],
  };
  const store = new MemoryStore({
    clients: [],
    users: {
      findById: (id) => users.find((user) => user.id === id),
      findByCredentials: (name) => users.find((user) => user.username === name),
    },
  });
  const ended: object[] = [];
  let url: string;
  beforeAll(async () => {
    url = `http://127.0.0.1:${await freePort()}`;
    const events = new EventEmitter().on('grant.ended', (event: object) => ended.push(event));
    const module = OAuth2Module.forRoot({ model: store, issuer: url, secret: SECRET, features: [pages()], events });
    await startApplication(platform, { imports: [module] }, { port: Number(new URL(url).port) });
  });
  afterAll(stopApplications);
  beforeEach(async () => {
    run += 1;
    for (const name of ['laptop', 'desktop']) await install('alice', name + run);
    await install('bob', `bobs${run}`);
  });
  afterEach(async () => {
    for (const { id } of users) await store.revokeGrantsOf({ userId: id });
    ended.length = 0;
  });

  /** The number of the test. A revoked grant keeps its ID, so each test has other IDs. */
  let run = 0;
  async function install(user: string, grantId: string) {
    const token = {
      accessToken: `token-${grantId}`,
      accessTokenExpiresAt: new Date(Date.now() + 60_000),
      grantId,
    };
    await store.saveToken({ ...token, issuer: url }, client, { id: user });
  }
  const grantsOf = async (user: string) => namesOf((await store.listGrants(user)).map(({ id }) => id));

  const namesOf = (ids: readonly string[]) => ids.map((id) => id.replace(/\d+$/, '')).toSorted();

  async function openPage(path: string, user = 'alice') {
    const browser = new PageBrowser(url);
    await browser.signIn('/oauth/login', user);
    return { browser, page: await browser.get(path) };
  }

  it.each([
    ['page of applications', PATH],
    ['account page', '/oauth/account'],
  ])('are listed on the %s, each with a button', async (_name, path) => {
    const { page } = await openPage(path);
    const ids = [...page.html.matchAll(/name="grant_id" value="([^"]*)"/g)].map(([, id]) => id!);
    expect(namesOf(ids)).toEqual(['desktop', 'laptop']);
    expect(page.html).toContain('aria-label="Remove only this access of Editor"');
  });

  it('are not listed if there is only one', async () => {
    const { page } = await openPage(PATH, 'bob');
    expect(page.html).toContain('Editor');
    expect(page.html).not.toContain('grant_id');
  });

  it.each([
    ['page of applications', PATH],
    ['account page', '/oauth/account'],
  ])('are ended one by one on the %s', async (_name, path) => {
    const { browser, page } = await openPage(path);
    const form = /<form(?:(?!<\/form>)[^])*grant_id" value="laptop[^]*?<\/form>/.exec(page.html)![0];
    const fields = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]);
    await browser.post(/action="([^"]*)"/.exec(form)?.[1] ?? path, Object.fromEntries(fields));
    expect(await grantsOf('alice')).toEqual(['desktop']);
    expect(ended).toEqual([
      expect.objectContaining({ userId: 'alice', clientId: EDITOR, grantId: `laptop${run}`, reason: 'withdrawn' }),
    ]);
  });

  it('are all ended by the button of the application', async () => {
    const { browser, page } = await openPage(PATH);
    const { grant_id: _grant, ...fields } = page.form.fields;
    await browser.post(PATH, fields);
    expect([await grantsOf('alice'), await grantsOf('bob')]).toEqual([[], ['bobs']]);
  });

  it.each([
    ['of another user', 'bobs'],
    ['that does not exist', 'unknown'],
    ['with a control character', 'lap\ntop'],
    ['that is empty', ''],
  ])('stay if the form has the ID of a grant %s', async (_name, grantId) => {
    const { browser, page } = await openPage(PATH);
    await browser.post(PATH, { ...page.form.fields, grant_id: grantId === 'bobs' ? `bobs${run}` : grantId });
    expect([await grantsOf('alice'), await grantsOf('bob')]).toEqual([['desktop', 'laptop'], ['bobs']]);
    expect(ended).toEqual([]);
  });

  it('are ended one by one by OAuth2Grants', async () => {
    const grants = new OAuth2Grants(store);
    const { grants: listed } = await grants.list({ clientId: EDITOR, userId: 'alice' });
    expect(namesOf(listed.map(({ id }) => id))).toEqual(['desktop', 'laptop']);
    expect(await grants.end({ userId: 'alice', clientId: EDITOR, grantId: `desktop${run}` })).toBe(1);
    expect([await grantsOf('alice'), await grantsOf('bob')]).toEqual([['laptop'], ['bobs']]);
  });
});
