import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createHash } from 'node:crypto';
import { hashPassword, hashSecret } from 'nest-oauth2/stores';

import { findPasswordProblem } from '../../../src/accounts/password-policy.js';
import { hasArgon2id } from '../../../lib/internal.js';
import { ANY_PLATFORM, stopApplications } from '../../support/servers/test-application.js';
import { AccountApplication, isSignedIn, NEW_PASSWORD, PASSWORD, sectionForm } from './account-application.js';

const PERSONAL = ['alice.ross@example.com', 'Alice Ross', 'Example Notes'];
const judge = (password: string, rules = {}) => findPasswordProblem(password, { minLength: 12, ...rules }, PERSONAL);

describe('the rules for new passwords', () => {
  it.each([
    'violet kettle on the moor',
    'eleven quiet bicycles',
    'Xk3v9Qm2Tz7w',
    '948273615029',
    '🦊🌵🎻🧊🍋🪁🦊🌵🎻🧊🍋🪁',
    'снег над рекой',
    'welcome to my zebra farm',
  ])('accepts %j', async (password) => {
    expect(await judge(password)).toBeUndefined();
  });

  it.each([
    ['passwordShort', 'elevenchars'],
    ['passwordShort', 'äöüäöüäöüäö'],
    ['passwordLong', 'x1y2z3w4 '.repeat(112)],
    ['passwordLong', 'eleven quiet\0bicycles'],
    ['passwordPersonal', 'alice.ross@example.com'],
    ['passwordPersonal', 'AliceRoss2026!'],
    ['passwordPersonal', 'example-notes 1999'],
    ['passwordCommon', 'password1234'],
    ['passwordCommon', 'P4ssw0rdP4ssw0rd'],
    ['passwordCommon', 'qwertyuiop123'],
    ['passwordCommon', '1234567890123'],
    ['passwordCommon', 'aaaaaaaaaaaaaaa'],
    ['passwordCommon', 'iloveyou2026!!'],
    ['passwordCommon', 'correct horse battery staple'],
  ])('answers %s to %j', async (problem, password) => {
    expect(await judge(password)).toBe(problem);
  });

  it('sends five characters of the SHA-1 to an API, and accepts the password if the API fails', async () => {
    const hash = createHash('sha1').update('eleven quiet bicycles').digest('hex').toUpperCase();
    const urls: string[] = [];
    const api = (text: string) => async (url: string) => {
      urls.push(url);
      return new Response(text);
    };
    const rest = hash.slice(5);
    const check = (fetch: unknown) => judge('eleven quiet bicycles', { fetch });
    expect(await check(api(`000:1\r\n${rest}:7`))).toBe('passwordBreached');
    expect(await check(api(`${rest}:0`))).toBeUndefined();
    expect(await check(async () => Promise.reject(new Error('offline')))).toBeUndefined();
    expect(urls[0]).toBe(`https://api.pwnedpasswords.com/range/${hash.slice(0, 5)}`);
  });
});

const ALICE = 'alice@example.com';

/** Starts an application whose only user has a password hash of lower cost than new ones. */
async function start() {
  const app = await AccountApplication.start({ platform: ANY_PLATFORM[0]! });
  const browser = await app.signUp(ALICE);
  const stored = async () => (await app.model.findCredential('', 'password', '1'))!;
  const cheap = await hashSecret(PASSWORD);
  await app.model.replaceCredential(await stored(), JSON.stringify({ hash: cheap }));
  const hash = async () => (JSON.parse((await stored()).data!) as { hash: string }).hash;
  const signIn = async (password: string) => isSignedIn((await app.signIn(ALICE, password)).browser);
  return { app, browser, stored, hash, signIn, cheap };
}

describe('the password hashes of accounts()', () => {
  afterEach(stopApplications);

  it('are replaced at a login with the correct password, if they cost less than new ones', async () => {
    const { hash, signIn, cheap } = await start();
    expect(await signIn(NEW_PASSWORD)).toBe(false);
    expect(await hash()).toBe(cheap);
    expect(await signIn(PASSWORD)).toBe(true);
    const replaced = await hash();
    expect(replaced).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    expect(await signIn(PASSWORD)).toBe(true);
    expect(await hash()).toBe(replaced);
  });

  it('never replace a password that is chosen during the login', async () => {
    const { app, hash, signIn, stored } = await start();
    const newer = JSON.stringify({ hash: await hashSecret(NEW_PASSWORD) });
    const { replaceCredential } = app.model;
    jest.spyOn(app.model, 'replaceCredential').mockImplementationOnce(async (found, data) => {
      await replaceCredential.call(app.model, await stored(), newer);
      return replaceCredential.call(app.model, found, data);
    });
    await signIn(PASSWORD);
    expect(JSON.stringify({ hash: await hash() })).toBe(newer);
  });

  it('may stay if the store cannot be written, and let the user change the password', async () => {
    const { app, browser, hash, signIn, cheap } = await start();
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    jest.spyOn(app.model, 'replaceCredential').mockRejectedValueOnce(new Error('read-only'));
    expect(await signIn(PASSWORD)).toBe(true);
    expect([await hash(), warn.mock.calls.length]).toEqual([cheap, 1]);
    warn.mockRestore();
    await browser.post('/oauth/account', {
      ...(await sectionForm(browser, 'password')),
      current_password: PASSWORD,
      new_password: NEW_PASSWORD,
    });
    expect(await signIn(NEW_PASSWORD)).toBe(true);
  });
});

const describeWith = hasArgon2id() ? describe : describe.skip;
const describeWithout = hasArgon2id() ? describe.skip : describe;

describeWith('the function that hashes passwords', () => {
  afterEach(stopApplications);

  const hashOf = async (app: AccountApplication) => {
    const { data } = (await app.model.findCredential('', 'password', '1'))!;
    return (JSON.parse(data!) as { hash: string }).hash;
  };
  const signIn = async (app: AccountApplication, password = PASSWORD) =>
    isSignedIn((await app.signIn(ALICE, password)).browser);

  it('may change in both directions, by the next login with the password', async () => {
    const app = await AccountApplication.start();
    await app.signUp(ALICE);
    expect(await hashOf(app)).toMatch(/^\$scrypt\$/);
    const { users, model } = app;
    const newer = await AccountApplication.start({ users, model, options: { password: { hash: 'argon2id' } } });
    expect(await signIn(newer, NEW_PASSWORD)).toBe(false);
    expect(await hashOf(app)).toMatch(/^\$scrypt\$/);
    expect(await signIn(newer)).toBe(true);
    expect(await hashOf(app)).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/);
    expect([await signIn(newer), await signIn(newer, NEW_PASSWORD)]).toEqual([true, false]);
    expect(await signIn(app)).toBe(true);
    expect(await hashOf(app)).toMatch(/^\$scrypt\$/);
    await newer.signUp('bob@example.com');
    const { data } = (await model.findCredential('', 'password', '2'))!;
    expect(data).toContain('$argon2id$');
  });
});

describeWithout('a process that cannot compute argon2id', () => {
  afterEach(stopApplications);

  it('does not start with it', async () => {
    const startNew = async () => AccountApplication.start({ options: { password: { hash: 'argon2id' } } });
    await expect(startNew).rejects.toThrow('requires Node.js 24.7 or later: upgrade Node.js, or use scrypt');
    await expect(hashPassword(PASSWORD, { algorithm: 'argon2id' })).rejects.toThrow('Node.js 24.7');
  });
});

describe('the option `hash`', () => {
  it('must be known', async () => {
    const startNew = async () => AccountApplication.start({ options: { password: { hash: 'md5' as never } } });
    await expect(startNew).rejects.toThrow("must be 'scrypt' or 'argon2id'");
  });
});
