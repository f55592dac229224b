import { afterEach, describe, expect, it } from '@jest/globals';

import { ScryptCount } from '../../stores/scrypt-count.js';
import { HeldScrypt } from '../../support/environment/real-scrypt.js';
import { waitUntil } from '../../support/environment/wait-until.js';
import { PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import { AccountApplication, choose, isSignedIn, NEW_PASSWORD, PASSWORD, pathIn } from './account-application.js';

const ALICE = 'alice@example.com';
const FORGOT = '/oauth/forgot_password';
const SIGN_UP = '/oauth/sign_up';
const SESSION = '__Host-oauth2-session';
const OTHER_SITE = { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' };

afterEach(stopApplications);

describe.each(PLATFORMS)('links of accounts on %s', (platform) => {
  it('compute a hash only with a valid link: not at the request, and not with a used or a forged link', async () => {
    const app = await AccountApplication.start({ platform });
    const browser = await app.signUp(ALICE);
    const scrypt = new ScryptCount();
    try {
      for (const path of [FORGOT, SIGN_UP])
        for (const email of [ALICE, 'new@example.com']) await app.request(path, email);
      const mail = app.mails.findLast(({ template, to }) => template === 'reset' && to === ALICE)!;
      const form = await browser.get(pathIn(mail));
      expect(scrypt.total).toBe(0);
      expect(await scrypt.during(() => browser.send(form, { new_password: NEW_PASSWORD }))).toBe(1);
      const later = await browser.send(form, { new_password: PASSWORD });
      const forged = await browser.send(form, { new_password: PASSWORD, token: 'x'.repeat(43) });
      expect([later.status, forged.status, scrypt.total]).toEqual([410, 410, 1]);
    } finally {
      scrypt.stop();
    }
  });

  it('start a session with a new cookie, so that an attacker cannot choose it', async () => {
    const app = await AccountApplication.start({ platform });
    const [browser, attacker] = [app.browser(), app.browser()];
    await attacker.get(SIGN_UP);
    const planted = attacker.cookies.get(SESSION)!;
    browser.cookies.set(SESSION, planted);
    const { mail } = await app.request(SIGN_UP, ALICE, browser);
    expect(browser.cookies.get(SESSION)).toBe(planted);
    expect((await choose(browser, mail!, PASSWORD)).status).toBe(303);
    expect(browser.cookies.get(SESSION)).not.toBe(planted);
    expect([await isSignedIn(browser), await isSignedIn(attacker)]).toEqual([true, false]);
  });

  it('sign no browser in if a page of another site sends the form', async () => {
    const app = await AccountApplication.start({ platform });
    const { mail } = await app.request(SIGN_UP, ALICE);
    const browser = app.browser();
    const form = await browser.get(pathIn(mail!));
    expect((await browser.send(form, { new_password: PASSWORD }, OTHER_SITE)).status).toBe(403);
    expect([await isSignedIn(browser), app.users.rows.size]).toEqual([false, 0]);
  });
});

describe('links of accounts', () => {
  it.each([FORGOT, SIGN_UP])('refuse most of many hashes that one network orders with one link of %s', async (path) => {
    const app = await AccountApplication.start();
    if (path === FORGOT) await app.signUp(ALICE);
    const { mail } = await app.request(path, ALICE);
    const browser = app.browser();
    const form = await browser.get(pathIn(mail!));
    const scrypt = new HeldScrypt();
    const statuses: number[] = [];
    const responses = Array.from({ length: 60 }, async () => {
      statuses.push((await browser.send(form, { new_password: NEW_PASSWORD })).status);
    });
    // One hash is computed, sixteen requests wait for it, and the others are refused.
    await waitUntil(() => statuses.length === 43);
    expect([scrypt.waiting.length, new Set(statuses)]).toEqual([1, new Set([503])]);
    scrypt.stop();
    await Promise.all(responses);
    expect(statuses.slice(43)).toContain(303);
  });
});
