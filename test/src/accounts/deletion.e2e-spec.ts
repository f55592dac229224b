import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { AccountsOptions } from 'nest-oauth2/accounts';
import { advanceClock } from '../../support/environment/advance-clock.js';
import { PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import { AccountApplication, isSignedIn, PASSWORD, pathIn, sectionForm, UserTable } from './account-application.js';
import { ALICE, contentOf, deletionsOf, orderDeletion, startDeletable } from './deletion-application.js';

const DAY = 86_400_000;

afterEach(stopApplications);

/** Collects the events about the deletion of accounts. */
function listen() {
  const events = new EventEmitter();
  const reported: string[] = [];
  for (const name of ['account.deletion_requested', 'account.deletion_cancelled', 'account.deleted'])
    events.on(name, ({ userId }: { userId: string }) => reported.push(`${name} ${userId}`));
  return { events, reported };
}

describe.each(PLATFORMS)('the deletion of an account on %s', (platform) => {
  it('signs the user out everywhere, waits for the grace period, and removes everything of the user', async () => {
    const { events, reported } = listen();
    const { app, users } = await startDeletable({ platform, module: { events } });
    const browser = await app.signUp(ALICE);
    const other = (await app.signIn(ALICE, PASSWORD)).browser;
    const id = String(users.only.id);
    const unconfirmed = await orderDeletion(browser, {});
    expect([unconfirmed.status, unconfirmed.html.includes('Tick the box')]).toEqual([400, true]);
    expect(reported).toEqual([]);

    const ordered = await orderDeletion(browser);
    expect(ordered.location).toBe('/oauth/keep_account?ordered=');
    expect((await browser.get(ordered.location!)).html).toContain('Until then, sign in if you want to keep it.');
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([false, false]);
    const mail = (await app.nextMail(0, ['signUp']))!;
    expect(mail).toMatchObject({ template: 'deletion', to: ALICE, text: expect.stringContaining(mail.link!) });
    expect(await deletionsOf(app).finishDue()).toBe(0);
    expect(await contentOf(app)).toContain(id);

    advanceClock(14 * DAY + 1000);
    expect(await deletionsOf(app).finishDue()).toBe(1);
    expect([users.deleted, users.rows.size]).toEqual([[id], 0]);
    expect(reported).toEqual([`account.deletion_requested ${id}`, `account.deleted ${id}`]);
    expect(await app.nextMail(0, ['signUp', 'deletion'])).toMatchObject({ template: 'deleted', to: ALICE });
    expect(await contentOf(app)).not.toContain(id);
    expect(await deletionsOf(app).finishDue()).toBe(0);
    expect((await app.signIn(ALICE, PASSWORD)).shown.status).toBe(401);
    expect((await browser.get(pathIn(mail))).status).toBe(410);
  });

  it('is cancelled by signing in again, and only by the user who chooses so', async () => {
    const { events, reported } = listen();
    const { app, users } = await startDeletable({ platform, module: { events } });
    await orderDeletion(await app.signUp(ALICE));
    reported.length = 0;
    const { browser, shown } = await app.signIn(ALICE, PASSWORD);
    expect(shown.location).toMatch(/^\/oauth\/keep_account/);
    expect(await isSignedIn(browser)).toBe(false);
    const page = await browser.get(shown.location!);
    expect(page.heading).toBe('Your account is going to be deleted');
    const kept = await browser.send(page);
    expect([kept.status, kept.location]).toEqual([303, '/']);
    expect(await isSignedIn(browser)).toBe(true);
    expect(reported).toEqual([`account.deletion_cancelled ${String(users.only.id)}`]);
    advanceClock(15 * DAY);
    expect(await deletionsOf(app).finishDue()).toBe(0);
    expect(users.rows.size).toBe(1);
  });

  it('is cancelled by the link in the e-mail, which works once and signs nobody in', async () => {
    const { app } = await startDeletable({ platform });
    await orderDeletion(await app.signUp(ALICE));
    const mail = (await app.nextMail(0, ['signUp']))!;
    const elsewhere = app.browser();
    const page = await elsewhere.get(pathIn(mail));
    expect((await elsewhere.send(page)).html).toContain('Your account stays.');
    expect(await isSignedIn(elsewhere)).toBe(false);
    expect((await elsewhere.send(page)).status).toBe(410);
    expect((await app.signIn(ALICE, PASSWORD)).shown.location).toBe('/');
  });

  it('downloads what the store has of the user, without secrets', async () => {
    class Exporting extends UserTable {
      export() {
        return { notes: ['one'] };
      }
    }
    const app = await AccountApplication.start({ platform, users: new Exporting() });
    const browser = await app.signUp(ALICE);
    const file = await browser.post('/oauth/account', await sectionForm(browser, 'data', 'export'));
    expect(file.status).toBe(200);
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account.json"',
      'cache-control': 'no-store',
    });
    expect(JSON.parse(file.html)).toMatchObject({
      issuer: 'https://id.example',
      user: { id: '1', email: ALICE },
      has_password: true,
      passkeys: [],
      sessions: [{ signed_in_at: expect.any(String) }],
      application: { notes: ['one'] },
    });
    expect(file.html).not.toMatch(/scrypt|hash|secret|token_|"sid"/);
  });
});

describe('the deletion of an account', () => {
  it('happens at once without a grace period', async () => {
    const { app, users } = await startDeletable({ options: { deletion: { gracePeriod: 0 } } });
    const browser = await app.signUp(ALICE);
    const id = String(users.only.id);
    const ordered = await orderDeletion(browser);
    expect((await browser.get(ordered.location!)).heading).toBe('Your account was deleted');
    expect(users.deleted).toEqual([id]);
    await app.nextMail(0, ['signUp']);
    expect(app.mails.map(({ template }) => template)).toEqual(['signUp', 'deleted']);
    expect(await contentOf(app)).not.toContain(id);
  });

  it.each([
    [{ deletion: true }, '`deletion` of `accounts()` requires the method `delete()` of `users`'],
    [
      { deletion: { gracePeriod: -1 } },
      '`gracePeriod` in `deletion` of `accounts()` must be a whole number of seconds, from 0 to 31536000',
    ],
    [{ deletion: 'yes' }, '`deletion` of `accounts()` must be `true`, `false` or an object of options'],
  ])('refuses to start with %j', async (options, message) => {
    const start = async () => AccountApplication.start({ options: options as Partial<AccountsOptions> });
    await expect(start).rejects.toThrow(message);
  });
});
