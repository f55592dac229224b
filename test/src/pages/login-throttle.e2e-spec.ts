import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, type OAuth2ModuleOptions } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { SECRET } from '../../support/servers/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from './page-browser.js';

const users = [{ id: '1', username: 'alice' }];

const newStore = () =>
  new MemoryStore({
    clients: [],
    users: {
      findById: (id) => users.find((user) => user.id === id),
      findByCredentials: (name, password) =>
        password === 'wonderland' && users.find(({ username }) => username === name.toLowerCase()),
    },
  });

/** Returns a store with two users whose names differ only in case. */
const caseSensitive = () =>
  new MemoryStore({
    clients: [],
    users: {
      findById: (id) => ({ id }),
      findByCredentials: (id, password) => password === { alice: 'wonderland', ALICE: 'mine' }[id] && { id },
    },
  });

interface Guess {
  username?: string;
  headers?: Record<string, string>;
}

describe.each(PLATFORMS)('the login page with its default limit of failed logins on %s', (platform) => {
  afterEach(stopApplications);

  async function open(options: Partial<OAuth2ModuleOptions> = {}) {
    const module = { model: newStore(), features: [pages()], secret: SECRET, ...options };
    const { url } = await startApplication(platform, { imports: [OAuth2Module.forRoot(module)] }, { trustProxy: true });
    return { url, from: (address: string) => new PageBrowser(url, { 'x-forwarded-for': address }) };
  }

  const statuses = async (attempts: Iterable<() => Promise<{ status: number }>>) => {
    const seen: number[] = [];
    for (const attempt of attempts) seen.push((await attempt()).status);
    return seen;
  };

  const guess = (browser: PageBrowser) => () => browser.signIn('/oauth/login', 'alice', 'wrong');

  /** Guesses with one form, which an attacker need not load again for each guess. */
  async function guessesWithOneForm(browser: PageBrowser, count: number, guessOf: (index: number) => Guess) {
    const form = await browser.get('/oauth/login');
    return statuses(
      Array.from({ length: count }, (_, index) => {
        const { username = 'alice', headers } = guessOf(index);
        return () => browser.send(form, { username, password: 'wrong' }, headers);
      }),
    );
  }

  it.each([
    ['an IPv6 /64', (index: number) => `2001:db8:1:2::${index + 1}`],
    ['one IPv4 address in different notations', (index: number) => (index % 2 ? '192.0.2.1' : '::ffff:192.0.2.1')],
  ])('counts the failed logins of %s together', async (_name, addressOf) => {
    const { from } = await open();
    const guesses = Array.from({ length: 11 }, (_, index) => guess(from(addressOf(index))));
    expect(await statuses(guesses)).toEqual([...Array<number>(10).fill(401), 429]);
    expect((await from('2001:db8:1:3::1').signIn('/oauth/login')).status).toBe(303);
  });

  it('limits failed logins of a user across networks, but not in browsers where the user signed in before', async () => {
    const { from } = await open();
    const alice = from('198.51.100.1');
    expect((await alice.signIn('/oauth/login')).status).toBe(303);
    const guesses = await guessesWithOneForm(from('203.0.113.2'), 200, (index) => ({
      headers: { 'x-forwarded-for': `2001:db8:1:${index + 1}::1` },
    }));
    expect(new Set(guesses)).toEqual(new Set([401]));
    const more = await guess(from('203.0.113.1'))();
    expect([more.status, Number((more as { headers: Headers }).headers.get('retry-after'))]).toEqual([
      429,
      expect.closeTo(3600, -3),
    ]);
    alice.cookies.delete('oauth2-session');
    expect((await alice.signIn('/oauth/login')).status).toBe(303);
    expect((await from('198.51.100.1').signIn('/oauth/login')).status).toBe(429);
  }, 60_000);

  it('lets a user in from a known browser even if others in the same network guess the password', async () => {
    const { from } = await open();
    const alice = from('198.51.100.1');
    await alice.signIn('/oauth/login');
    alice.cookies.delete('oauth2-session');
    await statuses(Array.from({ length: 12 }, () => guess(from('198.51.100.1'))));
    expect((await from('198.51.100.1').signIn('/oauth/login')).status).toBe(429);
    await alice.signIn('/oauth/login');
    expect(alice.cookies.has('oauth2-session')).toBe(true);
    expect((await alice.get('/oauth/login')).html).toContain('alice');
  });

  it('also limits a known browser, and ignores a forged known-browser cookie or that of another user', async () => {
    const { from, url } = await open();
    const alice = from('198.51.100.1');
    await alice.signIn('/oauth/login');
    alice.cookies.delete('oauth2-session');
    expect((await statuses(Array.from({ length: 11 }, () => guess(alice)))).at(-1)).toBe(429);
    const known = alice.cookies.get('oauth2-known-browser')!;
    const [id = '', mark = ''] = known.split('.');
    for (const forged of [`${'x'.repeat(22)}.${mark}`, `${id}.${'x'.repeat(43)}`]) {
      const browser = new PageBrowser(url, { 'x-forwarded-for': '203.0.113.9' });
      browser.cookies.set('oauth2-known-browser', forged);
      await statuses(Array.from({ length: 5 }, () => guess(browser)));
    }
    expect((await guess(from('203.0.113.9'))()).status).toBe(429);
    const bob = from('203.0.113.10');
    bob.cookies.set('oauth2-known-browser', known);
    await statuses(Array.from({ length: 10 }, () => () => bob.signIn('/oauth/login', 'bob', 'wrong')));
    expect((await from('203.0.113.10').signIn('/oauth/login', 'bob', 'wrong')).status).toBe(429);
  });

  it('counts similar spellings of a user name together, which a database collation may treat as equal', async () => {
    const { from } = await open();
    const names = ['alice', 'álice', 'ALICE', 'alicé', 'ａlice', 'alice ', 'àlice', 'alıce', 'a\u0301lice', 'ALİCE'];
    const browser = from('198.51.100.1');
    const tries = [...names, 'älice'].map((name) => () => browser.signIn('/oauth/login', name, 'wrong'));
    expect(await statuses(tries)).toEqual([...Array<number>(10).fill(401), 429]);
    expect((await browser.signIn('/oauth/login', 'bob', 'wrong')).status).toBe(401);
  });

  it('limits failed logins from one network across user names, except in known browsers', async () => {
    const { from } = await open();
    const alice = from('198.51.100.1');
    await alice.signIn('/oauth/login');
    alice.cookies.delete('oauth2-session');
    const spray = await guessesWithOneForm(from('198.51.100.1'), 301, (index) => ({ username: `u${index}` }));
    expect(spray).toEqual([...Array<number>(300).fill(401), 429]);
    expect((await from('198.51.100.1').signIn('/oauth/login')).status).toBe(429);
    expect((await from('198.51.100.2').signIn('/oauth/login')).status).toBe(303);
    expect((await alice.signIn('/oauth/login')).status).toBe(303);
  }, 60_000);

  it('does not count successful logins', async () => {
    const { from } = await open();
    const logins = Array.from({ length: 12 }, () => () => from('198.51.100.1').signIn('/oauth/login'));
    expect(new Set(await statuses(logins))).toEqual(new Set([303]));
  });

  it('does not reset the counter of a user when another user with a similar name signs in', async () => {
    const { from, url } = await open({ model: caseSensitive() });
    const tries = (count: number) => statuses(Array.from({ length: count }, () => guess(from('198.51.100.1'))));
    await tries(9);
    expect((await from('198.51.100.1').signIn('/oauth/login', 'ALICE', 'mine')).status).toBe(303);
    expect(await tries(2)).toEqual([401, 429]);
    const mallory = from('203.0.113.1');
    await mallory.signIn('/oauth/login', 'ALICE', 'mine');
    const known = new PageBrowser(url, { 'x-forwarded-for': '198.51.100.1' });
    known.cookies.set('oauth2-known-browser', mallory.cookies.get('oauth2-known-browser')!);
    expect((await known.signIn('/oauth/login', 'alice', 'wrong')).status).toBe(429);
  });

  it('ignores a session cookie if a no-break space precedes its `__Host-` name', async () => {
    const { url } = await open({ issuer: 'https://id.example' });
    const page = await fetch(`${url}/oauth/login`);
    const [cookie = ''] = page.headers.getSetCookie()[0]!.split(';');
    expect(cookie).toMatch(/^__Host-oauth2-session=/);
    const isKept = async (sent: string) =>
      (await fetch(`${url}/oauth/login`, { headers: { cookie: sent } })).headers.getSetCookie().length === 0;
    const kept = [cookie, `other=1;\t${cookie}`, `\u00A0${cookie}`, `\u0085${cookie}`].map(isKept);
    expect(await Promise.all(kept)).toEqual([true, true, false, false]);
  });
});
