import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { linesOf } from '../../../src/cli/command.js';
import { readCommand } from '../../../src/cli/read-command.js';
import { targetOfContext } from '../../../src/cli/target-of-context.js';
import { stopApplications } from '../../support/servers/test-application.js';
import { AccountApplication, isSignedIn, PASSWORD } from '../accounts/account-application.js';
import { orderDeletion, startDeletable } from '../accounts/deletion-application.js';
import { setUpApp } from '../accounts/authenticator-page.js';

const ALICE = 'alice@example.com';

describe('nest-oauth2 accounts reset', () => {
  afterEach(stopApplications);

  const reset = async (app: AccountApplication, id: string) => {
    const { command, args } = readCommand(['accounts', 'reset', id]);
    return linesOf(await command!.run(args, targetOfContext(app.nest)), false);
  };

  it('removes the second factors of a user, ends the sessions, and reports it by an event and an e-mail', async () => {
    const events = new EventEmitter();
    const reported: unknown[] = [];
    events.on('credential.removed', (payload) => reported.push(payload));
    const app = await AccountApplication.start({ options: { authenticator: true }, module: { events } });
    const browser = await app.signUp(ALICE);
    await setUpApp(browser);
    await app.nextMail(0, ['signUp']);
    const mails = app.mails.length;
    await expect(reset(app, '7')).rejects.toThrow('There is no user "7"');
    const pending = (await app.signIn(ALICE, PASSWORD)).browser;
    expect(await reset(app, '1')).toEqual(['removed  totp']);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await app.nextMail(mails)).toMatchObject({ template: 'factors', to: ALICE });
    expect(reported).toEqual([
      expect.objectContaining({ credential: 'totp', by: 'operator', userId: '1', issuer: 'https://id.example' }),
    ]);
    // The pending login has ended with the sessions.
    expect((await pending.get('/oauth/second_factor')).location).toBe('/');
    expect(await isSignedIn(pending)).toBe(false);
    expect((await app.signIn(ALICE, PASSWORD)).shown.location).toBe('/');
    expect(await reset(app, '1')).toEqual(['removed  nothing']);
  });

  it('reports that the server has no second factors', async () => {
    const app = await AccountApplication.start();
    await expect(reset(app, '1')).rejects.toThrow('The server has no second factors of `accounts()`.');
  });
});

describe('nest-oauth2 accounts finish', () => {
  afterEach(async () => {
    jest.restoreAllMocks();
    await stopApplications();
  });

  const finish = async (app: AccountApplication) => {
    const { command, args } = readCommand(['accounts', 'finish']);
    return linesOf(await command!.run(args, targetOfContext(app.nest)), false);
  };

  it('deletes the accounts whose grace period has ended', async () => {
    const { app, users } = await startDeletable({ options: { deletion: { gracePeriod: 60 } } });
    await orderDeletion(await app.signUp(ALICE));
    expect(await finish(app)).toEqual(['deleted  0']);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 61_000);
    expect(await finish(app)).toEqual(['deleted  1']);
    expect(users.rows.size).toBe(0);
  });

  it('reports that users cannot delete their account', async () => {
    const app = await AccountApplication.start();
    await expect(finish(app)).rejects.toThrow('`deletion` of `accounts()` is not set.');
  });
});
