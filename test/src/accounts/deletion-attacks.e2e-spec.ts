import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { stopApplications } from '../../support/servers/test-application.js';
import {
  type AccountApplication,
  AUTHORIZE,
  isSignedIn,
  PASSWORD,
  pathIn,
  sectionForm,
} from './account-application.js';
import {
  ALICE,
  contentOf,
  DeletableUsers,
  deletionsOf,
  orderDeletion,
  startDeletable,
} from './deletion-application.js';

const HOUR = 3_600_000;
const CALLERS = 200;

let offset = 0;
const realNow = Date.now;

afterEach(async () => {
  offset = 0;
  jest.restoreAllMocks();
  await stopApplications();
});

/** Moves the clock of this process. */
function advanceClock(milliseconds: number): void {
  offset += milliseconds;
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() + offset);
}

/** Starts an application in which Alice has ordered the deletion of her account. */
async function startOrdered() {
  const { app, users } = await startDeletable();
  await orderDeletion(await app.signUp(ALICE));
  await app.nextMail(0, ['signUp']);
  return { app, users, id: String(users.only.id) };
}

/** Starts a second process with the same store and users. */
const startSecond = async (app: AccountApplication, users: DeletableUsers) =>
  (await startDeletable({ users, model: app.model })).app;

describe('a stranger', () => {
  it('cannot order a deletion with a form of another user, or without its token', async () => {
    const { app } = await startDeletable();
    const browser = await app.signUp(ALICE);
    const mallory = await app.signUp('mallory@example.com');
    const own = await sectionForm(mallory, 'data', 'delete');
    for (const form of [own, { section: 'data', form: 'delete', csrf_token: '' }]) {
      expect((await browser.post('/oauth/account', { ...form, confirm: '1' })).status).toBe(403);
    }
    expect((await app.signIn(ALICE, PASSWORD)).shown.location).toBe('/');
  });

  it('cannot order or download anything with an old session', async () => {
    const { app } = await startDeletable({ look: { sessionLifetime: 24 * 3600 } });
    const browser = await app.signUp(ALICE);
    const forms = [await sectionForm(browser, 'data', 'export'), await sectionForm(browser, 'data', 'delete')];
    advanceClock(HOUR);
    for (const form of forms) {
      const shown = await browser.post('/oauth/account', { ...form, confirm: '1' });
      expect([shown.status, shown.location]).toEqual([303, expect.stringMatching(/^\/oauth\/login/)]);
    }
  });

  it('cannot order or download anything with the password alone if the account has a passkey', async () => {
    const { app, users } = await startDeletable({ options: { passkeys: true } });
    const browser = await app.signUp(ALICE);
    const forms = [await sectionForm(browser, 'data', 'export'), await sectionForm(browser, 'data', 'delete')];
    const account = { realm: '', userId: String(users.only.id) };
    const data = JSON.stringify({ id: 'key', name: 'Phone', publicKey: 'AAAA', createdAt: 1 });
    await app.model.addCredential(account, { kind: 'passkey', key: 'key', data });
    for (const form of forms) {
      const shown = await browser.post('/oauth/account', { ...form, confirm: '1' });
      expect(shown.location).toMatch(/^\/oauth\/second_factor/);
    }
  });

  it('cannot keep an account by a link for something else, or sign in past the page', async () => {
    const { app } = await startOrdered();
    const browser = app.browser();
    const { mail } = await app.request('/oauth/forgot_password', ALICE, browser);
    const token = new URL(mail!.link!).searchParams.get('token')!;
    expect((await browser.get(`/oauth/keep_account?token=${token}`)).status).toBe(410);
    expect((await browser.get('/oauth/keep_account')).location).toBe('/');
    // A new password does not start a session either.
    const reset = await browser.send(await browser.get(pathIn(mail!)), { new_password: 'eleven quiet bicycles' });
    expect(reset.location).toMatch(/^\/oauth\/keep_account/);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('cannot use the keep link at a form that another browser was shown', async () => {
    const { app } = await startOrdered();
    const mail = app.mails.find(({ template }) => template === 'deletion')!;
    const page = await app.browser().get(pathIn(mail));
    expect((await app.browser().send(page)).status).toBe(403);
    expect((await app.signIn(ALICE, PASSWORD)).shown.location).toMatch(/keep_account/);
  });
});

describe('a stolen session', () => {
  it('gives no application access while a deletion is ordered', async () => {
    const { app } = await startDeletable();
    const browser = await app.signUp(ALICE);
    const thief = (await app.signIn(ALICE, PASSWORD)).browser;
    const page = await thief.get(AUTHORIZE);
    const end = app.model.endSessions.bind(app.model);
    let location = '';
    jest.spyOn(app.model, 'endSessions').mockImplementationOnce(async (selection) => {
      location = (await thief.send(page, { decision: 'allow' })).location!;
      return end(selection);
    });
    await orderDeletion(browser);
    const code = new URL(location).searchParams.get('code')!;
    expect(await app.model.getAuthorizationCode(code)).toBeUndefined();
  });
});

describe('concurrent deletions', () => {
  it('delete an account once in two processes', async () => {
    const { app, users, id } = await startOrdered();
    const second = await startSecond(app, users);
    advanceClock(15 * 24 * HOUR);
    const counts = await Promise.all(
      Array.from({ length: CALLERS }, async (_, at) => deletionsOf(at % 2 === 0 ? app : second).finishDue()),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(users.deleted).toEqual([id]);
    expect(await contentOf(app)).not.toContain(id);
  });

  it('order a deletion once for many forms', async () => {
    const { app, users } = await startDeletable();
    const browser = await app.signUp(ALICE);
    const form = { ...(await sectionForm(browser, 'data', 'delete')), confirm: '1' };
    await Promise.all(Array.from({ length: 20 }, async () => browser.post('/oauth/account', form)));
    await app.nextMail(0, ['signUp']);
    expect(app.mails.filter(({ template }) => template === 'deletion')).toHaveLength(1);
    expect(await deletionsOf(app).find(String(users.only.id))).toBeDefined();
  });

  it.each([0, 1])('either cancel or delete an account, whichever comes first (%d)', async (first) => {
    const { app, users, id } = await startOrdered();
    advanceClock(15 * 24 * HOUR);
    const deletions = deletionsOf(app);
    const order = (await deletions.find(id))!;
    const outcomes = await Promise.all(
      Array.from({ length: CALLERS }, async (_, at) =>
        at % 2 === first ? deletions.cancel(order) : deletions.finish(order),
      ),
    );
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(users.rows.size).toBe(outcomes.indexOf(true) % 2 === first ? 1 : 0);
    expect(await deletions.find(id)).toBeUndefined();
  });
});

describe('a deletion that is interrupted', () => {
  /** Makes a process die at one of its calls of the store or the users table. Later calls fail too. */
  function dieAt(call: number, { model }: AccountApplication, users: DeletableUsers) {
    let calls = 0;
    const { storage } = model as unknown as { storage: object };
    const spies: { mockRestore(): void }[] = [];
    const guard = (target: object, name: string) => {
      const methods = target as Record<string, (...args: unknown[]) => unknown>;
      const original = methods[name]!;
      const spy = jest.spyOn(methods, name);
      spy.mockImplementation((...args) => {
        calls += 1;
        if (calls >= call) throw new Error('The process has died');
        return original.apply(target, args);
      });
      spies.push(spy);
    };
    for (const name of ['update', 'removeRow', 'eraseGrants', 'save', 'find', 'listRows']) guard(storage, name);
    for (const name of ['findById', 'delete']) guard(users, name);
    return { restart: () => spies.forEach((spy) => spy.mockRestore()), count: () => calls };
  }

  it('is finished by another process, at whichever call it died', async () => {
    let call = 1;
    for (let isComplete = false; !isComplete; call += 1) {
      const { app, users, id } = await startOrdered();
      advanceClock(15 * 24 * HOUR);
      const dead = dieAt(call, app, users);
      await deletionsOf(app)
        .finishDue()
        .catch(() => 0);
      isComplete = dead.count() < call;
      dead.restart();
      const second = await startSecond(app, users);
      // The attempt of the dead process ends.
      advanceClock(120_000);
      await deletionsOf(second).finishDue();
      expect([call, users.rows.size, (await contentOf(app)).includes(id)]).toEqual([call, 0, false]);
      const mails = async () => [...app.mails, ...second.mails].filter(({ template }) => template === 'deleted');
      await second.nextMail(0);
      expect((await mails()).length).toBeGreaterThan(0);
      expect(users.deleted.length).toBeGreaterThan(0);
      await stopApplications();
    }
    expect(call).toBeGreaterThan(8);
  }, 120_000);

  it('is repeated while the application cannot delete the user, who cannot keep the account any more', async () => {
    const { app, users, id } = await startOrdered();
    const link = pathIn(app.mails.find(({ template }) => template === 'deletion')!);
    const browser = app.browser();
    const page = await browser.get(link);
    const spy = jest.spyOn(users, 'delete').mockRejectedValue(new Error('The database is down') as never);
    advanceClock(14 * 24 * HOUR + 1000);
    expect(await deletionsOf(app).finishDue()).toBe(0);
    offset -= 2000;
    expect((await browser.send(page)).status).toBe(410);
    expect((await deletionsOf(app).find(id))!.data.stage).toBe('begun');
    offset += 2000;
    spy.mockRestore();
    expect(await deletionsOf(app).finishDue()).toBe(1);
    expect(await contentOf(app)).not.toContain(id);
  });

  it('does not delete a later user with the same ID', async () => {
    class SameId extends DeletableUsers {
      override async create(profile: { email: string }) {
        this.rows.set('same-id', { id: 'same-id', ...profile });
        return this.findById('same-id');
      }
    }
    const users = new SameId();
    const { app } = await startDeletable({ users, model: new MemoryStore({ users }) });
    await orderDeletion(await app.signUp(ALICE));
    advanceClock(15 * 24 * HOUR);
    jest.spyOn(app.model, 'deleteAccount').mockRejectedValueOnce(new Error('The database is down'));
    expect(await deletionsOf(app).finishDue()).toBe(0);
    expect(users.rows.size).toBe(0);
    const again = await app.signUp('second@example.com');
    expect(await isSignedIn(again)).toBe(true);
    advanceClock(120_000);
    expect(await deletionsOf(app).finishDue()).toBe(0);
    expect(users.rows.size).toBe(1);
    expect((await app.signIn('second@example.com', PASSWORD)).shown.location).toBe('/');
  });
});
