import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, TemporarilyUnavailableError } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { hashPassword, MemoryStore, type Users, verifyPassword } from 'nest-oauth2/stores/memory';

import { ScryptCount } from '../../stores/scrypt-count.js';
import { HeldScrypt } from '../../support/environment/real-scrypt.js';
import { waitUntil } from '../../support/environment/wait-until.js';
import { SECRET } from '../../support/servers/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from './page-browser.js';

const passwordHash = await hashPassword('wonderland');
const alice = { id: '1', username: 'alice' };

/** The users of a database whose collation ignores the letter `x`, which no rule of Unicode does. */
const users: Users = {
  findById: (id) => id === alice.id && alice,
  findByUsername: (name) => name.replaceAll('x', '') === 'alice' && alice,
  verifyPassword: (user, password) => verifyPassword(password, user && passwordHash),
};

describe.each(PLATFORMS)('the login page of a store that finds the account before the password on %s', (platform) => {
  afterEach(stopApplications);

  async function open(given: Users = users) {
    const model = new MemoryStore({ clients: [], users: given });
    const module = OAuth2Module.forRoot({ model, features: [pages()], secret: SECRET });
    const { url } = await startApplication(platform, { imports: [module] }, { trustProxy: true });
    return { model, from: (address: string) => new PageBrowser(url, { 'x-forwarded-for': address }) };
  }

  it('counts all spellings by which the database finds an account together', async () => {
    const { from } = await open();
    const browser = from('198.51.100.1');
    const statuses: number[] = [];
    for (let length = 0; length < 11; length += 1) {
      const name = `alice${'x'.repeat(length)}`;
      statuses.push((await browser.signIn('/oauth/login', name, 'wrong')).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
    expect((await from('198.51.100.2').signIn('/oauth/login')).status).toBe(303);
  }, 60_000);

  it('responds to a known and to an unknown name alike, to each of eleven wrong passwords', async () => {
    const { from } = await open();
    const scrypt = new ScryptCount();
    const responses: Record<string, unknown[]> = { alice: [], 'mad-hatter': [] };
    for (const [name, seen] of Object.entries(responses)) {
      const browser = from('198.51.100.1');
      const page = await browser.get('/oauth/login');
      for (let attempt = 0; attempt < 11; attempt += 1) {
        const before = scrypt.total;
        const typed = attempt % 2 ? name : name.toUpperCase();
        const { status, headers, html } = await browser.send(page, { username: typed, password: 'wrong' });
        const wait = headers.get('retry-after');
        const text = html.replaceAll(typed, 'NAME').replaceAll(/value="[\w-]{20,}"/g, '');
        seen.push([status, wait === null ? null : Number(wait) > 60, scrypt.total - before, text]);
      }
    }
    scrypt.stop();
    expect(responses['mad-hatter']).toEqual(responses['alice']);
    expect(responses['alice']!.map((response) => (response as unknown[]).slice(0, 3))).toEqual([
      ...Array.from({ length: 10 }, () => [401, null, 1]),
      [429, true, 0],
    ]);
  }, 60_000);

  it('computes one hash at a time for one network, so that a user elsewhere waits for no hash of it', async () => {
    const { from } = await open();
    const honest = from('198.51.100.2');
    const attackers = Array.from({ length: 30 }, () => from('198.51.100.1'));
    const [own, ...forms] = await Promise.all([honest, ...attackers].map((browser) => browser.get('/oauth/login')));
    const scrypt = new HeldScrypt();
    const refused: number[] = [];
    const attack = attackers.map(async (attacker, index) => {
      const { status } = await attacker.send(forms[index]!, { username: `user-${index}`, password: 'wrong' });
      if (status === 503) refused.push(index);
      return status;
    });
    // One hash is computed, sixteen sign-ins wait for it, and the others are refused.
    await waitUntil(() => refused.length === 13);
    expect(scrypt.waiting).toHaveLength(1);
    const signedIn = honest.send(own!, { username: 'alice', password: 'wonderland' });
    await waitUntil(() => scrypt.waiting.length === 2);
    scrypt.start(1);
    expect((await signedIn).status).toBe(303);
    expect(scrypt.waiting).toHaveLength(1);
    scrypt.stop();
    expect((await Promise.all(attack)).filter((status) => status === 401)).toHaveLength(17);
  });

  it('does not count an attempt whose password could not be verified', async () => {
    const { from } = await open({
      ...users,
      verifyPassword: async (user, password) => {
        if (password === 'busy') throw new TemporarilyUnavailableError('The directory does not respond');
        return verifyPassword(password, user && passwordHash);
      },
    });
    const browser = from('198.51.100.1');
    for (let attempt = 0; attempt < 12; attempt += 1)
      expect((await browser.signIn('/oauth/login', 'alice', 'busy')).status).toBe(503);
    expect((await browser.signIn('/oauth/login')).status).toBe(303);
  }, 60_000);

  it('calls `getUser()` of a subclass that overrides it', async () => {
    class OwnStore extends MemoryStore {
      override async getUser(username: string) {
        return username === 'own' && alice;
      }
    }
    const model = new OwnStore({ clients: [], users });
    const module = OAuth2Module.forRoot({ model, features: [pages()], secret: SECRET });
    const { url } = await startApplication(platform, { imports: [module] });
    expect((await new PageBrowser(url).signIn('/oauth/login', 'own', 'any')).status).toBe(303);
    expect((await new PageBrowser(url).signIn('/oauth/login')).status).toBe(401);
  });
});
